"""A cap of the whole crawl lent to its workers in blocks, so that all of them together never exceed it by one.

Each worker has a *bound* on what its own shards may ever have used; the bounds add up to the cap at most. Bounds are
absolute, so a worker that dies and comes back goes on under its bound, and nothing of it is lost or lent twice. A
worker that could use more asks; where nothing is free, the others are asked to lower their bounds to what they have
used and have out, for the last units of a cap must not lie idle with one while another could use them. The cap is
*spent* when every worker has used its bound up and nothing is free.

Reports and loans cross on their way. So every loan has a number, a report names the last loan that it knows of, and one
that knows of an older loan than was made says nothing about bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import msgspec


class Need(IntEnum):
    """How much a worker wants more."""

    NONE = 0
    SOON = 1
    """It has some left; a block that is free would save it a wait."""
    NOW = 2
    """It waits."""


class Report(msgspec.Struct, frozen=True):
    """What a worker says of one cap. `loan`: the number of the last loan it knows of, 0 before the first."""

    used: int
    bound: int
    need: Need = Need.NONE
    loan: int = 0


class Loan(msgspec.Struct, frozen=True):
    """What a worker is told. `bound`: None where there is no cap."""

    number: int
    bound: int | None
    is_final: bool
    """It may be used to the last unit, for nothing will be added to it as things stand."""


@dataclass(slots=True)
class _Account:
    """How one worker stands."""

    used: int = 0
    bound: int = 0
    need: Need = Need.NONE
    told: Loan | None = None
    is_known: bool = True
    """False after a cap was set where there was none, until the worker has said how far it is."""


@dataclass(slots=True)
class Allotment:
    """One cap. `least`: units without which a worker begins nothing as long as more may come."""

    most: int | None
    block: int
    least: int = 1
    _accounts: dict[int, _Account] = field(default_factory=dict[int, _Account])

    def report(self, worker: int, report: Report) -> None:
        """A worker says how it stands. It may lower its bound, and never raises it."""
        account = self._accounts.setdefault(worker, _Account(bound=report.bound))
        account.used = report.used
        if not account.is_known:
            account.bound, account.is_known = report.bound, True
        if report.loan == (account.told.number if account.told is not None else 0):
            account.bound = min(account.bound, report.bound)
            account.need = report.need
            if account.told is not None and account.told.bound is not None:
                account.told = Loan(account.told.number, account.bound, account.told.is_final)

    def reopened(self, worker: int, used: int) -> None:
        """A worker was started (again); `used` is durable. A bound that it was given before stays."""
        account = self._accounts.setdefault(worker, _Account(bound=used))
        if not account.is_known or self.most is None:
            account.bound, account.is_known = used, True
        account.used, account.need, account.told = used, Need.NONE, None

    def adopt(self, most: int | None) -> list[int]:
        """Another cap is in force; the workers that have to say how far they are."""
        if self.most is None and most is not None:
            for account in self._accounts.values():
                account.is_known = False
        self.most = most
        return [worker for worker, account in self._accounts.items() if not account.is_known]

    @property
    def free(self) -> int:
        """Units that no bound covers; below zero where the cap was lowered."""
        return (self.most or 0) - sum(account.bound for account in self._accounts.values())

    @property
    def is_spent(self) -> bool:
        """Whether the cap is used up, with nothing out that could still leave a unit over."""
        return self.most is not None and self.free <= 0 and self._all_used()

    def loans(self) -> dict[int, Loan]:
        """What has to be told to workers now, those that wait first; each news once."""
        if not all(account.is_known for account in self._accounts.values()):
            return {}
        for need in (Need.NOW, Need.SOON):
            for account in self._accounts.values():
                if account.need is need and self.most is not None:
                    self._lend(account)
        news: dict[int, Loan] = {}
        for worker, account in self._accounts.items():
            bound = account.bound if self.most is not None else None
            is_final = self.is_spent or (self.most is not None and self._is_last(account))
            told = account.told
            if told is None or (told.bound, told.is_final) != (bound, is_final):
                number = told.number + 1 if told is not None else 1
                account.told = news[worker] = Loan(number, bound, is_final)
        return news

    def recalls(self) -> list[int]:
        """The workers that should lower their bounds: somebody waits, and they may have more than they need."""
        if self.most is None or self.is_spent:
            return []
        waits = any(account.need is Need.NOW for account in self._accounts.values())
        # Also those that wait: what they have used up since they said so is known only from what they say now.
        return [w for w, account in self._accounts.items() if account.bound > account.used and (waits or self.free < 0)]

    def _lend(self, account: _Account) -> None:
        free = self.free
        if free <= 0:
            return
        if free < self.least and (account.need is not Need.NOW or not self._all_used(but=account)):
            # A rest of less than is usually begun with goes to one worker, once nothing is out that could add to it.
            return
        account.bound += min(free, max(self.least, min(self.block, free // (2 * len(self._accounts)))))
        account.need = Need.NONE

    def _is_last(self, account: _Account) -> bool:
        """Whether a bound leaves less than is usually begun with, and there is nothing to add to it."""
        return 0 < account.bound - account.used < self.least and self.free <= 0 and self._all_used(but=account)

    def _all_used(self, *, but: _Account | None = None) -> bool:
        return all(each.used >= each.bound for each in self._accounts.values() if each is not but)
