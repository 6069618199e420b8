"""Which sites the links of a page go to: what makes the budgets of sites grow, booked where the links arrive."""

from __future__ import annotations

from itertools import compress
from operator import not_
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.page.found import FoundLinks
    from gossamer.flow.shard import Shard


def book_sites(shard: Shard, batches: Sequence[tuple[FoundLinks, list[str]]]) -> None:
    """Book what batches (all of them of this shard, with the site of each URL) say of sites: who is linked by whom, and
    whom people named. Links with nofollow vouch for nobody.
    """
    site_of_url = shard.rules.site_of_url
    links: list[tuple[str, set[str]]] = []
    for found, sites in batches:
        if found.nofollow and 1 in found.nofollow:
            targets = set(compress(sites, map(not_, found.nofollow)))
        else:
            targets = set(sites)
        if not found.source or (found.redirects and is_named_by_people(found)):
            note_named(shard, targets)
        if found.source:
            source = site_of_url(found.source)
            targets.discard(source)
            if targets:
                links.append((source, targets))
    if links:
        shard.sites.linked(links)


def note_named(shard: Shard, sites: Iterable[str]) -> bool:
    """Book that people named these sites; whether that is news of any."""
    new = [site for site in sites if not shard.sites.state(site).seeded]
    for site in new:
        shard.sites.touch(site).seeded = True
    return bool(new)


def book_links_out(shard: Shard, found: FoundLinks, sites: set[str]) -> None:
    """Book where the page that `found` comes from, one of this shard, links to: all its `sites`."""
    if not found.source:
        return
    source = shard.rules.site_of_url(found.source)
    targets = sites - {source}
    if targets:
        shard.sites.links_out(source, targets)


def is_named_by_people(found: FoundLinks) -> bool:
    """Whether these are seeds, URLs that the operator named, or where such a URL itself redirected to."""
    return not found.source or (not found.depth and not found.hops.strip("R") and found.redirects > 0)
