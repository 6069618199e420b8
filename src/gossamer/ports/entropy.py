"""Port: chance."""

from __future__ import annotations

from typing import Protocol


class Entropy(Protocol):
    """Uniform draws. The real one is seeded by the system, a simulation's by its number."""

    def unit(self) -> float:
        """A number in [0, 1)."""
        ...

    def bytes(self, count: int) -> bytes:
        """That many random bytes."""
        ...
