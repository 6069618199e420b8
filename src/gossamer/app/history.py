"""The short past of a run's numbers: rates, their last minutes as bars, when the crawl will end, when a disk is full.

Bounded: 120 samples a second apart and 120 half a minute apart, whatever the length of the crawl.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gossamer.app.progress import Progress

FINE_SECONDS: Final = 1.0
COARSE_SECONDS: Final = 30.0
KEPT: Final = 120
WINDOWS: Final = (15.0, 60.0, 600.0)
"""An end is foretold from the rates of each of these; where they differ the band is wide."""
FORETELL_SECONDS: Final = 5.0
"""A past shorter than this foretells nothing."""
DISK_SECONDS: Final = 30.0
"""The same for a disk."""


class Sample(NamedTuple):
    """The numbers that have a past."""

    elapsed: float
    pages: int
    bytes: int
    queued: int
    free: dict[str, int]


class Band(NamedTuple):
    """Seconds until the end: between the least and the greatest that the past suggests; None: no upper end."""

    least: float
    most: float | None


class History:
    """Samples of one run."""

    def __init__(self) -> None:
        self._fine: deque[Sample] = deque(maxlen=KEPT)
        self._coarse: deque[Sample] = deque(maxlen=KEPT)

    def remember(self, progress: Progress) -> None:
        """Take a snapshot in, if the last one is old enough."""
        free = {disk.mount: disk.free for disk in progress.disks}
        sample = Sample(progress.elapsed, progress.pages, progress.bytes, progress.queued, free)
        for samples, spacing in ((self._fine, FINE_SECONDS), (self._coarse, COARSE_SECONDS)):
            if not samples or sample.elapsed - samples[-1].elapsed >= spacing:
                samples.append(sample)

    def rate(self, number: Callable[[Sample], int], seconds: float = 10.0) -> float:
        """How fast a number has grown over the last `seconds`; 0 without a past."""
        return _growth(self._since(seconds), number) or 0.0

    def bars(self, number: Callable[[Sample], int], count: int) -> list[float]:
        """How fast it grew from sample to sample, the last `count` of them, oldest first."""
        samples = list(self._fine)[-count - 1 :]
        return [max(0.0, _growth(pair, number) or 0.0) for pair in pairwise(samples)]

    def end(self, progress: Progress) -> Band | None:
        """When the crawl will end, if something bounds it: a cap, its time, or a queue that shrinks."""
        bounds = progress.bounds
        bands = [
            self._reach(_pages, bounds.pages, progress.pages),
            self._reach(_bytes, bounds.bytes, progress.bytes),
            self._drain(progress.queued),
            Band(bounds.seconds, bounds.seconds) if bounds.seconds is not None else None,
        ]
        known = [band for band in bands if band is not None]
        if not known:
            return None
        return Band(min(band.least for band in known), min((each.most for each in known if each.most), default=None))

    def until_full(self, mount: str, free: int, pause_below: int) -> float | None:
        """Seconds until the disk guard pauses, as the disk has filled so far; None when it does not fill."""
        samples = self._coarse if len(self._coarse) > 2 else self._fine
        if not samples or samples[-1].elapsed - samples[0].elapsed < DISK_SECONDS:
            return None
        shrinking = -(_growth((samples[0], samples[-1]), lambda sample: sample.free.get(mount, free)) or 0.0)
        return max(0, free - pause_below) / shrinking if shrinking > 0 else None

    def _since(self, seconds: float) -> tuple[Sample, ...]:
        """The newest sample, and before it the oldest not older than that."""
        samples = self._fine if seconds <= KEPT * FINE_SECONDS else self._coarse
        if not samples or not self._fine:
            return ()
        newest = self._fine[-1]
        oldest = next((each for each in samples if newest.elapsed - each.elapsed <= seconds), newest)
        return (oldest, newest)

    def _rates(self, number: Callable[[Sample], int]) -> list[float]:
        windows = [self._since(seconds) for seconds in WINDOWS]
        long_enough = [pair for pair in windows if pair and pair[1].elapsed - pair[0].elapsed >= FORETELL_SECONDS]
        return [rate for pair in long_enough if (rate := _growth(pair, number)) is not None]

    def _reach(self, number: Callable[[Sample], int], cap: int | None, now: int) -> Band | None:
        return None if cap is None else _band(max(0, cap - now), self._rates(number))

    def _drain(self, queued: int) -> Band | None:
        """Only for a queue that shrinks in every window: one that grew a minute ago may grow again."""
        rates = [-rate for rate in self._rates(_queued)]
        return _band(queued, rates) if rates and min(rates) > 0 else None


def _band(left: int, rates: list[float]) -> Band | None:
    if not rates or max(rates) <= 0:
        return None
    return Band(left / max(rates), left / min(rates) if min(rates) > 0 else None)


def _growth(samples: Iterable[Sample], number: Callable[[Sample], int]) -> float | None:
    ends = list(samples)
    if len(ends) < 2 or ends[-1].elapsed <= ends[0].elapsed:
        return None
    return (number(ends[-1]) - number(ends[0])) / (ends[-1].elapsed - ends[0].elapsed)


def _pages(sample: Sample) -> int:
    return sample.pages


def _bytes(sample: Sample) -> int:
    return sample.bytes


def _queued(sample: Sample) -> int:
    return sample.queued
