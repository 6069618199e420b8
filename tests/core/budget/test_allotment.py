"""Caps lent to several workers: never more in all, never less in the end, however messages cross."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.budget.allotment import Allotment, Loan, Need, Report


def opened(most: int | None, *used: int, block: int = 8, least: int = 1) -> Allotment:
    allotment = Allotment(most, block, least)
    for worker, units in enumerate(used):
        allotment.reopened(worker, units)
    return allotment


def test_without_a_cap_nobody_is_bound() -> None:
    allotment = opened(None, 3, 4)
    assert {worker: loan.bound for worker, loan in allotment.loans().items()} == {0: None, 1: None}
    assert allotment.loans() == {}
    assert not allotment.is_spent


def test_a_block_is_lent_to_who_asks() -> None:
    allotment = opened(100, 0, 0)
    allotment.loans()
    allotment.report(0, Report(0, 0, Need.SOON, 1))
    assert allotment.loans() == {0: Loan(2, 8, is_final=False)}


def test_a_report_that_crossed_a_loan_says_nothing_about_bounds() -> None:
    allotment = opened(100, 0, 0)
    allotment.loans()
    allotment.report(0, Report(0, 0, Need.NOW, 1))
    (loan,) = allotment.loans().values()
    allotment.report(0, Report(0, 0, Need.NOW, 1))
    assert allotment.free == 100 - (loan.bound or 0)


def test_the_last_units_are_called_back_for_who_waits() -> None:
    allotment = opened(4, 0, 0, block=4)
    allotment.loans()
    for turn in range(1, 5):
        allotment.report(0, Report(0, turn - 1, Need.NOW, turn))
        allotment.loans()
    assert allotment.free == 0
    allotment.report(1, Report(0, 0, Need.NOW, 1))
    assert (allotment.loans(), allotment.recalls()) == ({}, [0])
    allotment.report(0, Report(0, 1, Need.NONE, 5))
    assert allotment.loans() == {1: Loan(2, 1, is_final=False)}


def test_a_worker_that_comes_back_goes_on_under_its_bound() -> None:
    allotment = opened(10, 0, 0)
    allotment.loans()
    allotment.report(0, Report(0, 0, Need.NOW, 1))
    bound = allotment.loans()[0].bound
    allotment.reopened(0, 1)
    assert allotment.loans()[0].bound == bound


def test_a_rest_too_small_for_a_body_goes_to_one_and_is_said_to_be_the_last() -> None:
    allotment = opened(15, 0, 0, block=20, least=10)
    allotment.loans()
    allotment.report(0, Report(0, 0, Need.NOW, 1))
    assert allotment.loans()[0] == Loan(2, 10, is_final=False)
    allotment.report(0, Report(9, 10, Need.NOW, 2))
    assert allotment.loans() == {0: Loan(3, 15, is_final=True)}


def test_a_cap_that_comes_later_waits_until_all_have_said_how_far_they_are() -> None:
    allotment = opened(None, 0, 0)
    allotment.loans()
    assert allotment.adopt(10) == [0, 1]
    allotment.report(0, Report(4, 4, Need.NONE, 1))
    assert allotment.loans() == {}
    allotment.report(1, Report(6, 6, Need.NONE, 1))
    assert {worker: (loan.bound, loan.is_final) for worker, loan in allotment.loans().items()} == {
        0: (4, True),
        1: (6, True),
    }


@dataclass
class Actor:
    """A worker with `wants` units to use, on a line that delivers in order and late."""

    wants: int
    used: int = 0
    out: int = 0
    bound: int = 0
    loan: int = 0
    said: Need = Need.NONE
    is_final: bool = False
    to: deque[Loan | None] = field(default_factory=deque[Loan | None])
    """Loans, and None for a recall."""
    back: deque[Report] = field(default_factory=deque[Report])

    def report(self) -> None:
        self.back.append(Report(self.used, self.bound, self.said, self.loan))

    def work(self, *, counts: bool) -> None:
        """Begin or end one thing; it counts or not."""
        if self.out:
            self.out -= 1
            self.used += counts
            self.wants -= counts
        elif self.wants:
            if self.bound > self.used + self.out:
                self.out += 1
            elif not self.is_final and self.said is not Need.NOW:
                self.said = Need.NOW
                self.report()

    def hear(self) -> None:
        message = self.to.popleft()
        if message is None:
            self.bound = self.used + self.out
            self.report()
        else:
            assert message.bound is not None
            self.bound, self.loan, self.said = message.bound, message.number, Need.NONE
            self.is_final = message.is_final


@given(st.integers(0, 30), st.lists(st.integers(0, 30), min_size=1, max_size=4), st.randoms(use_true_random=False))
@pytest.mark.parametrize("block", [1, 4, 100])
def test_a_cap_is_used_up_exactly(block: int, most: int, wants: list[int], chance: object) -> None:
    import random

    assert isinstance(chance, random.Random)
    actors = [Actor(units) for units in wants]
    allotment = opened(most, *(0 for _ in actors), block=block)
    for _ in range(5000):
        for worker, loan in allotment.loans().items():
            actors[worker].to.append(loan)
        if chance.random() < 0.2:
            for worker in allotment.recalls():
                actors[worker].to.append(None)
        number = chance.randrange(len(actors))
        actor = actors[number]
        act = chance.choice(("work", "hear", "report"))
        if act == "work":
            actor.work(counts=chance.random() < 0.8)
        elif act == "hear" and actor.to:
            actor.hear()
        elif act == "report" and actor.back:
            allotment.report(number, actor.back.popleft())
        assert sum(each.used + each.out for each in actors) <= most
        if all(not each.wants and not each.out for each in actors) or allotment.is_spent:
            break
    assert sum(each.used for each in actors) == min(most, sum(wants))
