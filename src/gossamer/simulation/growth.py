"""Growing a world from a number: hosts of very unequal size, their faults, their robots.txt files, their pages.

Small on purpose (3 to 12 hosts, 20 to 150 pages): hundreds of different little worlds find more than one large one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gossamer.simulation.clock import EPOCH
from gossamer.simulation.entropy import SimEntropy
from gossamer.simulation.extras import add_features
from gossamer.simulation.features import Feature, features_of
from gossamer.simulation.pagegrowth import PageGrowth
from gossamer.simulation.world import (
    NEVER_ENDS,
    Authority,
    Outage,
    Robots,
    RobotsKind,
    SimHost,
    Trouble,
    World,
)

if TYPE_CHECKING:
    import random

ROBOTS_WEIGHTS: Final = {
    RobotsKind.ALLOW: 20,
    RobotsKind.PARTS: 20,
    RobotsKind.DELAY: 10,
    RobotsKind.AGENT: 6,
    RobotsKind.MISSING: 14,
    RobotsKind.FORBIDDEN: 5,
    RobotsKind.JUNK: 3,
    RobotsKind.LATE: 7,
    RobotsKind.ERRORS: 2,
    RobotsKind.UNREACHABLE: 2,
    RobotsKind.REDIRECT: 9,
    RobotsKind.LOOP: 2,
}
TROUBLES_PASSING: Final = (
    Trouble.CONNECT_REFUSED,
    Trouble.CONNECT_TIMEOUT,
    Trouble.RESET,
    Trouble.NAME_FAILED,
    Trouble.NAME_NOT_FOUND,
)
TROUBLES_FOR_EVER: Final = (*TROUBLES_PASSING, Trouble.NAME_PRIVATE, Trouble.NAME_PRIVATE)
PRIVATE_ADDRESSES: Final = ("10.1.2.3", "127.0.0.1", "169.254.169.254", "192.168.7.7", "::1", "fd00::7")
OUTAGE_SECONDS: Final = (5.0, 60.0, 400.0, 2500.0)
ONE_WAY_SECONDS: Final = (0.001, 0.01, 0.01, 0.04, 0.15)
SERVICE_SECONDS: Final = (0.005, 0.005, 0.02, 0.02, 0.1, 0.1, 0.3, 1.5)
"""Slow hosts are few: their gaps are long, and each second of a crawl costs four commits."""
DISALLOWED: Final = ("/private/", "/search")


@dataclass(frozen=True, slots=True)
class WorldSize:
    """Bounds of a world, ends included."""

    hosts: tuple[int, int] = (3, 12)
    pages: tuple[int, int] = (20, 150)
    calm: bool = False
    """Nothing goes wrong: no outages, no stumbles, no unusual robots.txt."""


def grow(simulation_seed: int, size: WorldSize | None = None, features: frozenset[Feature] | None = None) -> World:
    """The world of that number; with `features` instead of those that it draws."""
    size = size or WorldSize()
    if features is None:
        features = frozenset() if size.calm else features_of(simulation_seed)
    entropy = SimEntropy(simulation_seed, "world")
    world = World(simulation_seed)
    dice = entropy.stream("hosts").dice()
    for name, site in _names(dice, dice.randint(*size.hosts)):
        world.hosts[name] = _host(dice, name, site, world)
    if not size.calm:
        _add_troubles(entropy.stream("troubles").dice(), world)
    _choose_scope(entropy.stream("scope").dice(), world)
    _add_robots(entropy.stream("robots").dice(), world, calm=size.calm)
    PageGrowth(entropy.stream("pages").dice(), world, calm=size.calm).grow(_page_count(dice, size))
    add_features(entropy, world, features)
    return world


def _page_count(dice: random.Random, size: WorldSize) -> int:
    """Evenly over the magnitudes: as many worlds below the geometric mean as above it."""
    fewest, most = size.pages
    return round(fewest * math.pow(most / fewest, dice.random()))


def _names(dice: random.Random, count: int) -> list[tuple[str, str]]:
    """Host names with their sites: three sites at least, some with several hosts, now and then an address literal."""
    sites = [f"site{number}.example" for number in range(max(3, count - dice.randint(0, count // 2)))]
    names = [(site if dice.random() < 0.3 else f"www.{site}", site) for site in sites[:count]]
    for number in range(count - len(names)):
        site = dice.choice(sites)
        names.append((f"sub{number}.{site}", site))
    if dice.random() < 0.2:
        literal = dice.choice(("20.7.7.7", "2a00:7::7"))
        names[-1] = (literal, literal)
    return names


def _host(dice: random.Random, name: str, site: str, world: World) -> SimHost:
    number = len(world.hosts)
    shared = [host.addresses for host in world.hosts.values() if host.name != host.site or "." in host.name]
    if name[0] == "2" or ":" in name:
        addresses: tuple[str, ...] = (name,)
    elif shared and dice.random() < 0.35:
        addresses = dice.choice(shared)
    else:
        addresses = tuple(f"20.0.{number}.{last}" for last in range(1, dice.choice((2, 2, 2, 3, 4))))
        if dice.random() < 0.15:
            addresses += (f"2a00:{number + 1:x}::1",)
        if dice.random() < 0.1:  # an answer of both kinds: only the public address may be contacted
            addresses = (dice.choice(PRIVATE_ADDRESSES), *addresses)
    origins = dice.choice((("http",), ("https",), ("http", "https"), ("http", "https", "http:8080")))
    written = f"[{name}]" if ":" in name else name
    authorities = tuple(
        Authority(f"{scheme}://{written}{':' + port if port else ''}", Robots(RobotsKind.ALLOW))
        for scheme, _, port in (origin.partition(":") for origin in origins)
    )
    return SimHost(
        name=name,
        site=site,
        addresses=addresses,
        authorities=authorities,
        one_way_seconds=dice.choice(ONE_WAY_SECONDS),
        service_seconds=dice.choice(SERVICE_SECONDS),
        ttl_seconds=dice.choice((0.0, 30.0, 300.0, 3600.0)),
    )


def _add_troubles(dice: random.Random, world: World) -> None:
    """Outages that pass, and (seldom) hosts that never answer. The first host always comes back."""
    for position, host in enumerate(list(world.hosts.values())):
        outages: list[Outage] = []
        if dice.random() < 0.25:
            start = EPOCH + dice.choice((0.0, dice.uniform(0.0, 120.0)))
            end = start + dice.choice(OUTAGE_SECONDS) * dice.uniform(0.5, 1.5)
            outages.append(Outage(start, end, dice.choice(TROUBLES_PASSING)))
            world.heals = max(world.heals, end)
        elif position and dice.random() < 0.08:
            outages.append(Outage(EPOCH, NEVER_ENDS, dice.choice(TROUBLES_FOR_EVER)))
        if outages and not host.name[0].isdigit():
            world.hosts[host.name] = replace(host, outages=tuple(outages))


def _choose_scope(dice: random.Random, world: World) -> None:
    """Seeds and what the crawl wants. Every wanted host has a seed when the scope is `host`."""
    names = list(world.hosts)
    if dice.random() < 0.5:
        world.scope = "host"
        wanted = names[: max(3, len(names) - dice.randint(0, 2))]
    else:
        wanted = names[: dice.randint(1, len(names))]
        world.blocked = set(names[len(names) - dice.randint(0, 1) :]) - set(wanted)
    world.seeds = [f"{world.hosts[name].authorities[0].origin}/" for name in wanted]


def _add_robots(dice: random.Random, world: World, *, calm: bool) -> None:
    kinds = list(ROBOTS_WEIGHTS)
    for name, host in list(world.hosts.items()):
        authorities: list[Authority] = []
        for authority in host.authorities:
            kind = RobotsKind.ALLOW if calm else dice.choices(kinds, list(ROBOTS_WEIGHTS.values()))[0]
            authorities.append(Authority(authority.origin, _robots(dice, kind, host, world)))
        world.hosts[name] = replace(host, authorities=tuple(authorities))


def _robots(dice: random.Random, kind: RobotsKind, host: SimHost, world: World) -> Robots:
    if kind is RobotsKind.PARTS or kind is RobotsKind.AGENT:
        return Robots(kind, disallowed=DISALLOWED[: dice.randint(1, 2)])
    if kind is RobotsKind.DELAY:
        return Robots(kind, disallowed=dice.choice(((), DISALLOWED)), crawl_delay=dice.choice((2.0, 5.0, 11.0)))
    if kind is RobotsKind.LATE:
        until = EPOCH + dice.uniform(1.0, 900.0)
        world.heals = max(world.heals, until)
        return Robots(kind, disallowed=DISALLOWED[:1], until=until)
    if kind is RobotsKind.REDIRECT:
        return _redirected(dice, host, world)
    return Robots(kind)


def _redirected(dice: random.Random, host: SimHost, world: World) -> Robots:
    """A robots.txt that lies elsewhere: on this host, on another of the site, or on another site (another shard)."""
    healthy = [each for each in world.hosts.values() if not each.outages and each.name not in world.blocked]
    target_host = dice.choice([*healthy, host]) if dice.random() < 0.7 else host
    target = f"{target_host.authorities[0].origin}/the-robots-of-{host.name.replace(':', '-')}.txt"
    world.robots_files.setdefault(target, Robots(RobotsKind.PARTS, disallowed=DISALLOWED[: dice.randint(1, 2)]))
    return Robots(RobotsKind.REDIRECT, target=target)
