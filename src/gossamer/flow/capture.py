"""Archiving one exchange: request and response records, or a revisit, and the index line."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.frontier.lease import Lease
from gossamer.core.http.exchange import Exchange
from gossamer.core.warc import cdx, record
from gossamer.core.warc.digest import sha1_label
from gossamer.core.warc.location import Location
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker
from gossamer.ports.exchange import Claim


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a capture lies, and how it is named."""

    location: Location
    record_id: str
    payload_digest: str
    is_revisit: bool


def store(
    worker: Worker, shard: Shard, lease: Lease, exchange: Exchange, body: bytes, earlier: Claim | None
) -> Stored | None:
    """Write an exchange to the archive; None when no answer came or nothing of it was read.

    A body known under another capture becomes a revisit if the payload (content coding kept) is the same too;
    otherwise it is stored whole.
    """
    if not exchange.head or exchange.unwanted:
        return None
    entropy = worker.entropy
    answer_id, request_id = record.record_id(entropy.bytes(16)), record.record_id(entropy.bytes(16))
    capture = record.Capture(
        url=lease.url,
        started=exchange.started,
        warcinfo_id=worker.archive.warcinfo_id,
        address=exchange.address,
        protocols=tuple(name for name in (exchange.protocol, exchange.tls) if name),
        truncated=exchange.truncated,
    )
    payload_digest = sha1_label(body)
    is_revisit = earlier is not None and earlier.payload_digest == payload_digest
    if earlier is not None and is_revisit:
        original = record.Original(earlier.record_id, earlier.url, earlier.started)
        answer = record.revisit(
            capture, answer_id, exchange.head, original, (request_id,), payload_digest=payload_digest
        )
    else:
        answer = record.response(
            capture, answer_id, exchange.head, body, (request_id,), payload_digest=payload_digest
        )
    asked = record.request(capture, request_id, exchange.request, (answer_id,))
    location = worker.archive.append([answer, asked])[0]
    line = cdx.revisit_line(capture, payload_digest, location) if is_revisit else cdx.response_line(
        capture, exchange.head, payload_digest, location
    )
    worker.archive.index(line, shard.number, worker.commit_number)
    return Stored(location, answer_id, payload_digest, is_revisit)
