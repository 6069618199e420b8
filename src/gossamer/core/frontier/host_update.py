"""What a host state learns from a visit: the gap after it, what slows the host, when it is parked."""

from __future__ import annotations

from gossamer.core.dns.answer import Answer
from gossamer.core.frontier.events import Visited
from gossamer.core.frontier.records import HostState
from gossamer.core.limits import RESPONSE_TIMES_KEPT
from gossamer.core.politeness.backoff import backoff
from gossamer.core.politeness.gap import GapPolicy, gap_seconds


def after_visit(state: HostState, event: Visited, policy: GapPolicy, chance: float) -> None:
    """Book one exchange: counters, response time, the earliest next moment. `chance` in [0, 1) spreads back-offs."""
    state.fetches += 1
    state.last_end = event.ended
    state.bytes += event.bytes
    state.pages += 1 if event.page else 0
    if event.answered:
        times = [*state.response_seconds, event.ended - event.started]
        state.response_seconds = times[-RESPONSE_TIMES_KEPT:]
    gap = gap_seconds(policy, state.response_seconds, state.crawl_delay)
    state.next_at = event.ended + gap.seconds
    if event.slows or event.failed:
        _failed(state, event.error, event.ended, chance)
    elif event.answered:
        state.answered_at = event.ended
        state.failures = 0
        state.parked = False
    if event.retry_after is not None:
        state.next_at = max(state.next_at, event.ended + event.retry_after)


def lookup_failed(state: HostState, answer: Answer, now: float, chance: float) -> None:
    """Book a name that did not resolve: it counts against the host, and is not asked again before it may change."""
    error = answer.failure.value if answer.failure is not None else ""
    _failed(state, error, now, chance)
    state.next_at = max(state.next_at, min(answer.expires, now + 60.0))


def _failed(state: HostState, error: str, at: float, chance: float) -> None:
    state.failures += 1
    state.error = error
    state.error_at = at
    step = backoff(state.failures, chance)
    state.parked = step.parked
    state.next_at = max(state.next_at, at + step.seconds)
