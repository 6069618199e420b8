"""Every setting: its section, default, kind, meaning, and when it may change. What protects us is a limit, not here.

A section is frozen and goes to the part that uses it; no part sees another's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from gossamer import __version__
from gossamer.app.settings import kinds
from gossamer.app.settings.group_settings import GROUPS, SeedGroup
from gossamer.core import limits
from gossamer.core.disk_guard import Threshold
from gossamer.core.facts import Level, Topic
from gossamer.core.http.request import user_agent
from gossamer.core.preference.purpose import Purpose

if TYPE_CHECKING:
    from gossamer.app.settings.kinds import Kind

T = TypeVar("T")

HTML_MEDIA: Final = frozenset({"text/html", "application/xhtml+xml"})


class Change(StrEnum):
    """When a setting may change."""

    FIXED = "fixed"
    """Never after the crawl was made."""
    CHANGEABLE = "changeable"
    """When the crawl is resumed."""
    LIVE = "live"
    """Also while it runs."""


@dataclass(frozen=True, slots=True)
class Trait:
    """What is known of a setting beside its value."""

    kind: Kind[Any]
    meaning: str
    change: Change
    kept: bool
    """Written to crawl.toml; false for what concerns one run only, or is secret."""


def setting(default: T, kind: Kind[T], meaning: str, change: Change = Change.CHANGEABLE, *, kept: bool = True) -> T:
    """A field of a section, with its trait."""
    return field(default=default, metadata={"trait": Trait(kind, meaning, change, kept)})


@dataclass(frozen=True, slots=True)
class SeedSettings:
    """Where the crawl starts."""

    urls: tuple[str, ...] = setting((), kinds.URLS, "URLs to start from", Change.FIXED)
    files: tuple[str, ...] = setting(
        (), kinds.PATHS, 'files with one seed a line, # begins a comment; "-" is standard input', Change.FIXED
    )
    groups: tuple[SeedGroup, ...] = setting(
        (), GROUPS, "seed groups with a scope, depth and share of their own; in a file, [[seeds]] tables"
    )


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """Which URLs are wanted at all."""

    kind: str = setting(
        "host", kinds.choice("page", "prefix", "host", "site", "any"), "how far from each seed the crawl may go"
    )
    domains: str | None = setting(None, kinds.optional(kinds.PATH), "file of more domains in scope, one a line")
    include: tuple[str, ...] = setting((), kinds.PATTERNS, "only URLs that one of these patterns finds a match in")
    exclude: tuple[str, ...] = setting((), kinds.PATTERNS, "no URL that one of these patterns finds a match in")
    extensions: tuple[str, ...] = setting((), kinds.EXTENSIONS, "file name extensions of URLs not to fetch")
    media: tuple[str, ...] = setting(("html",), kinds.MEDIA, "media types wanted; others close after the headers")
    max_depth: int | None = setting(20, kinds.optional(kinds.COUNT), "links from a seed")
    max_url_length: int = setting(limits.URL_LENGTH_MAX, kinds.POSITIVE, "characters of a URL")
    follow: tuple[str, ...] = setting(
        ("links", "sitemaps"), kinds.SOURCES, "what URLs are taken from: any of links, sitemaps, feeds"
    )
    well_known_sitemaps: bool = setting(
        False,  # noqa: FBT003 - a default
        kinds.BOOL,
        "where a robots.txt names no sitemap, ask at the usual paths",
    )
    follow_kinds: tuple[str, ...] = setting((), kinds.TEXTS, "link kinds followed beyond the usual")
    nofollow: str = setting("obey", kinds.choice("obey", "ignore"), "whether nofollow on pages and links is obeyed")
    block_file: str | None = setting(None, kinds.optional(kinds.PATH), "file of hosts and domains never to contact")

    @property
    def wanted_media(self) -> frozenset[str] | None:
        """Media types to read on for; None for any."""
        if "any" in self.media:
            return None
        named = frozenset(self.media) - {"html"}
        return named | HTML_MEDIA if "html" in self.media else named


@dataclass(frozen=True, slots=True)
class KeySettings:
    """What makes two URLs one, beyond what docs/urls.md says."""

    drop: tuple[str, ...] = setting(
        (), kinds.TEXTS, "parameters that make no difference on any host; name* for all that begin so", Change.FIXED
    )
    keep: tuple[str, ...] = setting(
        (), kinds.TEXTS, "parameters that make a difference although they are known for tracking", Change.FIXED
    )
    learn: bool = setting(True, kinds.BOOL, "learn from each host which of its spellings are one page")  # noqa: FBT003 - a default


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """How much, and how the work is shared out."""

    max_pages: int | None = setting(None, kinds.optional(kinds.POSITIVE), "pages in all", Change.LIVE)
    max_bytes: int | None = setting(None, kinds.optional(kinds.SIZE), "bytes received in all", Change.LIVE)
    max_time: float | None = setting(
        None, kinds.optional(kinds.DURATION), "time this run may take", Change.LIVE, kept=False
    )
    max_pages_per_host: int | None = setting(None, kinds.optional(kinds.POSITIVE), "pages of one host", Change.LIVE)
    max_bytes_per_host: int | None = setting(
        None, kinds.optional(kinds.SIZE), "bytes received of one host", Change.LIVE
    )
    workers: int = setting(1, kinds.WORKERS, "worker processes; auto: one on each core")
    shards: int = setting(16, kinds.POSITIVE, "shards that sites are spread over", Change.FIXED)
    commit_interval: float = setting(0.25, kinds.DURATION, "time between commits: what a crash costs at most")
    patience: float = setting(600.0, kinds.DURATION, "time without a lease that ends as stalled", Change.LIVE)
    host_patience: float = setting(
        7 * 86_400.0,
        kinds.DURATION,
        "time for which a host may fail until what it has queued ends as failed",
        Change.LIVE,
    )
    max_fetches: int = setting(64, kinds.POSITIVE, "fetches at once (a ceiling)", Change.LIVE)
    slow_share: float = setting(limits.SLOW_SHARE, kinds.SHARE, "share of them that slow hosts may hold together")
    working_hosts: int = setting(2000, kinds.POSITIVE, "hosts in the working set")


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """What one site may have; docs/budgets.md."""

    pages_per_site: int | None = setting(None, kinds.optional(kinds.POSITIVE), "pages of one site", Change.LIVE)
    bytes_per_site: int | None = setting(None, kinds.optional(kinds.SIZE), "bytes received of one site", Change.LIVE)
    first_pages: int | None = setting(
        1_000, kinds.optional(kinds.POSITIVE), "pages that a site which no seed names may have at first", Change.LIVE
    )
    first_bytes: int | None = setting(
        1_000_000_000, kinds.optional(kinds.SIZE), "bytes received that it may have at first", Change.LIVE
    )
    first_hosts: int | None = setting(
        100, kinds.optional(kinds.POSITIVE), "hosts of one site that are asked at first", Change.LIVE
    )
    growth: float = setting(
        0.1, kinds.NUMBER, "what each linking site adds, as a share of these; 0: they do not grow", Change.LIVE
    )
    site_share: float = setting(
        0.25, kinds.SHARE, "share of the fetches at once that a site which no seed names may have", Change.LIVE
    )
    host_share: float = setting(0.25, kinds.SHARE, "the same of one host", Change.LIVE)


@dataclass(frozen=True, slots=True)
class FrontierSettings:
    """How the frontier remembers."""

    url_seen: str = setting(
        "exact",
        kinds.choice("exact", "bloom"),
        "how URLs are known again: exact, or by a filter of two bytes each that loses some (docs/seen.md)",
        Change.FIXED,
    )
    urls_expected: int = setting(
        10_000_000,
        kinds.POSITIVE,
        "URLs the crawl will know; with url_seen = bloom the filter is made for",
        Change.FIXED,
    )


@dataclass(frozen=True, slots=True)
class PrioritySettings:
    """What makes a URL come before others of its host; docs/priority.md. Each counts as much as its number, 0 not."""

    way: float = setting(1.0, kinds.NUMBER, "redirects and embedded pages on the way count against a URL")
    group: float = setting(1.0, kinds.NUMBER, "the share of its seed group counts for it")
    hints: float = setting(1.0, kinds.NUMBER, "what sitemaps and feeds claim counts for it")
    shape: float = setting(1.0, kinds.NUMBER, "a deep path and a long query count against it")
    sites: float = setting(1.0, kinds.NUMBER, "sites that link to its site count for it")
    importance: str | None = setting(
        None, kinds.optional(kinds.PATH), "file (Parquet, CSV) that says how important URLs or sites are, 0 to 1"
    )
    importance_levels: float = setting(2.0, kinds.NUMBER, "levels that the most important rise and the least sink")


@dataclass(frozen=True, slots=True)
class TrapSettings:
    """What is held for a trap; docs/traps.md."""

    watch: bool = setting(True, kinds.BOOL, "URLs of templates that bring nothing new come last, then are refused")  # noqa: FBT003 - a default
    shapes: bool = setting(True, kinds.BOOL, "links that look like a trap's are refused where they are found")  # noqa: FBT003 - a default
    years_back: int = setting(limits.TRAP_YEARS_BACK, kinds.COUNT, "years that a calendar's pages may go back")
    years_ahead: int = setting(limits.TRAP_YEARS_AHEAD, kinds.COUNT, "years that they may go ahead")
    throttle_below: float = setting(
        limits.TRAP_THROTTLED_SHARE_MAX,
        kinds.SHARE,
        "share of fetches that bring something new below which a template's URLs come last",
    )
    close_below: float = setting(limits.TRAP_CLOSED_SHARE_MAX, kinds.SHARE, "share at which its URLs are refused")
    close_after: int = setting(
        limits.TRAP_CLOSED_FETCHES_MIN, kinds.POSITIVE, "fetches in a row without anything new before they may be"
    )
    site_share: float = setting(
        limits.TRAP_SITE_SHARE_MAX, kinds.SHARE, "share of its site's fetches that a template of low yield may have"
    )


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """Code of yours that has a say; docs/how-to/score-urls.md."""

    scorers: tuple[str, ...] = setting((), kinds.TEXTS, "package.module:name of what has a say in how URLs are scored")


@dataclass(frozen=True, slots=True)
class PolitenessSettings:
    """How gently hosts are treated, and who says so."""

    gap: float = setting(
        limits.GAP_PUBLIC_MIN_SECONDS,
        kinds.DURATION,
        "least time between exchanges with a host",
        Change.LIVE,
    )
    contact: str | None = setting(
        None,
        kinds.optional(kinds.CONTACT),
        "mail or web address told to the hosts; without it crawls stay small",
    )
    user_agent: str | None = setting(
        None, kinds.optional(kinds.FIELD), "the User-Agent header; by default the name, version and contact"
    )
    purposes: tuple[str, ...] = setting(
        (Purpose.SEARCH.value, Purpose.ARCHIVE.value),
        kinds.PURPOSES,
        "what the content is for; what a site denies to one of these is refused",
    )

    @property
    def agent(self) -> str:
        """The User-Agent header (RFC 9110 section 10.1.5)."""
        if self.user_agent is not None:
            return self.user_agent
        return user_agent(__version__, self.contact or "")

    def gap_seconds(self, *, allowed: bool) -> float:
        """The minimum gap of a host; `allowed`: it was reached through an address range the user allowed."""
        return self.gap if allowed else max(self.gap, limits.GAP_PUBLIC_MIN_SECONDS)

    @property
    def public_pages_max(self) -> int | None:
        """Pages of public hosts this crawl may fetch; None without such a bound."""
        return None if self.contact else limits.PAGES_WITHOUT_CONTACT_MAX


@dataclass(frozen=True, slots=True)
class DnsSettings:
    """How names become addresses."""

    nameservers: tuple[str, ...] = setting((), kinds.NAMESERVERS, "resolvers to ask instead of the system's")
    resolve: tuple[str, ...] = setting((), kinds.RESOLVES, "names with addresses given by hand")
    resolve_file: str | None = setting(None, kinds.optional(kinds.PATH), "file of names and addresses, like /etc/hosts")


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """What one exchange may cost."""

    connect: float = setting(limits.CONNECT_SECONDS_MAX, kinds.DURATION, "time to connect, TLS included")
    first_byte: float = setting(limits.FIRST_BYTE_SECONDS_MAX, kinds.DURATION, "time from request to first byte")
    total: float = setting(limits.TOTAL_SECONDS_MAX, kinds.DURATION, "time of one exchange")
    low_speed: int = setting(limits.LOW_SPEED_BYTES_PER_SECOND, kinds.SIZE, "bytes a second below which a body is cut")
    low_speed_time: float = setting(float(limits.LOW_SPEED_SECONDS), kinds.DURATION, "time it must be that slow")
    header_bytes: int = setting(limits.HEADER_BYTES_MAX, kinds.SIZE, "bytes of status line and headers")
    body_bytes: int = setting(limits.BODY_BYTES_MAX, kinds.SIZE, "bytes of a body as received; the rest is cut")
    http2: bool = setting(True, kinds.BOOL, "offer HTTP/2 to https servers")  # noqa: FBT003 - a default
    ca_file: str | None = setting(
        None, kinds.optional(kinds.PATH), "certificates (PEM) to trust instead of the system's"
    )


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Which addresses may be connected to beyond the public ones."""

    allow_address: tuple[str, ...] = setting(
        (), kinds.NETWORKS, "loopback, private or reserved ranges that may be contacted"
    )


@dataclass(frozen=True, slots=True)
class CopySettings:
    """What is done with a body archived before under another URL."""

    follow: str = setting("never", kinds.choice("never", "same-host", "always"), "whether links of copies are followed")


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """The files a crawl leaves."""

    warc_bytes: int = setting(limits.WARC_BYTES_TARGET, kinds.SIZE, "length at which a WARC file is closed")
    journal_bytes: int = setting(limits.JOURNAL_BYTES_MAX, kinds.SIZE, "length at which a journal becomes Parquet")
    journal_time: float = setting(limits.JOURNAL_SECONDS_MAX, kinds.DURATION, "age at which it does")
    keep_secrets: bool = setting(
        False,  # noqa: FBT003 - a default
        kinds.BOOL,
        "whether Authorization, Cookie and the like are archived as sent; otherwise their values are blanked",
    )
    noarchive: str = setting(
        "ignore", kinds.choice("obey", "ignore"), "whether pages that say noarchive are left out of the archive"
    )


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The facts written to logs/*.jsonl; docs/reference-facts.md lists them."""

    level: str = setting(
        "info", kinds.choice(*(level.word for level in Level)), "facts of this level and above are kept", Change.LIVE
    )
    topics: tuple[str, ...] = setting(
        tuple(topic.value for topic in Topic), kinds.TOPICS, "topics that are kept", Change.LIVE
    )
    bytes: int = setting(100_000_000, kinds.SIZE, "length at which a log file is rotated and compressed")
    kept: int = setting(10, kinds.POSITIVE, "rotated log files that are kept")


@dataclass(frozen=True, slots=True)
class DiskSettings:
    """The disk guard: when a crawl pauses for want of room, and when it goes on by itself."""

    pause_below: Threshold = setting(  # noqa: RUF009 - a field with its trait, as everywhere here
        Threshold(2 * 1024**3, 0.05), kinds.ROOM, "with less free than this on any disk written to, nothing is leased"
    )
    resume_above: Threshold = setting(  # noqa: RUF009 - as above
        Threshold(3 * 1024**3, 0.07), kinds.ROOM, "with this much free again the crawl goes on"
    )


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """Numbers for Prometheus."""

    address: str | None = setting(
        None, kinds.optional(kinds.LISTEN), "where to serve them over HTTP, at /metrics", kept=False
    )


@dataclass(frozen=True, slots=True)
class OutputSettings:
    """Of this run only: where to and how loud."""

    folder: str | None = setting(
        None, kinds.optional(kinds.PATH), "crawl folder to make; by default ./HOST-DATE", Change.FIXED, kept=False
    )
    quiet: bool = setting(False, kinds.BOOL, "no progress on standard error", kept=False)  # noqa: FBT003 - a default
    json: bool = setting(False, kinds.BOOL, "results as JSON on standard output", kept=False)  # noqa: FBT003 - a default


@dataclass(frozen=True, slots=True)
class Tree:
    """All sections."""

    seeds: SeedSettings = SeedSettings()
    scope: ScopeSettings = ScopeSettings()
    keys: KeySettings = KeySettings()
    crawl: CrawlSettings = CrawlSettings()
    frontier: FrontierSettings = FrontierSettings()
    budget: BudgetSettings = BudgetSettings()
    priority: PrioritySettings = PrioritySettings()
    traps: TrapSettings = TrapSettings()
    plugins: PluginSettings = PluginSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    dns: DnsSettings = DnsSettings()
    fetch: FetchSettings = FetchSettings()
    network: NetworkSettings = NetworkSettings()
    copies: CopySettings = CopySettings()
    archive: ArchiveSettings = ArchiveSettings()
    disk: DiskSettings = DiskSettings()
    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()
    output: OutputSettings = OutputSettings()


SECTIONS: Final[dict[str, type[Any]]] = {item.name: type(item.default) for item in fields(Tree)}
TRAITS: Final[dict[str, Trait]] = {
    f"{section}.{item.name}": cast("Trait", item.metadata["trait"])
    for section, kind in SECTIONS.items()
    for item in fields(kind)
}
"""Every key, "section.name" -> its trait."""
DEFAULTS: Final[dict[str, Any]] = {
    f"{section}.{item.name}": item.default for section, kind in SECTIONS.items() for item in fields(kind)
}
"""Every key -> its default."""
