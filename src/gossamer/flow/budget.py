"""The caps of a crawl in all: pages, bytes, time. Counted as reserved, so that they hold to the last unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.frontier.leasing import Room


@dataclass(slots=True)
class Budget:
    """What a worker may still spend. A lease reserves a page and its body's bytes until it is reported."""

    fetches_max: int
    pages_max: int | None = None
    bytes_max: int | None = None
    deadline: float | None = None
    public_pages_max: int | None = None
    """Pages of hosts at public addresses: without a contact a crawl of them stays small."""
    public_pages: int = 0
    pages: int = 0
    bytes: int = 0
    takers: list[Callable[[], int]] = field(default_factory=list[Callable[[], int]])
    """Who takes results in as they come: how many visits each has room for, those in flight included. A slow reader
    stops leasing, so that nothing piles up in memory."""
    fetches_reserved: int = 0
    pages_reserved: int = 0
    bytes_reserved: int = 0

    def room(self, now: float) -> Room:
        """What can be leased now."""
        leases = self.fetches_max - self.fetches_reserved
        if self.pages_max is not None:
            leases = min(leases, self.pages_max - self.pages - self.pages_reserved)
        if self.public_pages_max is not None:
            leases = min(leases, self.public_pages_max - self.public_pages - self.pages_reserved)
        for room_left in self.takers:
            leases = min(leases, room_left() - self.fetches_reserved)
        if self.deadline is not None and now >= self.deadline:
            leases = 0
        left = None if self.bytes_max is None else self.bytes_max - self.bytes - self.bytes_reserved
        return Room(max(0, leases), left)

    def reserve(self, lease: Lease) -> None:
        """A lease is out."""
        self.fetches_reserved += 1
        self.bytes_reserved += lease.body_bytes_max
        self.pages_reserved += lease.kind is LeaseKind.PAGE

    def spend(self, lease: Lease, received: int, *, page: bool, public: bool = False) -> None:
        """A lease is reported: `received` bytes of body, whether it was a page, and whether its address is public."""
        self.fetches_reserved -= 1
        self.bytes_reserved -= lease.body_bytes_max
        self.pages_reserved -= lease.kind is LeaseKind.PAGE
        self.bytes += received
        self.pages += page
        self.public_pages += page and public

    def is_spent(self, now: float) -> bool:
        """Whether a cap is reached with nothing out that could still miss it."""
        pages = self.pages_max is not None and self.pages >= self.pages_max
        size = self.bytes_max is not None and self.bytes >= self.bytes_max
        public = self.public_pages_max is not None and self.public_pages >= self.public_pages_max
        return pages or size or public or (self.deadline is not None and now >= self.deadline)
