"""The plan reproduces the textbooks, and grows as it should."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.plan import DAY_SECONDS, Wish, bloom_bits, plan

BILLION = 1_000_000_000


def test_a_billion_pages_a_month() -> None:
    found = plan(Wish(pages=BILLION))
    assert round(found.pages_per_second) == 386
    assert 750 < found.peak_per_second < 800
    assert found.raw_per_period == pytest.approx(500e12)
    assert found.stored_per_period == pytest.approx(100e12)
    assert found.raw_kept == pytest.approx(30e15, rel=0.02)
    assert found.bandwidth == pytest.approx(1.5e9, rel=0.04)
    assert found.bandwidth_peak == pytest.approx(3e9, rel=0.04)


def test_what_a_period_brings_and_what_is_kept_agree() -> None:
    found = plan(Wish(pages=BILLION, years=1.0))
    assert found.raw_kept == pytest.approx(found.raw_per_year)
    assert found.raw_per_year == pytest.approx(found.raw_per_period * 365 / 30)
    assert found.stored_per_year == pytest.approx(found.stored_per_period * 365 / 30)


def test_sorted_runs_take_eight_bytes_a_url() -> None:
    assert plan(Wish(pages=BILLION, urls=10 * BILLION)).runs_bytes == 80e9


def test_machines_carry_the_peak() -> None:
    found = plan(Wish(pages=BILLION, page_cpu=0.01, cores=2))
    assert found.cores == pytest.approx(3.858, rel=0.001)
    assert found.cores_peak == pytest.approx(2 * found.cores)
    assert found.machines == 4
    assert plan(Wish(pages=BILLION, page_cpu=0.01, rendered=0.1, rendered_cpu=2.0)).machines == 81


def test_ten_billion_urls_seen_at_one_in_a_hundred() -> None:
    found = plan(Wish(pages=BILLION, urls=10 * BILLION))
    assert found.filter_bytes == pytest.approx(12e9, rel=0.01)


def test_fifteen_billion_pages_in_four_weeks() -> None:
    found = plan(Wish(pages=15 * BILLION, period=28 * DAY_SECONDS))
    assert found.pages_per_second == pytest.approx(6200, rel=0.001)
    assert found.stored_per_period == pytest.approx(1.5e15)


def test_hosts_that_must_be_ready_are_rate_times_gap() -> None:
    found = plan(Wish(pages=BILLION, gap=2.0, peak=2.0, hosts=1000))
    assert found.hosts_ready == math.ceil(BILLION / (30 * DAY_SECONDS) * 2 * 2)
    assert not found.hosts_enough


def test_the_largest_host_takes_its_pages_times_its_gap() -> None:
    found = plan(Wish(pages=BILLION, largest_host=0.01, gap=1.0))
    assert found.largest_host_seconds == pytest.approx(1e7)
    assert not found.largest_host_fits


@given(st.floats(0, 0.45), st.floats(0, 0.45))
def test_duplicates_and_recrawls_cost_fetches_never_pages(duplicates: float, recrawls: float) -> None:
    plain = plan(Wish(pages=BILLION))
    found = plan(Wish(pages=BILLION, duplicates=duplicates, recrawls=recrawls))
    assert found.pages_per_second == plain.pages_per_second
    assert found.fetches_per_second >= plain.fetches_per_second
    assert found.machines >= plain.machines


@given(st.floats(1e-6, 0.5))
def test_a_stricter_filter_is_larger(share: float) -> None:
    assert bloom_bits(share / 2) > bloom_bits(share) > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"pages": 0},
        {"duplicates": 1.5},
        {"duplicates": 0.6, "recrawls": 0.4},
        {"peak": 0.5},
        {"gap": -1.0},
        {"gap": math.nan},
        {"page_bytes": 0},
        {"false_positives": 0.0},
        {"urls": 0},
    ],
)
def test_what_makes_no_sense_is_refused_by_name(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        plan(Wish(**{"pages": BILLION, **wrong}))  # type: ignore[arg-type]
