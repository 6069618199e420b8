"""The report of a visit: archive, datasets, page record, links and frontier, all in one step, all in one commit."""

from __future__ import annotations

from typing import Final

from gossamer.core.facts import Fact, ListingRead, UrlFailed, UrlRefused
from gossamer.core.facts import Redirected as RedirectTold
from gossamer.core.frontier.commands import Refuse
from gossamer.core.frontier.events import Visited
from gossamer.core.frontier.fate import Blame, Fate, FateKind
from gossamer.core.frontier.lease import Entry, LeaseKind
from gossamer.core.frontier.ledger import count
from gossamer.core.frontier.records import RETRY, Attempt, PageState, UrlKind, retry_order
from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.failure_policy import exchange_policy
from gossamer.core.http.outcome import Failed, Redirected
from gossamer.core.limits import ROBOTS_BYTES_MAX
from gossamer.core.politeness.retry_after import retry_after_seconds
from gossamer.core.robots.answer import RobotsAnswer
from gossamer.core.scope.reasons import Reason
from gossamer.core.sitemap.listing import Listing
from gossamer.core.url.parse import host_of
from gossamer.flow.alias_evidence import release_after_refusal, weigh
from gossamer.flow.capture import store
from gossamer.flow.fates import fate_of
from gossamer.flow.finished import ATTEMPTS_KEPT, Finished
from gossamer.flow.follow import follow_links, follow_redirect
from gossamer.flow.listing import follow_listing
from gossamer.flow.rows import outcome_word, page_row, refused_row
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker
from gossamer.flow.yields import count_yield
from gossamer.ports.exchange import Claim

_STATES: Final = {
    FateKind.DONE: PageState.DONE,
    FateKind.GONE: PageState.GONE,
    FateKind.FAILED: PageState.FAILED,
    FateKind.REFUSED: PageState.REFUSED,
}
_TOLD_IN_THE_RECORD: Final = frozenset({Reason.PURPOSE, Reason.TRAP})
"""Refusals whose words cannot be looked up again as they were."""
_ASK_TO_WAIT: Final = frozenset({429, 503})
"""Statuses whose Retry-After speaks for the host (RFC 9110 sections 10.2.3 and 15.6.4, RFC 6585 section 4)."""


def report_page(worker: Worker, shard: Shard, finished: Finished) -> Claim | None:
    """Book a visit of a page; the claim on its body if it is now archived for the first time."""
    reading, record, queue = finished.reading, finished.record, finished.record.queue
    fate = finished.fate = fate_of(worker, shard, finished)
    finished.stored = store(worker, shard, finished)
    _note(finished, fate)
    known = shard.ledger.new
    links = _follow(worker, shard, finished)
    count_yield(worker, shard, finished, leads_on=shard.ledger.new > known)
    requeued = _settle(shard, finished, fate)
    _count(worker, shard, finished)
    _count_fate(shard, fate)
    weigh(worker, shard, finished, fate)
    worker.datasets.append("pages", page_row(finished, links), shard.number, worker.commit_number)
    if fate.kind in (FateKind.FAILED, FateKind.REFUSED):
        row = refused_row(record, fate.reason, finished.exchange.ended)
        worker.datasets.append("refused", row, shard.number, worker.commit_number)
        worker.note(_end_fact(finished, fate))
    if finished.is_page:
        worker.newest = record.url
    event = _visited(finished, fate)
    event.lease_queue, event.requeued = queue, requeued
    worker.perform(shard, shard.frontier.handle(event, worker.clock.now()))
    for listener in worker.listeners:
        listener(finished)
    stored = finished.stored
    if stored is None or not reading.digest or finished.earlier is not None:
        return None
    return Claim(record.url, finished.exchange.started, stored.record_id, stored.payload_digest)


def report_file(worker: Worker, shard: Shard, finished: Finished) -> None:
    """Book a visit of a robots.txt or a probe: archived and a row like a page, but host state and no known URL."""
    outcome = finished.reading.outcome
    finished.stored = store(worker, shard, finished)
    _count(worker, shard, finished)
    worker.datasets.append("pages", page_row(finished, 0), shard.number, worker.commit_number)
    event = _visited(finished, Fate(FateKind.DONE))
    if isinstance(outcome, Redirected):
        event.redirect, event.redirect_host = outcome.target, host_of(outcome.target)
    else:
        event.robots = _robots_answer(finished)
    worker.perform(shard, shard.frontier.handle(event, worker.clock.now()))


def refuse_queued(worker: Worker, shard: Shard, command: Refuse) -> None:
    """Book a queued URL that ends unfetched: by robots.txt, for its address, under a changed scope, with its host."""
    entry = command.entry
    record = entry.record
    record.state, record.reason = PageState.FAILED if command.failed else PageState.REFUSED, command.reason
    # A robots.txt is kept, and read again by whoever asks; what was stated of a use is not.
    record.detail = command.detail if command.failed or command.reason in _TOLD_IN_THE_RECORD else ""
    if command.reason == Reason.TRAP:
        shard.templates.refused(record.url, command.host_id + entry.fingerprint)
    shard.dequeue(command.host_id, record.queue, entry.order)
    shard.save_page(command.host_id, entry.fingerprint, record)
    count(shard.ledger.failed if command.failed else shard.ledger.refused, command.reason)
    row = refused_row(record, command.reason, worker.clock.now())
    worker.datasets.append("refused", row, shard.number, worker.commit_number)
    worker.note(_unfetched(command))
    if command.reason != Reason.ALIAS:
        release_after_refusal(worker, shard, command.host_id, entry.fingerprint)


def _unfetched(command: Refuse) -> Fact:
    record = command.entry.record
    if command.failed:
        return UrlFailed(record.url, command.reason, record.tries, 0)
    return UrlRefused(record.url, command.reason, command.detail)


def _robots_answer(finished: Finished) -> RobotsAnswer:
    exchange = finished.exchange
    codings = codings_of(exchange.header_all("content-encoding"))
    decoded = decode(finished.reading.body, codings, max_bytes=ROBOTS_BYTES_MAX + 1)
    # Rules may stand in what is missing: only behind the bytes that are read at all it may be missed.
    short = (exchange.truncated is not None or decoded.truncated) and len(decoded.data) <= ROBOTS_BYTES_MAX
    return RobotsAnswer(exchange.status, decoded.data, exchange.failure, cut=short and finished.reading.is_page)


def _note(finished: Finished, fate: Fate) -> None:
    """Write what the visit taught into the page record."""
    record, exchange, reading, stored = finished.record, finished.exchange, finished.reading, finished.stored
    attempt = Attempt(exchange.ended, fate.reason or outcome_word(reading.outcome), exchange.status)
    record.attempts = [*record.attempts, attempt][-ATTEMPTS_KEPT:]
    record.reason, record.detail = fate.reason, finished.detail
    record.location = reading.outcome.target if isinstance(reading.outcome, Redirected) else ""
    if reading.is_page:
        record.etag = exchange.header("etag")[:256]
        record.last_modified = exchange.header("last-modified")[:64]
        record.digest = reading.digest
        record.copy_of = finished.copy_of
    if fate.kind is not FateKind.AGAIN:
        record.tried, record.cookies = [], []
    if stored is not None:
        place = stored.location
        record.file, record.offset, record.length = place.file, place.offset, place.length
        record.record_id, record.payload_digest = stored.record_id, stored.payload_digest
        record.captured_at = exchange.started


def _follow(worker: Worker, shard: Shard, finished: Finished) -> int:
    """Send what was found on its way; the number of links."""
    outcome, document = finished.reading.outcome, finished.reading.document
    if isinstance(outcome, Redirected) and finished.fate == Fate(FateKind.DONE):
        follow_redirect(worker, shard, finished.record, outcome.target)
        worker.note(RedirectTold(finished.record.url, outcome.target, finished.exchange.status))
    if finished.reading.listing is not None and finished.reading.is_page:
        return _follow_listing(worker, shard, finished, finished.reading.listing)
    if document is None:
        return 0
    follow_links(worker, shard, finished.record, document)
    return len(document.links)


def _follow_listing(worker: Worker, shard: Shard, finished: Finished, listing: Listing) -> int:
    record = finished.record
    if finished.kind is not finished.lease.kind:
        record.kind = UrlKind.FEED if listing.is_feed else UrlKind.SITEMAP
    form = listing.format.value if listing.format is not None else ""
    urls, files = len(listing.urls), len(listing.children)
    worker.note(ListingRead(record.url, finished.kind.value, form, urls, files, listing.problem))
    follow_listing(worker, shard, record, listing, finished.vouched)
    return len(listing)


def _settle(shard: Shard, finished: Finished, fate: Fate) -> Entry | None:
    """Move the URL where its fate says; its new entry if it is queued again."""
    entry, record, host_id = finished.entry, finished.record, finished.lease.host_id
    if fate.kind is FateKind.BACK:
        shard.save_page(host_id, entry.fingerprint, record)
        return None
    shard.dequeue(host_id, record.queue, entry.order)
    if fate.kind in (FateKind.RETRY, FateKind.AGAIN):
        record.queue = RETRY
        return shard.enqueue(host_id, entry.fingerprint, record, retry_order(fate.due, shard.next_order()))
    record.state = _STATES[fate.kind]
    shard.save_page(host_id, entry.fingerprint, record)
    return None


def _count(worker: Worker, shard: Shard, finished: Finished) -> None:
    """What every visit counts, a robots.txt's too."""
    ledger, page = shard.ledger, finished.is_page
    public = worker.is_public(finished.lease.address)
    ledger.fetches += 1
    ledger.bytes += finished.size
    count(ledger.statuses, str(finished.exchange.status))
    ledger.pages += page
    if page:
        count(ledger.group_pages, finished.record.group)
    ledger.public_pages += page and public
    ledger.copies += page and bool(finished.copy_of)
    ledger.unarchived += page and bool(finished.withheld)
    worker.budget.spend(finished.lease, finished.size, page=page, public=public)


def _count_fate(shard: Shard, fate: Fate) -> None:
    ledger = shard.ledger
    ledger.done += fate.kind is FateKind.DONE
    ledger.gone += fate.kind is FateKind.GONE
    if fate.kind is FateKind.FAILED:
        count(ledger.failed, fate.reason)
    if fate.kind is FateKind.REFUSED:
        count(ledger.refused, fate.reason)


def _end_fact(finished: Finished, fate: Fate) -> Fact:
    """A known URL ended without a page."""
    record, exchange = finished.record, finished.exchange
    if fate.kind is FateKind.REFUSED:
        return UrlRefused(record.url, fate.reason, finished.detail or exchange.header("content-type")[:100])
    return UrlFailed(record.url, fate.reason, record.tries, exchange.status)


def _visited(finished: Finished, fate: Fate) -> Visited:
    lease, exchange, outcome = finished.lease, finished.exchange, finished.reading.outcome
    policy = exchange_policy(exchange)
    asked = exchange.header("retry-after") if exchange.status in _ASK_TO_WAIT else ""
    return Visited(
        lease=lease,
        fate=fate,
        started=exchange.started,
        ended=exchange.ended,
        status=exchange.status,
        answered=exchange.status != 0 and exchange.failure is None,
        # Any trouble with a robots.txt slows its host: nothing else can be fetched there anyway.
        slows=policy is not None and (policy.slows or lease.kind is LeaseKind.ROBOTS),
        failed=policy is not None and policy.blame is Blame.HOST,
        retry_after=retry_after_seconds(asked, exchange.ended) if asked else None,
        bytes=finished.size,
        page=finished.is_page,
        novel=_is_novel(finished),
        error=outcome.reason if isinstance(outcome, Failed) else "",
    )


def _is_novel(finished: Finished) -> bool:
    """Whether it is a page with a body new to the crawl, and with more to say than its template's pages before it."""
    is_new = finished.is_page and bool(finished.reading.digest) and finished.earlier is None
    return is_new and finished.is_novel is not False
