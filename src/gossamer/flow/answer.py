"""What an answer is read as: a page, a sitemap or feed, or a page that turns out to be one of those."""

from __future__ import annotations

from gossamer.core.frontier.lease import LISTING_LEASES, Lease, LeaseKind
from gossamer.core.http.exchange import Exchange
from gossamer.core.limits import SITEMAP_BYTES_MAX
from gossamer.core.page.links import LinkKind
from gossamer.core.sitemap.discovery import LISTING_TYPES
from gossamer.core.sitemap.reader import begins_as_listing
from gossamer.flow.finished import Finished
from gossamer.flow.listing import listing_kind, read_slowly, vouched_hosts
from gossamer.flow.reading import Reading, read
from gossamer.flow.worker import Worker


def wanted_media(worker: Worker, lease: Lease) -> frozenset[str] | None:
    """Media types that the body is read on for; None for any."""
    wanted = worker.policy.wanted_media
    if lease.kind is not LeaseKind.PAGE or wanted is None:
        return None
    return wanted | LISTING_TYPES if _may_be_listing(worker, lease) else wanted


async def read_answer(worker: Worker, lease: Lease, exchange: Exchange) -> Reading:
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


async def hear_other_hosts(worker: Worker, finished: Finished) -> None:
    """A sitemap may speak for other hosts if their robots.txt says so."""
    listing = finished.reading.listing
    if listing is not None and finished.kind is LeaseKind.SITEMAP:
        finished.vouched = await vouched_hosts(worker, finished.record, listing)


def _may_be_listing(worker: Worker, lease: Lease) -> bool:
    """Whether a page may be a sitemap or feed that a person named: a seed, or where one redirects."""
    seed = lease.entry is not None and not lease.entry.record.hops.strip("R")
    return seed and not worker.judge.filters.kinds.isdisjoint((LinkKind.TO_SITEMAP, LinkKind.TO_FEED))
