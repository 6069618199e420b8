"""The filled folder: every row is one that a crawl would have written, and the product opens and judges it so."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.filled_rows import DEPTHS, LEVELS_OF, depths_of, put_digits
from bench.filled_shard import Shape, filled_folder, read_shape, sizes_of
from bench.traces import TRACES, Trace, host_number
from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.app.doctor.books import Desk, check_ledger, check_pages, check_queues
from gossamer.app.doctor.places import check_hosts
from gossamer.app.doctor.tables import Changes, rows
from gossamer.app.folder import open_folder
from gossamer.core.frontier.records import PageState, decode_host, decode_page
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.seen.prints import prints_of
from gossamer.core.seen.run import Run
from gossamer.core.url.parse import host_of
from gossamer.flow.shard_rules import ShardRules
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

NOW = 1_790_000_000.0
URLS, HOSTS = 3000, 40


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small filled folder, not to be changed."""
    path = tmp_path_factory.mktemp("filled") / "crawl"
    filled_folder(path, Shape(URLS, NOW - 1000.0, NOW, hosts=HOSTS, archived=False, working=7))
    return path


@contextmanager
def desk_of(path: Path) -> Generator[Desk]:
    """The doctor's desk for its shard."""
    folder, settings = open_folder(path)
    facts = folder.read_facts()
    rules = ShardRules(Fingerprinter(facts.hash_key), facts.keys, folder.read_sites(), settings.crawl.shards)
    with RocksStore(folder.shard(0), resources=RocksResources(), create=False) as store:
        yield Desk(0, store, rules, {}, Changes(store, mend=False), {}, lambda _: None)


def test_the_books_are_those_that_the_doctor_counts(filled: Path) -> None:
    with desk_of(filled) as desk:
        check_pages(desk)
        check_queues(desk)
        held = check_hosts(desk)
        assert check_ledger(desk, held) == []
        books = desk.books
        assert (books.lost, books.unqueued, books.dangling, books.hosts, books.unreadable) == (0, 0, 0, 0, 0)
        assert books.counted.known == URLS
        assert sum(1 for _ in rows(desk.store, Table.ACTIVE)) == 7


def test_keys_are_those_that_the_product_makes(filled: Path) -> None:
    with desk_of(filled) as desk:
        records = [(key, decode_page(value)) for key, value in rows(desk.store, Table.PAGE)]
        _, keys = desk.rules.page_keys([record.url for _, record in records])
        assert keys == [key for key, _ in records]
        for key, value in rows(desk.store, Table.HOST):
            state = decode_host(value)
            assert key == desk.rules.ids.host_id(state.name)
            assert state.site == desk.rules.sites.site_of(state.name)


def test_url_seen_knows_every_url(filled: Path) -> None:
    folder, _ = open_folder(filled)
    with desk_of(filled) as desk:
        keys = [key for key, _ in rows(desk.store, Table.PAGE)]
    [file] = sorted((folder.path / folder.seen(0)).iterdir())
    run = Run(memoryview(file.read_bytes()))
    assert run.count == URLS
    assert run.contains(prints_of(keys)).all()


def test_the_first_pages_of_a_host_are_fetched_and_the_rest_waits_in_the_order_found(filled: Path) -> None:
    with desk_of(filled) as desk:
        found: dict[str, list[tuple[str, int, int]]] = {}
        for _, value in rows(desk.store, Table.PAGE):
            record = decode_page(value)
            found.setdefault(host_of(record.url), []).append((record.url, record.state, record.order))
    for pages in found.values():
        pages.sort()
        states = [state for _, state, _ in pages]
        assert states == sorted(states, key=lambda state: state == PageState.QUEUED)
        assert [order for _, _, order in pages] == sorted(order for _, _, order in pages)


def test_its_shape_is_kept_beside_it(filled: Path) -> None:
    assert read_shape(filled) == Shape(URLS, NOW - 1000.0, NOW, hosts=HOSTS, archived=False, working=7)


@pytest.mark.parametrize(("urls", "hosts"), [(100, 4), (3000, 40), (1_000_000, 10_000), (999_999, 7)])
def test_sizes_make_up_the_urls_and_leave_no_host_empty(urls: int, hosts: int) -> None:
    sizes = sizes_of(urls, hosts)
    assert (len(sizes), sizes.sum()) == (hosts, urls)
    assert sizes.min() >= 1
    assert sizes[1:].tolist() == sorted(sizes[1:], reverse=True)


@pytest.mark.parametrize("kind", TRACES)
def test_a_trace_names_known_urls_and_urls_that_are_new(kind: str, filled: Path) -> None:
    trace = Trace(read_shape(filled), kind, np.random.default_rng(1))
    known, new, absent = trace.known(200, 0), [*trace.new(200, 0), *trace.new(200)], trace.absent(200)
    with desk_of(filled) as desk:
        urls = {decode_page(value).url for _, value in rows(desk.store, Table.PAGE)}
    assert set(known) <= urls
    assert urls.isdisjoint(new)
    assert urls.isdisjoint(absent)
    assert len(set(new)) == 400
    assert all(0 <= host_number(host_of(url)) < HOSTS for url in known)


def test_a_page_links_to_as_many_as_it_should(filled: Path) -> None:
    links = Trace(read_shape(filled), "zipf", np.random.default_rng(1)).links(0)
    assert len(links) == len(set(links))
    assert 50 < len(links) <= 100


def test_numbers_are_written_with_leading_zeros() -> None:
    table = np.full((2, 6), ord("x"), dtype=np.uint8)
    put_digits(table, 1, 4, np.array([7, 1234]))
    assert [row.tobytes() for row in table] == [b"x0007x", b"x1234x"]


def test_only_the_first_page_is_a_seed() -> None:
    depths = depths_of(np.arange(20))
    assert (depths == 0).tolist() == [True] + [False] * 19
    assert depths.max() < DEPTHS == len(LEVELS_OF)
