"""Facts: what happened, typed. The log, the metrics, the display and `explain` read them.

A fact has a level (how much it matters to an operator) and a topic (what it is about); both belong to its class. Its
line is one JSON object of printable ASCII, so that whatever a host said is inert in a terminal, a pager and a log tool:
JSON (RFC 8259 section 7) escapes controls and quotes, and everything beyond ASCII (bidi marks, line separators,
invisible letters) is written as an escape too.
"""

from __future__ import annotations

import json
from enum import IntEnum, StrEnum
from typing import Any, ClassVar, Final

import msgspec

from gossamer.core.limits import FACT_LINE_BYTES_MAX, FACT_TEXT_CHARACTERS
from gossamer.core.warc.date import warc_date


class Level(IntEnum):
    """How much a fact matters; logs keep those from a level on."""

    DEBUG = 10
    INFO = 20
    WARNING = 30
    ERROR = 40

    @property
    def word(self) -> str:
        """As settings and log lines write it."""
        return self.name.lower()


class Topic(StrEnum):
    """What a fact is about."""

    CRAWL = "crawl"
    SETTINGS = "settings"
    SCOPE = "scope"
    HOSTS = "hosts"
    ROBOTS = "robots"
    URLS = "urls"
    VISITS = "visits"
    COMMITS = "commits"
    DISK = "disk"
    LOG = "log"


class Fact(msgspec.Struct, frozen=True, tag_field="fact", tag=True):
    """Something that happened. Its class's name stands in the field `fact` of its line."""

    level: ClassVar[Level] = Level.INFO
    topic: ClassVar[Topic] = Topic.CRAWL


# --- the crawl ---------------------------------------------------------------------------------------------------


class CrawlStarted(Fact, frozen=True):
    """A run began."""

    release: str
    resumed: bool
    shards: int
    process: int


class CrawlEnded(Fact, frozen=True):
    """A run ended."""

    end_state: str
    reason: str
    pages: int
    queued: int
    seconds: float


class WorkerStarted(Fact, frozen=True):
    """A worker process of a crawl on several cores began, or began again."""

    worker: int
    process: int


class WorkerLost(Fact, frozen=True):
    """A worker process ended unasked; another one goes on from its last commit."""

    level = Level.WARNING
    worker: int
    status: int
    """Its exit status; below zero: the signal that ended it."""
    deaths: int
    """Of workers, within ten minutes."""
    pause: float
    """Seconds until it is started again; below zero: the crawl ends instead."""


class Recovered(Fact, frozen=True):
    """Opening after a crash brought files back to the last commit."""

    level = Level.WARNING
    bytes_cut: int
    files_cut: int
    aside: list[str]
    """Files that recovery could not explain, by their former path."""
    rows_dropped: int
    orphaned: int


class Ordered(Fact, frozen=True):
    """An operator's order to a running crawl: pause, continue, stop, add, block, unblock, forget."""

    order: str
    subject: str = ""
    """The URL or host it is about."""


class SettingChanged(Fact, frozen=True):
    """A setting has another value from now on. Values as crawl.toml writes them."""

    topic = Topic.SETTINGS
    key: str
    before: str
    after: str
    source: str


class ScopeWidened(Fact, frozen=True):
    """A seed redirected within its site: where it led is in scope too."""

    topic = Topic.SCOPE
    seed: str
    target: str


class ScopeChanged(Fact, frozen=True):
    """The crawl was opened with another scope: what that has changed of what earlier runs refused and queued."""

    topic = Topic.SCOPE
    refused: int
    """Refusals read that could have been taken back."""
    offered: int
    """URLs of them that are queued now."""
    withdrawn: int
    """Queued URLs that are refused now."""


# --- hosts -------------------------------------------------------------------------------------------------------


class AliasLearned(Fact, frozen=True):
    """A host has taught that something makes no difference in its URLs: other spellings of known ones are left."""

    topic = Topic.HOSTS
    host: str
    rule: str
    """In what such spellings differ: "final slash", "index page index.html", "www", "scheme", "parameter ref"."""
    samples: int
    """Pairs that turned out to be one page."""
    one: str
    other: str
    """The last of those pairs."""


class AliasRefuted(Fact, frozen=True):
    """A pair of pages differed after all: the rule is given up, and what was left alone under it is fetched."""

    level = Level.WARNING
    topic = Topic.HOSTS
    host: str
    rule: str
    one: str
    other: str
    """The pair that differed."""


class HostSlowed(Fact, frozen=True):
    """A host failed or asked for fewer requests: it is left alone until a moment."""

    topic = Topic.HOSTS
    host: str
    reason: str
    failures: int
    """In a row."""
    until: float


class HostParked(Fact, frozen=True):
    """A host failed too often in a row: left alone for long, its URLs stay queued."""

    level = Level.WARNING
    topic = Topic.HOSTS
    host: str
    reason: str
    failures: int
    until: float


class PluginFailed(Fact, frozen=True):
    """A plug-in raised, or did not answer as it is asked to: it is left out until the next start."""

    level = Level.ERROR
    topic = Topic.CRAWL
    plugin: str
    """Its name in the settings."""
    error: str


class SecretWithheld(Fact, frozen=True):
    """A host was not sent the secret that the settings name for it: the connection has no TLS, the host is not marked
    `mine`, and its address is not an allowed one.
    """

    level = Level.WARNING
    topic = Topic.HOSTS
    host: str


class HostRecovered(Fact, frozen=True):
    """A host that had failed answers again."""

    topic = Topic.HOSTS
    host: str
    failures: int
    """How many in a row it had."""


class HostDied(Fact, frozen=True):
    """A host has failed for as long as crawl.host_patience waits: what it has queued ends as failed, unfetched."""

    level = Level.WARNING
    topic = Topic.HOSTS
    host: str
    reason: str
    """Its last failure."""
    failures: int
    """In a row."""
    since: float
    """The first of them."""
    urls: int
    """Queued."""


class HostHeld(Fact, frozen=True):
    """A host has had all that the caps per host give it: its queued URLs are held."""

    topic = Topic.HOSTS
    host: str
    pages: int
    bytes: int
    urls: int


class SiteHeld(Fact, frozen=True):
    """A site has had all that its budget gives it: the queued URLs of its hosts are held."""

    topic = Topic.HOSTS
    site: str
    why: str
    """Which part of its budget, and what that has grown by."""
    pages: int
    linking_sites: int
    next_look: float
    """When it is looked at again, in seconds since the epoch."""


class SiteReleased(Fact, frozen=True):
    """A site's budget has grown, or was raised: the held URLs of its hosts are queued again as each is looked at."""

    topic = Topic.HOSTS
    site: str
    why: str
    """What the budget has grown by."""
    pages: int
    linking_sites: int


class TrapSuspected(Fact, frozen=True):
    """The verdict on a template of URLs has changed: see docs/traps.md."""

    level = Level.WARNING
    topic = Topic.URLS
    site: str
    template: str
    verdict: str
    """"open", "throttled" or "closed"."""
    rule: str
    """What it goes by: "novelty" or "share"; empty for an open one."""
    fetches: int
    novel: int
    """Those of the fetches that brought something new."""


class RobotsRead(Fact, frozen=True):
    """An authority's robots.txt was asked for: what rules from now on, and why when there are no fresh rules."""

    topic = Topic.ROBOTS
    authority: str
    kind: str
    reason: str
    bytes: int
    crawl_delay: float


# --- URLs --------------------------------------------------------------------------------------------------------


class VisitEnded(Fact, frozen=True):
    """A lease was carried to its end."""

    level = Level.DEBUG
    topic = Topic.VISITS
    url: str
    host: str
    kind: str
    """page or robots."""
    status: int
    """0 without an answer."""
    outcome: str
    seconds: float
    bytes: int
    host_fetches: int
    """Of this host so far, this one included; so are the bytes."""
    host_bytes: int
    host_seconds: float
    """Median of the host's last response times."""


class Redirected(Fact, frozen=True):
    """A URL leads to another one."""

    level = Level.DEBUG
    topic = Topic.URLS
    url: str
    target: str
    status: int


class UrlFailed(Fact, frozen=True):
    """A known URL ended as failed."""

    topic = Topic.URLS
    url: str
    reason: str
    tries: int
    status: int


class UrlRefused(Fact, frozen=True):
    """A known URL ended as refused."""

    level = Level.DEBUG
    topic = Topic.URLS
    url: str
    reason: str
    detail: str
    """The line of robots.txt that says so, or the like."""


class ListingRead(Fact, frozen=True):
    """A sitemap or feed was read."""

    topic = Topic.URLS
    url: str
    kind: str
    format: str
    urls: int
    files: int
    """Further sitemaps, or pages of the feed."""
    problem: str
    """Why nothing was taken, or not all; empty when it was in order."""


# --- commits, disk, log ------------------------------------------------------------------------------------------


class Committed(Fact, frozen=True):
    """A commit is durable."""

    level = Level.DEBUG
    topic = Topic.COMMITS
    number: int
    seconds: float
    shards: int


class CommitSlow(Fact, frozen=True):
    """A commit took long: a crash meanwhile would have cost as much work."""

    level = Level.WARNING
    topic = Topic.COMMITS
    number: int
    seconds: float


class SeenRebuilding(Fact, frozen=True):
    """The files of URL seen are missing, damaged or of an older release: they are made anew while the crawl goes on."""

    level = Level.WARNING
    topic = Topic.COMMITS
    shard: int


class SeenRebuilt(Fact, frozen=True):
    """The files of URL seen hold all known URLs again."""

    topic = Topic.COMMITS
    shard: int
    urls: int


class DiskLow(Fact, frozen=True):
    """Little room is left on a mount; below `pause_below` the crawl pauses."""

    level = Level.WARNING
    topic = Topic.DISK
    mount: str
    free: int
    pause_below: int


class DiskPaused(Fact, frozen=True):
    """Too little room is left on a mount: nothing is leased until there is more than `resume_above`."""

    level = Level.ERROR
    topic = Topic.DISK
    mount: str
    free: int
    resume_above: int


class DiskResumed(Fact, frozen=True):
    """There is room again on a mount."""

    level = Level.WARNING
    topic = Topic.DISK
    mount: str
    free: int


class ReserveGiven(Fact, frozen=True):
    """The room kept in reserve was given back to the disk, so that what is under way can be committed."""

    level = Level.WARNING
    topic = Topic.DISK
    bytes: int


class FactsLost(Fact, frozen=True):
    """Facts that the log could not take: too many at once, or a disk that took none."""

    level = Level.WARNING
    topic = Topic.LOG
    count: int


AnyFact = (
    CrawlStarted
    | CrawlEnded
    | WorkerStarted
    | WorkerLost
    | Recovered
    | Ordered
    | SettingChanged
    | ScopeWidened
    | ScopeChanged
    | AliasLearned
    | AliasRefuted
    | HostSlowed
    | HostParked
    | HostRecovered
    | PluginFailed
    | SecretWithheld
    | ListingRead
    | HostDied
    | HostHeld
    | TrapSuspected
    | SiteReleased
    | SiteHeld
    | RobotsRead
    | VisitEnded
    | Redirected
    | UrlFailed
    | UrlRefused
    | Committed
    | CommitSlow
    | SeenRebuilding
    | SeenRebuilt
    | DiskLow
    | DiskPaused
    | DiskResumed
    | ReserveGiven
    | FactsLost
)
"""Every fact: the type that a line is decoded as."""

FACTS: Final[tuple[type[Fact], ...]] = AnyFact.__args__
"""Every class of facts."""

_decoder: Final = msgspec.json.Decoder(AnyFact)


def fact_line(fact: Fact, at: float) -> bytes:
    """The line of a fact that happened `at` (s since the epoch), line end included: ASCII, at most a limit long."""
    line = _line(fact, at, msgspec.to_builtins(fact))
    if len(line) <= FACT_LINE_BYTES_MAX:
        return line
    return _line(fact, at, _cut(msgspec.to_builtins(fact)))


def read_fact(line: bytes) -> AnyFact:
    """The fact of a line. Raises msgspec.DecodeError for what is none."""
    return _decoder.decode(line)


def _line(fact: Fact, at: float, fields: dict[str, Any]) -> bytes:
    head = {"at": warc_date(at), "level": fact.level.word, "topic": fact.topic.value}
    # ASCII only; DEL is ASCII, and JSON leaves it as it is.
    return json.dumps({**head, **fields}, ensure_ascii=True).replace("\x7f", "\\u007f").encode() + b"\n"


def _cut(fields: dict[str, Any]) -> dict[str, Any]:
    """The same fields with every text, and every list, shortened."""
    short: dict[str, Any] = {}
    for name, value in fields.items():
        match value:
            case str():
                short[name] = value[:FACT_TEXT_CHARACTERS]
            case list():
                short[name] = [str(item)[:FACT_TEXT_CHARACTERS] for item in value[:8]]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            case _:
                short[name] = value
    return {**short, "cut": True}
