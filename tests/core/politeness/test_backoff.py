from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import PARK_MAX_SECONDS
from gossamer.core.politeness.backoff import backoff


def test_the_ladder() -> None:
    waits = [backoff(failures, 0.0) for failures in range(14)]
    assert [wait.seconds for wait in waits[:5]] == [0, 5, 10, 20, 40]
    assert [wait.seconds / 60 for wait in waits[5:]] == [15, 30, 60, 120, 240, 480, 960, 1440, 1440]
    assert [wait.parked for wait in waits] == [False] * 5 + [True] * 9


def test_parked_within_minutes() -> None:
    assert sum(backoff(failures, 0.999).seconds for failures in range(5)) < 100


@given(st.integers(1, 10**9), st.floats(0, 1, exclude_max=True))
def test_jitter_only_lengthens(failures: int, unit: float) -> None:
    shortest = backoff(failures, 0.0)
    wait = backoff(failures, unit)
    assert shortest.seconds <= wait.seconds <= 1.25 * shortest.seconds <= 1.25 * PARK_MAX_SECONDS
    assert backoff(failures + 1, 0.0).seconds >= shortest.seconds
