"""Levels by depth, and the biased draw: in proportion, decided by its chance alone, starving nobody."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.priority import LEVEL_WEIGHTS, draw_level, level_of
from gossamer.core.frontier.records import LAST, LEVELS

WEIGHTS = st.lists(st.integers(0, 50), min_size=1, max_size=8)
CHANCE = st.floats(0, 1, exclude_max=True)


@pytest.mark.parametrize(
    ("depth", "level"), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 3), (7, 4), (8, 4), (1000, 4)]
)
def test_level_of_a_depth(depth: int, level: int) -> None:
    assert level_of(depth) == level
    assert level_of(depth, ranked_low=True) == LAST


def test_deeper_is_never_more_important() -> None:
    levels = [level_of(depth) for depth in range(50)]
    assert levels == sorted(levels)


@pytest.mark.parametrize(
    ("weights", "chance", "drawn"),
    [
        ([], 0.5, -1),
        ([0, 0], 0.5, -1),
        ([1], 0.0, 0),
        ([1], 0.999, 0),
        ([0, 1], 0.0, 1),
        ([1, 0], 0.999999, 0),
        ([16, 8, 4, 2, 1], 0.0, 0),
        ([16, 8, 4, 2, 1], 15.9 / 31, 0),
        ([16, 8, 4, 2, 1], 16.1 / 31, 1),
        ([16, 8, 4, 2, 1], 29.9 / 31, 3),
        ([16, 8, 4, 2, 1], 30.1 / 31, 4),
        ([0, 0, 0, 0, 1], 0.0, 4),
    ],
)
def test_draw(weights: list[int], chance: float, drawn: int) -> None:
    assert draw_level(weights, chance) == drawn


@given(WEIGHTS, CHANCE)
def test_only_what_has_weight_is_drawn(weights: list[int], chance: float) -> None:
    drawn = draw_level(weights, chance)
    assert (drawn == -1) == (sum(weights) == 0)
    assert drawn == -1 or weights[drawn] > 0


@given(WEIGHTS, st.tuples(CHANCE, CHANCE))
def test_greater_chance_draws_no_earlier(weights: list[int], chances: tuple[float, float]) -> None:
    low, high = sorted(chances)
    assert draw_level(weights, low) <= draw_level(weights, high)


def test_evenly_spread_chances_draw_in_exact_proportion() -> None:
    total = sum(LEVEL_WEIGHTS)
    drawn = Counter(draw_level(list(LEVEL_WEIGHTS), (index + 0.5) / total) for index in range(total))
    assert [drawn[level] for level in range(LEVELS)] == list(LEVEL_WEIGHTS)


def test_the_last_level_does_not_starve() -> None:
    # 300 draws without level 4 have a probability of (30/31)**300, about one in 19,000; a fixed sequence decides.
    chance = random.Random(1).random
    waits, wait = [], 0
    for _ in range(20_000):
        wait += 1
        if draw_level(list(LEVEL_WEIGHTS), chance()) == LEVELS - 1:
            waits.append(wait)
            wait = 0
    assert max(waits) < 400
    assert 25 < sum(waits) / len(waits) < 37
