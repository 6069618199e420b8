"""Chance from the operating system."""

from __future__ import annotations

import os
import random


class SystemEntropy:
    """Draws from a generator seeded by the system; `bytes` straight from the system."""

    def __init__(self) -> None:
        self._random = random.Random(os.urandom(16))

    def unit(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def bytes(self, count: int) -> bytes:
        """That many random bytes, fit for keys."""
        return os.urandom(count)
