"""Port: whoever wants to hear what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.facts import Fact


class FactLog(Protocol):
    """Takes facts. Noting is cheap and never waits; a log that cannot keep up drops facts and says how many."""

    @property
    def waiting(self) -> bool:
        """Whether `flush` has something to do."""
        ...

    def note(self, fact: Fact, at: float) -> None:
        """A fact happened `at` (seconds since the epoch). On the event loop."""
        ...

    def flush(self) -> None:
        """Write what was noted. On a thread, with the commit; never raises because of a disk that is full."""
        ...


class Unheard:
    """Nobody listens."""

    waiting = False

    def note(self, fact: Fact, at: float) -> None:
        """See the port."""

    def flush(self) -> None:
        """See the port."""
