"""Site states of a shard: bounded in memory, written with commits, links between sites counted exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.core.limits import LINKING_SITES_MAX
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.flow.pending import PendingStore
from gossamer.flow.sites import Sites
from gossamer.ports.store import Table
from gossamer.simulation.store import MemoryDisk, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

IDS = Fingerprinter(b"a key of 16 byte")
LINKS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 5), st.sets(st.integers(0, 5), min_size=1), st.booleans()), max_size=40
)


def commit(sites: Sites, rows: PendingStore) -> None:
    sites.begin_commit()
    rows.store.write(rows.begin_commit())
    rows.end_commit()


@settings(deadline=None, max_examples=60)
@given(LINKS, st.integers(0, 6))
def test_links_between_sites_are_counted_once_each_way(
    links: list[tuple[bool, int, set[int], bool]], ties_max: int
) -> None:
    """Wherever they are kept: in the state of their site, or in rows once they are more than `ties_max`."""
    rows = PendingStore(MemoryStore(MemoryDisk()))
    sites = Sites(rows, IDS, cached_max=2, ties_max=ties_max)
    here: set[tuple[int, int]] = set()
    for is_in, page, drawn, commits in links:
        others = drawn - {page}
        names = [f"s{other}.test" for other in others]
        if is_in:
            sites.linked([(f"s{page}.test", names)])
            here |= {(other, page) for other in others}
        else:
            sites.links_out(f"s{page}.test", names)
            here |= {(page, other + 100) for other in others}
        if commits:
            commit(sites, rows)
            sites = Sites(rows, IDS, cached_max=2, ties_max=ties_max)
    for site in range(6):
        state = sites.state(f"s{site}.test")
        linking = {other for at, other in here if at == site and other < 100}
        linked = {other - 100 for at, other in here if at == site and other >= 100}
        assert state.linking_sites == len(linking)
        assert state.linked_sites == len(linked)
        assert state.mutual_sites == len(linking & linked)


def test_the_count_of_linking_sites_and_the_rows_behind_it_are_bounded() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    sites = Sites(rows, IDS)
    sites.touch("target.test").linking_sites = LINKING_SITES_MAX - 1
    for number in range(5):
        sites.linked([(f"s{number}.test", ["target.test"])])
    assert sites.state("target.test").linking_sites == LINKING_SITES_MAX
    assert len(rows.scan(Table.LINKER, b"", b"\xff" * 20, 99)) == 1


def test_no_more_states_are_kept_than_the_cache_holds_and_none_is_lost() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    sites = Sites(rows, IDS, cached_max=3)
    for number in range(10):
        sites.touch(f"s{number}.test").pages = number
    changed = [sites.changed]
    commit(sites, rows)
    assert [*changed, sites.changed] == [True, False]
    assert [sites.state(f"s{number}.test").pages for number in range(10)] == list(range(10))


def test_links_of_many_pages_take_one_look_into_each_table(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    sites = Sites(rows, IDS)
    looks: list[tuple[Table, int]] = []
    get = rows.get

    def watched(table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        looks.append((table, len(keys)))
        return get(table, keys)

    monkeypatch.setattr(rows, "get", watched)
    sites.linked([(f"s{page}.test", {f"t{page}.test", "all.test"}) for page in range(20)])
    sites.linked([(f"s{page}.test", {"all.test"}) for page in range(20)])
    assert looks == [(Table.SITE, 21)]
    assert sites.state("all.test").linking_sites == 20
    assert sites.state("t7.test").linking_sites == 1


def test_ties_that_become_many_move_from_the_state_of_their_site_into_rows() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    sites = Sites(rows, IDS, ties_max=3)

    def rows_of_ties() -> int:
        commit(sites, rows)
        return len(rows.scan(Table.LINKER, b"", b"\xff" * 20, 99))

    for number, expected in enumerate((0, 0, 0, 4, 5)):
        sites.linked([(f"s{number}.test", ["target.test"])])
        assert rows_of_ties() == expected
    sites = Sites(rows, IDS, ties_max=3)
    sites.linked([(f"s{number}.test", ["target.test"]) for number in range(6)])
    sites.links_out("target.test", ["s0.test", "s9.test"])
    state = sites.state("target.test")
    assert (state.linking_sites, state.linked_sites, state.mutual_sites) == (6, 2, 1)
    assert (state.ties, rows_of_ties()) == (b"", 7)


def test_a_site_of_an_older_release_keeps_its_ties_in_rows() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    sites = Sites(rows, IDS)
    sites.touch("target.test").linking_sites = 1
    rows.put(Table.LINKER, IDS.site_id("target.test") + IDS.site_id("s0.test"), b"\1")
    sites.linked([("s0.test", ["target.test"]), ("s1.test", ["target.test"])])
    sites.links_out("target.test", ["s0.test"])
    state = sites.state("target.test")
    assert (state.linking_sites, state.mutual_sites, state.ties) == (2, 1, b"")
