"""A worker under bounds that are lent to it: what it may lease, when it asks, what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.core.budget.allotment import Loan, Need, Report
from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.flow.budget import Budget, Cap
from gossamer.flow.lending import SOON_LEASES, Borrower

NOW, BODY = 1000.0, 100


@dataclass
class Stage:
    """A budget, its borrower, and what was sent."""

    budget: Budget = field(default_factory=lambda: Budget(64, pages_max=500, bytes_max=100_000, pages=7, bytes=70))
    sent: list[tuple[Cap, Report]] = field(default_factory=list[tuple[Cap, Report]])

    def __post_init__(self) -> None:
        self.borrower = Borrower(self.budget, lambda cap, report: self.sent.append((cap, report)), BODY)

    def lend(self, pages: int | None, size: int | None, *, number: int = 1, is_final: bool = False) -> None:
        self.borrower.lent(Cap.PAGES, Loan(number, pages, is_final))
        self.borrower.lent(Cap.BYTES, Loan(number, size, is_final))
        self.borrower.lent(Cap.PUBLIC_PAGES, Loan(number, None, is_final=False))

    def leases(self) -> int:
        return self.budget.room(NOW).leases


def lease() -> Lease:
    return Lease(1, LeaseKind.PAGE, b"", "a.test", "test", "http://a.test/", ("192.0.2.1",), "192.0.2.1", NOW, BODY)


def test_before_the_first_loan_there_is_room_for_nothing() -> None:
    stage = Stage()
    assert stage.leases() == 0
    assert (Cap.PAGES, Report(7, 7, Need.NOW, 0)) in stage.sent
    assert not stage.budget.is_spent(NOW)


def test_each_need_is_said_once() -> None:
    stage = Stage()
    stage.lend(7 + SOON_LEASES - 1, None)
    assert [stage.leases() for _ in range(3)] == [SOON_LEASES - 1] * 3
    assert stage.sent == [(Cap.PAGES, Report(7, 7 + SOON_LEASES - 1, Need.SOON, 1))]
    for _ in range(SOON_LEASES - 1):
        stage.budget.reserve(lease())
    assert [stage.leases() for _ in range(3)] == [0] * 3
    assert [report.need for _, report in stage.sent] == [Need.SOON, Need.NOW]


def test_who_only_looks_asks_for_nothing() -> None:
    stage = Stage()
    assert stage.budget.room(NOW, wanted=False).leases == 0
    assert stage.sent == []


def test_a_body_is_not_begun_with_less_room_than_it_may_need() -> None:
    stage = Stage()
    stage.lend(500, 70 + 2 * BODY + BODY // 2)
    assert stage.leases() == 2
    stage.lend(500, 70 + BODY // 2, number=2)
    assert stage.leases() == 0
    stage.lend(500, 70 + BODY // 2, number=3, is_final=True)
    assert stage.budget.room(NOW).bytes == BODY // 2
    assert stage.leases() > 0


def test_what_is_neither_used_nor_out_is_given_back() -> None:
    stage = Stage()
    stage.lend(100, None)
    stage.budget.reserve(lease())
    stage.borrower.give_back(Cap.PAGES)
    assert stage.sent == [(Cap.PAGES, Report(7, 8, Need.NONE, 1))]
    assert stage.leases() == 0


def test_a_cap_is_spent_once_nothing_more_comes() -> None:
    stage = Stage()
    stage.lend(7, None)
    assert not stage.budget.is_spent(NOW)
    stage.lend(7, None, number=2, is_final=True)
    assert stage.budget.is_spent(NOW)
    stage.lend(8, None, number=3)
    assert not stage.budget.is_spent(NOW)


def test_who_rests_needs_nothing() -> None:
    stage = Stage()
    stage.lend(7, None)
    stage.leases()
    stage.borrower.rest()
    assert [report.need for _, report in stage.sent] == [Need.NOW, Need.NONE]
    stage.borrower.rest()
    assert len(stage.sent) == 2
