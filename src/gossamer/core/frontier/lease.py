"""The lease: a URL lent for fetching, and the only licence to fetch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

import msgspec

from gossamer.core.frontier.records import PageRecord, UrlKind
from gossamer.core.preference.preferences import NOTHING, Preferences


class LeaseKind(Enum):
    """What is fetched under a lease."""

    PAGE = "page"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    FEED = "feed"
    PROBE = "probe"
    """A file that tells of a site and is no known URL: tdmrep.json."""


LEASE_KINDS: Final = {
    int(UrlKind.PAGE): LeaseKind.PAGE,
    int(UrlKind.SITEMAP): LeaseKind.SITEMAP,
    int(UrlKind.FEED): LeaseKind.FEED,
}
"""What a queued URL is leased as."""
LISTING_LEASES: Final = frozenset({LeaseKind.SITEMAP, LeaseKind.FEED})
"""Leases of files that name URLs: known URLs, and no pages."""
FILE_LEASES: Final = frozenset({LeaseKind.ROBOTS, LeaseKind.PROBE})
"""Leases without a known URL: what they bring decides what is leased next."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A robots.txt asked for on behalf of another host's authority, whose own redirects here (RFC 9309, 2.3.1.2)."""

    asker: bytes
    """Host id of the host that asks."""
    authority: str
    """The authority that the answer's rules will speak for."""
    url: str
    hops: int


class Entry(msgspec.Struct):
    """One queued URL in memory: where it stands in its queue, its key tail, its record."""

    order: int
    fingerprint: bytes
    record: PageRecord


class Lease(msgspec.Struct, frozen=True):
    """Made by the frontier alone, after the gap, the robots verdict, the caps and the ceilings agreed."""

    number: int
    kind: LeaseKind
    host_id: bytes
    host: str
    site: str
    url: str
    addresses: tuple[str, ...]
    address: str
    """The address the ceilings were asked for."""
    granted: float
    body_bytes_max: int
    entry: Entry | None = None
    """The queued URL; None for a ROBOTS or PROBE lease."""
    authority: str = ""
    """The authority a ROBOTS lease asks for."""
    hops: int = 0
    errand: Errand | None = None
    stated: Preferences = NOTHING
    """What the site's files state of the use of what is fetched."""
    slot: int = 0
    """Its number with the worker's fetch slots."""
