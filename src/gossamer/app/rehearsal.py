"""`gossamer crawl --dry-run`: what a crawl would begin with. Only robots.txt files are fetched; nothing is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.app import figures
from gossamer.app.commands.get import say_waiting, say_withheld
from gossamer.app.escape import inert
from gossamer.app.get_report import robots_json
from gossamer.app.network import open_network
from gossamer.app.scope_wiring import make_judge
from gossamer.app.visitor import Robots, Visitor
from gossamer.core.explain.robots import IGNORED
from gossamer.core.page.links import LinkKind
from gossamer.core.robots.answer import RobotsKind
from gossamer.core.url.parse import authority_of, host_of
from gossamer.core.url.site import SiteList

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.app.seeds import Seed
    from gossamer.app.settings import Settings
    from gossamer.app.settings.tree import CrawlSettings

AUTHORITIES_MAX: Final = 25
"""robots.txt files fetched: enough to see whether a list of seeds is what was meant."""
SEEDS_SHOWN: Final = 25
COLUMNS: Final = 300


@dataclass(slots=True)
class Rehearsal:
    """What was found out."""

    refused: dict[str, str] = field(default_factory=dict[str, str])
    """Seed -> why it would not be fetched."""
    first: list[str] = field(default_factory=list[str])
    """Seeds that would be fetched, in order."""
    unasked: list[str] = field(default_factory=list[str])
    """Seeds whose robots.txt was not asked for here: there are too many."""
    robots: dict[str, Robots] = field(default_factory=dict[str, Robots])
    """Authority -> its robots.txt."""


def rehearse(settings: Settings, seeds: list[Seed]) -> Rehearsal:
    """Judge the seeds as the crawl would. Raises UserError for files and patterns that cannot be read."""
    judge = make_judge(settings.scope, seeds, SiteList(), settings.seeds.groups)
    found = Rehearsal()
    for seed in seeds:
        reason = judge.judge_one(seed.url, LinkKind.SEED, 0, seed.group)
        if reason:
            found.refused[seed.url] = str(reason)
    wanted = [seed.url for seed in seeds if seed.url not in found.refused]
    asyncio.run(_ask(settings, wanted, found))
    return found


async def _ask(settings: Settings, wanted: list[str], found: Rehearsal) -> None:
    async with open_network(settings) as network:
        visitor = Visitor(settings, network, TurboParser(), say_waiting, say_withheld)
        for url in wanted:
            authority = authority_of(url)
            if authority not in found.robots:
                if len(found.robots) >= AUTHORITIES_MAX:
                    found.unasked.append(url)
                    continue
                answer = await visitor.resolve(host_of(url))
                if not answer.addresses:
                    reason = answer.failure.value if answer.failure is not None else "no address"
                    found.refused[url] = reason + (f" ({answer.detail})" if answer.detail else "")
                    continue
                found.robots[authority] = await visitor.robots(authority)
            verdict = found.robots[authority].verdict(url)
            if verdict.allowed:
                found.first.append(url)
            else:
                line = f"line {verdict.line_number}: " if verdict.line_number else ""
                found.refused[url] = f"robots.txt ({line}{verdict.line})"


def lines_of(found: Rehearsal, settings: Settings, folder: Path) -> list[str]:
    """For people."""
    scope, crawl, politeness = settings.scope, settings.crawl, settings.politeness
    lines = [
        f"folder      {folder} (not made now)",
        f"scope       {scope.kind}, {len(scope.include)} include and {len(scope.exclude)} exclude patterns",
        f"caps        {_caps(crawl, scope.max_depth)}",
        f"gap         {politeness.gap:g} s or more between requests to a host",
        f"user agent  {inert(politeness.agent, COLUMNS)}",
        "",
        f"robots.txt of {len(found.robots)} authorities",
    ]
    for authority, robots in found.robots.items():
        lines += _robots_lines(authority, robots)
    lines += _seed_lines("would be fetched first", found.first)
    lines += _seed_lines("robots.txt not asked for here", found.unasked)
    refused = [f"{url}   {reason}" for url, reason in found.refused.items()]
    return lines + _seed_lines("would not be fetched", refused)


def _caps(crawl: CrawlSettings, depth: int | None) -> str:
    told = [
        f"{figures.count(crawl.max_pages)} pages" if crawl.max_pages is not None else "",
        figures.size(crawl.max_bytes) if crawl.max_bytes is not None else "",
        f"{figures.count(crawl.max_pages_per_host)} pages of each host" if crawl.max_pages_per_host is not None else "",
        f"{figures.size(crawl.max_bytes_per_host)} of each host" if crawl.max_bytes_per_host is not None else "",
        f"depth {figures.count(depth)}" if depth is not None else "",
        figures.duration(crawl.max_time) if crawl.max_time is not None else "",
    ]
    return ", ".join(filter(None, told)) or "none"


def _robots_lines(authority: str, robots: Robots) -> list[str]:
    state = robots.state
    if state.reason == IGNORED:
        return [f"  {inert(authority, COLUMNS)}   {IGNORED}"]
    if state.kind is not RobotsKind.RULES or robots.rules is None:
        words = (
            "none, so all is allowed" if state.kind is RobotsKind.ALLOW_ALL else "unreachable, so nothing is allowed"
        )
        return [f"  {inert(authority, COLUMNS)}   {words} ({inert(state.reason, 100)})"]
    rules = robots.rules
    delay = f", Crawl-delay {rules.crawl_delay:g} s" if rules.crawl_delay else ""
    lines = [f"  {inert(authority, COLUMNS)}   {figures.counted(len(rules.rules), 'rule')} for us{delay}"]
    return lines + [f"    sitemap {inert(url, COLUMNS)}" for url in rules.sitemaps[:SEEDS_SHOWN]]


def _seed_lines(title: str, urls: list[str]) -> list[str]:
    if not urls:
        return []
    more = [f"  ... {len(urls) - SEEDS_SHOWN:,} more"] if len(urls) > SEEDS_SHOWN else []
    return ["", f"{title} ({len(urls):,})", *(f"  {inert(url, COLUMNS)}" for url in urls[:SEEDS_SHOWN]), *more]


def as_json(found: Rehearsal, settings: Settings, folder: Path) -> dict[str, Any]:
    """For programs."""
    return {
        "folder": str(folder),
        "scope": settings.scope.kind,
        "first": found.first,
        "unasked": found.unasked,
        "refused": found.refused,
        "robots": {authority: robots_json(robots) for authority, robots in found.robots.items()},
    }
