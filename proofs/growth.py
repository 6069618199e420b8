"""A shard of a hundred million known URLs is hardly dearer than one of a million: each step, memory, opening.

The measurement of bench/frontier.py with its bounds: from 1 to 100 million known URLs no step grows more than twofold
in the mean and fourfold in its 99th percentile, memory stays under 3 GB, the folder opens in 5 seconds, and a queue is
as fast after 100,000 deletions at its head as before.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.frontier import SECONDS, SIZES, compare

SIZES_QUICK = (100_000, 1_000_000)
SECONDS_QUICK = 6.0


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-growth-") as name:
        return compare(Path(name), SIZES_QUICK if quick else SIZES, SECONDS_QUICK if quick else SECONDS)
