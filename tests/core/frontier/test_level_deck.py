"""Drawing levels with a bound: no level waits for more than two decks, and none has less than its share."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.level_deck import LevelDeck
from gossamer.core.frontier.priority import LEVEL_WEIGHTS

CHANCE = st.floats(0.0, 1.0, exclude_max=True)


@given(st.lists(CHANCE, min_size=5 * sum(LEVEL_WEIGHTS), max_size=5 * sum(LEVEL_WEIGHTS)))
def test_every_level_has_its_turns_within_a_bound(chances: list[float]) -> None:
    deck = LevelDeck(LEVEL_WEIGHTS)
    drawn = [deck.draw(chance) for chance in chances]
    for begin in range(0, len(drawn), deck.size):
        assert Counter(drawn[begin : begin + deck.size]) == Counter(dict(enumerate(LEVEL_WEIGHTS)))
    for level, weight in enumerate(LEVEL_WEIGHTS):
        turns = [-1, *(index for index, each in enumerate(drawn) if each == level), len(drawn)]
        longest = max(after - before for before, after in pairwise(turns))
        assert longest <= 2 * (deck.size - weight) + 1


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999999])
def test_a_deck_is_used_up_before_it_is_made_anew(chance: float) -> None:
    deck = LevelDeck((2, 1))
    assert sorted(deck.draw(chance) for _ in range(3)) == [0, 0, 1]
    assert sorted(deck.draw(chance) for _ in range(3)) == [0, 0, 1]
