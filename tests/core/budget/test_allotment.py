"""A limit lent in blocks: never exceeded, nothing lost, and no unit idle that somebody could use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.budget.allotment import Allotment

MOVES = st.lists(
    st.tuples(
        st.sampled_from(("borrow", "spend", "give back", "lost", "limit")), st.integers(0, 3), st.integers(0, 40)
    ),
    max_size=60,
)


@given(st.integers(0, 100), MOVES)
def test_units_are_spent_lent_or_free_and_never_more_than_the_limit(
    most: int, moves: list[tuple[str, int, int]]
) -> None:
    allotment = Allotment(most)
    highest = most
    for move, worker, units in moves:
        has = allotment.lent.get(worker, 0)
        if move == "borrow":
            free = allotment.free
            assert allotment.borrow(worker, units, 16) == min(units, 16, free)
        elif move == "spend":
            allotment.spend(worker, min(units, has))
        elif move == "give back":
            allotment.give_back(worker, min(units, has))
        elif move == "lost":
            allotment.lost(worker, min(units, has))
        else:
            allotment.most = units
            highest = max(highest, units)
        assert allotment.spent + sum(allotment.lent.values()) <= highest
        assert all(units > 0 for units in allotment.lent.values())


def test_only_what_can_be_used_now_is_lent_so_the_last_units_find_their_worker() -> None:
    allotment = Allotment(10)
    assert allotment.borrow(1, wanted=3, block=64) == 3
    assert allotment.borrow(2, wanted=20, block=64) == 7
    assert allotment.borrow(1, wanted=1, block=64) == 0
    allotment.give_back(2, 4)
    assert allotment.borrow(1, wanted=9, block=64) == 4
    allotment.spend(1, 7)
    allotment.spend(2, 3)
    assert (allotment.spent, allotment.free, allotment.lent) == (10, 0, {})


def test_nobody_spends_what_he_has_not() -> None:
    allotment = Allotment(10)
    allotment.borrow(1, 2, 2)
    with pytest.raises(ValueError, match="worker 1 has 2 units, not 3; borrow first"):
        allotment.spend(1, 3)
