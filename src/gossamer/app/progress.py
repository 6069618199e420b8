"""What a running crawl shows: one snapshot of its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gossamer.app.tallies import HostShown


class DiskShown(NamedTuple):
    """The room on one mount, in bytes; below `pause_below` the crawl pauses."""

    mount: str
    free: int
    total: int
    pause_below: int


class WorkerShown(NamedTuple):
    """A worker: its fetches under way and how many it may have, its last commit, its memory."""

    number: int
    fetches: int
    fetches_max: int
    commit_seconds: float
    memory_bytes: int


class Bounds(NamedTuple):
    """What ends the crawl: caps in all, and seconds left; None where there is no such bound."""

    pages: int | None = None
    bytes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The numbers of one moment."""

    elapsed: float
    """Seconds since this run began."""
    pages: int = 0
    """2xx answers so far, earlier runs included."""
    bytes: int = 0
    """Bytes received so far, earlier runs included."""
    queued: int = 0
    leased: int = 0
    """Visits in flight."""
    ready: int = 0
    """Hosts that may be contacted now."""
    waiting: int = 0
    """Hosts with URLs whose gap has not passed."""
    parked: int = 0
    """Hosts left alone for a while after failures."""
    host_phases: dict[str, int] = field(default_factory=dict[str, int])
    """Hosts of the working set by phase, words of `HostStatus`."""
    errors: int = 0
    """Failed visits so far."""
    newest: str = ""
    """The URL of the last page: untrusted text."""
    known: int = 0
    done: int = 0
    """Known URLs that need nothing more: done, gone, failed or refused."""
    held: int = 0
    statuses: dict[str, int] = field(default_factory=dict[str, int])
    failed: dict[str, int] = field(default_factory=dict[str, int])
    refused: dict[str, int] = field(default_factory=dict[str, int])
    """Of known URLs, by reason."""
    refused_links: dict[str, int] = field(default_factory=dict[str, int])
    """Of links where they were found, by reason."""
    slowed: dict[str, int] = field(default_factory=dict[str, int])
    """Why hosts were slowed, in this run."""
    busiest: tuple[HostShown, ...] = ()
    slowest: tuple[HostShown, ...] = ()
    disks: tuple[DiskShown, ...] = ()
    workers: tuple[WorkerShown, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)
    paused: tuple[str, ...] = ()
    """Why nothing is leased for now."""
    stopping: bool = False
    note: str = ""
    """The last warning: partly untrusted text."""

    def as_dict(self) -> dict[str, Any]:
        """For the control socket and --json: what is not in the ledgers."""
        return {
            "elapsed": self.elapsed,
            "pages": self.pages,
            "bytes": self.bytes,
            "queued": self.queued,
            "leased": self.leased,
            "ready": self.ready,
            "waiting": self.waiting,
            "parked": self.parked,
            "host_phases": self.host_phases,
            "errors": self.errors,
            "newest": self.newest,
            "busiest_hosts": {each.host: each.fetches for each in self.busiest},
            "slowest_hosts_milliseconds": {each.host: round(each.seconds * 1000) for each in self.slowest},
            "disk_free_bytes": {each.mount: each.free for each in self.disks},
            "memory_bytes": sum(each.memory_bytes for each in self.workers),
        }
