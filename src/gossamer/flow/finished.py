"""A visit whose exchange is over and read: all the evidence that its report is made from."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.frontier.fate import Fate
from gossamer.core.frontier.lease import Entry, Lease, LeaseKind
from gossamer.core.frontier.records import PageRecord
from gossamer.core.http.exchange import Exchange
from gossamer.core.warc.location import Location
from gossamer.flow.reading import Reading
from gossamer.ports.exchange import Claim


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a capture lies, and how it is named."""

    location: Location
    record_id: str
    payload_digest: str
    is_revisit: bool


@dataclass(slots=True)
class Finished:
    """One visit at its end."""

    lease: Lease
    exchange: Exchange
    reading: Reading
    earlier: Claim | None = None
    """The first capture of the same body, if it was archived before."""
    stored: Stored | None = None
    fate: Fate | None = None

    @property
    def entry(self) -> Entry:
        """The queued URL of a page's lease; ValueError for a robots.txt."""
        if self.lease.entry is None:
            raise ValueError("only a lease of a page has a queued URL")
        return self.lease.entry

    @property
    def record(self) -> PageRecord:
        """The page record; for a robots.txt, which is no known URL, one made up for its rows."""
        if self.lease.kind is LeaseKind.ROBOTS:
            return PageRecord(self.lease.url, hops="P")
        return self.entry.record

    @property
    def copy_of(self) -> str:
        """The other URL under which the body is archived; empty for a new or an unchanged one."""
        earlier = self.earlier
        return earlier.url if earlier is not None and earlier.url != self.lease.url else ""

    @property
    def size(self) -> int:
        """Bytes of the body as received."""
        return self.exchange.body.size if self.exchange.body is not None else 0
