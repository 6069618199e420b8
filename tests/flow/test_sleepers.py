"""Sleeping hosts: who wakes, in which order, and that none is forgotten however many others there are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.core.frontier.priority import LEVEL_WEIGHTS
from gossamer.core.frontier.records import LEVELS
from gossamer.flow.pending import PendingStore
from gossamer.flow.sleepers import Sleepers
from gossamer.ports.store import Table
from gossamer.simulation.store import MemoryDisk, MemoryStore

DECK = sum(LEVEL_WEIGHTS)


class Scanned(PendingStore):
    """Rows that remember where they were read from."""

    def __init__(self) -> None:
        super().__init__(MemoryStore(MemoryDisk()))
        self.starts: list[bytes] = []

    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        self.starts.append(start)
        return super().scan(table, start, end, limit)


def host(number: int) -> bytes:
    return number.to_bytes(8, "big")


def test_hosts_wake_when_their_moment_has_come_the_earliest_first() -> None:
    sleepers = Sleepers(Scanned())
    for number, wake_ms in enumerate((3000, 1000, 2000, 9000)):
        sleepers.put(1, wake_ms, host(number))
    sleepers.put(4, 5000, host(7))
    assert sleepers.first(64, 3.0, 0.0) == ([host(1), host(2), host(0)], 5.0)
    assert sleepers.first(2, 3.0, 0.0) == ([host(1), host(2)], 3.0)
    assert sleepers.first(64, 0.5, 0.0) == ([], 1.0)


def test_reading_begins_past_what_has_woken() -> None:
    rows = Scanned()
    sleepers = Sleepers(rows)
    for number in range(1000):
        sleepers.put(0, number, host(number))
    for begin in range(0, 1000, 50):
        due, _ = sleepers.first(50, 99.0, 0.0)
        assert due == [host(number) for number in range(begin, begin + 50)]
        for number in range(begin, begin + 50):
            sleepers.remove(0, number, host(number))
    rows.starts.clear()
    assert sleepers.first(50, 99.0, 0.0) == ([], None)
    assert all(start > b"\0" for start in rows.starts), "not over a thousand tombstones"
    sleepers.put(0, 7, host(7))
    assert sleepers.first(50, 99.0, 0.0) == ([host(7)], None), "an earlier moment is found again"


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, LEVELS - 1),
    st.integers(0, 5),
    st.integers(1, 4),
    st.lists(st.floats(0.0, 1.0, exclude_max=True), min_size=13 * DECK, max_size=13 * DECK),
)
def test_a_sleeping_host_has_its_turn_within_a_bound_at_any_level(
    level: int, before: int, count: int, chances: list[float]
) -> None:
    """Under load: every level always has more hosts due than are woken, and those of better levels keep coming."""
    sleepers, number = Sleepers(Scanned()), 0
    for each in range(before + 1):
        sleepers.put(level, each, host(each))
    number = wanted = before
    for other in range(LEVELS):
        for _ in range(count * len(chances) if other != level else 0):
            number += 1
            sleepers.put(other, 0, host(number))
    places = {host(each): (level, each) for each in range(before + 1)}
    bound = (before // count + 1) * (2 * (DECK - LEVEL_WEIGHTS[level]) + 1)
    for turn, chance in enumerate(chances, 1):
        due, _ = sleepers.first(count, 1000.0, chance)
        if host(wanted) in due:
            assert turn <= bound
            return
        for host_id in due:
            at = places.pop(host_id, None)
            if at is not None:
                sleepers.remove(*at, host_id)
    raise AssertionError("it never had its turn")
