"""A made-up web as plain values: hosts, their authorities and robots.txt files, pages, and what goes wrong where.

A world is a pure function of its simulation seed (`growth.py` grows it). It does not change while a crawl runs; what
depends on the moment or on how often a URL was asked for is worked out by `server.py` from these values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final

from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import host_of, target_of
from gossamer.simulation.clock import EPOCH

NEVER_ENDS: Final = float("inf")
KEY_RULES: Final = KeyRules()
KEYS_KEPT: Final = 4096
"""URL keys remembered: the checkers ask for those of one world over and over."""


class Stumble(StrEnum):
    """One bad answer that a URL gives before it gives its true one."""

    SERVER_ERROR = "500"
    UNAVAILABLE = "503 with Retry-After in seconds"
    TOO_MANY = "429 with Retry-After as a date"
    BUSY = "503 without Retry-After"
    RESET = "reset"
    SILENCE = "no answer"


class PageKind(StrEnum):
    """What a URL truly answers."""

    PAGE = "page"
    REDIRECT = "redirect"
    ERROR = "error"
    """A 4xx for ever."""
    BROKEN = "broken"
    """A 500 or a reset for ever."""
    COOKIE_WALL = "cookie wall"
    """Redirects to itself until the cookie it sets comes back, then a page."""
    SELF_LOOP = "self loop"
    """Redirects to itself for ever."""
    SPELLING = "spelling"
    """Redirects its first spelling to another with the same key, which answers with a page."""
    MEDIA = "media"
    """A type that nobody asked for."""
    EMPTY = "empty"
    """A 200 without a body."""
    CUT = "cut"
    """A 200 whose connection ends before its body does."""
    BINARY = "binary"
    """Bytes that are no text under an HTML type."""
    MISLABELLED = "mislabelled"
    """A page under the type of a picture."""
    SHORT = "short"
    """Says that it is longer than it is, and ends."""
    DRIP = "drip"
    """Begins, and then trickles until whoever reads gives up."""
    ENDLESS = "endless"
    """Never ends: as long as whoever reads bears it."""


class RobotsKind(StrEnum):
    """What an authority answers for its robots.txt."""

    ALLOW = "allows all"
    PARTS = "disallows parts"
    DELAY = "crawl-delay"
    AGENT = "a group for us, another for the rest"
    MISSING = "404"
    FORBIDDEN = "403"
    JUNK = "a page in HTML"
    LATE = "503 for a while"
    ERRORS = "500 for ever"
    UNREACHABLE = "reset for ever"
    REDIRECT = "redirected"
    LOOP = "redirected to itself"


class Trouble(StrEnum):
    """How a host is out of reach during an outage."""

    CONNECT_REFUSED = "connection refused"
    CONNECT_TIMEOUT = "connect timeout"
    RESET = "reset"
    NAME_FAILED = "name lookup fails"
    NAME_NOT_FOUND = "no such name"
    NAME_PRIVATE = "resolves to private addresses only"


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a page."""

    url: str
    nofollow: bool = False
    low: bool = False
    """User-made, as its rel says: its target ranks last."""
    junk: str = ""
    """An href that is no http(s) URL, rendered as it stands."""


@dataclass(frozen=True, slots=True)
class Page:
    """One URL of the world and what it answers once it answers truly."""

    url: str
    kind: PageKind = PageKind.PAGE
    status: int = 200
    target: str = ""
    links: tuple[Link, ...] = ()
    nofollow: bool = False
    """The page asks (meta robots) that its links be not followed."""
    header_nofollow: bool = False
    """The same by X-Robots-Tag."""
    gzip: bool = False
    copy_of: str = ""
    """URL of the page whose body this one serves."""
    words: str = ""
    stumbles: tuple[Stumble, ...] = ()
    feeds: tuple[str, ...] = ()
    """Feeds that the page announces."""
    directives: str = ""
    """Rules of its meta robots besides nofollow: "noindex", "noarchive"."""
    usage: str = ""
    """Its Content-Usage field; "search=n" denies what every crawl is for."""
    changing: bool = False
    """It says something new each time."""
    doubtful: bool = False
    """Whether it must be fetched cannot be told from outside: it may be left alone for another spelling of it."""


class ListingKind(StrEnum):
    """What names URLs besides pages."""

    SITEMAP = "sitemap"
    INDEX = "index"
    TEXT = "text"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class Listing:
    """A sitemap or feed."""

    url: str
    kind: ListingKind
    entries: tuple[str, ...]
    """Pages; of an index, further sitemaps."""
    gzip: bool = False


class TrapKind(StrEnum):
    """Supplies of URLs without end, or without worth."""

    CALENDAR = "calendar"
    """A day leads to the next and to the one before, for ever."""
    SESSIONS = "sessions"
    """Each answer's links carry a session of their own; what they lead to is always the same few pages."""
    FACETS = "facets"
    """Every order and choice of parameters shows the same list."""
    REPEATS = "repeats"
    """A relative link that is one segment too long: /a/a/a/a."""


@dataclass(frozen=True, slots=True)
class Trap:
    """The part of a host that is a trap: every path that begins with `path`."""

    origin: str
    kind: TrapKind
    path: str
    opens: float = 0.0
    """The moment from which it answers: a host may turn into a trap while it is crawled."""

    def holds(self, url: str) -> bool:
        """Whether a URL is of this trap."""
        return url.startswith(self.origin + self.path)


@dataclass(frozen=True, slots=True)
class Robots:
    """The robots.txt of one authority."""

    kind: RobotsKind
    disallowed: tuple[str, ...] = ()
    """Path prefixes that we may not fetch."""
    crawl_delay: float = 0.0
    until: float = 0.0
    """LATE: the moment from which it answers."""
    target: str = ""
    """REDIRECT: where to."""
    sitemaps: tuple[str, ...] = ()
    """Sitemaps that it names."""


@dataclass(frozen=True, slots=True)
class Authority:
    """Scheme, host and port as an origin ("https://h1.s1.example"), with its robots.txt."""

    origin: str
    robots: Robots


@dataclass(frozen=True, slots=True)
class Outage:
    """A span of time in which a host is out of reach."""

    start: float
    end: float
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class SimHost:
    """One host: where it lives, how slow it is, when it is away."""

    name: str
    site: str
    addresses: tuple[str, ...]
    authorities: tuple[Authority, ...]
    one_way_seconds: float
    """Time of flight."""
    service_seconds: float
    """Time from the request's arrival to the last byte sent, for a usual page."""
    ttl_seconds: float = 300.0
    outages: tuple[Outage, ...] = ()

    @property
    def dead(self) -> bool:
        """Whether it is out of reach from the beginning, for ever."""
        return any(outage.end == NEVER_ENDS and outage.start <= EPOCH for outage in self.outages)

    @property
    def dies(self) -> bool:
        """Whether an outage that never ends begins while it is crawled."""
        return not self.dead and any(outage.end == NEVER_ENDS for outage in self.outages)

    def trouble_at(self, moment: float) -> Trouble | None:
        """What keeps it out of reach at that moment."""
        return next((outage.trouble for outage in self.outages if outage.start <= moment < outage.end), None)


@dataclass(slots=True)
class World:
    """All of it."""

    simulation_seed: int
    hosts: dict[str, SimHost] = field(default_factory=dict[str, SimHost])
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    """URL key -> page."""
    robots_files: dict[str, Robots] = field(default_factory=dict[str, Robots])
    """URLs that robots.txt redirects lead to -> what they answer."""
    seeds: list[str] = field(default_factory=list[str])
    scope: str = "any"
    """The word of a scope; all but "any" are drawn from the seeds."""
    former_scope: str = ""
    """The scope of the lives before the first stop; empty where it never changes."""
    blocked: set[str] = field(default_factory=set[str])
    """Hosts on the block list."""
    heals: float = 0.0
    """The moment after which only what is broken for ever is broken."""
    listings: dict[str, Listing] = field(default_factory=dict[str, Listing])
    """Sitemaps and feeds by URL."""
    traps: list[Trap] = field(default_factory=list[Trap])
    twins: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """URL keys of one page each: one of a pair must be fetched, the other one may be."""
    name_outages: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """Spans in which no name resolves."""
    capped: bool = False
    """The crawl has caps that may end it early: what must be fetched cannot be told."""

    def authority(self, origin: str) -> Authority | None:
        """The authority of that origin."""
        host = self.hosts.get(host_of(f"{origin}/"))
        if host is None:
            return None
        return next((authority for authority in host.authorities if authority.origin == origin), None)

    def page(self, url: str) -> Page | None:
        """The page of any spelling of a URL; the pages of traps are none of the world's."""
        return self.pages.get(key_of(url))

    def trap(self, url: str) -> Trap | None:
        """The trap that a URL belongs to."""
        return next((trap for trap in self.traps if trap.holds(url)), None)

    def wants(self, url: str, scope: str = "") -> bool:
        """Whether the block list and the crawl's scope (or another one, by its word) want this URL."""
        host, scope = host_of(url), scope or self.scope
        if host in self.blocked:
            return False
        if scope == "any":
            return True
        if scope == "host":
            return host in {host_of(seed) for seed in self.seeds}
        if scope == "site":
            return self._site(host) in {self._site(host_of(seed)) for seed in self.seeds}
        if scope == "page":
            return key_of(url) in {key_of(seed) for seed in self.seeds}
        return any(
            host == host_of(seed) and target_of(url).startswith(_folder_of(target_of(seed))) for seed in self.seeds
        )

    def ever_wanted(self, url: str) -> bool:
        """Whether any of the crawl's scopes wants this URL."""
        return self.wants(url) or (bool(self.former_scope) and self.wants(url, self.former_scope))

    def _site(self, host: str) -> str:
        known = self.hosts.get(host)
        return known.site if known is not None else host


def _folder_of(target: str) -> str:
    path = target.partition("?")[0]
    return path[: path.rindex("/") + 1]


@lru_cache(maxsize=KEYS_KEPT)
def key_of(url: str) -> str:
    """The URL key by which two spellings are one URL of the world."""
    return url_key(url, KEY_RULES)
