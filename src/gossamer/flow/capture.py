"""Archiving one exchange: request and response records, or a revisit, and the index line."""

from __future__ import annotations

from gossamer.core.warc import cdx, record
from gossamer.core.warc.digest import sha1_label
from gossamer.flow.finished import Finished, Stored
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker


def store(worker: Worker, shard: Shard, finished: Finished) -> Stored | None:
    """Write an exchange to the archive; None when no answer came or nothing of it was read.

    A body known under another capture becomes a revisit if the payload (content coding kept) is the same too;
    otherwise it is stored whole.
    """
    exchange, body, earlier = finished.exchange, finished.reading.body, finished.earlier
    if not exchange.head or exchange.unwanted:
        return None
    head = worker.asking.stored_answer(finished.lease.host, exchange.head)
    answer_id, request_id = (record.record_id(worker.entropy.bytes(16)) for _ in range(2))
    capture = _capture(worker, finished)
    digest = sha1_label(body)
    is_revisit = earlier is not None and earlier.payload_digest == digest
    if earlier is not None and is_revisit:
        original = record.Original(earlier.record_id, earlier.url, earlier.started)
        answer = record.revisit(capture, answer_id, head, original, (request_id,), payload_digest=digest)
    else:
        answer = record.response(capture, answer_id, head, body, (request_id,), payload_digest=digest)
    sent = worker.asking.stored_request(finished.lease.host, exchange.request)
    asked = record.request(capture, request_id, sent, (answer_id,))
    location = worker.archive.append([answer, asked])[0]
    if is_revisit:
        line = cdx.revisit_line(capture, digest, location)
    else:
        line = cdx.response_line(capture, head, digest, location)
    worker.archive.index(line, shard.number, worker.commit_number)
    return Stored(location, answer_id, digest, is_revisit)


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
