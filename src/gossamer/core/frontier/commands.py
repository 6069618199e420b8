"""What a frontier may ask for."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.facts import Fact
from gossamer.core.frontier.lease import Entry, Errand, Lease
from gossamer.core.frontier.records import PageRecord
from gossamer.core.robots.answer import RobotsAnswer, RobotsState


@dataclass(frozen=True, slots=True)
class Visit:
    """Carry this lease to its end."""

    lease: Lease


@dataclass(frozen=True, slots=True)
class Resolve:
    """Look up the addresses of a host; answer with `Resolved`."""

    host_id: bytes
    host: str


@dataclass(frozen=True, slots=True)
class Refill:
    """Load the head of one queue of a host from `order` on; answer with `HeadLoaded`."""

    host_id: bytes
    queue: int
    order: int


@dataclass(frozen=True, slots=True)
class Wake:
    """Bring up to `count` sleeping hosts whose time comes before `until`; answer with `Woken`."""

    count: int
    until: float


@dataclass(frozen=True, slots=True)
class Move:
    """A host changed its place: into the working set, to sleep until a moment, to the held, or out of all three."""

    host_id: bytes
    active: bool = False
    held: bool = False
    ready_level: int = -1
    ready_wake_ms: int = 0
    left_ready_level: int = -1
    left_ready_wake_ms: int = 0
    left_active: bool = False
    left_held: bool = False


@dataclass(frozen=True, slots=True)
class Refuse:
    """A queued URL that robots.txt, its address or a changed scope refuses: it ends here, with the reason and the line
    of robots.txt. With `failed` it ends as failed: its host has not answered for as long as anybody waits.
    """

    host_id: bytes
    entry: Entry
    reason: str
    detail: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Postpone:
    """Move queued URLs of one queue into their host's retry queue, due at `due`; answer with `Postponed`."""

    host_id: bytes
    queue: int
    entries: list[Entry]
    due: float


@dataclass(frozen=True, slots=True)
class PutLast:
    """Move queued URLs of one level into the last level of their host, for good; answer with `Postponed`."""

    host_id: bytes
    queue: int
    entries: list[Entry]


@dataclass(frozen=True, slots=True)
class SaveRobots:
    """Keep what a robots.txt said."""

    host_id: bytes
    authority: str
    robots: RobotsState


@dataclass(frozen=True, slots=True)
class DropRobots:
    """Forget what a robots.txt said: its host has more authorities than are kept."""

    host_id: bytes
    authority: str


@dataclass(frozen=True, slots=True)
class NameSitemaps:
    """A robots.txt was read, for the sake of a queued URL: take up the sitemaps that it names."""

    host_id: bytes
    authority: str
    urls: tuple[str, ...]
    """As written; empty where it names none, or there is no such file."""
    cause: PageRecord
    """The URL: sitemaps are as far from a seed as the first page wanted of their host."""


@dataclass(frozen=True, slots=True)
class SendErrand:
    """Ask the host of `errand.url` to fetch a robots.txt for us."""

    errand: Errand
    origin: Errand | None = None
    """The errand, done here, whose URL redirects on: it is answered with what comes of this one."""


@dataclass(frozen=True, slots=True)
class AnswerErrand:
    """Tell the asker of an errand what came of it."""

    errand: Errand
    answer: RobotsAnswer


@dataclass(frozen=True, slots=True)
class Tell:
    """Something happened that others may want to hear of."""

    fact: Fact


Command = (
    Visit
    | Resolve
    | Refill
    | Wake
    | Move
    | Refuse
    | Postpone
    | PutLast
    | SaveRobots
    | DropRobots
    | NameSitemaps
    | SendErrand
    | AnswerErrand
    | Tell
)
