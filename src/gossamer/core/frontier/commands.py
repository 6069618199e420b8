"""What a frontier may ask for."""

from __future__ import annotations

import msgspec

from gossamer.core.facts import Fact
from gossamer.core.frontier.lease import Entry, Errand, Lease
from gossamer.core.frontier.records import PageRecord
from gossamer.core.robots.answer import RobotsAnswer, RobotsState


class Visit(msgspec.Struct, frozen=True):
    """Carry this lease to its end."""

    lease: Lease


class Resolve(msgspec.Struct, frozen=True):
    """Look up the addresses of a host; answer with `Resolved`."""

    host_id: bytes
    host: str


class Refill(msgspec.Struct, frozen=True):
    """Load the head of one queue of a host from `order` on; answer with `HeadLoaded`."""

    host_id: bytes
    queue: int
    order: int


class Wake(msgspec.Struct, frozen=True):
    """Bring up to `count` sleeping hosts whose time comes before `until`; answer with `Woken`."""

    count: int
    until: float


class Move(msgspec.Struct, frozen=True):
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


class Refuse(msgspec.Struct, frozen=True):
    """A queued URL that robots.txt, its address or a changed scope refuses: it ends here, with the reason and the line
    of robots.txt. With `failed` it ends as failed: its host has not answered for as long as anybody waits.
    """

    host_id: bytes
    entry: Entry
    reason: str
    detail: str
    failed: bool = False


class Postpone(msgspec.Struct, frozen=True):
    """Move queued URLs of one queue into their host's retry queue, due at `due`; answer with `Postponed`."""

    host_id: bytes
    queue: int
    entries: list[Entry]
    due: float


class PutLast(msgspec.Struct, frozen=True):
    """Move queued URLs of one level into the last level of their host, for good; answer with `Postponed`."""

    host_id: bytes
    queue: int
    entries: list[Entry]


class SaveRobots(msgspec.Struct, frozen=True):
    """Keep what a robots.txt said."""

    host_id: bytes
    authority: str
    robots: RobotsState


class DropRobots(msgspec.Struct, frozen=True):
    """Forget what a robots.txt said: its host has more authorities than are kept."""

    host_id: bytes
    authority: str


class NameSitemaps(msgspec.Struct, frozen=True):
    """A robots.txt was read, for the sake of a queued URL: take up the sitemaps that it names."""

    host_id: bytes
    authority: str
    urls: tuple[str, ...]
    """As written; empty where it names none, or there is no such file."""
    cause: PageRecord
    """The URL: sitemaps are as far from a seed as the first page wanted of their host."""


class SendErrand(msgspec.Struct, frozen=True):
    """Ask the host of `errand.url` to fetch a robots.txt for us."""

    errand: Errand
    origin: Errand | None = None
    """The errand, done here, whose URL redirects on: it is answered with what comes of this one."""


class AnswerErrand(msgspec.Struct, frozen=True):
    """Tell the asker of an errand what came of it."""

    errand: Errand
    answer: RobotsAnswer


class Tell(msgspec.Struct, frozen=True):
    """Something happened that others may want to hear of."""

    fact: Fact


Loading = Refill | Wake | Postpone | PutLast
"""What is answered with an event at once."""
Booking = Move | SaveRobots | DropRobots | AnswerErrand
"""What concerns its own shard alone."""
Command = Visit | Resolve | Refuse | NameSitemaps | SendErrand | Tell | Loading | Booking
