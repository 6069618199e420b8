"""What a host state learns from a visit: the gap after it, what slows the host, when it is parked."""

from __future__ import annotations

from math import inf
from typing import Final

from gossamer.core.dns.answer import Answer
from gossamer.core.facts import Fact, HostParked, HostRecovered, HostSlowed, VisitEnded
from gossamer.core.frontier.events import Visited
from gossamer.core.frontier.records import HostState
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import (
    BACKOFF_FIRST_SECONDS,
    HOST_FAILURES_PARKED,
    NAME_FAILURES_PARKED,
    RESPONSE_TIMES_KEPT,
)
from gossamer.core.politeness.backoff import Backoff, backoff
from gossamer.core.politeness.gap import GapPolicy, gap_by_middle, middle_of

NAME_ASKED_AGAIN_SECONDS: Final = 60.0
"""A name that did not resolve is not asked for again sooner, unless its answer says that it expires before."""


def after_visit(
    state: HostState, event: Visited, policy: GapPolicy, chance: float, patience: float = inf
) -> list[Fact]:
    """Book one exchange: counters, response time, the earliest next moment; what there is to tell of it.

    `chance` in [0, 1) spreads back-offs; `patience`: see `FrontierPolicy.host_patience`.
    """
    failures = state.failures
    state.fetches += 1
    state.last_end = event.ended
    state.last_seconds = max(0.0, event.ended - event.started)
    times = state.response_seconds
    state.bytes += event.bytes
    state.pages += 1 if event.page else 0
    if event.answered:
        times = state.response_seconds = [*times[1 - RESPONSE_TIMES_KEPT :], event.ended - event.started]
    middle = middle_of(times) if times else 0.0
    gap = gap_by_middle(policy, middle, state.crawl_delay)
    # Where several leases were out, another one may have ended with a plea for a longer wait.
    state.next_at = max(state.next_at, event.ended + gap.seconds)
    if event.slows or event.failed:
        _failed(state, event.error, event.ended, _step(state, chance), patience)
    elif event.answered:
        state.answered_at = event.ended
        _recovered(state)
    if event.retry_after is not None:
        state.next_at = max(state.next_at, event.ended + event.retry_after)
    told = _visit_fact(state, event, middle)
    return [told] if state.failures == failures else [told, *_host_facts(state, failures)]


def change_gap(state: HostState, before: float, after: float) -> None:
    """The gap of a host, in seconds, is `after` now: its next moment follows.

    Where something else than the gap set that moment (a back-off, Retry-After, a reopening) it only moves later.
    """
    follows_gap = state.next_at <= state.last_end + before
    due = state.last_end + after
    state.next_at = due if follows_gap else max(state.next_at, due)


def lookup_failed(state: HostState, answer: Answer, now: float, chance: float, patience: float = inf) -> list[Fact]:
    """Book a name that did not resolve: it counts against the host, and is not asked again before it may change."""
    failures = state.failures
    error = answer.failure.value if answer.failure is not None else ""
    gone = answer.failure is FailureKind.NAME_NOT_FOUND
    _failed(state, error, now, _step(state, chance, NAME_FAILURES_PARKED if gone else HOST_FAILURES_PARKED), patience)
    state.next_at = max(state.next_at, min(answer.expires, now + NAME_ASKED_AGAIN_SECONDS))
    return _host_facts(state, failures)


def end_patience(state: HostState, patience: float, now: float) -> bool:
    """Whether a host that has just failed has done so for longer than anybody waits; books that, too.

    A dead host is asked once in each time of patience. One that was failing under an older release has all of it anew.
    """
    if not state.failures or not state.failing_since or now - state.failing_since < patience:
        return False
    state.dead_at, state.dead_until = now, now + patience
    state.next_at = max(state.next_at, state.dead_until)
    return True


def _step(state: HostState, chance: float, first_parked: int = HOST_FAILURES_PARKED) -> Backoff:
    """The wait after one more failure."""
    return backoff(state.failures + 1, chance, first_parked)


def _failed(state: HostState, error: str, at: float, step: Backoff, patience: float) -> None:
    if not state.failing_since:
        state.failing_since = at
    if step.parked and not state.parked:
        state.parked_at = at
    state.failures += 1
    state.errors += 1
    state.error = error
    state.error_at = at
    state.parked = step.parked
    # The last try comes when patience ends, not up to a day later.
    left = state.failing_since + patience - at
    seconds = min(step.seconds, max(left, BACKOFF_FIRST_SECONDS)) if left > 0 else step.seconds
    state.next_at = max(state.next_at, at + seconds)


def _recovered(state: HostState) -> None:
    state.failures = 0
    state.parked = False
    state.failing_since = state.parked_at = state.dead_at = state.dead_until = 0.0


def _visit_fact(state: HostState, event: Visited, middle: float) -> Fact:
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
        host_seconds=round(middle, 6),
    )


def _host_facts(state: HostState, failures_before: int) -> list[Fact]:
    """What the host's failures in a row have come to."""
    if state.failures > failures_before:
        kind = HostParked if state.parked else HostSlowed
        return [kind(state.name, state.error, state.failures, state.next_at)]
    return [HostRecovered(state.name, failures_before)] if state.failures < failures_before else []
