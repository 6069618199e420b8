"""What a visit brought: new content, or nothing that was not there before; counted for the templates of its URL."""

from __future__ import annotations

from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.lease import LeaseKind
from gossamer.core.http.outcome import Redirected
from gossamer.core.page.links import Links
from gossamer.core.scope.reasons import Reason
from gossamer.core.trap.template import template_of
from gossamer.core.url.parse import host_of
from gossamer.flow.finished import Finished
from gossamer.flow.reading import HTML_TYPES
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker


def count_yield(worker: Worker, shard: Shard, finished: Finished, *, leads_on: bool) -> None:
    """Count a visit for the templates of its URL, and keep with it whether it brought something new.

    A body that was archived under another URL is nothing new, nor is a page that says only what its template said
    lately, nor a redirect unless it `leads_on`, to a URL not known before. Failures, missing pages and what was not
    kept say nothing about a supply of URLs: no links come from them.
    """
    if shard.templates.traps is None or finished.kind is not LeaseKind.PAGE or finished.withheld:
        return
    reading, url = finished.reading, finished.lease.url
    body = b""
    if isinstance(reading.outcome, Redirected):
        target = reading.outcome.target
        if finished.fate != Fate(FateKind.DONE) or _is_elsewhere(worker, url, target):
            return
        if finished.record.redirects:
            return  # the chain was counted at its first step: its length is bounded, and its end may be a page
        novel = leads_on and template_of(target) != template_of(url)
    elif finished.is_page and reading.digest:
        if finished.earlier is not None and not finished.copy_of:
            return  # the same URL again
        novel = finished.earlier is None
        body = reading.decoded if reading.media_type in HTML_TYPES else b""
    else:
        return
    finished.is_novel, facts = shard.templates.visited(url, worker.clock.now(), body, novel=novel)
    for fact in facts:
        worker.note(fact)


def count_refused_shapes(worker: Worker, shard: Shard, links: Links, verdicts: list[str]) -> None:
    """Count the links that were refused for their looks, by rule."""
    traps = worker.judge.traps
    if traps is None or shard.templates.traps is None:
        return
    now = worker.clock.now()
    for url in dict.fromkeys(url for url, verdict in zip(links.urls, verdicts, strict=True) if verdict == Reason.TRAP):
        shard.templates.refused_by_shape(url, traps.rule_of(url), now)


def _is_elsewhere(worker: Worker, url: str, target: str) -> bool:
    """Whether a redirect leads to another site, or only to another scheme or to the same name with or without www."""
    sites = worker.rules.sites
    if sites.site_of(host_of(url)) != sites.site_of(host_of(target)):
        return True
    return _bare(url) == _bare(target)


def _bare(url: str) -> str:
    return url.partition("://")[2].removeprefix("www.")
