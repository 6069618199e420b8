"""How long a host is left alone after failures in a row, and when it counts as dead for now.

A ladder: 5 s, doubled with each failure. The fifth in a row parks the host: its URLs stay queued with the reason, and
it is tried again after 15 minutes, then after twice as long each time, up to a day. Five steps take minutes (75 s of
waiting and the time-outs), so a dead host costs five fetches and no more; one success starts the ladder anew.

A name that does not exist is parked by its second look-up: `first` says from which failure on a host is parked.

With a patience of seven days that makes 16 tries: five in the first minutes, six in the first day, then one a day.

Jitter lengthens a wait by up to a quarter, never shortens it, so that hosts that fell together do not return together.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from gossamer.core.limits import (
    BACKOFF_FIRST_SECONDS,
    HOST_FAILURES_PARKED,
    PARK_FIRST_SECONDS,
    PARK_MAX_SECONDS,
)

JITTER_SHARE: Final = 0.25


class Backoff(NamedTuple):
    """How long to leave a host alone, and whether it is parked meanwhile."""

    seconds: float
    parked: bool


def backoff(failures: int, unit: float, first_parked: int = HOST_FAILURES_PARKED) -> Backoff:
    """The wait after `failures` in a row, parked from the failure `first_parked` on.

    `unit`: a draw from [0, 1). No failure, no wait.
    """
    if failures <= 0:
        return Backoff(0.0, parked=False)
    parked = failures >= first_parked
    first = PARK_FIRST_SECONDS if parked else BACKOFF_FIRST_SECONDS
    # Beyond 32 doublings every wait is the longest; the exponent is kept small so that it cannot overflow.
    doublings = min(failures - (first_parked if parked else 1), 32)
    seconds = min(first * 2.0**doublings, PARK_MAX_SECONDS)
    return Backoff(seconds * (1.0 + JITTER_SHARE * unit), parked)
