"""What a right crawl of a world ends with, worked out from the world alone.

Where that is too hard to tell (caps, traps, spellings that may be left alone, hosts that die under way) a URL counts as
one that may be asked for or not, and the checkers hold the crawl to invariants: no cap exceeded, nothing asked for that
no way leads to, of two spellings at least one.

Nothing here knows the crawler: it follows links and redirects by the written rules (scope, robots.txt by RFC 9309,
nofollow, ten redirects) and sorts every URL key of the world by what must, may and must never happen to it.

The way on which a URL is found first says how many redirects lie behind it, and which way that is depends on the order
of a crawl. So a redirect must be followed where that is right by every way that may have been the first, and may be
where it is right by one of them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.limits import REDIRECT_HOPS_MAX
from gossamer.core.url.parse import authority_of, host_of, target_of
from gossamer.simulation.world import Listing, ListingKind, Page, PageKind, Robots, RobotsKind, Trouble, World, key_of

ALLOWS_ALL: Final = (
    RobotsKind.ALLOW,
    RobotsKind.MISSING,
    RobotsKind.FORBIDDEN,
    RobotsKind.JUNK,
    RobotsKind.LOOP,
)
"""RFC 9309 section 2.3.1.3: 4xx, and more than five redirects, mean there are no rules."""
FETCHED_KINDS: Final = (
    PageKind.PAGE,
    PageKind.COOKIE_WALL,
    PageKind.SPELLING,
    PageKind.EMPTY,
    PageKind.CUT,
    PageKind.BINARY,
    PageKind.SHORT,
    PageKind.DRIP,
    PageKind.ENDLESS,
)


@dataclass(slots=True)
class Truth:
    """Sets of URL keys. What is in none of them must never be asked for."""

    fetched: set[str] = field(default_factory=set[str])
    """Must be fetched with a 2xx answer."""
    answered: set[str] = field(default_factory=set[str])
    """Must be asked for, and end otherwise: redirects, 404, an unwanted media type, for ever broken, sitemaps."""
    unreachable: set[str] = field(default_factory=set[str])
    """On a host that never comes back: may be asked for, never answered."""
    forbidden: set[str] = field(default_factory=set[str])
    """Found, and kept from us by robots.txt."""
    perhaps: set[str] = field(default_factory=set[str])
    """May be asked for, or not: only ways lead there that a right crawl need not go."""
    perhaps_known: set[str] = field(default_factory=set[str])
    """May be known, and must not be asked for."""
    pairs: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Spellings of one page: one of them must be fetched."""
    widened: set[str] = field(default_factory=set[str])
    """Seeds, and where their redirects lead on their sites: in every scope."""
    sitemaps: set[str] = field(default_factory=set[str])
    """URLs that a robots.txt or an index of sitemaps names, also of files that are not there: in every scope."""

    @property
    def may_be_asked(self) -> set[str]:
        """Every URL key that a server may see; beside them the pages of traps (`World.trap`)."""
        return self.fetched | self.answered | self.unreachable | self.perhaps


def truth_of(world: World) -> Truth:
    """Walk the world from its seeds: the ways that must be gone, then those that may be."""
    ways = Ways()
    wide = _Walk(world, ways, certain=False).run()
    truth = Truth() if world.capped else _Walk(world, ways, certain=True).run()
    known = truth.may_be_asked | truth.forbidden
    truth.perhaps |= wide.may_be_asked - known
    truth.perhaps_known = wide.forbidden - known
    truth.widened, truth.sitemaps = wide.widened, wide.sitemaps
    return truth


@dataclass(slots=True)
class Ways:
    """How each URL key may be found, by the walk over every way that there is."""

    named: set[str] = field(default_factory=set[str])
    """By something else than a redirect."""
    redirected: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Key -> the keys that redirect to it."""

    def redirects(self, key: str, after: tuple[str, ...] = ()) -> set[int]:
        """Every number of redirects with which the key may be found first.

        `after`: keys further down the way, of which none can have led to their own finding.
        """
        if len(after) > REDIRECT_HOPS_MAX:
            return set()
        found = {0} if key in self.named else set[int]()
        for source in self.redirected.get(key, set()) - {key, *after}:
            found |= {number + 1 for number in self.redirects(source, (*after, key)) if number < REDIRECT_HOPS_MAX}
        return found


class _Walk:
    """Breadth first over (URL, redirects so far); a URL met again with fewer redirects is walked again.

    `certain`: only ways that a right crawl must go. Otherwise every way that it may go, under any scope it ever has.
    """

    def __init__(self, world: World, ways: Ways, *, certain: bool) -> None:
        """`ways` are filled by the walk that is not certain, and read by the one that is."""
        self._world = world
        self._ways = ways
        self._certain = certain
        self._truth = Truth()
        self._hops: dict[str, int] = {}
        self._queue: deque[tuple[str, int]] = deque((seed, 0) for seed in world.seeds)
        self._named = self._truth.sitemaps
        self._widened = self._truth.widened
        self._widened.update(key_of(seed) for seed in world.seeds)

    def run(self) -> Truth:
        while self._queue:
            url, hops = self._queue.popleft()
            key = key_of(url)
            if not hops and not self._certain:
                self._ways.named.add(key)
            if (key not in self._hops or hops < self._hops[key]) and self._wants(url, key):
                self._hops[key] = hops
                self._visit(url, key, hops)
        return self._truth

    def _wants(self, url: str, key: str) -> bool:
        if host_of(url) in self._world.blocked:
            return False
        if key in self._widened or url in self._named:
            return True
        return self._world.wants(url) if self._certain else self._world.ever_wanted(url)

    def _visit(self, url: str, key: str, hops: int) -> None:
        truth, world = self._truth, self._world
        host = world.hosts.get(host_of(url))
        if hops > REDIRECT_HOPS_MAX:
            return
        if world.trap(url) is not None:
            return
        if host is None or host.dead or world.authority(authority_of(url)) is None:
            truth.unreachable.add(key)
            return
        if self._certain and host.dies:
            return
        if not allowed(world, url):
            truth.forbidden.add(key)
            # To know that, its robots.txt was read.
            self._name_sitemaps(url)
            return
        page = world.page(url)
        if self._certain and page is not None and page.doubtful:
            truth.pairs += [pair for pair in world.twins if key in pair]
            return
        self._sort(url, key, page)
        self._name_sitemaps(url)
        if page is not None:
            self._follow(page, key, hops)

    def _sort(self, url: str, key: str, page: Page | None) -> None:
        fetched = page is not None and page.kind in FETCHED_KINDS and not page.usage
        (self._truth.fetched if fetched else self._truth.answered).add(key)
        listing = self._world.listings.get(url)
        if listing is not None:
            index = listing.kind is ListingKind.INDEX
            self._named.update(entry for entry in listing.entries if index)
            own = [entry for entry in listing.entries if self._may_name(listing, entry)]
            self._queue.extend((entry, 0) for entry in own)

    def _may_name(self, listing: Listing, entry: str) -> bool:
        """A feed may name any URL, a sitemap those of its host."""
        return listing.kind is ListingKind.FEED or host_of(entry) == host_of(listing.url)

    def _name_sitemaps(self, url: str) -> None:
        authority = self._world.authority(authority_of(url))
        assert authority is not None, "asked before"
        if url not in self._named:
            self._named.update(authority.robots.sitemaps)
            self._queue.extend((sitemap, 0) for sitemap in authority.robots.sitemaps)

    def _follow(self, page: Page, key: str, hops: int) -> None:
        if page.kind is PageKind.REDIRECT:
            if key in self._widened and self._site(page.target) == self._site(page.url):
                self._widened.add(key_of(page.target))
            self._redirect(page.target, key, hops)
        source = self._world.pages[page.copy_of] if page.copy_of else page
        if page.kind is PageKind.PAGE and not page.usage and not (source.nofollow or page.header_nofollow):
            self._queue.extend((link.url, 0) for link in source.links if not (link.nofollow or link.junk))
            self._queue.extend((feed, 0) for feed in source.feeds)

    def _redirect(self, target: str, key: str, hops: int) -> None:
        if not self._certain:
            self._ways.redirected.setdefault(key_of(target), set()).add(key)
        elif max(self._ways.redirects(key)) >= REDIRECT_HOPS_MAX:
            return
        self._queue.append((target, hops + 1))

    def _site(self, url: str) -> str:
        host = self._world.hosts.get(host_of(url))
        return host.site if host is not None else host_of(url)


def allowed(world: World, url: str) -> bool:
    """Whether the authority's robots.txt, once it answers, lets us fetch the URL."""
    authority = world.authority(authority_of(url))
    return authority is not None and _allows(world, authority.robots, target_of(url))


def _allows(world: World, robots: Robots, target: str) -> bool:
    if robots.kind in ALLOWS_ALL:
        return True
    if robots.kind is RobotsKind.ERRORS or robots.kind is RobotsKind.UNREACHABLE:
        return False
    if robots.kind is RobotsKind.REDIRECT:
        host = world.hosts[host_of(robots.target)]
        return not host.dead and _allows(world, world.robots_files[robots.target], target)
    return not target.startswith(robots.disallowed)


def is_readable(world: World, robots: Robots) -> bool:
    """Whether a robots.txt answers at some time, by rules or by having none."""
    if robots.kind is RobotsKind.REDIRECT:
        return not world.hosts[host_of(robots.target)].dead
    return robots.kind not in (RobotsKind.ERRORS, RobotsKind.UNREACHABLE)


def is_private(world: World, host: str) -> bool:
    """Whether a host never has an address that may be contacted."""
    return any(outage.trouble is Trouble.NAME_PRIVATE for outage in world.hosts[host].outages)
