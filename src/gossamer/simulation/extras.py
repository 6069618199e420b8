"""What a grown world gets beside its pages: sitemaps, feeds, liars, twins, traps, hosts that die, narrower scopes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gossamer.core.url.parse import authority_of, host_of, target_of
from gossamer.simulation.clock import EPOCH
from gossamer.simulation.features import CAPS, Feature
from gossamer.simulation.traps import entrance
from gossamer.simulation.world import (
    NEVER_ENDS,
    Link,
    Listing,
    ListingKind,
    Outage,
    Page,
    PageKind,
    RobotsKind,
    Trap,
    TrapKind,
    Trouble,
    World,
    key_of,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    from gossamer.simulation.entropy import SimEntropy

LISTED: Final = (RobotsKind.ALLOW, RobotsKind.PARTS, RobotsKind.DELAY, RobotsKind.AGENT, RobotsKind.LATE)
"""Kinds of robots.txt that can name sitemaps of their own."""
LIES: Final = (PageKind.MISLABELLED, PageKind.SHORT, PageKind.SHORT, PageKind.DRIP, PageKind.ENDLESS)
TWIN_PAGES: Final = (3, 16)
"""Around the number of samples from which a rule is in force."""


def add_features(entropy: SimEntropy, world: World, features: frozenset[Feature]) -> None:
    """Put the web's features into a world that has hosts and pages."""
    for feature, add in _ADDERS.items():
        if feature in features:
            add(entropy.stream(feature).dice(), world)
    world.capped = bool(features & CAPS)


def _parents(world: World) -> list[Page]:
    """Pages that may name more: what stands on them is followed, and nobody copies them."""
    copied = {page.copy_of for page in world.pages.values()}
    return [
        page
        for key, page in world.pages.items()
        if page.kind is PageKind.PAGE
        and not (page.copy_of or page.nofollow or page.header_nofollow or page.doubtful or key in copied)
        and not target_of(page.url).startswith(("/private/", "/search"))
    ]


def _name(dice: random.Random, world: World, url: str) -> None:
    """A link to `url` on some page of its host, or of any."""
    parents = _parents(world)
    near = [page for page in parents if host_of(page.url) == host_of(url)]
    if parents:
        page = dice.choice(near or parents)
        world.pages[key_of(page.url)] = replace(page, links=(*page.links, Link(url)))


def _put(world: World, page: Page) -> None:
    world.pages[key_of(page.url)] = page


# --- what names pages ----------------------------------------------------------------------------------------------


def _add_sitemaps(dice: random.Random, world: World) -> None:
    for name, host in list(world.hosts.items()):
        authorities = list(host.authorities)
        for place, authority in enumerate(authorities):
            if authority.robots.kind in LISTED and dice.random() < 0.5:
                sitemaps = _sitemaps(dice, world, authority.origin)
                authorities[place] = replace(authority, robots=replace(authority.robots, sitemaps=sitemaps))
        world.hosts[name] = replace(host, authorities=tuple(authorities))


def _sitemaps(dice: random.Random, world: World, origin: str) -> tuple[str, ...]:
    """One sitemap with pages named nowhere else, now and then behind an index; it also speaks for a host it may not."""
    own = [f"{origin}/listed-{number}.html" for number in range(dice.randint(0, 4))]
    for number, url in enumerate(own):
        _put(world, Page(url, words=f"Listed {number} of {origin}"))
    others = [page.url for page in world.pages.values() if host_of(page.url) == host_of(f"{origin}/")]
    entries = (*own, *dice.sample(others, min(3, len(others))), "http://elsewhere.example/not-yours.html")
    kind = dice.choice((ListingKind.SITEMAP, ListingKind.TEXT))
    url = f"{origin}/sitemap.{'txt' if kind is ListingKind.TEXT else 'xml'}"
    world.listings[url] = Listing(url, kind, entries, gzip=dice.random() < 0.3)
    if dice.random() < 0.3:
        index = f"{origin}/sitemaps.xml"
        world.listings[index] = Listing(index, ListingKind.INDEX, (url,))
        return (index,)
    return (url, f"{origin}/no-such-sitemap.xml") if dice.random() < 0.2 else (url,)


def _add_feeds(dice: random.Random, world: World) -> None:
    for page in dice.sample(_parents(world), min(3, len(_parents(world)))):
        origin = authority_of(page.url)
        feed = f"{origin}/feed-{len(world.listings)}.xml"
        entries = [f"{origin}/news-{len(world.listings)}-{number}.html" for number in range(dice.randint(1, 3))]
        for url in entries:
            _put(world, Page(url, words=f"News: {url}"))
        elsewhere = dice.choice([each.url for each in world.pages.values()])
        world.listings[feed] = Listing(feed, ListingKind.FEED, (*entries, elsewhere))
        world.pages[key_of(page.url)] = replace(page, feeds=(feed,))


# --- pages that are not what they seem -----------------------------------------------------------------------------


def _leaves(world: World) -> list[Page]:
    """Pages that lead nowhere, and that nobody copies."""
    copied = {page.copy_of for page in world.pages.values()}
    seeds = {key_of(seed) for seed in world.seeds}
    return [
        page
        for key, page in world.pages.items()
        if page.kind is PageKind.PAGE and not page.links and not page.copy_of and key not in copied | seeds
    ]


def _add_liars(dice: random.Random, world: World) -> None:
    leaves = _leaves(world)
    for page in dice.sample(leaves, min(4, len(leaves))):
        _put(world, replace(page, kind=dice.choice(LIES), gzip=False))


def _add_changing(dice: random.Random, world: World) -> None:
    copied = {page.copy_of for page in world.pages.values()}
    for key, page in list(world.pages.items()):
        if page.kind is PageKind.PAGE and not page.copy_of and key not in copied and dice.random() < 0.3:
            _put(world, replace(page, changing=True))


def _add_preferences(dice: random.Random, world: World) -> None:
    copied = {page.copy_of for page in world.pages.values()}
    for key, page in list(world.pages.items()):
        if page.kind is PageKind.PAGE and not page.copy_of and key not in copied and dice.random() < 0.2:
            _put(world, replace(page, directives=dice.choice(("noindex", "noarchive", "noindex, noarchive"))))
    leaves = _leaves(world)
    for page in dice.sample(leaves, min(2, len(leaves))):
        _put(world, replace(page, usage="search=n"))


def _add_twins(dice: random.Random, world: World) -> None:
    """Pages under two spellings each, and (seldom) two pages that only look like one."""
    parents = _parents(world)
    if not parents:
        return
    origin = authority_of(dice.choice(parents).url)
    for number in range(dice.randint(*TWIN_PAGES)):
        bare, slashed = f"{origin}/twin-{number}", f"{origin}/twin-{number}/"
        honest = dice.random() < 0.9
        _put(world, Page(bare, words=f"Twin {number} of {origin}", doubtful=True))
        if dice.random() < 0.3:
            _put(world, Page(bare, PageKind.REDIRECT, status=301, target=slashed, doubtful=True))
            _put(world, Page(slashed, words=f"Twin {number} of {origin}", doubtful=True))
        elif honest:
            _put(world, Page(slashed, copy_of=key_of(bare), doubtful=True))
            world.twins.append((key_of(bare), key_of(slashed)))
        else:
            _put(world, Page(slashed, words=f"Another than twin {number}", doubtful=True))
        for url in dice.sample((bare, slashed), 2):
            _name(dice, world, url)


# --- hosts that change ---------------------------------------------------------------------------------------------


def _add_trap(dice: random.Random, world: World, opens: float = 0.0) -> None:
    origin = authority_of(dice.choice(world.seeds))
    trap = Trap(origin, dice.choice(list(TrapKind)), "/trap/", opens)
    world.traps.append(trap)
    for _ in range(3):
        _name(dice, world, entrance(trap))


def _add_turning(dice: random.Random, world: World) -> None:
    _add_trap(dice, world, EPOCH + dice.uniform(5.0, 60.0))


def _add_dying(dice: random.Random, world: World) -> None:
    """A host goes away for good. Not one on which the robots.txt of others lies."""
    lenders = {
        host_of(authority.robots.target)
        for host in world.hosts.values()
        for authority in host.authorities
        if authority.robots.kind is RobotsKind.REDIRECT and host_of(authority.robots.target) != host.name
    }
    mortal = [host for host in list(world.hosts.values())[1:] if host.name not in lenders and not host.outages]
    mortal = [host for host in mortal if not host.name[0].isdigit()]
    if mortal:
        host = dice.choice(mortal)
        trouble = dice.choice((Trouble.CONNECT_REFUSED, Trouble.RESET, Trouble.NAME_NOT_FOUND, Trouble.CONNECT_TIMEOUT))
        outage = Outage(EPOCH + dice.uniform(1.0, 90.0), NEVER_ENDS, trouble)
        world.hosts[host.name] = replace(host, outages=(outage,))


# --- the crawl -----------------------------------------------------------------------------------------------------


def _narrow(dice: random.Random, world: World) -> None:
    world.scope = dice.choice(("page", "prefix", "prefix", "site", "site"))
    if world.scope == "prefix":
        deep = [page.url for page in _parents(world) if target_of(page.url).startswith("/a/b/")]
        world.seeds += dice.sample(deep, min(2, len(deep)))
        world.seeds = world.seeds[-4:]
    world.blocked -= {host_of(seed) for seed in world.seeds}


def _change_scope(dice: random.Random, world: World) -> None:
    world.former_scope = dice.choice([scope for scope in ("page", "host", "site", "any") if scope != world.scope])


def _names_out(dice: random.Random, world: World) -> None:
    start = EPOCH + dice.choice((0.0, dice.uniform(0.0, 100.0)))
    end = start + dice.choice((5.0, 60.0, 400.0))
    world.name_outages.append((start, end))
    world.heals = max(world.heals, end)


_ADDERS: Final[Mapping[Feature, Callable[[random.Random, World], None]]] = {
    Feature.SITEMAPS: _add_sitemaps,
    Feature.FEEDS: _add_feeds,
    Feature.LIARS: _add_liars,
    Feature.CHANGING: _add_changing,
    Feature.PREFERENCES: _add_preferences,
    Feature.TWINS: _add_twins,
    Feature.TRAP: _add_trap,
    Feature.TURNS: _add_turning,
    Feature.DIES: _add_dying,
    Feature.NARROW: _narrow,
    Feature.SCOPE_CHANGE: _change_scope,
    Feature.NAMES_OUT: _names_out,
}
"""In this order: what comes later may build on what was added before."""
