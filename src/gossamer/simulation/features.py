"""What a number draws of the rarer things: few a world, so that seeds stay fast, and each of them often."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from gossamer.simulation.entropy import SimEntropy

if TYPE_CHECKING:
    from collections.abc import Mapping


class Feature(StrEnum):
    """Something that a world, its crawl or its machine may have."""

    # The web.
    SITEMAPS = "sitemaps"
    FEEDS = "feeds"
    LIARS = "liars"
    """Wrong lengths and types, bodies that drip or never end."""
    CHANGING = "changing pages"
    PREFERENCES = "preferences"
    """noindex, noarchive, and uses denied."""
    TWINS = "twins"
    """Two spellings of one page: with and without a final slash, with and without www."""
    TRAP = "trap"
    TURNS = "turns"
    """A host turns into a trap while it is crawled."""
    DIES = "dies"
    """A host dies while it is crawled."""
    NARROW = "narrow scope"
    """Scope page, prefix or site."""
    # The crawl.
    SCOPE_CHANGE = "scope change"
    """The scope is another one from the second life on."""
    PAGES_CAP = "cap on pages"
    HOST_CAP = "cap on pages a host"
    SITE_CAP = "cap and budget of sites"
    BYTES_CAP = "cap on bytes"
    DEADLINE = "deadline"
    TAKER = "slow taker"
    """Somebody takes results one by one, and slowly."""
    FULL_OUTBOX = "full outbox"
    """An outbox holds few entries, and another shard answers late."""
    # The machine.
    TORN_COMMIT = "torn commit"
    """A kill between two steps of a disk, also between the commits of two shards."""
    DISK_LOW = "disk low"
    DISK_FULL = "disk full"
    NAMES_OUT = "no names"
    """No name resolves for a while."""
    CLOCK_STEP = "clock step"
    """The wall clock is set while nobody crawls."""


SHARES: Final[Mapping[Feature, float]] = {
    Feature.SITEMAPS: 0.15,
    Feature.FEEDS: 0.1,
    Feature.LIARS: 0.1,
    Feature.CHANGING: 0.15,
    Feature.PREFERENCES: 0.12,
    Feature.TWINS: 0.12,
    Feature.TRAP: 0.05,
    Feature.TURNS: 0.03,
    Feature.DIES: 0.08,
    Feature.NARROW: 0.12,
    Feature.SCOPE_CHANGE: 0.08,
    Feature.PAGES_CAP: 0.07,
    Feature.HOST_CAP: 0.07,
    Feature.SITE_CAP: 0.07,
    Feature.BYTES_CAP: 0.05,
    Feature.DEADLINE: 0.1,
    Feature.TAKER: 0.08,
    Feature.FULL_OUTBOX: 0.08,
    Feature.TORN_COMMIT: 0.25,
    Feature.DISK_LOW: 0.05,
    Feature.DISK_FULL: 0.1,
    Feature.NAMES_OUT: 0.08,
    Feature.CLOCK_STEP: 0.1,
}
"""Feature -> in how many worlds of a hundred it is."""

CAPS: Final = frozenset(
    {Feature.PAGES_CAP, Feature.HOST_CAP, Feature.SITE_CAP, Feature.BYTES_CAP, Feature.TRAP, Feature.TURNS}
)
"""They may end a crawl before all is fetched. A trap needs one: it has no end of its own."""


def features_of(simulation_seed: int) -> frozenset[Feature]:
    """The features of that number. A trap comes with a cap on pages."""
    dice = SimEntropy(simulation_seed, "features").dice()
    drawn = {feature for feature, share in SHARES.items() if dice.random() < share}
    if drawn & {Feature.TRAP, Feature.TURNS}:
        drawn.add(Feature.PAGES_CAP)
    return frozenset(drawn)
