"""What a simulated crawl is told, and how a number draws it. Edges are where working sets are small and files short."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gossamer.simulation.features import Feature

if TYPE_CHECKING:
    from gossamer.simulation.entropy import SimEntropy


DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """What a simulated crawl is told; everything else has its default."""

    gap_seconds: float = 1.0
    copies_follow: str = "never"
    hosts_max: int = 100
    """Working set of a shard."""
    fetches_max: int = 50
    file_bytes: int = 1 << 20
    """Length at which archive files and journals close."""
    shards: int = 4
    commit_interval: float = 0.25
    patience: float = 600.0
    listed_max: int = 4
    """Keys of a shard that no file of URL seen holds: few, so that files are written and merged in small worlds."""
    exchange_seconds: float = 0.0
    """How long a message between shards takes."""
    connections: int = 1
    """Leases at once of the operator's own hosts, see `own_hosts`; the others have one."""
    pages_max: int | None = None
    host_pages_max: int | None = None
    site_pages_max: int | None = None
    first_pages: int | None = None
    """Budget that a site which no seed names begins with."""
    host_patience: float = 7 * DAY
    bytes_max: int | None = None
    obeys_noarchive: bool = False


def settings_of(entropy: SimEntropy, features: frozenset[Feature]) -> CrawlSettings:
    """The settings that a number draws."""
    dice = entropy.stream("settings").dice()
    settings = CrawlSettings(
        gap_seconds=dice.choice((1.0, 1.0, 2.5, 0.2)),
        copies_follow=dice.choice(("never", "same-host", "always")),
        hosts_max=dice.choice((1, 2, 100)),
        fetches_max=dice.choice((1, 3, 50)),
        file_bytes=dice.choice((20_000, 1 << 20)),
        shards=dice.choice((2, 2, 3, 4, 4, 5, 5, 16)),
        commit_interval=dice.choice((0.25, 1.0, 1.0, 2.0)),
        patience=dice.choice((60.0, 60.0, 60.0, 600.0)),
        exchange_seconds=dice.choice((0.0, 0.01, 0.7)),
        connections=dice.choice((1, 1, 2, 5)),
    )
    patient = Feature.CLOCK_STEP in features or dice.random() < 0.7
    return replace(
        settings,
        host_patience=7 * DAY if patient else DAY / 4,
        site_pages_max=dice.randint(2, 30) if Feature.SITE_CAP in features else None,
        first_pages=dice.randint(1, 5) if Feature.SITE_CAP in features else None,
        pages_max=dice.randint(3, 60) if Feature.PAGES_CAP in features else None,
        host_pages_max=dice.randint(1, 15) if Feature.HOST_CAP in features else None,
        bytes_max=dice.randint(2_000, 40_000) if Feature.BYTES_CAP in features else None,
        obeys_noarchive=Feature.PREFERENCES in features and dice.random() < 0.5,
    )
