"""How many URLs a memory of URL seen loses: taken for seen though they are new, and so never fetched.

Either mode loses some. Exact: two URLs whose prints, 64 bits, are the same. Bloom: false positives of the filter, which
begin near zero and reach 0.084 % of the new URLs when as many are known as were expected; averaged over a crawl that
ends there it is 0.012 %.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

BITS_PER_PRINT: Final = 16
"""Of the filter: two bytes a known URL."""
BLOCK_BITS: Final = 512
"""All bits of a print lie in one block, a cache line."""
PROBES: Final = 9
"""Bits of a print; the shifts in `seen.bloom` make as many."""
LAYER_GROWTH: Final = 2
"""A filter's next layer is so many times as large as the one that is full."""
_STEPS: Final = 64
"""Of the numerical integral over a layer's fill."""


def exact_losses(count: int) -> float:
    """Of `count` known URLs of one shard: pairs among n prints of 64 bits, n * n / 2**65."""
    return count * count / 2**65


def bloom_losses(count: int, expected: int) -> float:
    """Of `count` known URLs of one shard whose filter was made for `expected`."""
    lost, full_rate, capacity = 0.0, 0.0, expected
    while count > 0:
        here = min(count, capacity)
        lost += here * full_rate + capacity * _integral(here / capacity)
        full_rate += false_positives(1.0)
        count, capacity = count - here, capacity * LAYER_GROWTH
    return lost


@cache
def false_positives(fill: float) -> float:
    """Share of false positives of a blocked filter at that fill (1: as designed); Putze, Sanders, Singler 2007."""
    mean = fill * BLOCK_BITS / BITS_PER_PRINT
    if mean <= 0:
        return 0.0
    share, chance, most = 0.0, math.exp(-mean), int(mean + 12 * math.sqrt(mean) + 12)
    for prints in range(most):
        share += chance * (1 - (1 - 1 / BLOCK_BITS) ** (PROBES * prints)) ** PROBES
        chance *= mean / (prints + 1)
    return share


def _integral(fill: float) -> float:
    """Of `false_positives` from 0 to `fill`, by the trapezoid rule."""
    points = [false_positives(fill * step / _STEPS) for step in range(_STEPS + 1)]
    return fill / _STEPS * (sum(points) - (points[0] + points[-1]) / 2)
