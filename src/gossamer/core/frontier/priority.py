"""Which front queue of its host a URL enters: a pure function of how it was found."""

from __future__ import annotations

from typing import Final

from gossamer.core.frontier.records import LEVELS

DEPTH_LEVELS: Final = (0, 1, 2, 2, 3, 3, 3)
"""Depth -> level; deeper URLs enter the last queue. Seeds first, then what they name, then breadth."""

LEVEL_WEIGHTS: Final = (16, 8, 4, 2, 1)
"""Weight of each level in the biased draw (Mercator's front queues): level 4 is chosen once in 31 draws on average, or
more often where others are empty, so nothing starves."""


def level_of(depth: int, *, ranked_low: bool = False) -> int:
    """The level (0 first) of a URL found `depth` links from a seed; sponsored and user-made links rank last."""
    if ranked_low:
        return LEVELS - 1
    return DEPTH_LEVELS[depth] if depth < len(DEPTH_LEVELS) else LEVELS - 1


def draw_level(weights: list[int], chance: float) -> int:
    """The index drawn with probability in proportion to `weights`; -1 when all are 0. `chance` is in [0, 1)."""
    total = sum(weights)
    if total == 0:
        return -1
    mark = chance * total
    for index, weight in enumerate(weights):
        mark -= weight
        if mark < 0:
            return index
    return max(index for index, weight in enumerate(weights) if weight)
