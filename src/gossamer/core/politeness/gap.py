"""The gap: least time from the end of one exchange with a host to the start of the next.

It is the largest of three: a minimum; what the host's robots.txt asks for; a multiple of how long the host takes to
answer, so that a host that works hard for us is asked more rarely and never spends more than a sixth of its time on us.
Whoever sets a minimum under one second crawls a host of their own and means it: the multiple is then off. The
host's own word, Crawl-delay, always counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gossamer.core.limits import (
    CRAWL_DELAY_MAX_SECONDS,
    GAP_PUBLIC_MIN_SECONDS,
    GAP_RESPONSE_MAX_SECONDS,
    GAP_RESPONSE_MULTIPLE,
    RESPONSE_TIMES_KEPT,
)


@dataclass(frozen=True, slots=True)
class GapPolicy:
    """What the operator decides about gaps."""

    minimum_seconds: float = GAP_PUBLIC_MIN_SECONDS
    setting: str = ""
    """The key of one host that names the minimum; empty for the one of all hosts."""

    @property
    def multiple_enabled(self) -> bool:
        """Whether response times count."""
        return self.minimum_seconds >= GAP_PUBLIC_MIN_SECONDS


class Gap(NamedTuple):
    """A gap and what made it so long: "minimum" (or the key of a host's own), "crawl-delay" or "response times"."""

    seconds: float
    source: str


def gap_seconds(policy: GapPolicy, response_times: Sequence[float], crawl_delay: float | None) -> Gap:
    """The gap of a host now.

    `response_times`: seconds from request sent to last byte, oldest first; the last `RESPONSE_TIMES_KEPT` count.
    `crawl_delay`: the host's Crawl-delay in seconds; None (or 0) without one.
    """
    recent = response_times[-RESPONSE_TIMES_KEPT:]
    return gap_by_middle(policy, middle_of(recent) if recent else 0.0, crawl_delay)


def gap_by_middle(policy: GapPolicy, middle: float, crawl_delay: float | None) -> Gap:
    """`gap_seconds` where the median of the response times is known; 0 before the first."""
    seconds, source = policy.minimum_seconds, policy.setting or "minimum"
    if middle and policy.multiple_enabled:
        multiple = min(GAP_RESPONSE_MULTIPLE * middle, GAP_RESPONSE_MAX_SECONDS)
        if multiple > seconds:
            seconds, source = multiple, "response times"
    if crawl_delay:
        delay = min(crawl_delay, CRAWL_DELAY_MAX_SECONDS)
        if delay > seconds:
            seconds, source = delay, "crawl-delay"
    return Gap(seconds, source)


def middle_of(seconds: Sequence[float]) -> float:
    """The median of response times, at least one: asked for after every exchange, and the library's takes longer."""
    ordered, half = sorted(seconds), len(seconds) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
