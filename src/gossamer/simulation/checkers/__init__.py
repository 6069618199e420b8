"""What must hold in every simulated crawl, judged from outside: by the servers' log and what lies on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from gossamer.simulation.checkers import (
    accounting,
    budgets,
    captures,
    fates,
    gap,
    nothing_lost,
    nothing_twice,
    one_at_a_time,
    pauses,
    permission,
    starvation,
)

if TYPE_CHECKING:
    from gossamer.simulation.checkers.evidence import Evidence


class Checker(Protocol):
    """A module of this folder, or anything like it."""

    def check(self, evidence: Evidence) -> list[str]:
        """What does not hold, in words that begin with the checker's name."""
        ...


CHECKERS: Final[tuple[Checker, ...]] = (
    gap,
    one_at_a_time,
    permission,
    nothing_lost,
    nothing_twice,
    fates,
    accounting,
    captures,
    budgets,
    pauses,
    starvation,
)
"""All of them, in the order in which their problems are told."""
