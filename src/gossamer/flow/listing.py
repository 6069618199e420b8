"""Sitemaps and feeds: named, read without holding the loop up, asked whether they may speak, and followed."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Final, cast

from gossamer.core.frontier.commands import NameSitemaps
from gossamer.core.frontier.priority import level_of
from gossamer.core.frontier.records import PageRecord, UrlKind
from gossamer.core.http.content_coding import codings_of
from gossamer.core.http.exchange import Exchange
from gossamer.core.limits import SITEMAP_ASKED_SECONDS_MAX, SITEMAP_HOSTS_ASKED_MAX, SITEMAP_NESTING_MAX
from gossamer.core.page.found import FoundLinks
from gossamer.core.page.links import LinkKind, Links
from gossamer.core.robots.verdict import ROBOTS_TARGET
from gossamer.core.scope.reasons import Reason
from gossamer.core.sitemap.discovery import WELL_KNOWN_PATHS
from gossamer.core.sitemap.hints import NO_HINTS, Hints
from gossamer.core.sitemap.listing import Listing, Problem
from gossamer.core.sitemap.reader import PIECE_BYTES, ListingReader
from gossamer.core.sitemap.unpacking import unpacks_like_a_bomb
from gossamer.core.url.parse import authority_of, host_of, resolve
from gossamer.flow.follow import count_links, route
from gossamer.flow.reading import Reading
from gossamer.flow.rows import Step, link_rows
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker

URL_KINDS: Final = {LinkKind.TO_SITEMAP: UrlKind.SITEMAP, LinkKind.TO_FEED: UrlKind.FEED}
"""What the links lead to that lead to no page."""


@dataclass(slots=True)
class Entries:
    """What a listing names, as links, with what goes with each. All columns have one row a link."""

    links: Links
    kinds: bytearray = field(default_factory=bytearray)
    """UrlKind of each target."""


async def read_slowly(exchange: Exchange, reading: Reading, url: str, *, text: bool) -> Listing:
    """Read a sitemap or feed piece by piece, so that other visits go on meanwhile."""
    steps = _steps(exchange, reading, url, text=text)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return cast("Listing", ended.value)
        await asyncio.sleep(0)


def read_at_once(exchange: Exchange, reading: Reading, url: str, *, text: bool) -> Listing:
    """The same where nobody waits: an archive's."""
    steps = _steps(exchange, reading, url, text=text)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return cast("Listing", ended.value)


def _steps(exchange: Exchange, reading: Reading, url: str, *, text: bool) -> Generator[None, None, Listing]:
    if unpacks_like_a_bomb(reading.body, codings_of(exchange.header_all("content-encoding"))):
        return Listing(problem=Problem.BOMB)
    reader = ListingReader(url, exchange.header("content-type"), text=text)
    for start in range(0, len(reading.decoded), PIECE_BYTES):
        if reader.is_over:
            break
        reader.feed(reading.decoded[start : start + PIECE_BYTES])
        yield
    listing = reader.close()
    if not listing.problem and (exchange.truncated is not None or reading.problem):
        listing.problem = Problem.BROKEN
    return listing


def name_sitemaps(worker: Worker, shard: Shard, command: NameSitemaps) -> None:
    """A robots.txt was read: queue the sitemaps that it names, or by setting those where many sites have one."""
    if LinkKind.TO_SITEMAP not in worker.judge.filters.kinds:
        return
    source, cause = command.authority + ROBOTS_TARGET, command.cause
    named = [url for url in resolve(source, command.urls) if url and url != source]
    if not named and worker.policy.well_known_sitemaps:
        named = [command.authority + path for path in WELL_KNOWN_PATHS]
    urls = list(dict.fromkeys(named))
    if not urls:
        return
    record = PageRecord(source, depth=cause.depth, hops=cause.hops, group=cause.group, kind=UrlKind.SITEMAP)
    entries = _entries([], LinkKind.SITEMAP, urls, LinkKind.TO_SITEMAP)
    verdicts = worker.judge.judge(entries.links, record.depth, group=record.group)
    _send(worker, shard, record, entries, verdicts, depth=record.depth)


async def vouched_hosts(worker: Worker, record: PageRecord, listing: Listing) -> frozenset[str]:
    """The hosts that a sitemap may speak for: its own, and those whose robots.txt names it or what led to it.

    sitemaps.org, "Sitemaps & Cross Submits". Only hosts with an entry that is wanted are asked.
    """
    own = host_of(record.url)
    trusted = {own, *(host_of(url) for url in record.trail if url.endswith(ROBOTS_TARGET))}
    names = {record.url, *record.trail}
    wanted = _entries(listing.urls, LinkKind.SITEMAP, listing.children, LinkKind.SITEMAP).links
    verdicts = worker.judge.judge(wanted, record.depth, group=record.group)
    asked: dict[str, str] = {}
    for url, verdict in zip(wanted.urls, verdicts, strict=True):
        if not verdict and len(asked) < SITEMAP_HOSTS_ASKED_MAX and host_of(url) not in trusted:
            asked.setdefault(authority_of(url), host_of(url))
    if not asked:
        return frozenset(trusted)
    answers = await asyncio.gather(*(_names_one(worker, authority, names) for authority in asked))
    return frozenset(trusted | {host for host, says in zip(asked.values(), answers, strict=True) if says})


def follow_listing(
    worker: Worker, shard: Shard, record: PageRecord, listing: Listing, vouched: frozenset[str] | None
) -> None:
    """Judge what a sitemap or feed names and send what is wanted to its shards, in one step.

    `vouched`: the hosts that it may speak for; None for a feed, which may speak of any.
    """
    entries = entries_of(listing, is_feed=vouched is None)
    if not len(entries.links):
        return
    verdicts = worker.judge.judge(entries.links, record.depth + 1, group=record.group)
    own = host_of(record.url)
    is_deepest = len(record.trail) >= SITEMAP_NESTING_MAX
    for row, url in enumerate(entries.links.urls):
        if verdicts[row]:
            continue
        host = host_of(url)
        if vouched is not None and host not in vouched:
            verdicts[row] = Reason.SITEMAP_HOST
        elif entries.kinds[row] and is_deepest:
            verdicts[row] = Reason.NESTING
        elif entries.kinds[row] == UrlKind.SITEMAP and host != own:
            verdicts[row] = worker.judge.scope_of(record.group).judge(url, host, worker.rules.sites.site_of(host))
    _send(worker, shard, record, entries, verdicts, depth=record.depth + 1, listing=listing)


def entries_of(listing: Listing, *, is_feed: bool) -> Entries:
    """What a sitemap or feed names, its URLs first, then its files."""
    entry, child = (LinkKind.FEED, LinkKind.TO_FEED) if is_feed else (LinkKind.SITEMAP, LinkKind.TO_SITEMAP)
    return _entries(listing.urls, entry, listing.children, child)


def listing_kind(listing: Listing) -> LinkKind:
    """The kind of link that leads to such a file."""
    return LinkKind.TO_FEED if listing.is_feed else LinkKind.TO_SITEMAP


def _entries(urls: list[str], kind: LinkKind, children: list[str], child: LinkKind) -> Entries:
    count = len(urls) + len(children)
    kinds = bytearray((kind,)) * len(urls) + bytearray((child,)) * len(children)
    target = URL_KINDS.get(child, UrlKind.PAGE)
    targets = bytearray(len(urls)) + bytearray((target,)) * len(children)
    return Entries(Links([*urls, *children], kinds, bytearray(count), [""] * count), targets)


def _send(
    worker: Worker,
    shard: Shard,
    record: PageRecord,
    entries: Entries,
    verdicts: list[str],
    *,
    depth: int,
    listing: Listing | None = None,
) -> None:
    """Book the links of one listing and route those that are wanted. Entries are one link deeper, files are not."""
    links = entries.links
    letter = "F" if listing is not None and record.kind == UrlKind.FEED else "M"
    if listing is not None:
        # A robots.txt is no document with links: like a redirect's target, what it names stands in no row of them.
        worker.datasets.append("links", link_rows(record, links, verdicts), shard.number, worker.commit_number)
    count_links(worker, shard, record, links, verdicts, step=Step(letter, depth))
    distinct: dict[str, int] = {}
    wanted = [row for row, verdict in enumerate(verdicts) if not verdict]
    for row in wanted:
        distinct.setdefault(links.urls[row], row)
    shard.ledger.seen += len(wanted) - len(distinct)
    claims = listing.hints if listing is not None else []
    for is_file in (True, False):
        rows = [row for row in distinct.values() if (entries.kinds[row] != 0) == is_file]
        if not rows:
            continue
        level = record.depth if is_file else depth
        found = FoundLinks(
            source=record.url,
            depth=level,
            hops=record.hops,
            group=record.group,
            redirects=0,
            found_at=worker.clock.now(),
            urls=[links.urls[row] for row in rows],
            letters=letter * len(rows),
            levels=bytes((level_of(level),)) * len(rows),
            link_kinds=bytes(links.kinds[row] for row in rows),
            kinds=bytes(entries.kinds[row] for row in rows) if is_file else b"",
            hints=[] if is_file else _claims(claims, rows),
            trail=[*record.trail, record.url] if is_file else [],
        )
        route(worker, shard, found)


def _claims(hints: list[Hints], rows: Iterable[int]) -> list[Hints | None]:
    kept = [hints[row] if hints[row] != NO_HINTS else None for row in rows]
    return kept if any(claim is not None for claim in kept) else []


async def _names_one(worker: Worker, authority: str, names: set[str]) -> bool:
    """Whether the robots.txt of an authority names one of these sitemaps; no answer in time counts as no."""
    receiver = worker.exchange.shard(worker.rules.shard_of(host_of(authority + "/")))
    try:
        sitemaps = await asyncio.wait_for(receiver.sitemaps_of(authority), SITEMAP_ASKED_SECONDS_MAX)
    except TimeoutError:
        return False
    return not names.isdisjoint(resolve(authority + ROBOTS_TARGET, sitemaps))
