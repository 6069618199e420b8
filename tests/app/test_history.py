"""Rates, bars, foretold ends and full disks, from pasts that are known exactly."""

from __future__ import annotations

import pytest

from gossamer.app.history import KEPT, Band, History
from gossamer.app.progress import Bounds, DiskShown, Progress


def at(second: float, pages: int = 0, queued: int = 0, *, free: int = 0, bounds: Bounds | None = None) -> Progress:
    disks = (DiskShown("/d", free, 1000, 100),) if free else ()
    return Progress(
        elapsed=second, pages=pages, bytes=pages * 100, queued=queued, disks=disks, bounds=bounds or Bounds()
    )


def past(*snapshots: Progress) -> History:
    history = History()
    for snapshot in snapshots:
        history.remember(snapshot)
    return history


def pages(sample: object) -> int:
    return sample.pages  # type: ignore[attr-defined]


def test_rates_and_bars() -> None:
    history = past(*(at(second / 4, 2 * second if second < 200 else 400) for second in range(240)))
    assert history.rate(pages, 9.0) == 0.0
    assert history.rate(pages, 20.0) == pytest.approx(8 * 10 / 20, rel=0.15)
    assert history.bars(pages, 12)[:2] == [8.0, 8.0]
    assert history.bars(pages, 12)[-3:] == [0.0, 0.0, 0.0]
    assert past().rate(pages) == past(at(1.0)).rate(pages) == 0.0
    assert past(at(1.0)).bars(pages, 5) == []


def test_memory_is_bounded() -> None:
    history = past(*(at(float(second)) for second in range(10_000)))
    assert len(history._fine) == len(history._coarse) == KEPT
    assert history._coarse[-1].elapsed - history._coarse[0].elapsed >= (KEPT - 1) * 30


@pytest.mark.parametrize(
    ("snapshots", "wanted"),
    [
        # Without a bound, or with too short a past, nothing is foretold.
        ([at(s, 10 * s, 1000 + s) for s in range(60)], None),
        ([at(s, 10 * s, 0, bounds=Bounds(pages=1000)) for s in range(4)], None),
        # 10 pages a second throughout: one answer.
        ([at(s, 10 * s, 9, bounds=Bounds(pages=1600)) for s in range(61)], Band(100.0, 100.0)),
        # Twice as fast lately: between both.
        (
            [at(s, 10 * s if s < 100 else 1000 + 20 * (s - 100), 9, bounds=Bounds(pages=2400)) for s in range(121)],
            Band(50.0, pytest.approx(1000 * 120 / 1400, rel=0.05)),
        ),
        # Stopped lately: no upper end.
        ([at(s, min(10 * s, 400), 9, bounds=Bounds(pages=1000)) for s in range(60)], Band(pytest.approx(88.5), None)),
        # A queue that shrinks steadily; one that grew in between foretells nothing.
        ([at(s, 10 * s, 1000 - 5 * s) for s in range(101)], Band(100.0, 100.0)),
        ([at(s, 10 * s, 1000 - 5 * s + (200 if s > 95 else 0)) for s in range(101)], None),
        # The earliest of several ends.
        ([at(s, 10 * s, 500, bounds=Bounds(pages=10_000, seconds=30.0)) for s in range(61)], Band(30.0, 30.0)),
        ([at(s, 10 * s, 500, bounds=Bounds(bytes=70_000)) for s in range(61)], Band(10.0, 10.0)),
    ],
    ids=range(9),
)
def test_the_end(snapshots: list[Progress], wanted: Band | None) -> None:
    assert past(*snapshots).end(snapshots[-1]) == wanted


def test_a_disk_that_fills() -> None:
    history = past(*(at(float(second), free=900 - second) for second in range(101)))
    assert history.until_full("/d", 800, 100) == pytest.approx(700.0, rel=0.01)
    assert history.until_full("/d", 100, 100) == 0.0
    assert past(*(at(float(second), free=900) for second in range(101))).until_full("/d", 900, 100) is None
    assert past(*(at(float(second), free=900 - second) for second in range(20))).until_full("/d", 880, 100) is None
    assert past().until_full("/d", 1, 1) is None
