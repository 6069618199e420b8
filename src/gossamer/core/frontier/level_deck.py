"""Which level is served first, by biased chance with a bound: cards are drawn without being put back.

A deck has as many cards of each level as the level has weight. A level of weight w is therefore first w times in every
deck, at random moments within it: between two of its turns lie at most two decks less two cards. Drawing anew each time
(Mercator's front queues) has the same shares and no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final


class LevelDeck:
    """A deck that is made anew when it is used up."""

    def __init__(self, weights: Sequence[int]) -> None:
        """`weights` of the levels, each at least 1."""
        self._all: Final = tuple(level for level, weight in enumerate(weights) for _ in range(weight))
        self._cards: list[int] = []

    @property
    def size(self) -> int:
        """Cards of a full deck."""
        return len(self._all)

    def draw(self, chance: float) -> int:
        """The level to be served first; `chance` is in [0, 1)."""
        if not self._cards:
            self._cards = list(self._all)
        index = int(chance * len(self._cards))
        self._cards[index], self._cards[-1] = self._cards[-1], self._cards[index]
        return self._cards.pop()
