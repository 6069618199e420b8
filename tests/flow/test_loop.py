"""The loop: a failing disk ends it with the disk's word, a full outbox pauses it, claims follow their commits."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import pytest

from gossamer.core.ending import EndState
from gossamer.core.frontier.commands import Refuse
from gossamer.core.frontier.records import PageState
from gossamer.flow import loop
from gossamer.flow.follow import add_seeds
from gossamer.flow.loop import crawl
from gossamer.flow.report import refuse_queued
from gossamer.flow.seeding import seed
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker
from gossamer.ports.store import StoreFull, Table
from gossamer.simulation.clock import SimClock
from tests.workers import Bench, Reply, page, run

A, B = "http://a.test", "http://b.test"
TEXT = (("Content-Type", "text/plain"),)


def site(bench: Bench, pages: int, host: str = A) -> None:
    """A start page that links to some pages, which link to the first page of another host."""
    bench.web.put(f"{host}/", page(*(f"/{number}" for number in range(pages))))
    for number in range(pages):
        bench.web.put(f"{host}/{number}", page(f"http://x{number}.test/", words=f"{host} {number}"))
        bench.web.put(f"http://x{number}.test/", page(words=f"x {number}"))


async def crawled(bench: Bench, *seeds: str) -> EndState:
    seed(bench.worker, ((url, "") for url in seeds))
    ending = await crawl(bench.worker)
    await bench.worker.committer.commit()
    await bench.worker.finish_files()
    return ending


# --- a disk that fails -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["folder", "store"])
def test_a_full_disk_ends_the_crawl_and_the_next_one_goes_on(where: str) -> None:
    bench = Bench(clock=SimClock())
    site(bench, 10)
    fault: Any = OSError(errno.ENOSPC, "full") if where == "folder" else StoreFull("full")

    async def until_full() -> None:
        seed(bench.worker, [(f"{A}/", "")])
        crawling = asyncio.ensure_future(crawl(bench.worker))
        await SimClock().sleep(6.0)
        (bench.folder if where == "folder" else bench.disks[0]).fault = fault
        with pytest.raises(type(fault)) as raised:
            await crawling
        assert raised.value is fault
        with pytest.raises(type(fault)):
            await bench.worker.committer.commit()
        assert bench.worker._tasks == set()

    run(until_full())
    committed = len(bench.worker.shards[0].rows.store.scan(Table.PAGE, b"", b"\xff" * 30, 99))
    bench.folder.fault = bench.disks[0].fault = None
    bench.reopen()
    assert bench.shard.ledger.problems() == []
    assert 0 < bench.shard.ledger.known <= committed
    assert run(crawled(bench, f"{A}/")) is EndState.COMPLETE
    assert bench.shard.ledger.pages == 21
    rows = bench.datasets.rows("pages")
    assert sum(row["outcome"] == "fetched" for row in rows) == 21


def test_a_visit_that_breaks_takes_the_crawl_down_loudly() -> None:
    bench = Bench(clock=SimClock())

    async def broken(_: object) -> Any:
        raise ZeroDivisionError("a bug")

    bench.web.fetch = broken  # type: ignore[method-assign]

    async def work() -> None:
        with pytest.raises(ZeroDivisionError):
            await crawled(bench, f"{A}/")

    run(work())


# --- outboxes --------------------------------------------------------------------------------------------------------


def test_a_full_outbox_pauses_leasing_and_time_goes_on() -> None:
    bench = Bench(shards=4, clock=SimClock())
    for shard in bench.worker.shards:
        shard.outbox.entries_max = 1
    for host in (A, B):
        site(bench, 8, host)
    assert run(crawled(bench, f"{A}/", f"{B}/")) is EndState.COMPLETE
    assert sum(shard.ledger.pages for shard in bench.worker.shards) == 2 * 9 + 8
    assert bench.problems() == []


def test_a_shard_with_a_full_outbox_has_no_moment() -> None:
    bench = Bench(shards=2)
    add_seeds(bench.worker, [f"{A}/"])
    shard = bench.owner(f"{A}/")
    shard.outbox.entries_max = 1
    for other in bench.worker.shards:
        other.frontier.working.next_wake = None
    assert bench.worker.next_moment() is not None
    shard.outbox.waiting[1, 1] = b""
    assert bench.worker.next_moment() is None


# --- copies ----------------------------------------------------------------------------------------------------------


def test_one_body_under_many_urls_is_stored_once() -> None:
    bench = Bench(shards=4, clock=SimClock(), policy={"copies_follow": "never"})
    same = page("/deeper", words="the same everywhere")
    hosts = [f"http://h{number}.test" for number in range(6)]
    bench.web.put(f"{A}/", page(*(f"{host}/copy" for host in hosts)))
    for host in hosts:
        bench.web.put(f"{host}/copy", same)
    assert run(crawled(bench, f"{A}/")) is EndState.COMPLETE
    copies = [row["copy_of"] for row in bench.datasets.rows("pages") if row["url"].endswith("/copy")]
    assert sorted(map(bool, copies)) == [False] + [True] * 5
    archived = b"".join(bytes(data) for path, data in bench.folder.files.items() if path.startswith("archive/"))
    assert archived.count(same) == 1
    assert archived.count(b"WARC-Type: revisit") == 5


def test_a_body_that_nobody_claims_is_released() -> None:
    """A cut body is asked about by nobody; a page whose report is no claim gives its question back."""
    bench = Bench(clock=SimClock())
    bench.web.put(f"{A}/", Reply(page("/1"), headers=(("Content-Type", "text/html"),)), Reply(page("/1")))
    bench.web.put(f"{A}/1", page("/1"))
    assert run(crawled(bench, f"{A}/")) is EndState.COMPLETE
    assert bench.shard.content_seen._under_way == {}


# --- seeds -----------------------------------------------------------------------------------------------------------


def test_seeds_are_queued_once_for_each_shard() -> None:
    bench = Bench(shards=4)
    seeds = [(f"http://h{number}.test/", "") for number in range(8)]
    seed(bench.worker, seeds)
    seed(bench.worker, seeds)
    assert sum(shard.ledger.found for shard in bench.worker.shards) == 8
    run(bench.worker.committer.commit())
    bench.reopen()
    seed(bench.worker, seeds)
    assert sum(shard.ledger.found for shard in bench.worker.shards) == 8
    records = [bench.record(url) for url, _ in seeds]
    assert all(record is not None and record.state == PageState.QUEUED for record in records)


def test_a_shard_that_lost_its_seeds_gets_them_again() -> None:
    """The first commit reached one shard's disk and not another's."""
    bench = Bench(shards=2)
    seeds = [(f"http://h{number}.test/", "") for number in range(8)]
    seed(bench.worker, seeds)
    for shard in [bench.worker.shards[0]]:
        shard.rows.store.write(shard.begin_commit(1, [], lambda _: b""))
        shard.rows.store.sync()
    bench.reopen()
    seed(bench.worker, seeds)
    assert all(bench.record(url) is not None for url, _ in seeds)
    assert sum(shard.ledger.new for shard in bench.worker.shards) == 8
    assert bench.problems() == []


def test_what_a_command_brings_about_is_booked_after_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last URL of a host is refused, and that gives the host another one, as a URL that stood for others does."""
    bench = Bench(clock=SimClock(), seeds=(f"{A}/",))
    bench.web.put(f"{A}/robots.txt", Reply(body=b"User-agent: *\nDisallow: /denied\n", headers=TEXT))
    bench.web.put(f"{A}/allowed", page(words="allowed"))

    def refuse_and_stop(worker: Worker, shard: Shard, command: Refuse) -> None:
        refuse_queued(worker, shard, command)
        add_seeds(worker, [f"{A}/allowed"])
        worker.stopping = True

    monkeypatch.setattr(loop, "DEEDS", {**loop.DEEDS, Refuse: refuse_and_stop})
    run(crawled(bench, f"{A}/denied"))
    monkeypatch.undo()
    assert f"{A}/allowed" not in bench.web.urls
    bench.reopen()
    run(crawled(bench))
    assert f"{A}/allowed" in bench.web.urls
