"""The life of one URL, from lease to report. One page, one path."""

from __future__ import annotations

from typing import Final

from gossamer.core.frontier.lease import LISTING_LEASES, Lease, LeaseKind
from gossamer.core.http.exchange import Exchange, FetchRequest
from gossamer.core.http.request import ACCEPT_LISTINGS, ACCEPT_PAGES, ACCEPT_ROBOTS, Validators
from gossamer.core.limits import PAGE_BYTES_AT_ONCE_MAX, SITEMAP_BYTES_MAX
from gossamer.core.page.links import LinkKind
from gossamer.core.sitemap.discovery import LISTING_TYPES
from gossamer.core.sitemap.reader import begins_as_listing
from gossamer.flow.asking import Asked
from gossamer.flow.finished import Finished
from gossamer.flow.listing import listing_kind, read_slowly, vouched_hosts
from gossamer.flow.reading import Reading, read
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
    worker.asking.learn(lease.url, exchange)
    try:
        if exchange.body is not None and exchange.body.size > PAGE_BYTES_AT_ONCE_MAX:
            shard.frontier.exchange_ended(lease)
            await worker.pace.turn()
        finished = Finished(lease, exchange, await _read(worker, lease, exchange))
        await _hear_other_hosts(worker, finished)
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


async def _read(worker: Worker, lease: Lease, exchange: Exchange) -> Reading:
    """Read the answer as what was asked for; a seed's as what it turns out to be."""
    if lease.kind in LISTING_LEASES:
        reading = read(exchange, lease.url, None, SITEMAP_BYTES_MAX)
        if reading.is_page:
            text = lease.kind is LeaseKind.SITEMAP
            reading.listing = await read_slowly(exchange, reading, lease.url, text=text)
        return reading
    reading = read(exchange, lease.url, worker.parser)
    if not _may_be_listing(worker, lease) or not reading.is_page:
        return reading
    if reading.document is not None and not begins_as_listing(reading.decoded):
        return reading
    listing = await read_slowly(exchange, reading, lease.url, text=True)
    if listing.format is not None and listing_kind(listing) in worker.judge.filters.kinds:
        reading.listing, reading.document = listing, None
    elif reading.document is not None:
        return reading
    elif worker.policy.wanted_media is not None and reading.media_type not in worker.policy.wanted_media:
        # Read on for nothing: what it is shows in its bytes only.
        exchange.unwanted = True
        reading = read(exchange, lease.url, None)
    return reading


def _may_be_listing(worker: Worker, lease: Lease) -> bool:
    """Whether a page may be a sitemap or feed that a person named: a seed, or where one redirects."""
    seed = lease.entry is not None and not lease.entry.record.hops.strip("R")
    return seed and not worker.judge.filters.kinds.isdisjoint((LinkKind.TO_SITEMAP, LinkKind.TO_FEED))


async def _hear_other_hosts(worker: Worker, finished: Finished) -> None:
    """A sitemap may speak for other hosts if their robots.txt says so."""
    listing = finished.reading.listing
    if listing is not None and finished.kind is LeaseKind.SITEMAP:
        finished.vouched = await vouched_hosts(worker, finished.record, listing)


async def _see_and_report(worker: Worker, shard: Shard, finished: Finished) -> None:
    """The content-seen test, and the report. Who is told "new" owes the digest's shard a claim or a release."""
    digest = finished.reading.digest
    shard.frontier.exchange_ended(finished.lease)
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


def _wanted_media(worker: Worker, lease: Lease) -> frozenset[str] | None:
    wanted = worker.policy.wanted_media
    if lease.kind is not LeaseKind.PAGE or wanted is None:
        return None
    return wanted | LISTING_TYPES if _may_be_listing(worker, lease) else wanted


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
        wanted_media=_wanted_media(worker, lease),
        keep_seconds=worker.policy.keep_seconds,
        proxy=worker.asking.request_of(lease.host).proxy,
    )
