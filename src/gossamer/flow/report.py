"""The report of a visit: archive, datasets, page record, links and frontier, all in one step, all in one commit."""

from __future__ import annotations

from dataclasses import replace

from gossamer.core.frontier.commands import Refuse
from gossamer.core.frontier.events import Visited
from gossamer.core.frontier.fate import Blame, Fate, FateKind, fate_of_failure, is_counted
from gossamer.core.frontier.ledger import count
from gossamer.core.frontier.lease import Entry, Lease, LeaseKind
from gossamer.core.frontier.records import RETRY, Attempt, PageRecord, PageState, retry_order
from gossamer.core.http.cookies import cookies_after
from gossamer.core.http.exchange import Exchange, Truncation
from gossamer.core.http.failure_policy import exchange_policy
from gossamer.core.http.outcome import Failed, Fetched, Gone, NotModified, Outcome, Redirected, Refused, classify
from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.limits import REDIRECT_HOPS_MAX, ROBOTS_BYTES_MAX
from gossamer.core.politeness.retry_after import retry_after_seconds
from gossamer.core.robots.answer import RobotsAnswer
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import host_of
from gossamer.flow.capture import Stored, store
from gossamer.flow.follow import follow_links, follow_redirect
from gossamer.flow.reading import Reading
from gossamer.flow.rows import page_row, refused_row
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker
from gossamer.ports.exchange import Claim

ATTEMPTS_KEPT = 10
"""Visits remembered in a page record."""
_STATES = {
    FateKind.DONE: PageState.DONE,
    FateKind.GONE: PageState.GONE,
    FateKind.FAILED: PageState.FAILED,
    FateKind.REFUSED: PageState.REFUSED,
}


def report_page(
    worker: Worker, shard: Shard, lease: Lease, exchange: Exchange, reading: Reading, earlier: Claim | None
) -> Claim | None:
    """Book a visit of a page; the claim on its body if it is now archived for the first time."""
    entry = _entry(lease)
    record = entry.record
    stored = store(worker, shard, lease, exchange, reading.body, earlier)
    copy_of = earlier.url if earlier is not None and earlier.url != record.url else ""
    fate = _fate(worker, shard, lease, exchange, reading)
    queue = record.queue
    _note(record, exchange, reading, stored, copy_of, fate)
    links = _follow(worker, shard, lease, reading, fate, copy_of)
    requeued = _settle(shard, lease, fate)
    _count(shard, exchange, reading, fate, copy_of)
    public = worker.is_public(lease.address)
    shard.ledger.public_pages += reading.is_page and public
    worker.datasets.append("pages", page_row(lease, exchange, reading, stored, fate, links), shard.number, worker.commit_number)
    if fate.kind in (FateKind.FAILED, FateKind.REFUSED):
        worker.datasets.append("refused", refused_row(record, fate.reason, exchange.ended), shard.number, worker.commit_number)
    worker.budget.spend(lease, _size(exchange), page=reading.is_page, public=public)
    worker.newest = record.url if reading.is_page else worker.newest
    event = _visited(lease, exchange, reading.outcome, fate, queue=queue, page=reading.is_page, requeued=requeued)
    worker.perform(shard, shard.frontier.handle(event, worker.clock.now()))
    if stored is None or stored.is_revisit or not reading.digest or earlier is not None:
        return None
    return Claim(record.url, exchange.started, stored.record_id, stored.payload_digest)


def report_robots(worker: Worker, shard: Shard, lease: Lease, exchange: Exchange) -> None:
    """Book a visit of a robots.txt: archived and a row like a page, but host state and no known URL."""
    body = exchange.body.read() if exchange.body is not None else b""
    reading = Reading(classify(exchange), body=body)
    stored = store(worker, shard, lease, exchange, body, None)
    target = reading.outcome.target if isinstance(reading.outcome, Redirected) else ""
    answer = None if target else _robots_answer(exchange, body)
    row = page_row(lease, exchange, reading, stored, Fate(FateKind.DONE), 0)
    worker.datasets.append("pages", row, shard.number, worker.commit_number)
    shard.ledger.fetches += 1
    shard.ledger.bytes += _size(exchange)
    count(shard.ledger.statuses, str(exchange.status))
    worker.budget.spend(lease, _size(exchange), page=False)
    event = replace(
        _visited(lease, exchange, reading.outcome, Fate(FateKind.DONE)),
        robots=answer,
        redirect=target,
        redirect_host=host_of(target) if target else "",
    )
    worker.perform(shard, shard.frontier.handle(event, worker.clock.now()))


def refuse_queued(worker: Worker, shard: Shard, command: Refuse) -> None:
    """Book a queued URL that the frontier refuses: by robots.txt, or because of its address."""
    entry = command.entry
    record = entry.record
    record.state, record.reason = PageState.REFUSED, command.reason
    shard.dequeue(command.host_id, record.queue, entry.order)
    shard.save_page(command.host_id, entry.fingerprint, record)
    count(shard.ledger.refused, command.reason)
    row = refused_row(record, command.reason, worker.clock.now())
    worker.datasets.append("refused", row, shard.number, worker.commit_number)


def _robots_answer(exchange: Exchange, body: bytes) -> RobotsAnswer:
    decoded = decode(body, codings_of(exchange.header_all("content-encoding")), max_bytes=ROBOTS_BYTES_MAX + 1)
    cut = exchange.truncated not in (None, Truncation.LENGTH)
    return RobotsAnswer(exchange.status, decoded.data, exchange.failure, cut=cut)


def _entry(lease: Lease) -> Entry:
    if lease.entry is None:
        raise ValueError("only a lease of a page has a page to report")
    return lease.entry


def _fate(worker: Worker, shard: Shard, lease: Lease, exchange: Exchange, reading: Reading) -> Fate:
    record = _entry(lease).record
    match reading.outcome:
        case Fetched() | NotModified():
            return Fate(FateKind.DONE)
        case Gone() as gone:
            return Fate(FateKind.GONE, gone.reason)
        case Refused(reason):
            return Fate(FateKind.REFUSED, reason)
        case Redirected(_, target):
            return _redirect_fate(shard, record, exchange, target)
        case Failed(reason):
            return _failure_fate(worker, shard, lease, exchange, reason)


def _failure_fate(worker: Worker, shard: Shard, lease: Lease, exchange: Exchange, reason: str) -> Fate:
    record = _entry(lease).record
    host = shard.frontier.hosts[lease.host_id].state
    policy = exchange_policy(exchange)
    if policy is None or not policy.retry:
        return Fate(FateKind.FAILED, reason)
    fate = fate_of_failure(
        blame=policy.blame,
        reason=reason,
        host=host,
        record=record,
        ended=exchange.ended,
        retry_first_seconds=worker.policy.retry_first_seconds,
    )
    record.tries += is_counted(policy.blame, host, record)
    return fate


def _redirect_fate(shard: Shard, record: PageRecord, exchange: Exchange, target: str) -> Fate:
    """A redirect to the same key is leased again; one tried before with the same cookies is a loop."""
    rules = shard.rules.key_rules
    if url_key(target, rules) != url_key(record.url, rules):
        return Fate(FateKind.DONE)
    cookies = cookies_after(exchange.header_all("set-cookie"), tuple(record.cookies))
    tried = [*record.tried, _step(record.url, tuple(record.cookies))]
    if _step(target, cookies) in tried or len(tried) > REDIRECT_HOPS_MAX:
        return Fate(FateKind.FAILED, "redirect loop")
    record.tried, record.url, record.cookies = tried, target, list(cookies)
    return Fate(FateKind.AGAIN, due=exchange.ended)


def _step(url: str, cookies: tuple[tuple[str, str], ...]) -> str:
    return url + "".join(f"\n{name}={value}" for name, value in cookies)


def _note(
    record: PageRecord, exchange: Exchange, reading: Reading, stored: Stored | None, copy_of: str, fate: Fate
) -> None:
    """Write what the visit taught into the page record."""
    outcome = type(reading.outcome).__name__.lower()
    record.attempts = [*record.attempts, Attempt(exchange.ended, fate.reason or outcome, exchange.status)][-ATTEMPTS_KEPT:]
    record.reason = fate.reason
    if reading.is_page:
        record.etag = exchange.header("etag")[:256]
        record.last_modified = exchange.header("last-modified")[:64]
        record.digest = reading.digest
        record.copy_of = copy_of
    if fate.kind is not FateKind.AGAIN:
        record.tried, record.cookies = [], []
    if stored is not None:
        record.file, record.offset, record.length = stored.location.file, stored.location.offset, stored.location.length
        record.record_id, record.payload_digest = stored.record_id, stored.payload_digest
        record.captured_at = exchange.started


def _follow(worker: Worker, shard: Shard, lease: Lease, reading: Reading, fate: Fate, copy_of: str) -> int:
    record = _entry(lease).record
    if isinstance(reading.outcome, Redirected) and fate.kind is FateKind.DONE:
        follow_redirect(worker, shard, record, reading.outcome.target)
        return 0
    if reading.document is None:
        return 0
    follow_links(worker, shard, record, reading.document, copy_of)
    return len(reading.document.links)


def _settle(shard: Shard, lease: Lease, fate: Fate) -> Entry | None:
    """Move the URL where its fate says; its new entry if it is queued again."""
    entry = _entry(lease)
    record, host_id = entry.record, lease.host_id
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


def _count(shard: Shard, exchange: Exchange, reading: Reading, fate: Fate, copy_of: str) -> None:
    ledger = shard.ledger
    ledger.fetches += 1
    ledger.bytes += _size(exchange)
    count(ledger.statuses, str(exchange.status))
    ledger.pages += reading.is_page
    ledger.copies += bool(copy_of) and reading.is_page
    ledger.done += fate.kind is FateKind.DONE
    ledger.gone += fate.kind is FateKind.GONE
    if fate.kind is FateKind.FAILED:
        count(ledger.failed, fate.reason)
    if fate.kind is FateKind.REFUSED:
        count(ledger.refused, fate.reason)


def _visited(
    lease: Lease,
    exchange: Exchange,
    outcome: Outcome,
    fate: Fate,
    *,
    queue: int = 0,
    page: bool = False,
    requeued: Entry | None = None,
) -> Visited:
    policy = exchange_policy(exchange)
    asked = exchange.header("retry-after") if exchange.status in (429, 503) else ""
    return Visited(
        lease=lease,
        fate=fate,
        started=exchange.started,
        ended=exchange.ended,
        status=exchange.status,
        answered=exchange.status != 0 and exchange.failure is None,
        slows=policy is not None and (policy.slows or lease.kind is LeaseKind.ROBOTS),
        failed=policy is not None and policy.blame is Blame.HOST,
        lease_queue=queue,
        retry_after=retry_after_seconds(asked, exchange.ended) if asked else None,
        bytes=_size(exchange),
        page=page,
        error=outcome.reason if isinstance(outcome, Failed) else "",
        requeued=requeued,
    )


def _size(exchange: Exchange) -> int:
    return exchange.body.size if exchange.body is not None else 0
