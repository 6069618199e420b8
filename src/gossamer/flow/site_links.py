"""Which sites the links of a page go to: what makes the budgets of sites grow, booked where the links arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.url.parse import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.page.found import FoundLinks
    from gossamer.flow.shard import Shard


def book_sites(shard: Shard, found: FoundLinks, hosts: list[str]) -> None:
    """Book what `found` (all of it of this shard; `hosts`: the host of each URL) says of sites: who is linked by whom,
    and whom people named. Links with nofollow vouch for nobody.
    """
    site_of = shard.rules.sites.site_of
    if 1 in found.nofollow:
        hosts = [host for host, nofollow in zip(hosts, found.nofollow, strict=True) if not nofollow]
    targets = {site_of(host) for host in set(hosts)}
    if is_named_by_people(found):
        for site in targets:
            if not shard.sites.state(site).seeded:
                shard.sites.touch(site).seeded = True
    if not found.source:
        return
    source = site_of(host_of(found.source))
    targets.discard(source)
    if targets:
        shard.sites.linked(source, targets)


def book_links_out(shard: Shard, found: FoundLinks, hosts: Iterable[str]) -> None:
    """Book where the page that `found` comes from, one of this shard, links to: all its `hosts`, each once."""
    if not found.source:
        return
    site_of = shard.rules.sites.site_of
    source = site_of(host_of(found.source))
    targets = {site_of(host) for host in hosts}
    targets.discard(source)
    if targets:
        shard.sites.links_out(source, targets)


def is_named_by_people(found: FoundLinks) -> bool:
    """Whether these are seeds, URLs that the operator named, or where such a URL itself redirected to."""
    return not found.source or (not found.depth and not found.hops.strip("R") and found.redirects > 0)
