"""What a host state learns from a visit: the gap after it, what slows the host, when it is parked."""

from __future__ import annotations

from statistics import median

from gossamer.core.dns.answer import Answer
from gossamer.core.facts import Fact, HostParked, HostRecovered, HostSlowed, VisitEnded
from gossamer.core.frontier.events import Visited
from gossamer.core.frontier.records import HostState
from gossamer.core.limits import RESPONSE_TIMES_KEPT
from gossamer.core.politeness.backoff import backoff
from gossamer.core.politeness.gap import GapPolicy, gap_seconds


def after_visit(state: HostState, event: Visited, policy: GapPolicy, chance: float) -> list[Fact]:
    """Book one exchange: counters, response time, the earliest next moment; what there is to tell of it.

    `chance` in [0, 1) spreads back-offs.
    """
    failures = state.failures
    state.fetches += 1
    state.last_end = event.ended
    state.bytes += event.bytes
    state.pages += 1 if event.page else 0
    if event.answered:
        times = [*state.response_seconds, event.ended - event.started]
        state.response_seconds = times[-RESPONSE_TIMES_KEPT:]
    gap = gap_seconds(policy, state.response_seconds, state.crawl_delay)
    # Where several leases were out, another one may have ended with a plea for a longer wait.
    state.next_at = max(state.next_at, event.ended + gap.seconds)
    if event.slows or event.failed:
        _failed(state, event.error, event.ended, chance)
    elif event.answered:
        state.answered_at = event.ended
        state.failures = 0
        state.parked = False
    if event.retry_after is not None:
        state.next_at = max(state.next_at, event.ended + event.retry_after)
    return [_visit_fact(state, event), *_host_facts(state, failures)]


def change_gap(state: HostState, before: float, after: float) -> None:
    """The gap of a host, in seconds, is `after` now: its next moment follows.

    Where something else than the gap set that moment (a back-off, Retry-After, a reopening) it only moves later.
    """
    follows_gap = state.next_at <= state.last_end + before
    due = state.last_end + after
    state.next_at = due if follows_gap else max(state.next_at, due)


def lookup_failed(state: HostState, answer: Answer, now: float, chance: float) -> list[Fact]:
    """Book a name that did not resolve: it counts against the host, and is not asked again before it may change."""
    failures = state.failures
    error = answer.failure.value if answer.failure is not None else ""
    _failed(state, error, now, chance)
    state.next_at = max(state.next_at, min(answer.expires, now + 60.0))
    return _host_facts(state, failures)


def _failed(state: HostState, error: str, at: float, chance: float) -> None:
    state.failures += 1
    state.errors += 1
    state.error = error
    state.error_at = at
    step = backoff(state.failures, chance)
    state.parked = step.parked
    state.next_at = max(state.next_at, at + step.seconds)


def _visit_fact(state: HostState, event: Visited) -> Fact:
    lease = event.lease
    return VisitEnded(
        url=lease.url,
        host=state.name,
        kind=lease.kind.value,
        status=event.status,
        outcome=event.fate.reason or event.error or event.fate.kind.value,
        seconds=round(event.ended - event.started, 6),
        bytes=event.bytes,
        host_fetches=state.fetches,
        host_bytes=state.bytes,
        host_seconds=round(median(state.response_seconds), 6) if state.response_seconds else 0.0,
    )


def _host_facts(state: HostState, failures_before: int) -> list[Fact]:
    """What the host's failures in a row have come to."""
    if state.failures > failures_before:
        kind = HostParked if state.parked else HostSlowed
        return [kind(state.name, state.error, state.failures, state.next_at)]
    return [HostRecovered(state.name, failures_before)] if state.failures < failures_before else []
