"""The figures of one worker at one moment, as it tells them to whoever shows or sums them; and the sum of several."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.app.census import HostCounts
from gossamer.app.fact_words import fact_words
from gossamer.app.memory import memory_now, memory_peak
from gossamer.app.progress import DiskShown, WorkerShown
from gossamer.app.tallies import COMMIT_SECONDS, VISIT_SECONDS, Histogram, HostShown
from gossamer.core.frontier.ledger import Ledger, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.app.tallies import Tallies
    from gossamer.app.watching import Watching
    from gossamer.flow.worker import Worker

HOSTS_SHOWN: Final = 5
"""Of each list of the busiest and the slowest."""


class TallyFigures(msgspec.Struct, kw_only=True):
    """What a worker has counted from facts in this run; see `Tallies`."""

    facts: dict[str, int] = {}
    visits: list[int] = []
    """By class of duration, `VISIT_SECONDS`."""
    visit_seconds: float = 0.0
    commits: list[int] = []
    commit_seconds: float = 0.0
    busiest: list[HostShown] = []
    slowest: list[HostShown] = []
    slowed: dict[str, int] = {}
    lost: int = 0
    note: str = ""
    """The last warning: partly untrusted text."""
    note_at: float = 0.0


class WorkerFigures(msgspec.Struct, kw_only=True):
    """One worker. Bytes, seconds, moments in seconds since the epoch."""

    number: int = 0
    ledger: Ledger
    balanced: bool = True
    """Whether the books of each of its shards balance."""
    leased: int = 0
    fetches: int = 0
    """Fetch slots taken, of `fetches_max`."""
    fetches_max: int = 0
    ready: int = 0
    waiting: int = 0
    parked: int = 0
    phases: dict[str, int] = {}
    newest: str = ""
    newest_at: float = 0.0
    paused: list[str] = []
    stopping: bool = False
    tallies: TallyFigures = msgspec.field(default_factory=TallyFigures)
    disks: list[DiskShown] = []
    commits: int = 0
    commit_seconds: float = 0.0
    """What the last commit took."""
    memory: int = 0
    memory_peak: int = 0
    cpu_seconds: float = 0.0

    @property
    def shown(self) -> WorkerShown:
        """Its line of the display."""
        return WorkerShown(self.number, self.fetches, self.fetches_max, self.commit_seconds, self.memory)


def figures_of(worker: Worker, watching: Watching, hosts: HostCounts, number: int = 0) -> WorkerFigures:
    """The figures of this moment."""
    ledgers = [shard.ledger for shard in worker.shards]
    seconds = worker.committer.seconds
    return WorkerFigures(
        number=number,
        ledger=total(ledgers),
        balanced=not any(ledger.problems() for ledger in ledgers),
        leased=len(worker.in_flight),
        fetches=worker.budget.fetches_reserved,
        fetches_max=worker.budget.fetches_max,
        ready=hosts.ready,
        waiting=hosts.waiting,
        parked=hosts.parked,
        phases=dict(hosts.phases),
        newest=worker.newest,
        newest_at=worker.active_at,
        paused=sorted(worker.pauses),
        stopping=worker.stopping,
        tallies=_tallies(watching.tallies),
        disks=list(disks_of(watching)),
        commits=worker.committer.commits,
        commit_seconds=seconds[-1] if seconds else 0.0,
        memory=memory_now(),
        memory_peak=memory_peak(),
        cpu_seconds=time.process_time(),
    )


def disks_of(watching: Watching) -> tuple[DiskShown, ...]:
    """The disks written to, as the last look found them."""
    policy = watching.disk.guard.policy
    return tuple(
        DiskShown(space.mount, space.free, space.total, policy.pause_bytes(space.total))
        for space in watching.disk.spaces
    )


def _tallies(tallies: Tallies) -> TallyFigures:
    at, fact = tallies.notable[-1] if tallies.notable else (0.0, None)
    return TallyFigures(
        facts=dict(tallies.facts),
        visits=list(tallies.visit_seconds.counts),
        visit_seconds=tallies.visit_seconds.total,
        commits=list(tallies.commit_seconds.counts),
        commit_seconds=tallies.commit_seconds.total,
        busiest=tallies.busiest.greatest(HOSTS_SHOWN),
        slowest=tallies.slowest.greatest(HOSTS_SHOWN),
        slowed=dict(tallies.slowed),
        lost=tallies.lost,
        note=fact_words(fact) if fact is not None else "",
        note_at=at,
    )


@dataclass(frozen=True, slots=True)
class Summed:
    """The figures of all workers of a crawl, as one."""

    workers: Sequence[WorkerFigures]

    @property
    def ledger(self) -> Ledger:
        """All books."""
        return total([each.ledger for each in self.workers])

    @property
    def hosts(self) -> HostCounts:
        """Hosts of all working sets."""
        ready, waiting, parked = (
            sum(each.ready for each in self.workers),
            sum(each.waiting for each in self.workers),
            sum(each.parked for each in self.workers),
        )
        return HostCounts(ready, waiting, parked, _sums(each.phases for each in self.workers))

    @property
    def facts(self) -> dict[str, int]:
        """Class of fact -> how many."""
        return _sums(each.tallies.facts for each in self.workers)

    @property
    def slowed(self) -> dict[str, int]:
        """Why hosts were slowed -> how often."""
        return _sums(each.tallies.slowed for each in self.workers)

    @property
    def visits(self) -> Histogram:
        """Visits by duration."""
        tallies = [each.tallies for each in self.workers]
        return _histogram(VISIT_SECONDS, [(each.visits, each.visit_seconds) for each in tallies])

    @property
    def commits(self) -> Histogram:
        """Commits by duration."""
        tallies = [each.tallies for each in self.workers]
        return _histogram(COMMIT_SECONDS, [(each.commits, each.commit_seconds) for each in tallies])

    @property
    def busiest(self) -> list[HostShown]:
        """The hosts with the most fetches; each host is one worker's."""
        shown = [host for each in self.workers for host in each.tallies.busiest]
        return sorted(shown, key=lambda host: (-host.fetches, host.host))[:HOSTS_SHOWN]

    @property
    def slowest(self) -> list[HostShown]:
        """Those that answer the most slowly."""
        shown = [host for each in self.workers for host in each.tallies.slowest]
        return sorted(shown, key=lambda host: (-host.seconds, host.host))[:HOSTS_SHOWN]

    @property
    def disks(self) -> tuple[DiskShown, ...]:
        """All workers write to the same disks; the fewest bytes free that one saw."""
        disks: dict[str, DiskShown] = {}
        for disk in (disk for each in self.workers for disk in each.disks):
            known = disks.get(disk.mount)
            if known is None or disk.free < known.free:
                disks[disk.mount] = disk
        return tuple(disks.values())

    @property
    def newest(self) -> str:
        """The URL of the last page."""
        return max(self.workers, key=lambda each: each.newest_at).newest if self.workers else ""

    @property
    def note(self) -> str:
        """The last warning."""
        last = max((each.tallies for each in self.workers), key=lambda tallies: tallies.note_at, default=None)
        return last.note if last is not None else ""

    @property
    def paused(self) -> tuple[str, ...]:
        """Why nothing is leased for now, anywhere."""
        return tuple(sorted({why for each in self.workers for why in each.paused}))


def _sums(tables: Iterable[dict[str, int]]) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for table in tables:
        sums.update(table)
    return dict(sums)


def _histogram(bounds: tuple[float, ...], parts: Iterable[tuple[list[int], float]]) -> Histogram:
    histogram = Histogram(bounds)
    for counts, seconds in parts:
        histogram.total += seconds
        for place, count in enumerate(counts):
            histogram.counts[place] += count
    return histogram
