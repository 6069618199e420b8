"""The end of a crawl is agreed on by workers that all rest at once."""

from __future__ import annotations

import pytest

from gossamer.app.supervisor.agreement import Agreement
from gossamer.core.ending import EndState, Wish, agreed_end

DONE = Wish(EndState.COMPLETE, fetched=True)
BOTH = frozenset({0, 1})


def resting() -> Agreement:
    agreement = Agreement(BOTH)
    assert not agreement.said(0, DONE, 1)
    assert agreement.said(1, DONE, 1)
    return agreement


def test_all_rest_and_say_so_twice() -> None:
    agreement = resting()
    assert agreement.confirmed(0, 1, DONE, 1) is None
    assert agreement.confirmed(1, 1, DONE, 1) is EndState.COMPLETE


@pytest.mark.parametrize(("wish", "turn"), [(None, 2), (DONE, 3)])
def test_who_had_work_in_between_makes_another_round_necessary(wish: Wish | None, turn: int) -> None:
    agreement = resting()
    assert agreement.confirmed(0, 1, DONE, 1) is None
    assert agreement.confirmed(1, 1, wish, turn) is None
    assert agreement.confirmed(0, 1, DONE, 1) is None
    agreement.said(1, None, 2)
    assert agreement.said(1, DONE, 3)
    assert agreement.confirmed(0, 1, DONE, 1) is None, "an answer to the round before"
    assert agreement.confirmed(0, 2, DONE, 1) is None
    assert agreement.confirmed(1, 2, DONE, 3) is EndState.COMPLETE


def test_an_order_in_between_counts_as_work() -> None:
    agreement = resting()
    assert agreement.confirmed(0, 1, DONE, 1) is None
    agreement.disturb()
    assert agreement.confirmed(1, 1, DONE, 1) is None
    assert agreement.again()
    assert agreement.round == 2


def test_a_lost_worker_has_work_again() -> None:
    agreement = resting()
    agreement.lost(1)
    assert agreement.confirmed(0, 1, DONE, 1) is None
    assert not agreement.again()


@pytest.mark.parametrize(
    ("wishes", "end"),
    [
        ([DONE, Wish(EndState.NOTHING_FETCHED)], EndState.COMPLETE),
        ([Wish(EndState.NOTHING_FETCHED), Wish(EndState.NOTHING_FETCHED)], EndState.NOTHING_FETCHED),
        ([DONE, Wish(EndState.NOTHING_FETCHED, queued=True)], EndState.STALLED),
        ([DONE, Wish(EndState.STALLED, queued=True, fetched=True)], EndState.STALLED),
        ([DONE, Wish(EndState.LIMIT, held=True, fetched=True)], EndState.LIMIT),
        ([DONE, Wish(EndState.LIMIT, queued=True, fetched=True, capped=True)], EndState.LIMIT),
        ([DONE, Wish(EndState.INTERRUPTED, at_once=True)], EndState.INTERRUPTED),
    ],
)
def test_what_all_have_makes_the_end(wishes: list[Wish], end: EndState) -> None:
    assert agreed_end(wishes) is end
    assert agreed_end(wishes[::-1]) is end
