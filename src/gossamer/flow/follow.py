"""From the links of a page to the shards that own them: judged, counted, routed, in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

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
    wanted = [row for row, verdict in enumerate(verdicts) if not verdict]
    # A page names the same URL many times; the first time counts.
    distinct: dict[str, int] = {}
    for row in wanted:
        distinct.setdefault(links.urls[row], row)
    if TO_FEED in links.kinds:
        # Said to be a feed anywhere, it is one.
        distinct.update({links.urls[row]: row for row in wanted if links.kinds[row] == TO_FEED})
    shard.ledger.seen += len(wanted) - len(distinct)
    found = _found(worker, record, links, list(distinct.values()))
    found.nofollow = bytes(nofollow or links.flags[row] & NOFOLLOW != 0 for row in distinct.values())
    route(worker, shard, found)


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
    refused = Counter(verdict for verdict in verdicts if verdict)
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
    return FoundLinks(
        source=record.url,
        depth=depth,
        hops=record.hops,
        group=record.group,
        redirects=0,
        found_at=worker.clock.now(),
        urls=[links.urls[row] for row in wanted],
        letters="".join(hop_letter(links.kinds[row]) for row in wanted),
        levels=bytes(low if links.flags[row] & LOW else plain for row in wanted),
        link_kinds=bytes(links.kinds[row] for row in wanted),
        kinds=bytes(UrlKind.FEED * (links.kinds[row] == TO_FEED) for row in wanted) if TO_FEED in links.kinds else b"",
    )


def route(worker: Worker, shard: Shard, found: FoundLinks) -> None:
    """Admit what is this shard's own, put the rest into the outbox.

    Of many, the first are admitted; the others lie in the outbox for this shard itself, to be admitted later on.
    """
    by_shard, hosts = _rows_by_shard(worker, found)
    book_links_out(shard, found, hosts)
    for number, rows in by_shard.items():
        waiting = rows
        if number == shard.number:
            now, waiting = rows[:LINKS_AT_ONCE_MAX], rows[LINKS_AT_ONCE_MAX:]
            batch = found if len(now) == len(found) else part(found, now)
            new, todo = admit(shard, batch, worker.clock.now())
            shard.ledger.new += new
            shard.ledger.seen += len(batch) - new
            worker.perform(shard, todo)
        for start in range(0, len(waiting), LINKS_AT_ONCE_MAX):
            some = waiting[start : start + LINKS_AT_ONCE_MAX]
            send_away(worker, shard, number, found if len(some) == len(found) else part(found, some))


def _rows_by_shard(worker: Worker, found: FoundLinks) -> tuple[dict[int, list[int]], Iterable[str]]:
    """The rows for each shard, by its number; and the hosts that there are."""
    by_shard: dict[int, list[int]] = {}
    rows_of: dict[str, list[int]] = {}
    for row, url in enumerate(found.urls):
        host = host_of(url)
        rows = rows_of.get(host)
        if rows is None:
            rows = rows_of[host] = by_shard.setdefault(worker.rules.shard_of(host), [])
        rows.append(row)
    return by_shard, rows_of
