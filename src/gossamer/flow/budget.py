"""The caps of a crawl in all: pages, bytes, time. Counted as reserved, so that they hold to the last unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.frontier.leasing import Room


class Cap(StrEnum):
    """A cap of the crawl in all that its workers share; the value names the field of `Budget` that counts it."""

    PAGES = "pages"
    BYTES = "bytes"
    PUBLIC_PAGES = "public_pages"


class Lender(Protocol):
    """Who lends the caps of a crawl to this worker, one of several; see `flow/lending.py`."""

    def fit(self, room: Room) -> Room:
        """The room that there is with what is lent; asks for more where it is short."""
        ...

    def is_final(self, cap: Cap) -> bool:
        """Whether nothing more will be lent."""
        ...


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
    lender: Lender | None = None
    """None where the caps are this worker's alone; else they are bounds of its own part, and may be raised."""
    fetches_reserved: int = 0
    pages_reserved: int = 0
    bytes_reserved: int = 0

    def room(self, now: float, *, wanted: bool = True) -> Room:
        """What can be leased now; `wanted`: somebody would, so that more is asked for where it is short."""
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
        room = Room(max(0, leases), left)
        return self.lender.fit(room) if wanted and self.lender is not None else room

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
        return self._is_reached(now) if self.lender is None else self._is_reached_by_all(now, self.lender)

    def _is_reached(self, now: float) -> bool:
        pages = self.pages_max is not None and self.pages >= self.pages_max
        size = self.bytes_max is not None and self.bytes >= self.bytes_max
        public = self.public_pages_max is not None and self.public_pages >= self.public_pages_max
        return pages or size or public or (self.deadline is not None and now >= self.deadline)

    def _is_reached_by_all(self, now: float, lender: Lender) -> bool:
        """With bounds that may be raised, one that is reached says nothing yet."""
        for cap in Cap:
            bound = self.bound(cap)
            if bound is not None and self.used(cap) >= bound and lender.is_final(cap):
                return True
        return self.deadline is not None and now >= self.deadline

    # --- the caps by name, for whoever lends them ----------------------------------------------------------------

    def used(self, cap: Cap) -> int:
        """What is used of a cap."""
        return {Cap.PAGES: self.pages, Cap.BYTES: self.bytes, Cap.PUBLIC_PAGES: self.public_pages}[cap]

    def reserved(self, cap: Cap) -> int:
        """What leases that are out may use of it yet."""
        return self.bytes_reserved if cap is Cap.BYTES else self.pages_reserved

    def bound(self, cap: Cap) -> int | None:
        """Up to where it may be used; None where there is no cap."""
        return {Cap.PAGES: self.pages_max, Cap.BYTES: self.bytes_max, Cap.PUBLIC_PAGES: self.public_pages_max}[cap]

    def set_bound(self, cap: Cap, bound: int | None) -> None:
        """Another bound is in force."""
        match cap:
            case Cap.PAGES:
                self.pages_max = bound
            case Cap.BYTES:
                self.bytes_max = bound
            case Cap.PUBLIC_PAGES:
                self.public_pages_max = bound
