"""A made-up web as plain values: hosts, their authorities and robots.txt files, pages, and what goes wrong where.

A world is a pure function of its simulation seed (`growth.py` grows it). It does not change while a crawl runs; what
depends on the moment or on how often a URL was asked for is worked out by `server.py` from these values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import host_of

NEVER_ENDS: Final = float("inf")
KEY_RULES: Final = KeyRules()


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
        """Whether an outage never ends."""
        return any(outage.end == NEVER_ENDS for outage in self.outages)

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
    """"any", or "host": only hosts of seeds are wanted."""
    blocked: set[str] = field(default_factory=set[str])
    """Hosts on the block list."""
    heals: float = 0.0
    """The moment after which only what is broken for ever is broken."""

    def authority(self, origin: str) -> Authority | None:
        """The authority of that origin."""
        host = self.hosts.get(host_of(f"{origin}/"))
        if host is None:
            return None
        return next((authority for authority in host.authorities if authority.origin == origin), None)

    def page(self, url: str) -> Page | None:
        """The page of any spelling of a URL."""
        return self.pages.get(key_of(url))

    def wants(self, url: str) -> bool:
        """Whether the crawl's scope and block list want this URL."""
        host = host_of(url)
        if host in self.blocked:
            return False
        return self.scope == "any" or host in {host_of(seed) for seed in self.seeds}


def key_of(url: str) -> str:
    """The URL key by which two spellings are one URL of the world."""
    return url_key(url, KEY_RULES)
