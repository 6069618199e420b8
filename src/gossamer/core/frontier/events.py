"""What may happen to a frontier. Per visit or per host, never per link."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gossamer.core.dns.answer import Answer
from gossamer.core.frontier.fate import Fate
from gossamer.core.frontier.lease import Entry, Errand, Lease
from gossamer.core.frontier.records import HostState
from gossamer.core.robots.answer import RobotsAnswer, RobotsState


class LoadedHost(msgspec.Struct):
    """A host brought from the store: its state and the robots.txt files known for its authorities."""

    host_id: bytes
    state: HostState
    robots: dict[str, RobotsState] = {}


class Found(msgspec.Struct, frozen=True):
    """New URLs of one host, already in its queues in the store. `loaded` when the frontier does not hold the host."""

    host_id: bytes
    entries: list[Entry]
    loaded: LoadedHost | None = None


class Woken(msgspec.Struct, frozen=True):
    """Sleeping hosts whose time has come, and the moment (if any) when the next one's comes."""

    hosts: list[LoadedHost]
    next_wake: float | None


class HeldLoaded(msgspec.Struct, frozen=True):
    """Held hosts, brought from the store because what holds them may have ended."""

    hosts: list[LoadedHost]
    idle: bool = False
    """Nothing else is left to do: a budget that deserves to grow does so at once."""


class SleepersLoaded(msgspec.Struct, frozen=True):
    """Sleeping hosts, brought from the store because their gap may have become shorter while they slept."""

    hosts: list[LoadedHost]


class HeadLoaded(msgspec.Struct, frozen=True):
    """The first entries of one queue of a host. `complete` when the store holds no more.

    `raised`: those that were there, too, and whose score has risen: each as it stood and as it stands, in a better
    queue.
    """

    host_id: bytes
    queue: int
    entries: list[Entry]
    complete: bool
    raised: Sequence[tuple[Entry, Entry]] = ()


class Postponed(msgspec.Struct, frozen=True):
    """URLs moved from `queue` into the retry queue, or into the last level: each as it stood and as it stands."""

    host_id: bytes
    queue: int
    moved: list[tuple[Entry, Entry]]
    pause: bool = True
    """Whether its host rests for a moment: what was put off may be all it has."""


class Unwanted(msgspec.Struct, frozen=True):
    """Queued URLs of one host that are wanted no more, each with the reason. `loaded` as with `Found`."""

    host_id: bytes
    entries: list[tuple[Entry, str]]
    loaded: LoadedHost | None = None


class Resolved(msgspec.Struct, frozen=True):
    """The addresses of a host, or why there are none."""

    host_id: bytes
    answer: Answer


class Visited(msgspec.Struct):
    """The report of one lease."""

    lease: Lease
    fate: Fate
    ended: float
    started: float
    answered: bool
    """The host gave an HTTP answer at all."""
    slows: bool
    """The host asked, or showed, that it wants fewer requests."""
    failed: bool
    """The failure counts against the host."""
    status: int = 0
    """HTTP status; 0 without an answer."""
    lease_queue: int = 0
    """The queue that the leased URL stood in."""
    retry_after: float | None = None
    """Seconds that the answer asks to wait."""
    bytes: int = 0
    page: bool = False
    novel: bool = False
    """It is a page whose body is new to the crawl."""
    error: str = ""
    robots: RobotsAnswer | None = None
    """The answer of a ROBOTS lease; None when it redirects."""
    redirect: str = ""
    """Where a ROBOTS lease was redirected."""
    redirect_host: str = ""
    requeued: Entry | None = None
    """The entry as it stands in the queue again, for a fate of RETRY or AGAIN."""


class ErrandCame(msgspec.Struct, frozen=True):
    """Another host's robots.txt shall be fetched from this host."""

    host_id: bytes
    errand: Errand
    loaded: LoadedHost | None = None


class RobotsCame(msgspec.Struct, frozen=True):
    """The answer to an errand of this host. With `loaded` it is kept even where the frontier does not hold the host."""

    host_id: bytes
    authority: str
    answer: RobotsAnswer
    loaded: LoadedHost | None = None


Event = (
    Found
    | Woken
    | HeldLoaded
    | SleepersLoaded
    | HeadLoaded
    | Postponed
    | Unwanted
    | Resolved
    | Visited
    | ErrandCame
    | RobotsCame
)
