"""What a memory loses, in URLs."""

from __future__ import annotations

import pytest

from gossamer.core.seen.loss import bloom_losses, exact_losses, false_positives


@pytest.mark.parametrize(
    ("count", "lost"), [(0, 0.0), (1_000_000, 2.7e-8), (100_000_000, 2.7e-4), (1_000_000_000, 2.7e-2)]
)
def test_exact_loses_pairs_of_equal_prints(count: int, lost: float) -> None:
    assert exact_losses(count) == pytest.approx(lost, rel=0.01)


@pytest.mark.parametrize(("fill", "rate"), [(0.0, 0.0), (0.5, 1.12e-5), (1.0, 8.26e-4), (2.0, 3.29e-2)])
def test_the_rate_of_false_positives(fill: float, rate: float) -> None:
    assert false_positives(fill) == pytest.approx(rate, rel=0.02)


@pytest.mark.parametrize(
    ("count", "expected", "lost"),
    [(0, 1000, 0.0), (100_000_000, 100_000_000, 11_700), (300_000_000, 100_000_000, 200_000)],
)
def test_a_filter_loses_more_the_fuller_it_is(count: int, expected: int, lost: float) -> None:
    assert bloom_losses(count, expected) == pytest.approx(lost, rel=0.01)
