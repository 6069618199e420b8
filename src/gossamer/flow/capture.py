"""Archiving one exchange: response or revisit, request and metadata records, and the index line; and name look-ups."""

from __future__ import annotations

from gossamer.core.dns.answer import Answer
from gossamer.core.warc import cdx, record
from gossamer.core.warc.date import milliseconds
from gossamer.core.warc.digest import sha1_label
from gossamer.core.warc.target import target_uri
from gossamer.core.warc.visit_fields import VisitFields
from gossamer.flow.finished import ATTEMPTS_KEPT, Finished, Stored
from gossamer.flow.rows import kind_word, outcome_reason
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker


def store(worker: Worker, shard: Shard, finished: Finished) -> Stored | None:
    """Write an exchange to the archive; None when no answer came, or nothing of it was read or may be kept.

    A body known under another capture becomes a revisit if the payload (content coding kept) is the same too;
    otherwise it is stored whole.
    """
    exchange, body, earlier = finished.exchange, finished.reading.body, finished.earlier
    if not exchange.head or exchange.unwanted or finished.withheld:
        return None
    head = worker.asking.stored_answer(finished.lease.host, exchange.head)
    draw = worker.entropy.bytes
    answer_id, request_id, told_id = record.record_id(draw(16)), record.record_id(draw(16)), record.record_id(draw(16))
    capture = _capture(worker, finished)
    others = (request_id, told_id)
    digest = sha1_label(body)
    is_revisit = earlier is not None and earlier.payload_digest == digest
    if earlier is not None and is_revisit:
        original = record.Original(earlier.record_id, earlier.url, earlier.started)
        answer = record.revisit(capture, answer_id, head, original, others, payload_digest=digest)
    else:
        answer = record.response(capture, answer_id, head, body, others, payload_digest=digest)
    sent = worker.asking.stored_request(finished.lease.host, exchange.request)
    asked = record.request(capture, request_id, sent, (answer_id, told_id))
    told = record.metadata(capture, told_id, visit_fields(finished).fields(), (answer_id, request_id))
    location = worker.archive.append([answer, asked, told])[0]
    if is_revisit:
        line = cdx.revisit_line(capture, digest, location)
    else:
        line = cdx.response_line(capture, head, digest, location)
    worker.archive.index(line, shard.number, worker.commit_number)
    return Stored(location, answer_id, digest, is_revisit)


def store_lookup(worker: Worker, shard: Shard, host: str, answer: Answer) -> None:
    """Write what name servers said to the archive."""
    capture = record.Capture(f"dns:{host}", answer.answered, worker.archive.warcinfo_id)
    ttl = answer.expires - answer.answered
    block = record.dns_block(host, answer.addresses, ttl, answer.answered)
    looked_up = record.lookup(capture, record.record_id(worker.entropy.bytes(16)), block)
    location = worker.archive.append([looked_up])[0]
    line = cdx.resource_line(capture, record.DNS_TYPE, sha1_label(block), location)
    worker.archive.index(line, shard.number, worker.commit_number)


def visit_fields(finished: Finished) -> VisitFields:
    """What is told of a visit beside its answer; called before the visit is noted in its page record."""
    exchange, reading, url_record = finished.exchange, finished.reading, finished.record
    url, reason = finished.lease.url, finished.fate.reason if finished.fate is not None else ""
    document = reading.document
    return VisitFields(
        kind=kind_word(finished.kind),
        url=url if target_uri(url) != url else "",
        via=url_record.referrer,
        hops=url_record.hops,
        depth=url_record.depth,
        group=url_record.group,
        attempt=min(len(url_record.attempts) + 1, ATTEMPTS_KEPT),
        milliseconds=milliseconds(exchange.ended - exchange.started),
        charset=document.charset if document is not None else "",
        failure=exchange.failure.value if exchange.failure is not None else "",
        reason=reason if reason != outcome_reason(reading.outcome) else "",
        copy_of=finished.copy_of if reading.is_page else "",
        stated=finished.lease.stated.statements,
    )


def _capture(worker: Worker, finished: Finished) -> record.Capture:
    exchange = finished.exchange
    return record.Capture(
        url=finished.lease.url,
        started=exchange.started,
        warcinfo_id=worker.archive.warcinfo_id,
        address=exchange.address,
        protocols=tuple(name for name in (exchange.protocol, exchange.tls) if name),
        truncated=exchange.truncated,
    )
