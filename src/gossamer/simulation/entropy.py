"""Chance from one number: independent streams by name, so that one more draw here does not shift the draws there."""

from __future__ import annotations

import random


class SimEntropy:
    """The port `entropy` for a simulation; also hands out its named streams."""

    def __init__(self, simulation_seed: int, name: str = "") -> None:
        self._seed = simulation_seed
        self._name = name
        # A string seeds by SHA-512: the same draws in every process, whatever PYTHONHASHSEED.
        self._random = random.Random(f"{simulation_seed}/{name}")

    def unit(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def bytes(self, count: int) -> bytes:
        """That many bytes."""
        return self._random.randbytes(count)

    def stream(self, name: str) -> SimEntropy:
        """The independent stream of that name; asked twice, it starts again from its beginning."""
        return SimEntropy(self._seed, f"{self._name}/{name}")

    def dice(self) -> random.Random:
        """This stream as a `random.Random`, for choices and shuffles."""
        return self._random
