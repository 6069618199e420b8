"""A visit whose exchange is over and read: all the evidence that its report is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from gossamer.core.frontier.fate import Fate
from gossamer.core.frontier.lease import Entry, Lease, LeaseKind
from gossamer.core.frontier.records import PageRecord
from gossamer.core.http.exchange import Exchange
from gossamer.core.limits import LINKS_AT_ONCE_MAX
from gossamer.core.preference.heard import heard
from gossamer.core.preference.preferences import Preferences
from gossamer.core.warc.location import Location
from gossamer.flow.reading import Reading
from gossamer.ports.exchange import Claim

ATTEMPTS_KEPT: Final = 10
"""Visits remembered in a page record."""


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
    vouched: frozenset[str] | None = None
    """For a sitemap: the hosts that it may speak for."""
    withheld: str = ""
    """Why its answer is not stored, a word of `Reason`: the site denies a purpose, or its page says noarchive."""
    detail: str = ""
    """The words that say so."""
    is_novel: bool | None = None
    """Whether it brought something new; None where that was not looked at."""
    record: PageRecord = field(init=False)
    """The page record; for a robots.txt or a probe, which is no known URL, one made up for its rows."""
    kind: LeaseKind = field(init=False)
    """What was fetched: a seed leased as a page may turn out to be a sitemap or a feed."""
    size: int = field(init=False)
    """Bytes of the body as received."""
    preferences: Preferences = field(init=False)
    """What was stated of the use of the answer."""

    def __post_init__(self) -> None:
        lease, listing = self.lease, self.reading.listing
        self.record = lease.entry.record if lease.entry is not None else PageRecord(lease.url, hops="P")
        self.kind = lease.kind
        if listing is not None and lease.kind is LeaseKind.PAGE:
            self.kind = LeaseKind.FEED if listing.is_feed else LeaseKind.SITEMAP
        self.size = self.exchange.body.size if self.exchange.body is not None else 0
        self.preferences = heard(self.lease.stated, self.exchange.headers, self.reading.directives)

    @property
    def entry(self) -> Entry:
        """The queued URL of a page's lease; ValueError for a robots.txt."""
        if self.lease.entry is None:
            raise ValueError("only a lease of a page has a queued URL")
        return self.lease.entry

    @property
    def is_page(self) -> bool:
        """Whether this counts as a page: a 2xx answer, copies included, and no robots.txt, sitemap or feed."""
        return self.reading.is_page and self.kind is LeaseKind.PAGE

    @property
    def names_many(self) -> bool:
        """Whether it names so many URLs that its report is a long step of the loop."""
        document, listing = self.reading.document, self.reading.listing
        links = len(document.links) if document is not None else 0
        return links > LINKS_AT_ONCE_MAX or (listing is not None and len(listing) > LINKS_AT_ONCE_MAX)

    @property
    def copy_of(self) -> str:
        """The other URL under which the body is archived; empty for a new or an unchanged one."""
        earlier = self.earlier
        return earlier.url if earlier is not None and earlier.url != self.lease.url else ""
