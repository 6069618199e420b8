"""The answer to "what of this URL?", as one value: what is printed and what `--json` writes are both made from it.

Moments are seconds since the epoch; 0 stands for "never". Field names are stable; new ones are added at the end.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

EXPLANATION_VERSION: Final = 1


class Cause(msgspec.Struct, frozen=True):
    """The one thing that decides."""

    code: str
    """A stable word for programs: "fetched", "robots", "parked", "timeout", "never found", ..."""
    text: str
    """A sentence for people."""


class KeyPart(msgspec.Struct, frozen=True, kw_only=True):
    """The spelling on which URLs are compared, and the one that is fetched."""

    key: str
    fetch_url: str
    """The spelling found first, which is the one requested."""
    shard: int
    alias_of: str = ""
    """The spelling that stands for it by its host's alias rules."""
    aliases: list[str] = []
    """The other spellings that these rules call the same page, as far as they are known."""
    rules: list[str] = []
    """The rules that its host has taught and that are in force, each with its samples and a pair."""


class FoundPart(msgspec.Struct, frozen=True, kw_only=True):
    """How the URL became known."""

    at: float
    referrer: str
    """The first page found linking here; empty for a seed."""
    depth: int
    hops: str
    """Letters from the seed on: L link, E embed, R redirect, M sitemap, F feed."""
    path: str
    """The same in words."""
    group: str
    redirects: int
    kind: str = "page"
    """What it was found as: "page", "sitemap" or "feed"."""
    hints: dict[str, str] = {}
    """What sitemaps and feeds claim of it, by name; those without a claim are absent."""


class ScopePart(msgspec.Struct, frozen=True, kw_only=True):
    """Scope and filters, judged anew under the settings now in force."""

    verdict: str
    """"wanted", or the reason of the refusal."""
    text: str
    """The rule that decides, in words."""
    judged_as: str
    """As what it was judged: as it was found, or as a plain link where it never was."""


class RobotsPart(msgspec.Struct, frozen=True, kw_only=True):
    """What the robots.txt of the URL's authority says."""

    authority: str
    kind: str
    """"rules", "allow all", "unreachable", or "not asked for yet"."""
    allowed: bool | None
    """None while nothing is known."""
    line: str = ""
    line_number: int = 0
    """The deciding line; 0 when no line matches."""
    fetched_at: float = 0.0
    age_seconds: float = 0.0
    expires_at: float = 0.0
    good_at: float = 0.0
    """When the rules were received; earlier than `fetched_at` where an older copy goes on ruling."""
    reason: str = ""
    """Why there are no fresh rules."""


class UsesPart(msgspec.Struct, frozen=True, kw_only=True):
    """What the site's files state of the use of what is fetched there."""

    purposes: list[str]
    """What the crawl's content is for, by the settings now in force."""
    statements: list[str]
    """Each as "SOURCE SIGNAL: WORDS"."""
    denied: dict[str, str]
    """Purpose -> the words that deny it."""
    refused: str
    """The first of the crawl's purposes that is denied; empty when none is."""


class HostPart(msgspec.Struct, frozen=True, kw_only=True):
    """The host's state."""

    name: str
    site: str
    state: str
    """A word of `HostStatus`."""
    since: float | None = None
    """Since when it is in this state; None where that is not known."""
    why: str = ""
    """What put it there; empty where the state says it all."""
    next: float | None = None
    """When the state may change by itself; None where no time brings that on."""
    pages: int
    bytes: int
    fetches: int
    queued: list[int]
    """URLs queued by priority level, the retry queue last."""
    failures: int
    next_at: float
    """Earliest moment of its next request."""
    gap_seconds: float
    gap_source: str
    crawl_delay: float
    last_end: float
    error: str
    error_at: float
    addresses: list[str] = []
    """Known while the crawl runs."""


class QueuePart(msgspec.Struct, frozen=True, kw_only=True):
    """Where the URL waits."""

    level: int
    """0 first."""
    is_retry: bool
    due: float
    """From when a retry may be fetched; 0 for any other."""
    ahead: int
    """URLs before it in its own queue."""
    ahead_exact: bool
    """False: at least that many."""
    ahead_levels: int
    """URLs of its host in queues that matter more: drawn more often, though not always, before its own."""


class ScorePart(msgspec.Struct, frozen=True, kw_only=True):
    """How important the URL is, reckoned anew; in levels, more is better."""

    score: float
    parts: dict[str, float]
    """Name -> points: depth, way, group, hints, shape, sites, importance, plugins. What says nothing is absent."""
    level: int
    """The level that it means; where that is better than the one it waits in, it rises when it is next read."""
    fixed: bool
    """How it was found decides alone: seeds, redirects' targets, links that are paid for or of users' making."""
    partial: bool = False
    """Reckoned without the importance file and the plug-ins, which only a running crawl has read."""


class NextPart(msgspec.Struct, frozen=True, kw_only=True):
    """The earliest moment at which it may be fetched, and what makes it so late."""

    at: float
    why: str


class AttemptPart(msgspec.Struct, frozen=True, kw_only=True):
    """One visit."""

    at: float
    outcome: str
    status: int


class CapturePart(msgspec.Struct, frozen=True, kw_only=True):
    """Where the last capture lies."""

    at: float
    file: str
    offset: int
    length: int
    record_id: str


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """One URL of a chain of redirects."""

    url: str
    state: str
    """As `Explanation.state`."""
    status: int
    """Of its last answer; 0 without one."""
    asked: bool
    """This is the URL asked about."""


class Referrer(msgspec.Struct, frozen=True, kw_only=True):
    """A link to the URL, found by a search."""

    source: str
    kind: str
    text: str
    verdict: str


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A refusal or failure of the URL, found by a search."""

    reason: str
    count: int
    first: float
    last: float
    depth: int
    referrer: str
    hops: str


class SearchPart(msgspec.Struct, frozen=True, kw_only=True):
    """What lies in `links` and `refused`."""

    referrers: list[Referrer]
    refusals: list[Refusal]
    complete: bool
    """False: there is more than is listed."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """All that the crawl knows of one URL."""

    version: int = EXPLANATION_VERSION
    url: str
    now: float
    running: bool
    state: str
    """"unknown", "queued", "in flight", "held", "done", "gone", "failed" or "refused"."""
    cause: Cause
    key: KeyPart
    found: FoundPart | None
    """None for a URL without a record."""
    scope: ScopePart
    robots: RobotsPart
    host: HostPart | None
    """None for a host never met."""
    queue: QueuePart | None
    next: NextPart | None
    attempts: list[AttemptPart]
    copy_of: str
    capture: CapturePart | None
    redirects: list[Hop]
    search: SearchPart | None = None
    uses: UsesPart | None = None
    """None where nothing is stated, or nothing was read yet."""
    score: ScorePart | None = None
    """None for a URL without a record."""
    trap: str = ""
    """What is held against the templates of its URL, with the evidence; empty for nothing."""


def as_plain(explanation: Explanation) -> dict[str, Any]:
    """The value as plain objects, for JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(explanation)
    return plain


def from_plain(plain: dict[str, Any]) -> Explanation:
    """The value that `as_plain` made; raises msgspec.ValidationError for anything else."""
    return msgspec.convert(plain, Explanation)
