"""Dataset rows (`core/datasets.py`) of visits, links and refusals, as columns."""

from __future__ import annotations

from typing import Any

from gossamer.core.frontier.fate import Fate
from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.frontier.records import PageRecord
from gossamer.core.http.exchange import Exchange
from gossamer.core.http.outcome import Failed, Fetched, Gone, NotModified, Outcome, Redirected, Refused
from gossamer.core.page.links import LinkFlag, LinkKind, Links
from gossamer.flow.capture import Stored
from gossamer.flow.reading import Reading

_OUTCOMES: dict[type[Outcome], str] = {
    Fetched: "fetched",
    NotModified: "not modified",
    Redirected: "redirected",
    Refused: "refused",
    Gone: "failed",
    Failed: "failed",
}


def page_row(
    lease: Lease, exchange: Exchange, reading: Reading, stored: Stored | None, fate: Fate, links: int
) -> dict[str, list[Any]]:
    """One row of `pages`."""
    record = lease.entry.record if lease.entry is not None else PageRecord(lease.url, hops="P")
    document = reading.document
    outcome = reading.outcome
    row: dict[str, Any] = {
        "url": lease.url,
        "host": lease.host,
        "site": lease.site,
        "kind": "robots" if lease.kind is LeaseKind.ROBOTS else "page",
        "outcome": _OUTCOMES[type(outcome)],
        "reason": fate.reason or (outcome.reason if isinstance(outcome, Failed | Refused | Gone) else ""),
        "status": exchange.status,
        "started": exchange.started,
        "seconds": exchange.ended - exchange.started,
        "address": exchange.address,
        "media_type": reading.media_type,
        "charset": document.charset if document is not None else "",
        "bytes": len(reading.body),
        "decoded_bytes": len(reading.decoded),
        "digest": reading.digest.hex(),
        "copy_of": record.copy_of if reading.is_page else "",
        "title": document.title if document is not None else "",
        "language": document.language if document is not None else "",
        "noindex": document.directives.noindex if document is not None else False,
        "nofollow": document.directives.nofollow if document is not None else False,
        "malformed": document.malformed if document is not None else "",
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
    }
    return {name: [value] for name, value in row.items()}


def link_rows(record: PageRecord, links: Links, verdicts: list[str]) -> dict[str, list[Any]]:
    """A page's rows of `links`."""
    flags = links.flags
    return {
        "source": [record.url] * len(links),
        "target": links.urls,
        "kind": [_KINDS[kind] for kind in links.kinds],
        "text": links.texts,
        "nofollow": [flag & _NOFOLLOW != 0 for flag in flags],
        "ugc": [flag & _UGC != 0 for flag in flags],
        "sponsored": [flag & _SPONSORED != 0 for flag in flags],
        "verdict": [verdict or "followed" for verdict in verdicts],
    }


def refused_rows(
    record: PageRecord, links: Links, verdicts: list[str], refused: list[int], now: float
) -> dict[str, list[Any]]:
    """Rows of `refused` for links of one page."""
    size = len(refused)
    return {
        "url": [links.urls[row] for row in refused],
        "reason": [verdicts[row] for row in refused],
        "count": [1] * size,
        "first": [now] * size,
        "last": [now] * size,
        "depth": [record.depth + 1] * size,
        "referrer": [record.url] * size,
        "hops": [record.hops + "L"] * size,
        "group": [record.group] * size,
    }


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
    }


_KINDS = {int(kind): kind.name.lower() for kind in LinkKind}
# Plain numbers: an enum's own operators cost a microsecond a link.
_NOFOLLOW, _UGC, _SPONSORED = int(LinkFlag.NOFOLLOW), int(LinkFlag.UGC), int(LinkFlag.SPONSORED)
