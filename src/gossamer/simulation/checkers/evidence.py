"""What the checkers may look at: the world, its servers' log, when the crawler lived, and what it left on the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gossamer.simulation.faults import Faults
from gossamer.simulation.settings import CrawlSettings

if TYPE_CHECKING:
    from gossamer.core.ending import EndState
    from gossamer.core.frontier.records import HostState, PageRecord
    from gossamer.simulation.network import Contact
    from gossamer.simulation.truth import Truth
    from gossamer.simulation.world import World

TOLERANCE_SECONDS: Final = 1e-5
"""Moments are floats near 1.7e9, whose neighbours are 2.4e-7 apart, and are added up a few times."""
SURE_SECONDS: Final = 8.0
"""What ended this long before a kill must have been committed: a wait for the content-seen answer (2 s), the commit
interval (1 s at most), a commit under way and its own, at the slowest simulated syncs (1.2 s each), and some air."""


@dataclass(slots=True)
class Life:
    """One process of the crawler: from its opening of the folder to its end."""

    opened: float
    ended: float = float("inf")
    killed: bool = False
    """By a kill, a full disk or its deadline: what was not committed, or not reported, is lost."""
    max_time: float | None = None
    """Seconds from its opening to its deadline."""
    offset: float = 0.0
    """Seconds by which its wall clock was wrong."""
    scope: str = ""
    """The word of its scope, where it was not the world's."""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """The body of one response record of a page."""

    url: str
    digest: str
    """Of the body after content decoding."""
    payload_digest: str
    """Of the body as stored, content coding kept."""
    at: float
    """When it had arrived."""


class IndexLine(NamedTuple):
    """One line of the index."""

    url: str
    file: str
    offset: int
    length: int


class StoredRecord(NamedTuple):
    """One record of the archive, as its bytes say."""

    type: str
    url: str
    length: int


@dataclass(slots=True)
class Evidence:
    """Everything known from outside about one simulated crawl."""

    world: World
    truth: Truth
    log: list[Contact]
    gap_seconds: float
    """The least gap that the settings ask for."""
    lives: list[Life] = field(default_factory=list[Life])
    pages: Sequence[Mapping[str, Any]] = ()
    """Rows of the pages dataset, in the order written."""
    bodies: list[StoredBody] = field(default_factory=list["StoredBody"])
    """The pages' bodies stored whole, in the archive's order."""
    records: dict[str, PageRecord] = field(default_factory=dict[str, "PageRecord"])
    """URL key -> the page record that is durable."""
    ledgers: list[str] = field(default_factory=list[str])
    """What did not hold at some commit, collected while the crawl ran."""
    connections: Mapping[str, int] = field(default_factory=dict[str, int])
    """Hosts that may be asked for several things at once, with how many; every other one is asked for one."""

    settings: CrawlSettings = field(default_factory=CrawlSettings)
    faults: Faults = field(default_factory=Faults)
    ending: EndState | None = None
    """How the last life ended."""
    index: list[IndexLine] = field(default_factory=list[IndexLine])
    captures: dict[tuple[str, int], StoredRecord] = field(default_factory=dict[tuple[str, int], StoredRecord])
    """(file, offset) -> every whole record of the archive."""
    hosts: list[HostState] = field(default_factory=list["HostState"])
    """The host states that are durable."""
    most_waiting: int = 0
    """The most results that ever waited for their taker."""

    def process_at(self, moment: float) -> int:
        """Which life a moment fell into."""
        return max(number for number, life in enumerate(self.lives) if life.opened <= moment)

    def surely_known(self, moment: float, process: int) -> bool:
        """Whether a later life than `process` must know what happened at `moment` in that life."""
        life, stall = self.lives[process], self.faults.stall
        if stall is not None and stall[0] - SURE_SECONDS < moment < stall[1]:
            # It was reported once other shards had answered.
            moment = stall[1]
        return not life.killed or moment <= life.ended - SURE_SECONDS

    def stepped_forward(self, process: int, later: int) -> bool:
        """Whether the wall clock was set forward between two lives: what was to last until a moment is over sooner."""
        return any(life.offset > self.lives[process].offset for life in self.lives[process + 1 : later + 1])

    @property
    def has_true_clock(self) -> bool:
        """Whether the crawler's moments are the servers'."""
        return not any(life.offset for life in self.lives)
