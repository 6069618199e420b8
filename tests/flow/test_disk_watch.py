"""The disk watched by a crawl: what pauses it, what goes to the commit, whole simulated crawls on disks that fill."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from gossamer.core.disk_guard import DiskGuard, DiskPolicy, MountSpace, Threshold
from gossamer.core.limits import DISK_RESERVE_BYTES as RESERVE
from gossamer.flow.disk_watch import DiskWatch
from gossamer.flow.worker import Worker
from gossamer.simulation.clock import SimClock
from gossamer.simulation.crawler import Crawler
from gossamer.simulation.disk_space import MemoryDiskSpace
from gossamer.simulation.facts import MemoryFacts
from gossamer.simulation.features import Feature
from gossamer.simulation.growth import WorldSize
from gossamer.simulation.run import Rehearsal, run

POLICY = DiskPolicy(Threshold(4 * RESERVE), Threshold(6 * RESERVE))


def test_pauses_gives_the_reserve_and_goes_on() -> None:
    space, facts, paused = MemoryDiskSpace(100 * RESERVE, 200 * RESERVE), MemoryFacts(), list[bool]()
    watch = DiskWatch(DiskGuard(POLICY), space, facts, paused.append)

    def look(now: float) -> list[str]:
        facts.newest.clear()
        watch.judge(watch.look(), now)
        return [type(fact).__name__ for _, fact in facts.newest]

    assert look(0.0) == []
    assert (space.reserved, space.free) == (RESERVE, 99 * RESERVE)
    space.free = 3 * RESERVE
    assert look(1.0) == ["DiskPaused"]
    assert space.reserved == RESERVE
    space.free = RESERVE
    assert look(2.0) == ["ReserveGiven"]
    assert (space.reserved, space.free) == (0, 2 * RESERVE)
    assert look(3.0) == []
    space.free = 50 * RESERVE
    assert look(4.0) == []
    assert space.reserved == 0
    assert look(7.0) == ["DiskResumed"]
    assert look(8.0) == []
    assert space.reserved == RESERVE
    assert paused == [True, False]


@dataclass
class Filling(MemoryDiskSpace):
    """A disk that somebody else fills for a while, again and again."""

    period: float = 50.0
    full: float = 20.0
    looks: int = field(default=0)

    def look(self) -> list[MountSpace]:
        self.looks += 1
        is_full = SimClock().now() % self.period < self.full
        return [MountSpace("disk", 10 if is_full else 1_000_000, 1_000_000)]


@pytest.mark.parametrize("simulation_seed", range(1, 6))
def test_crawls_on_disks_that_fill_lose_nothing(simulation_seed: int) -> None:
    """Kills included; and while a disk is full nothing begins."""
    seen: list[Crawler] = []

    def watch(crawler: Crawler, worker: Worker) -> None:
        crawler.disk_space = Filling(0, 0)
        crawler._watch(worker)
        seen.append(crawler)

    whole = frozenset[Feature]()  # no other trouble: a disk that the number draws is not the one that is looked at here
    verdict = run(simulation_seed, Rehearsal(kills=2, size=WorldSize(), features=whole, sabotage=watch))
    assert verdict.passed, verdict.lines()
    for crawler in seen:
        told = [(at, type(fact).__name__) for at, fact in crawler.facts.newest]
        changes = [name for _, name in told if name in ("DiskPaused", "DiskResumed")]
        # Each pause is followed by its end, but for the last of a life that was killed.
        assert changes == [("DiskPaused", "DiskResumed")[place % 2] for place in range(len(changes))]
    assert any(crawler.facts.counts["DiskResumed"] for crawler in seen)
