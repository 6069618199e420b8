"""What a crawl had in hand when it reported a visit, made again from the visit's records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.lease import LISTING_LEASES, Entry, Lease, LeaseKind
from gossamer.core.frontier.records import Attempt, PageRecord
from gossamer.core.http.exchange import Exchange, FailureKind, Truncation
from gossamer.core.http.memory_body import MemoryBody
from gossamer.core.limits import SITEMAP_BYTES_MAX
from gossamer.core.preference.preferences import preferences_of
from gossamer.core.url.parse import host_of, parse
from gossamer.core.warc.location import Location
from gossamer.flow.finished import Finished, Stored
from gossamer.flow.listing import read_at_once
from gossamer.flow.reading import Reading, read
from gossamer.ports.exchange import Claim

if TYPE_CHECKING:
    from gossamer.app.derive.visits import ArchivedVisit
    from gossamer.core.url.site import SiteList
    from gossamer.ports.parser import Parser
    from gossamer.warc import Record


def finished_of(
    visit: ArchivedVisit, original: Record | None, file: str, sites: SiteList, parser: Parser
) -> Finished | None:
    """The visit as its report had it; None for an answer that is no HTTP, or whose URL no crawl could have.

    `original` holds the body of a revisit; without it the body is unknown and counts as empty. `file`: the path of the
    archive file, for the rows.
    """
    answer, told = visit.answer, visit.told
    parsed = parse(told.url or answer.url)
    if parsed is None or answer.head is None or answer.at is None:
        return None
    # A URL that a crawl wrote is its own normal form; of a stranger's, the rows name what a crawl would have asked.
    url = parsed.href
    exchange = _exchange(visit, url, original)
    host = host_of(url)
    record = PageRecord(url, told.depth, hops=told.hops, referrer=told.via, group=told.group)
    record.attempts = [Attempt(exchange.ended, "")] * told.attempt
    kind = _kind(told.kind)
    lease = Lease(
        number=0,
        kind=kind,
        host_id=b"",
        host=host,
        site=sites.site_of(host),
        url=url,
        addresses=(),
        address="",
        granted=exchange.started,
        body_bytes_max=0,
        entry=Entry(0, b"", record),
        stated=preferences_of(told.stated),
    )
    finished = Finished(lease, exchange, _reading(exchange, url, kind, parser))
    finished.earlier = _earlier(visit, original)
    finished.fate = Fate(FateKind.DONE, told.reason)
    place = Location(file, answer.offset, answer.length)
    finished.stored = Stored(place, answer.record_id, answer.field("WARC-Payload-Digest"), answer.kind == "revisit")
    return finished


def _reading(exchange: Exchange, url: str, kind: LeaseKind, parser: Parser) -> Reading:
    """The answer, read as what it was to the crawl."""
    if kind not in LISTING_LEASES:
        return read(exchange, url, parser)
    reading = read(exchange, url, None, SITEMAP_BYTES_MAX)
    if reading.is_page:
        reading.listing = read_at_once(exchange, reading, url, text=kind is LeaseKind.SITEMAP)
    return reading


def _exchange(visit: ArchivedVisit, url: str, original: Record | None) -> Exchange:
    answer, told = visit.answer, visit.told
    assert answer.head is not None, "asked before"
    started = answer.at or 0.0
    is_revisit = answer.kind == "revisit"
    body = (original.payload if original is not None else b"") if is_revisit else answer.payload
    return Exchange(
        url=url,
        started=started,
        ended=started + told.milliseconds / 1000,
        address=answer.field("WARC-IP-Address"),
        request=visit.request,
        status=answer.head.status,
        head=answer.head_bytes,
        headers=answer.head.fields,
        body=MemoryBody(body),
        # A revisit always says that its body was cut (WARC 1.1, section 6.7.2).
        truncated=None if is_revisit else _truncation(answer),
        failure=_failure(told.failure),
        protocol=answer.head.protocol,
    )


def _truncation(answer: Record) -> Truncation | None:
    said = answer.field("WARC-Truncated").lower()
    if said:
        return next((kind for kind in Truncation if kind.value == said), Truncation.UNSPECIFIED)
    return Truncation.UNSPECIFIED if answer.cut else None


def _failure(said: str) -> FailureKind | None:
    if not said:
        return None
    return next((kind for kind in FailureKind if kind.value == said), FailureKind.BAD_ANSWER)


def _kind(said: str) -> LeaseKind:
    return next((kind for kind in LeaseKind if kind.value == said), LeaseKind.PAGE)


def _earlier(visit: ArchivedVisit, original: Record | None) -> Claim | None:
    """The first capture of the same body: as told, or as a revisit names it."""
    url = visit.told.copy_of or visit.answer.field("WARC-Refers-To-Target-URI") or (original.url if original else "")
    return Claim(url, 0.0, "", "") if url else None
