"""The life of one URL, from lease to report. One page, one path."""

from __future__ import annotations

from typing import Final

from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.http.exchange import FetchRequest
from gossamer.core.http.request import ACCEPT_LISTINGS, ACCEPT_PAGES, ACCEPT_ROBOTS, Validators
from gossamer.core.limits import PAGE_BYTES_AT_ONCE_MAX
from gossamer.flow.answer import hear_other_hosts, read_answer, wanted_media
from gossamer.flow.asking import Asked
from gossamer.flow.finished import Finished
from gossamer.flow.report import report_file, report_page
from gossamer.flow.shard import Shard
from gossamer.flow.withholding import withhold
from gossamer.flow.worker import Worker
from gossamer.ports.exchange import Claim

_ACCEPT: Final = {
    LeaseKind.ROBOTS: ACCEPT_ROBOTS,
    LeaseKind.PROBE: ACCEPT_ROBOTS,
    LeaseKind.SITEMAP: ACCEPT_LISTINGS,
    LeaseKind.FEED: ACCEPT_LISTINGS,
}


async def visit(worker: Worker, shard: Shard, lease: Lease) -> None:
    """Carry a lease to its end: fetch, read, ask whether the content was seen, then archive and report in one step."""
    exchange = await worker.fetcher.fetch(_request(worker, lease))
    # From here the gap runs, however long reading takes.
    shard.frontier.exchange_ended(lease)
    try:
        worker.asking.learn(lease.url, exchange)
        if exchange.body is not None and exchange.body.size > PAGE_BYTES_AT_ONCE_MAX:
            await worker.pace.turn()
        finished = Finished(lease, exchange, await read_answer(worker, lease, exchange))
        await hear_other_hosts(worker, finished)
        withhold(worker.policy, finished)
        if lease.entry is None:
            report_file(worker, shard, finished)
        elif finished.reading.digest:
            await _see_and_report(worker, shard, finished)
        else:
            report_page(worker, shard, finished)
    finally:
        if exchange.body is not None:
            exchange.body.close()


async def _see_and_report(worker: Worker, shard: Shard, finished: Finished) -> None:
    """The content-seen test, and the report. Who is told "new" owes the digest's shard a claim or a release."""
    digest = finished.reading.digest
    owner = worker.exchange.shard(worker.rules.shard_of_digest(digest))
    finished.earlier = await owner.earlier_copy(digest)
    claim: Claim | None = None
    try:
        if finished.names_many:
            await worker.pace.turn()
        claim = report_page(worker, shard, finished)
    finally:
        if finished.earlier is None and claim is None:
            owner.released(digest)
    if claim is not None:
        shard.after_commit.append(lambda: owner.claimed(digest, claim))


def _request(worker: Worker, lease: Lease) -> FetchRequest:
    record = lease.entry.record if lease.entry is not None else None
    validators = Validators(record.etag, record.last_modified) if record is not None and record.digest else None
    asked = Asked(
        url=lease.url,
        accept=_ACCEPT.get(lease.kind, ACCEPT_PAGES),
        now=worker.clock.now(),
        private=not worker.is_public(lease.address),
        validators=validators,
        cookies=tuple(record.cookies) if record is not None else (),
    )
    fields = worker.asking.fields(worker.policy.user_agent, asked)
    return FetchRequest(
        url=lease.url,
        addresses=lease.addresses,
        headers=fields,
        limits=worker.policy.limits.with_body(lease.body_bytes_max),
        wanted_media=wanted_media(worker, lease),
        keep_seconds=worker.policy.keep_seconds,
        proxy=worker.asking.request_of(lease.host).proxy,
    )
