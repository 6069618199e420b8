"""Which sites the links of a page go to: what makes the budgets of sites grow, booked where the links arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.url.parse import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.page.found import FoundLinks
    from gossamer.flow.shard import Shard


def book_sites(shard: Shard, batches: Sequence[tuple[FoundLinks, list[str]]]) -> None:
    """Book what batches (all of them of this shard, with the host of each URL) say of sites: who is linked by whom, and
    whom people named. Links with nofollow vouch for nobody.
    """
    site_of = shard.rules.sites.site_of
    links: list[tuple[str, set[str]]] = []
    for found, hosts in batches:
        if 1 in found.nofollow:
            hosts = [host for host, nofollow in zip(hosts, found.nofollow, strict=True) if not nofollow]  # noqa: PLW2901
        targets = {site_of(host) for host in set(hosts)} if len(hosts) > 1 else {site_of(host) for host in hosts}
        if is_named_by_people(found):
            note_named(shard, targets)
        if found.source:
            source = site_of(host_of(found.source))
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
