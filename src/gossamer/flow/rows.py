"""Dataset rows (`core/datasets.py`) of visits, links and refusals, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from gossamer.core.dataset_columns import Coded, Repeated
from gossamer.core.frontier.lease import LeaseKind
from gossamer.core.frontier.records import PageRecord
from gossamer.core.frontier.rejudging import finding_of
from gossamer.core.http.outcome import Failed, Fetched, Gone, NotModified, Outcome, Redirected, Refused
from gossamer.core.page.links import LinkFlag, LinkKind, Links
from gossamer.core.preference.preferences import Preferences
from gossamer.core.scope.refusal import Refusal, kind_words
from gossamer.core.sitemap.hints import NO_HINTS, Hints
from gossamer.core.warc.date import milliseconds
from gossamer.flow.finished import Finished
from gossamer.ports.datasets import Columns

FOLLOWED: Final = "followed"
"""The verdict on a link that is not refused."""


class Step(NamedTuple):
    """The way from a sitemap, a feed or a robots.txt to what it names."""

    letter: str
    """Of the hop path."""
    depth: int
    """Of what is named."""


_OUTCOMES: dict[type[Outcome], str] = {
    Fetched: "fetched",
    NotModified: "not modified",
    Redirected: "redirected",
    Refused: "refused",
    Gone: "failed",
    Failed: "failed",
}


def outcome_word(outcome: Outcome) -> str:
    """An outcome in the word the datasets use."""
    return _OUTCOMES[type(outcome)]


def outcome_reason(outcome: Outcome) -> str:
    """Why an outcome is none that was wanted, as far as the answer itself says; empty otherwise."""
    return outcome.reason if isinstance(outcome, Failed | Refused | Gone) else ""


def kind_word(kind: LeaseKind) -> str:
    """What was fetched, in the word the datasets use."""
    return kind.value


def page_row(finished: Finished, links: int) -> Columns:
    """One row of `pages`; `links` is how many were found."""
    lease, exchange, reading, stored = finished.lease, finished.exchange, finished.reading, finished.stored
    record, document, outcome = finished.record, reading.document, reading.outcome
    listing, directives = reading.listing, reading.directives
    reason = finished.fate.reason if finished.fate is not None else ""
    row: dict[str, Any] = {
        "url": exchange.url,
        "host": lease.host,
        "site": lease.site,
        "kind": kind_word(finished.kind),
        "outcome": outcome_word(outcome),
        "reason": reason or outcome_reason(outcome),
        "status": exchange.status,
        "started": exchange.started,
        "seconds": milliseconds(exchange.ended - exchange.started) / 1000,
        "address": exchange.address,
        "media_type": reading.media_type,
        "charset": document.charset if document is not None else listing.charset if listing is not None else "",
        "bytes": len(reading.body),
        "decoded_bytes": len(reading.decoded),
        "digest": reading.digest.hex(),
        "copy_of": finished.copy_of if reading.is_page else "",
        "title": document.title if document is not None else "",
        "language": document.language if document is not None else "",
        "noindex": directives.is_unindexed(exchange.ended),
        "nofollow": directives.nofollow,
        "malformed": document.malformed if document is not None else listing.problem if listing is not None else "",
        "truncated": exchange.truncated.value if exchange.truncated is not None else "",
        "location": outcome.target if isinstance(outcome, Redirected) else "",
        "referrer": record.referrer,
        "depth": record.depth,
        "hops": record.hops,
        "group": record.group,
        "attempt": len(record.attempts) or 1,
        "links": links,
        "warc": stored.location.file if stored is not None else "",
        "offset": stored.location.offset if stored is not None else 0,
        "length": stored.location.length if stored is not None else 0,
        "noarchive": directives.noarchive,
        "unavailable_after": directives.unavailable_after,
        "robots_rules": ", ".join(directives.rules),
        **_stated(finished.preferences),
        **(_NOTHING_HINTED if record.hints is None else _hinted(record.hints)),
    }
    return dict(zip(row, zip(row.values(), strict=True), strict=True))


def _stated(preferences: Preferences) -> dict[str, Any]:
    """What was said of the use of what came."""
    if not preferences.statements:
        return _NOTHING_STATED
    return {
        "content_signal": preferences.said("content-signal"),
        "content_usage": preferences.said("content-usage"),
        "license": preferences.said("license"),
        "tdm_reservation": preferences.value("tdm-reservation"),
        "tdm_policy": preferences.value("tdm-policy"),
        "denied_uses": " ".join(preferences.denied),
    }


def _hinted(hints: Hints) -> dict[str, Any]:
    """What sitemaps and feeds claim of it."""
    return {
        "hint_lastmod": hints.lastmod,
        "hint_changefreq": hints.changefreq,
        "hint_priority": hints.priority if hints.priority >= 0 else None,
        "hint_published": hints.published,
        "hint_alternates": " ".join(f"{language}={url}" for language, url in hints.alternates),
    }


def link_rows(record: PageRecord, links: Links, verdicts: list[str]) -> Columns:
    """A page's rows of `links`; the columns share what `links` holds."""
    size, flags = len(links), links.flags
    flagged = any(flags)
    return {
        "source": Repeated(record.url, size),
        "target": links.urls,
        "kind": Coded(links.kinds, _KIND_BY_CODE),
        "text": links.texts,
        "nofollow": Coded(flags, _NOFOLLOW_BY_CODE) if flagged else Repeated(value=False, size=size),
        "ugc": Coded(flags, _UGC_BY_CODE) if flagged else Repeated(value=False, size=size),
        "sponsored": Coded(flags, _SPONSORED_BY_CODE) if flagged else Repeated(value=False, size=size),
        "verdict": _verdict_column(verdicts),
    }


def _verdict_column(verdicts: list[str]) -> Sequence[str]:
    """Reasons are words of a small set, and most links are followed."""
    if not any(verdicts):
        return Repeated(FOLLOWED, len(verdicts))
    places = {reason: place for place, reason in enumerate(dict.fromkeys(verdicts))}
    return Coded(bytes(map(places.__getitem__, verdicts)), [reason or FOLLOWED for reason in places])


def refused_rows(
    record: PageRecord,
    links: Links,
    verdicts: list[str],
    *,
    now: float,
    page_nofollow: bool = False,
    step: Step | None = None,
) -> dict[str, list[Any]]:
    """Rows of `refused` for links of one page, for the target of a redirect, or for a seed."""
    refused = [row for row, verdict in enumerate(verdicts) if verdict]
    kinds = [links.kinds[row] for row in refused]
    letters = [step.letter] * len(refused) if step is not None else [hop_letter(kind) for kind in kinds]
    size = len(refused)
    return {
        "url": [links.urls[row] for row in refused],
        "reason": [verdicts[row] for row in refused],
        "count": [1] * size,
        "first": [now] * size,
        "last": [now] * size,
        "depth": [step.depth if step is not None else record.depth + (letter in _STEPS) for letter in letters],
        "referrer": [record.url] * size,
        "hops": [record.hops + letter for letter in letters],
        "group": [record.group] * size,
        "kinds": [_KINDS[kind] for kind in kinds],
        "nofollow": [page_nofollow or links.flags[row] & _NOFOLLOW != 0 for row in refused],
    }


def hop_letter(kind: int) -> str:
    """The letter in a hop path that stands for a link of this kind: none for a seed, which is where a path begins."""
    return _LETTERS.get(kind, "L")


def refused_row(record: PageRecord, reason: str, now: float) -> dict[str, list[Any]]:
    """The row of `refused` for a known URL that was refused or failed."""
    return {
        "url": [record.url],
        "reason": [reason],
        "count": [1],
        "first": [now],
        "last": [now],
        "depth": [record.depth],
        "referrer": [record.referrer],
        "hops": [record.hops],
        "group": [record.group],
        "kinds": [_KINDS[finding_of(record).kinds[0]]],
        "nofollow": [record.nofollow],
    }


def reconsidered_rows(refusals: Sequence[Refusal], now: float) -> dict[str, list[Any]]:
    """Rows of `refused` for URLs that another scope refuses for another reason: nobody has met them again."""
    return {
        "url": [refusal.url for refusal in refusals],
        "reason": [refusal.reason for refusal in refusals],
        "count": [0] * len(refusals),
        "first": [refusal.first for refusal in refusals],
        "last": [now] * len(refusals),
        "depth": [refusal.depth for refusal in refusals],
        "referrer": [refusal.referrer for refusal in refusals],
        "hops": [refusal.hops for refusal in refusals],
        "group": [refusal.group for refusal in refusals],
        "kinds": [kind_words(refusal.finding.kinds) for refusal in refusals],
        "nofollow": [refusal.nofollow for refusal in refusals],
    }


_NOTHING_STATED: dict[str, Any] = dict.fromkeys(
    ("content_signal", "content_usage", "license", "tdm_reservation", "tdm_policy", "denied_uses"), ""
)
_NOTHING_HINTED = _hinted(NO_HINTS)
_STEPS = frozenset("LE")
"""Hop letters that lead one link further from a seed."""
_LETTERS = {
    int(LinkKind.SEED): "",
    int(LinkKind.OPERATOR): "",
    int(LinkKind.REDIRECT): "R",
    int(LinkKind.FRAME): "E",
    int(LinkKind.IFRAME): "E",
    int(LinkKind.SITEMAP): "M",
    int(LinkKind.TO_SITEMAP): "M",
    int(LinkKind.FEED): "F",
}
_KINDS = {int(kind): kind.name.lower() for kind in LinkKind}
_KIND_BY_CODE = [_KINDS.get(kind, "") for kind in range(max(_KINDS) + 1)]
# A plain number: an enum's own operators cost a microsecond a link.
_NOFOLLOW = int(LinkFlag.NOFOLLOW)
_NOFOLLOW_BY_CODE, _UGC_BY_CODE, _SPONSORED_BY_CODE = (
    [flags & flag != 0 for flags in range(max(LinkFlag) * 2)] for flag in map(int, LinkFlag)
)
