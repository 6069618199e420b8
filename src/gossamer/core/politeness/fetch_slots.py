"""Who may hold a worker's fetch slots: slow hosts only so many together, so that a crowd of them cannot stop the crawl.

A host is *slow* when the median of its last response times, or its last exchange that failed, took longer than
`SLOW_HOST_SECONDS`; a host that has answered nothing yet is *unproven*; any other is *fast*. Of N slots slow hosts hold
at most the slow share together, and slow and unproven ones at most what the same share leaves: it is always there for
hosts that are known to answer. A fetch that has been out for longer than the bound counts as slow whatever its host was
(it keeps the slot that it has). So the worst that a thousand dripping hosts can do is to fill the slow share.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import IntEnum
from typing import Final

from gossamer.core.limits import SLOW_HOST_SECONDS, SLOW_SHARE
from gossamer.core.politeness.gap import middle_of


class Pace(IntEnum):
    """How a host has answered so far."""

    FAST = 0
    UNPROVEN = 1
    SLOW = 2


LINES: Final = (Pace.UNPROVEN, Pace.SLOW)
"""Paces that may have to stand in line for a slot."""


def pace_of(response_seconds: list[float], failed_seconds: float) -> Pace:
    """The pace of a host with these response times; `failed_seconds`: how long its last exchange took, if it failed."""
    if failed_seconds > SLOW_HOST_SECONDS:
        return Pace.SLOW
    if not response_seconds:
        return Pace.UNPROVEN
    if max(response_seconds) <= SLOW_HOST_SECONDS:
        return Pace.FAST
    return Pace.SLOW if middle_of(response_seconds) > SLOW_HOST_SECONDS else Pace.FAST


class FetchSlots:
    """Counts fetches under way by pace. The time is an argument and never goes backwards."""

    def __init__(self, slots: int, share: float = SLOW_SHARE) -> None:
        """`slots` of the worker; `share` of them that slow hosts may hold together."""
        self._share: Final = share
        self._slots = slots
        self._counts: Final = [0, 0, 0]
        self._paces: Final[dict[int, Pace]] = {}
        self._young: Final[OrderedDict[int, float]] = OrderedDict()
        """Fetches not known to be slow -> their start, oldest first."""
        self._last = 0

    def limit(self, slots: int) -> None:
        """Another number of slots is in force."""
        self._slots = slots

    @property
    def slow_max(self) -> int:
        """Slots that slow hosts may hold together: at least one."""
        return max(1, int(self._slots * self._share))

    def free(self, pace: Pace, now: float) -> int:
        """How many more hosts of this pace may begin a fetch now; 0 where they must wait."""
        self._age(now)
        if pace is Pace.FAST:
            return self._slots
        unsure = self._counts[Pace.UNPROVEN] + self._counts[Pace.SLOW]
        left = max(1, self._slots - int(self._slots * self._share)) - unsure
        if pace is Pace.SLOW:
            left = min(left, self.slow_max - self._counts[Pace.SLOW])
        return max(0, left)

    def holding(self, pace: Pace) -> int:
        """Slots that hosts of this pace hold."""
        return self._counts[pace]

    def started(self, pace: Pace, now: float) -> int:
        """A fetch has started; its number, for `ended`."""
        self._last += 1
        self._paces[self._last] = pace
        self._counts[pace] += 1
        if pace is not Pace.SLOW:
            self._young[self._last] = now
        return self._last

    def ended(self, number: int) -> None:
        """The fetch has ended, however it went."""
        self._counts[self._paces.pop(number)] -= 1
        self._young.pop(number, None)

    def _age(self, now: float) -> None:
        """Fetches that have been out for long are slow ones."""
        young = self._young
        while young and now - young[number := next(iter(young))] > SLOW_HOST_SECONDS:
            del young[number]
            self._counts[self._paces[number]] -= 1
            self._counts[Pace.SLOW] += 1
            self._paces[number] = Pace.SLOW
