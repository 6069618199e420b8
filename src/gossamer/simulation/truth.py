"""What a right crawl of a world ends with, worked out from the world alone.

Nothing here knows the crawler: it follows links and redirects by the written rules (scope, robots.txt by RFC 9309,
nofollow, ten redirects) and sorts every URL key of the world by what must, may and must never happen to it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.limits import REDIRECT_HOPS_MAX
from gossamer.core.url.parse import authority_of, host_of, target_of
from gossamer.simulation.world import Page, PageKind, Robots, RobotsKind, Trouble, World, key_of

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
)


@dataclass(slots=True)
class Truth:
    """Sets of URL keys. What is in none of them must never be asked for."""

    fetched: set[str] = field(default_factory=set[str])
    """Must be fetched with a 2xx answer."""
    answered: set[str] = field(default_factory=set[str])
    """Must be asked for, and end otherwise: redirects, 404, an unwanted media type, for ever broken."""
    unreachable: set[str] = field(default_factory=set[str])
    """On a host that never comes back: may be asked for, never answered."""
    forbidden: set[str] = field(default_factory=set[str])
    """Found, and kept from us by robots.txt."""

    @property
    def may_be_asked(self) -> set[str]:
        """Every URL key that a server may see."""
        return self.fetched | self.answered | self.unreachable


def truth_of(world: World) -> Truth:
    """Walk the world from its seeds."""
    return _Walk(world).run()


class _Walk:
    """Breadth first over (URL, redirects so far); a URL met again with fewer redirects is walked again."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._truth = Truth()
        self._hops: dict[str, int] = {}
        self._queue: deque[tuple[str, int]] = deque((seed, 0) for seed in world.seeds)

    def run(self) -> Truth:
        while self._queue:
            url, hops = self._queue.popleft()
            if self._world.wants(url) and (key_of(url) not in self._hops or hops < self._hops[key_of(url)]):
                self._hops[key_of(url)] = hops
                self._visit(url, hops)
        return self._truth

    def _visit(self, url: str, hops: int) -> None:
        key, truth = key_of(url), self._truth
        host = self._world.hosts.get(host_of(url))
        if hops > REDIRECT_HOPS_MAX:
            return
        if host is None or host.dead or self._world.authority(authority_of(url)) is None:
            truth.unreachable.add(key)
            return
        if not allowed(self._world, url):
            truth.forbidden.add(key)
            return
        page = self._world.page(url)
        if page is not None and page.kind in FETCHED_KINDS:
            truth.fetched.add(key)
        else:
            truth.answered.add(key)
        if page is not None:
            self._follow(page, hops)

    def _follow(self, page: Page, hops: int) -> None:
        if page.kind is PageKind.REDIRECT:
            self._queue.append((page.target, hops + 1))
        source = self._world.pages[page.copy_of] if page.copy_of else page
        if page.kind is PageKind.PAGE and not (source.nofollow or page.header_nofollow):
            self._queue.extend((link.url, 0) for link in source.links if not (link.nofollow or link.junk))


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
