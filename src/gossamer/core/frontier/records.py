"""What the store keeps of a URL and of a host, and how their keys are laid out.

Records are msgpack arrays: fields are appended, never reordered or removed, so an older record opens in a newer
release with the defaults of what it lacks.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec

from gossamer.core.sitemap.hints import Hints
from gossamer.core.url.alias import AliasRule

LEVELS: Final = 5
"""Front queues of a host, 0 the most important."""
RETRY: Final = 5
"""The queue of URLs that wait for a moment after a failure; ordered by that moment."""
QUEUES: Final = LEVELS + 1
LAST: Final = QUEUES
"""Stands for a level where what counts is how a URL was found: it has the last one, and no score moves it. No queue."""

HOST_ID_BYTES: Final = 8
RETRY_SEQUENCE_BITS: Final = 20
"""Low bits of an order in the retry queue; the other 44 hold milliseconds until the year 2527."""
FINGERPRINT_BYTES: Final = 16


class PageState(IntEnum):
    """Where a known URL stands. A leased URL is QUEUED in the store: a crash gives the lease back by itself."""

    QUEUED = 1
    DONE = 2
    GONE = 3
    FAILED = 4
    REFUSED = 5


class UrlKind(IntEnum):
    """What a known URL was found as, and so how its answer is read. Only pages count as pages."""

    PAGE = 0
    SITEMAP = 1
    FEED = 2


class Attempt(msgspec.Struct, array_like=True, frozen=True):
    """One visit of a URL: moment of its end, outcome in words, HTTP status (0 without an answer)."""

    at: float
    outcome: str
    status: int = 0


class PageRecord(msgspec.Struct, array_like=True):
    """All that is known of one URL: enough to fetch it, to explain it and to fetch it again later."""

    url: str
    """Fetch URL."""
    depth: int = 0
    level: int = 0
    hops: str = ""
    """Hop path from a seed: L link, E embed, R redirect, M named by a robots.txt, a sitemap or a feed."""
    referrer: str = ""
    """The first page found linking here; empty for a seed."""
    group: str = ""
    """Seed group."""
    found_at: float = 0.0
    redirects: int = 0
    """Redirects followed on the way to this URL."""
    state: int = PageState.QUEUED
    reason: str = ""
    """Why FAILED or REFUSED."""
    order: int = 0
    """Place in its queue; with `queue` the key of its queue entry while QUEUED."""
    queue: int = 0
    tries: int = 0
    """Failures that count against this URL."""
    attempts: list[Attempt] = []
    etag: str = ""
    last_modified: str = ""
    digest: bytes = b""
    """sha256 of the decoded body."""
    payload_digest: str = ""
    """Digest of the payload as the archive labels it, "sha1:..."."""
    record_id: str = ""
    file: str = ""
    offset: int = 0
    length: int = 0
    captured_at: float = 0.0
    copy_of: str = ""
    tried: list[str] = []
    """Fetch URL and cookies of each step of a redirect chain that stays on this key."""
    cookies: list[tuple[str, str]] = []
    """Cookies set by that chain, sent with its next step only."""
    location: str = ""
    """Where its last answer redirected; empty for any other answer."""
    link_kind: int = 0
    """`LinkKind` of the link it was found by; 0 in records of older releases."""
    nofollow: bool = False
    """That link, or its page, says nofollow."""
    kind: int = UrlKind.PAGE
    hints: Hints | None = None
    """What sitemaps and feeds claim of it; None without a claim."""
    trail: list[str] = []
    """For a sitemap: what named it, from the robots.txt on, so that the hosts that vouch for it are known."""
    detail: str = ""
    """The words behind `reason` where they cannot be looked up again: what an answer said of its use."""
    alias_of: str = ""
    """The spelling that stands for this URL by its host's alias rules."""
    base: int = -1
    """Its level by how it was found alone, before its score, or LAST; -1 in records of older releases."""


class HostState(msgspec.Struct, array_like=True):
    """What is known of one host (architecture, section 3)."""

    name: str
    site: str
    queued: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    """URLs in each queue, a leased one included."""
    heads: list[int] = msgspec.field(default_factory=lambda: [0] * QUEUES)
    """Lowest order that may still stand in each queue: where a scan begins, past all tombstones."""
    next_at: float = 0.0
    """Earliest moment of the next request."""
    last_end: float = 0.0
    """End of the last exchange."""
    answered_at: float = 0.0
    """End of the last exchange that brought an answer other than a plea to slow down."""
    failures: int = 0
    """Failures of the host in a row."""
    parked: bool = False
    response_seconds: list[float] = []
    """The last response times, oldest first."""
    crawl_delay: float = 0.0
    """Greatest Crawl-delay of its authorities; 0 without one."""
    pages: int = 0
    bytes: int = 0
    fetches: int = 0
    error: str = ""
    """The last failure in words."""
    error_at: float = 0.0
    ready_level: int = -1
    """Its place in the table of sleeping hosts while asleep; -1 otherwise."""
    ready_wake_ms: int = 0
    held: bool = False
    """Over a cap, blocked or paused: its queued URLs count as held."""
    held_why: str = ""
    """The reason, a word of `Reason`; empty while not held."""
    held_at: float = 0.0
    """Since when."""
    errors: int = 0
    """Failures of the host in all."""
    group: str = ""
    """Seed group of the URL by which it was met."""
    aliases: list[AliasRule] = []
    """What the host has taught about its spellings."""
    releasing: bool = False
    """A rule erred, and not all that was left alone under it is queued yet."""
    held_until: float = 0.0
    """While held: when it is looked at again by itself; 0 where only an order or an event releases it."""
    held_detail: str = ""
    """While held: the numbers behind the reason."""
    met_at: float = 0.0
    """When it was first found; 0 in states of older releases."""
    failing_since: float = 0.0
    """The first failure of those in a row; 0 without one, and for what an older release had seen fail."""
    parked_at: float = 0.0
    """While parked: since when."""
    last_seconds: float = 0.0
    """How long its last exchange took."""
    dead_at: float = 0.0
    """When patience with it ended; 0 while it may answer yet, and again once it has."""
    dead_until: float = 0.0
    """Until then what it has queued ends as failed, unfetched; afterwards it is tried once more."""
    denied: int = 0
    """URLs of it that robots.txt or the site's preferences refused."""
    settled: int = 0
    """URLs of it that ended in any other way, counted since there are `denied` ones too."""
    denied_at: float = 0.0
    """The last one of `denied`."""

    passed: list[int] = []
    """Page leases since each level had its last while it had URLs: what is passed over for long comes first."""
    linking: int = 0
    """The class of its site's linking sites by which its queued URLs were last scored."""

    @property
    def total(self) -> int:
        """URLs queued in all its queues."""
        return sum(self.queued)


_page_encoder = msgspec.msgpack.Encoder()
_page_decoder = msgspec.msgpack.Decoder(PageRecord)
_host_decoder = msgspec.msgpack.Decoder(HostState)


def encode(record: PageRecord | HostState) -> bytes:
    """The stored form."""
    return _page_encoder.encode(record)


def decode_page(data: bytes) -> PageRecord:
    """The record of `data`; raises msgspec.DecodeError when it is none."""
    return _page_decoder.decode(data)


def decode_host(data: bytes) -> HostState:
    """The host state of `data`; raises msgspec.DecodeError when it is none."""
    return _host_decoder.decode(data)


def queue_key(host_id: bytes, queue: int, order: int) -> bytes:
    """Key of one queue entry: all entries of a queue stand together, in order."""
    return host_id + bytes((queue,)) + order.to_bytes(8, "big")


def retry_order(due: float, sequence: int) -> int:
    """The order of an entry of the retry queue: by due moment (ms), ties by `sequence`.

    A million URLs of one host may be due in the same millisecond (all that wait for one robots.txt) without two of them
    sharing a place.
    """
    return (max(0, int(due * 1000)) << RETRY_SEQUENCE_BITS) | (sequence & ((1 << RETRY_SEQUENCE_BITS) - 1))


def retry_due(order: int) -> float:
    """The moment from which an entry of the retry queue may be leased."""
    return (order >> RETRY_SEQUENCE_BITS) / 1000


def ready_key(level: int, wake_ms: int, host_id: bytes) -> bytes:
    """Key of a sleeping host: by level of its best URL, then by the moment it wakes."""
    return bytes((level,)) + wake_ms.to_bytes(8, "big") + host_id
