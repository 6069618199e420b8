from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.politeness.gap import Gap, GapPolicy, gap_seconds


@pytest.mark.parametrize(
    ("minimum", "responses", "delay", "gap"),
    [
        (1.0, [], None, Gap(1.0, "minimum")),
        (1.0, [0.1, 0.1], None, Gap(1.0, "minimum")),
        (1.0, [0.5], None, Gap(2.5, "response times")),
        (1.0, [0.1, 9.0, 0.5], None, Gap(2.5, "response times")),  # the median, not the mean
        (1.0, [9.0, 9.0, *[0.1] * 10], None, Gap(1.0, "minimum")),  # only the last ten
        (1.0, [100.0], None, Gap(30.0, "response times")),
        (1.0, [0.5], 10.0, Gap(10.0, "crawl-delay")),
        (1.0, [], 0.0, Gap(1.0, "minimum")),  # a tiny Crawl-delay does not lower the minimum
        (1.0, [], 3600.0, Gap(60.0, "crawl-delay")),
        (5.0, [0.5], 3.0, Gap(5.0, "minimum")),
        (0.0, [0.5], None, Gap(0.0, "minimum")),  # under a second the multiple is off
        (0.9, [100.0], None, Gap(0.9, "minimum")),
        (0.0, [0.5], 2.0, Gap(2.0, "crawl-delay")),  # and Crawl-delay still counts
    ],
)
def test_the_largest_counts(minimum: float, responses: list[float], delay: float | None, gap: Gap) -> None:
    assert gap_seconds(GapPolicy(minimum), responses, delay) == gap


@given(st.floats(0, 100), st.lists(st.floats(0, 1000)), st.none() | st.floats(0, 1e6))
def test_never_below_the_minimum_or_what_is_asked(minimum: float, responses: list[float], delay: float | None) -> None:
    gap = gap_seconds(GapPolicy(minimum), responses, delay)
    assert gap.seconds >= max(minimum, min(delay or 0.0, 60.0))
    assert gap.seconds <= max(minimum, 60.0)
