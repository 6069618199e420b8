"""How big a crawl will be: rates, bandwidth, storage, memory, hosts, machines, from what is wanted. Arithmetic only.

Seconds, bytes, pages; decimal units, as disks and links are sold. A month is 30 days and a year 365.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

DAY_SECONDS: Final = 86400.0
MONTH_SECONDS: Final = 30 * DAY_SECONDS
YEAR_SECONDS: Final = 365 * DAY_SECONDS
RUN_BYTES: Final = 8
"""Of one URL in URL seen's sorted runs: a 64-bit fingerprint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is wanted of a crawl, and what is assumed of the web it meets.

    Shares are of fetches, 0 to 1. Raises ValueError for a number that makes no sense.
    """

    pages: int
    """Pages to have in one period, copies not among them."""
    period: float = MONTH_SECONDS
    page_bytes: int = 500_000
    """Of a page as decoded."""
    stored_bytes: int = 100_000
    """Of a page as received and archived, headers included."""
    links: float = 50.0
    """Different links of a page."""
    new_links: float = 0.2
    """Share of them that were not known before: what URL seen grows by."""
    hosts: int = 1_000_000
    largest_host: float = 0.001
    """Share of all pages that the largest host has."""
    gap: float = 1.0
    """Seconds between a host's exchanges, what they take themselves included."""
    duplicates: float = 0.0
    """Share of fetches that bring a body known before, and that must be made beside the wanted pages."""
    recrawls: float = 0.0
    """Share of fetches spent on pages seen before."""
    rendered: float = 0.0
    """Share of pages a browser renders."""
    peak: float = 2.0
    """How many times the average the machines must carry at times."""
    false_positives: float = 0.01
    """Of the Bloom filter of URL seen."""
    years: float = 5.0
    """How long everything is kept."""
    page_cpu: float = 0.015
    """CPU seconds of one core for a page."""
    rendered_cpu: float = 2.0
    """CPU seconds of one core for a page that a browser renders."""
    cores: int = 2
    """Of one machine."""
    urls: int | None = None
    """URLs ever seen; None for what pages and their new links make of one period."""

    def __post_init__(self) -> None:
        for name in ("duplicates", "recrawls", "rendered", "largest_host", "new_links"):
            _hold(name, 0 <= getattr(self, name) <= 1, "a share, 0 to 1")
        for name in ("pages", "period", "page_bytes", "stored_bytes", "hosts", "cores", "years", "page_cpu"):
            _hold(name, 0 < getattr(self, name) < math.inf, "more than 0")
        for name in ("links", "gap", "rendered_cpu"):
            _hold(name, 0 <= getattr(self, name) < math.inf, "0 or more")
        _hold("duplicates", self.duplicates + self.recrawls < 1, "with recrawls, less than all fetches")
        _hold("peak", 1 <= self.peak < math.inf, "1 or more")
        _hold("false_positives", 0 < self.false_positives < 1, "between 0 and 1")
        _hold("urls", self.urls is None or self.urls > 0, "more than 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What such a crawl needs."""

    pages_per_second: float
    """Wanted pages, on average."""
    fetches_per_second: float
    """Duplicates and recrawls among them."""
    peak_per_second: float
    """Fetches."""
    bandwidth: float
    """Bits a second on average, if pages travel uncompressed: what a plan should count with."""
    bandwidth_peak: float
    bandwidth_stored: float
    """Bits a second on average, as received."""
    raw_per_period: float
    """Bytes of decoded pages in one period."""
    stored_per_period: float
    """Bytes of the archive in one period: a copy costs a revisit record, which is counted as nothing."""
    raw_per_year: float
    stored_per_year: float
    raw_kept: float
    stored_kept: float
    """After `years`."""
    urls: int
    """URLs seen."""
    filter_bytes: float
    """Memory of URL seen as a Bloom filter, with the wanted share of false positives."""
    runs_bytes: int
    """URL seen as sorted runs of fingerprints: a file in a memory map; hot parts of it are memory, no part must be."""
    hosts_ready: int
    """Hosts that must have a URL ready at once, at peak: rate times gap."""
    hosts_enough: bool
    """Whether the crawl has that many."""
    largest_host_seconds: float
    """What the largest host takes at its gap."""
    largest_host_fits: bool
    """Whether that is within the period."""
    cores: float
    """At the average rate."""
    cores_peak: float
    machines: int
    """At peak."""


def plan(wish: Wish) -> Plan:
    """The plan for a wish."""
    wanted = wish.pages / wish.period
    fetches = wanted / (1 - wish.duplicates - wish.recrawls)
    fetched = wish.pages / (1 - wish.duplicates - wish.recrawls)
    # A page fetched again is stored again if it has changed: the dearer case is counted.
    stored = fetched * (1 - wish.duplicates)
    urls = wish.urls or round(wish.pages * (1 + wish.links * wish.new_links))
    cpu = wish.page_cpu * (1 - wish.rendered) + wish.rendered_cpu * wish.rendered
    largest = wish.pages * wish.largest_host * wish.gap
    ready = math.ceil(fetches * wish.peak * wish.gap)
    periods = YEAR_SECONDS / wish.period
    cores_peak = fetches * wish.peak * cpu
    return Plan(
        pages_per_second=wanted,
        fetches_per_second=fetches,
        peak_per_second=fetches * wish.peak,
        bandwidth=fetches * wish.page_bytes * 8,
        bandwidth_peak=fetches * wish.peak * wish.page_bytes * 8,
        bandwidth_stored=fetches * wish.stored_bytes * 8,
        raw_per_period=stored * wish.page_bytes,
        stored_per_period=stored * wish.stored_bytes,
        raw_per_year=stored * wish.page_bytes * periods,
        stored_per_year=stored * wish.stored_bytes * periods,
        raw_kept=stored * wish.page_bytes * periods * wish.years,
        stored_kept=stored * wish.stored_bytes * periods * wish.years,
        urls=urls,
        filter_bytes=bloom_bits(wish.false_positives) * urls / 8,
        runs_bytes=RUN_BYTES * urls,
        hosts_ready=ready,
        hosts_enough=wish.hosts >= ready,
        largest_host_seconds=largest,
        largest_host_fits=largest <= wish.period,
        cores=fetches * cpu,
        cores_peak=cores_peak,
        machines=math.ceil(cores_peak / wish.cores),
    )


def bloom_bits(false_positives: float) -> float:
    """Bits an entry of the smallest Bloom filter with that share of false positives (Bloom 1970): -ln p / (ln 2)^2."""
    return -math.log(false_positives) / math.log(2) ** 2


def _hold(name: str, holds: bool, wanted: str) -> None:  # noqa: FBT001 - the condition itself
    if not holds:
        raise ValueError(f"{name} wants {wanted}")
