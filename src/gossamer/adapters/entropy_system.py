"""Chance from the operating system."""

from __future__ import annotations

import os
import random
from typing import Final

_DRAWN_BYTES: Final = 4096
"""Taken from the system at once: a call costs what four kilobytes do."""


class SystemEntropy:
    """Draws from a generator seeded by the system; `bytes` straight from the system. One process only: not to fork."""

    def __init__(self) -> None:
        self._random = random.Random(os.urandom(16))
        self._drawn = b""
        self._used = 0

    def unit(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def bytes(self, count: int) -> bytes:
        """That many random bytes, fit for keys."""
        end = self._used + count
        if end > len(self._drawn):
            self._drawn = os.urandom(max(_DRAWN_BYTES, count))
            self._used, end = 0, count
        found = self._drawn[self._used : end]
        self._used = end
        return found
