"""From the links of a page to the shards that own them: judged, counted, routed, in columns."""

from __future__ import annotations

from collections import Counter

from gossamer.core.frontier.ledger import count
from gossamer.core.frontier.priority import level_of
from gossamer.core.frontier.records import PageRecord, UrlKind
from gossamer.core.limits import LINKS_AT_ONCE_MAX, REDIRECT_HOPS_MAX
from gossamer.core.page.document import Document
from gossamer.core.page.found import FoundLinks, part
from gossamer.core.page.links import LinkFlag, LinkKind, Links
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.parse import host_of
from gossamer.flow.admission import admit
from gossamer.flow.delivery import send_away
from gossamer.flow.rows import Step, hop_letter, link_rows, refused_rows
from gossamer.flow.shard import Shard
from gossamer.flow.site_links import book_links_out
from gossamer.flow.worker import Worker
from gossamer.flow.yields import count_refused_shapes

TO_FEED = int(LinkKind.TO_FEED)
LOW = int(LinkFlag.UGC | LinkFlag.SPONSORED)
NOFOLLOW = int(LinkFlag.NOFOLLOW)
LETTERS = b"".join((hop_letter(kind) or "L").encode() for kind in range(256))
"""Kind of a page's link -> the letter of its hop."""
AS_URL_KINDS = bytes(UrlKind.FEED if kind == TO_FEED else UrlKind.PAGE for kind in range(256))
"""Kind of a page's link -> what the URL was found as."""


def follow_links(worker: Worker, shard: Shard, record: PageRecord, document: Document) -> None:
    """Judge a page's links, note them in the datasets, and send each wanted one to the shard that owns it."""
    links, nofollow = document.links, document.directives.nofollow
    if not len(links):
        return
    if record.copy_of and not follows_copy(worker, record):
        verdicts: list[str] = [Reason.COPY] * len(links)
    else:
        verdicts = worker.judge.judge(links, record.depth + 1, page_nofollow=nofollow, group=record.group)
    if worker.judge.traps is not None:
        worker.judge.traps.judge_spellings(links, verdicts)
    number = worker.commit_number
    worker.datasets.append("links", link_rows(record, links, verdicts), shard.number, number)
    count_links(worker, shard, record, links, verdicts, page_nofollow=nofollow)
    wanted, rows = _distinct(links, verdicts)
    shard.ledger.seen += wanted - len(rows)
    found = _found(worker, record, links, rows)
    if nofollow:
        found.nofollow = b"\1" * len(rows)
    elif any(links.flags):
        found.nofollow = bytes([links.flags[row] & NOFOLLOW != 0 for row in rows])
    route(worker, shard, found)


def _distinct(links: Links, verdicts: list[str]) -> tuple[int, list[int]]:
    """How many links are wanted; and the row of each URL among them: a page names the same one many times, and the
    first time counts.
    """
    wanted = [row for row, verdict in enumerate(verdicts) if not verdict]
    distinct: dict[str, int] = {}
    first, urls = distinct.setdefault, links.urls
    for row in wanted:
        first(urls[row], row)
    if TO_FEED in links.kinds:
        # Said to be a feed anywhere, it is one.
        distinct.update({urls[row]: row for row in wanted if links.kinds[row] == TO_FEED})
    return len(wanted), list(distinct.values())


def follow_redirect(worker: Worker, shard: Shard, record: PageRecord, target: str) -> None:
    """A redirect's target is a found URL with one redirect more, its source's depth and priority.

    They are those of the way on which the source was found first; a shorter one that is met later changes nothing.
    """
    if not record.depth and not record.hops.strip("R"):
        worker.widen(shard, record, target)
    # A sitemap may stand out of scope, where a robots.txt named it, and may move on its host.
    stays = record.kind == UrlKind.SITEMAP and host_of(target) == host_of(record.url)
    links = Links([target], bytearray((LinkKind.TO_SITEMAP if stays else LinkKind.REDIRECT,)), bytearray((0,)), [""])
    verdicts: list[str] = [Reason.REDIRECT_HOPS]
    if record.redirects < REDIRECT_HOPS_MAX:
        verdicts = worker.judge.judge(links, record.depth, group=record.group)
    count_links(worker, shard, record, links, verdicts, step=Step("R", record.depth))
    if verdicts[0]:
        return
    found = FoundLinks(
        source=record.url,
        depth=record.depth,
        hops=record.hops,
        group=record.group,
        redirects=record.redirects + 1,
        found_at=worker.clock.now(),
        urls=[target],
        letters="R",
        levels=bytes((record.level,)),
        link_kinds=bytes(links.kinds),
        kinds=bytes((record.kind,)) if record.kind else b"",
        hints=[record.hints] if record.hints is not None else [],
        trail=[*record.trail, record.url] if record.kind == UrlKind.SITEMAP else [],
    )
    route(worker, shard, found)


def add_seeds(worker: Worker, urls: list[str], group: str = "", kind: LinkKind = LinkKind.SEED) -> list[str]:
    """Queue the URLs that a crawl starts from, or that its operator names; of each the reason it is refused, or ""."""
    links = Links(urls, bytearray((kind,)) * len(urls), bytearray(len(urls)), [""] * len(urls))
    verdicts = worker.judge.judge(links, 0, group=group)
    for row, (url, verdict) in enumerate(zip(urls, verdicts, strict=True)):
        shard = worker.shards[worker.rules.shard_of(host_of(url))]
        record = PageRecord(url, group=group)
        one = Links([url], bytearray((kind,)), bytearray((0,)), [""])
        count_links(worker, shard, record, one, [verdict])
        if not verdict:
            found = FoundLinks("", 0, "", group, 0, worker.clock.now(), [urls[row]], "", bytes(1), bytes((kind,)))
            route(worker, shard, found)
    return verdicts


def follows_copy(worker: Worker, record: PageRecord) -> bool:
    """Whether the links of a copy are followed."""
    if not record.depth and not record.hops.strip("R"):
        return True
    follow = worker.policy.copies_follow
    return follow == "always" or (follow == "same-host" and host_of(record.copy_of) == host_of(record.url))


def count_links(
    worker: Worker,
    shard: Shard,
    record: PageRecord,
    links: Links,
    verdicts: list[str],
    *,
    page_nofollow: bool = False,
    step: Step | None = None,
) -> None:
    """The links' ledger: all are found, some are refused here; the rest is counted where it is routed.

    `step`: the way to them, where the kind of each does not say it.
    """
    shard.ledger.found += len(links)
    refused = Counter(verdicts)
    refused.pop("", None)
    for reason, number in refused.items():
        count(shard.ledger.refused_links, reason, number)
    if Reason.TRAP in refused:
        count_refused_shapes(worker, shard, links, verdicts)
    if refused:
        now = worker.clock.now()
        rows = refused_rows(record, links, verdicts, now=now, page_nofollow=page_nofollow, step=step)
        worker.datasets.append("refused", rows, shard.number, worker.commit_number)


def _found(worker: Worker, record: PageRecord, links: Links, wanted: list[int]) -> FoundLinks:
    depth = record.depth + 1
    plain, low = level_of(depth), level_of(depth, ranked_low=True)
    kinds = bytes(map(links.kinds.__getitem__, wanted))
    levels = bytes((plain,)) * len(wanted)
    if any(links.flags):
        levels = bytes([low if links.flags[row] & LOW else plain for row in wanted])
    return FoundLinks(
        source=record.url,
        depth=depth,
        hops=record.hops,
        group=record.group,
        redirects=0,
        found_at=worker.clock.now(),
        urls=[links.urls[row] for row in wanted],
        letters=kinds.translate(LETTERS).decode("ascii"),
        levels=levels,
        link_kinds=kinds,
        kinds=kinds.translate(AS_URL_KINDS) if TO_FEED in kinds else b"",
    )


def route(worker: Worker, shard: Shard, found: FoundLinks) -> None:
    """Admit what is this shard's own, put the rest into the outbox.

    Of many, the first are admitted; the others lie in the outbox for this shard itself, to be admitted later on.
    """
    places = worker.rules.places(found.urls)
    by_shard: dict[int, list[int]] = {}
    for row, (_, _, owner, _) in enumerate(places):
        by_shard.setdefault(owner, []).append(row)
    book_links_out(shard, found, {place[3] for place in places})
    for number, rows in by_shard.items():
        waiting = rows
        if number == shard.number:
            now, waiting = rows[:LINKS_AT_ONCE_MAX], rows[LINKS_AT_ONCE_MAX:]
            batch, here = found, places
            if len(now) < len(found):
                batch, here = part(found, now), [places[row] for row in now]
            new, todo = admit(shard, batch, worker.clock.now(), here)
            shard.ledger.new += new
            shard.ledger.seen += len(batch) - new
            worker.perform(shard, todo)
        for start in range(0, len(waiting), LINKS_AT_ONCE_MAX):
            some = waiting[start : start + LINKS_AT_ONCE_MAX]
            send_away(worker, shard, number, found if len(some) == len(found) else part(found, some))
