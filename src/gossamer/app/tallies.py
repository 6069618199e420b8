"""What the display and the metrics count from facts: a few bounded tables, each fact booked in constant time."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass, field
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.facts import Committed, Fact, FactsLost, HostParked, HostSlowed, Level, VisitEnded

if TYPE_CHECKING:
    from collections.abc import Callable

VISIT_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper bounds of the classes that visits are counted in, by duration."""
COMMIT_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
TOP_HOSTS: Final = 16
"""Hosts kept in each list of the greatest."""
NOTABLE_KEPT: Final = 8
"""Warnings kept for the display."""


@dataclass(slots=True)
class Histogram:
    """Observations by class; `counts` has one more class than bounds, for what is beyond the last."""

    bounds: tuple[float, ...]
    counts: list[int] = field(init=False)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def add(self, value: float) -> None:
        """Count one observation; an upper bound belongs to its class."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def number(self) -> int:
        """Observations in all."""
        return sum(self.counts)


class HostShown(NamedTuple):
    """A host as its last visit left it. `seconds`: median of its last response times."""

    host: str
    fetches: int
    bytes: int
    seconds: float


class TopHosts:
    """The hosts with the greatest weights, at most `size`: a host is looked at when it is visited, and never else.

    Exact for a weight that only grows (fetches). For one that also shrinks (response time), a host that was crowded out
    comes back at its next visit.
    """

    def __init__(self, weight: Callable[[HostShown], float], size: int = TOP_HOSTS) -> None:
        self._weight = weight
        self._size = size
        self._hosts: dict[str, HostShown] = {}
        self._least: HostShown | None = None
        """The one to give way, while the table is full."""
        self._floor: float = -inf
        """Its weight: most hosts have no more, and are done with."""

    def add(self, shown: HostShown) -> None:
        """A host was visited."""
        if shown.host not in self._hosts:
            if self._weight(shown) <= self._floor:
                return
            if self._least is not None:
                del self._hosts[self._least.host]
        self._hosts[shown.host] = shown
        if len(self._hosts) == self._size:
            # A walk over `size` hosts, whatever the number of hosts crawled.
            self._least = min(self._hosts.values(), key=self._weight)
            self._floor = self._weight(self._least)

    def greatest(self, count: int) -> list[HostShown]:
        """The first `count`, greatest first; equal ones by name."""
        return sorted(self._hosts.values(), key=lambda each: (-self._weight(each), each.host))[:count]


@dataclass(slots=True)
class Tallies:
    """The port `facts` for whoever shows numbers."""

    facts: Counter[str] = field(default_factory=Counter[str])
    """Class of fact -> how many."""
    visit_seconds: Histogram = field(default_factory=lambda: Histogram(VISIT_SECONDS))
    commit_seconds: Histogram = field(default_factory=lambda: Histogram(COMMIT_SECONDS))
    busiest: TopHosts = field(default_factory=lambda: TopHosts(attrgetter("fetches")))
    slowest: TopHosts = field(default_factory=lambda: TopHosts(attrgetter("seconds")))
    slowed: Counter[str] = field(default_factory=Counter[str])
    """Why hosts were slowed or parked -> how often. The words are ours, so their number is bounded."""
    lost: int = 0
    notable: deque[tuple[float, Fact]] = field(default_factory=lambda: deque(maxlen=NOTABLE_KEPT))
    """The last warnings and errors."""
    waiting: bool = False

    def note(self, fact: Fact, at: float) -> None:
        """See the port."""
        self.facts[type(fact).__name__] += 1
        match fact:
            case VisitEnded():
                self._visited(fact)
            case Committed():
                self.commit_seconds.add(fact.seconds)
            case HostSlowed() | HostParked():
                self.slowed[fact.reason] += 1
            case FactsLost():
                self.lost += fact.count
            case _:
                pass
        if fact.level >= Level.WARNING:
            self.notable.append((at, fact))

    def flush(self) -> None:
        """See the port."""

    def _visited(self, fact: VisitEnded) -> None:
        shown = HostShown(fact.host, fact.host_fetches, fact.host_bytes, fact.host_seconds)
        self.visit_seconds.add(fact.seconds)
        self.busiest.add(shown)
        self.slowest.add(shown)
