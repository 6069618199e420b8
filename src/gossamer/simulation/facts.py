"""The log's stand-in: counts facts by class and keeps the newest."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gossamer.core.facts import Fact

KEPT: Final = 10_000


@dataclass(slots=True)
class MemoryFacts:
    """The port `facts` in memory: what was noted is flushed at once."""

    counts: Counter[str] = field(default_factory=Counter[str])
    newest: deque[tuple[float, Fact]] = field(default_factory=lambda: deque(maxlen=KEPT))
    waiting: bool = False

    def note(self, fact: Fact, at: float) -> None:
        """See the port."""
        self.counts[type(fact).__name__] += 1
        self.newest.append((at, fact))

    def flush(self) -> None:
        """See the port."""
