"""What one of several workers may use of the crawl's caps: bounds that are lent to it, raised and called back.

See `core/budget/allotment.py` for the other side. A worker asks when it runs short, once for each need, and says so
again only when it has been answered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.budget.allotment import Loan, Need, Report
from gossamer.core.frontier.leasing import Room
from gossamer.flow.budget import Budget, Cap

SOON_LEASES: Final = 16
"""With room for fewer leases than this a block is asked for ahead: an answer takes milliseconds."""


@dataclass(slots=True)
class Borrower:
    """The port of `Budget` to whoever lends; `send` carries reports there."""

    budget: Budget
    send: Callable[[Cap, Report], None]
    body_bytes: int
    """Bytes that a body may have: with less room than this nothing is begun while more may come, so that no body is cut
    short for want of a block."""
    _loans: dict[Cap, int] = field(default_factory=dict[Cap, int])
    _final: set[Cap] = field(default_factory=set[Cap])
    _said: dict[Cap, Need] = field(default_factory=dict[Cap, Need])

    def __post_init__(self) -> None:
        self.budget.lender = self
        for cap in Cap:
            # Until the first loan there is room for nothing.
            self.budget.set_bound(cap, self.budget.used(cap))

    def fit(self, room: Room) -> Room:
        """See `Lender`."""
        budget = self.budget
        for cap in (Cap.PAGES, Cap.PUBLIC_PAGES):
            bound = budget.bound(cap)
            if bound is not None and cap not in self._final:
                left = bound - budget.used(cap) - budget.pages_reserved
                if left < SOON_LEASES:
                    self._ask(cap, Need.SOON if left > 0 else Need.NOW)
        if room.bytes is not None and Cap.BYTES not in self._final:
            bodies = max(0, room.bytes) // self.body_bytes
            room.leases = min(room.leases, bodies)
            if bodies < SOON_LEASES:
                self._ask(Cap.BYTES, Need.SOON if bodies else Need.NOW)
        return room

    def is_final(self, cap: Cap) -> bool:
        """See `Lender`."""
        return cap in self._final

    def lent(self, cap: Cap, loan: Loan) -> None:
        """A loan has come."""
        self._loans[cap] = loan.number
        self._said[cap] = Need.NONE
        self.budget.set_bound(cap, loan.bound)
        if loan.is_final:
            self._final.add(cap)
        else:
            self._final.discard(cap)

    def give_back(self, cap: Cap) -> None:
        """What is not used or out is called back."""
        self.budget.set_bound(cap, self.budget.used(cap) + self.budget.reserved(cap))
        self._report(cap)

    def rest(self) -> None:
        """There is nothing to do: what was asked for is not needed any more."""
        for cap, need in self._said.items():
            if need is not Need.NONE:
                self._said[cap] = Need.NONE
                self._report(cap)

    def _ask(self, cap: Cap, need: Need) -> None:
        if need > self._said.get(cap, Need.NONE):
            self._said[cap] = need
            self._report(cap)

    def _report(self, cap: Cap) -> None:
        budget = self.budget
        used, bound = budget.used(cap), budget.bound(cap)
        need = self._said.get(cap, Need.NONE)
        self.send(cap, Report(used, used if bound is None else bound, need, self._loans.get(cap, 0)))
