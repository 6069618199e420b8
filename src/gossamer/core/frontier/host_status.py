"""Where a host stands, in a word for people: its phase, since when, why, and when it moves on. See docs/hosts.md."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

from gossamer.core.frontier.back_queue import BackQueue, Phase
from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.records import HostState
from gossamer.core.http.exchange import FailureKind
from gossamer.core.scope.reasons import EXPLANATIONS, Reason


class HostStatus(StrEnum):
    """The phases of a host. One word or two; stable, for programs read them."""

    NEW = "new"
    """Found and never asked for anything."""
    RESOLVING = "resolving"
    ROBOTS = "robots pending"
    """Its robots.txt is being fetched, or asked of another host."""
    FETCHING = "fetching"
    READY = "ready"
    """Its moment has come."""
    WAITING = "waiting"
    """For its gap, for the moment of a URL that is tried again, or for a fetch slot."""
    BACKING_OFF = "backing off"
    """It failed, and is left alone for a while."""
    PARKED = "parked"
    """It failed several times in a row, and is tried ever more rarely."""
    OVER_BUDGET = "over budget"
    """It, or its site, has had what it may have for now."""
    PAUSED = "paused"
    BLOCKED = "blocked"
    DENIED = "denied"
    """Its robots.txt or its preferences refused every URL that was seen of it."""
    DEAD = "dead"
    """Its name does not exist, or it has failed for as long as crawl.host_patience waits."""
    DONE = "done"
    """Nothing of it is queued, as far as is known now."""


class Standing(NamedTuple):
    """A host's phase. Moments in seconds since the epoch."""

    status: HostStatus
    next_at: float | None = None
    """When it is asked for something again; None where no time brings that on."""
    since: float | None = None
    """None where that is not known: what an older release has written down of it says no more."""
    reason: str = ""
    """What put it there, in words; empty where the phase says it all."""


_BY_ORDER: Final = frozenset({Reason.PAUSED, Reason.BLOCKED})


def standing_of(
    state: HostState,
    host: BackQueue | None,
    hold: Hold | None,
    now: float,
    gap: Callable[[HostState], str] = lambda _: "",
) -> Standing:
    """Where a host stands.

    `host`: its back queue, if it is in a working set; `hold`: see `Frontier.hold_of`; `gap`: what makes its gap as long
    as it is.
    """
    if hold is not None and hold.reason in _BY_ORDER:
        return Standing(HostStatus(hold.reason), since=state.held_at or None, reason=_words(hold))
    if state.dead_until > now or _has_no_name(state):
        return _dead(state, now)
    if hold is not None and hold.reason and state.total:
        return Standing(HostStatus.OVER_BUDGET, hold.until or None, state.held_at or None, _words(hold))
    if host is not None and (host.out or host.phase is not Phase.WAITING):
        return _in_hand(host)
    if not state.total and (host is None or not host.errands):
        return _over(state)
    return _by_moment(state, _moment(state, host), now, gap)


def _words(hold: Hold) -> str:
    return hold.detail or (EXPLANATIONS[Reason(hold.reason)] if hold.reason in set(Reason) else hold.reason)


def _has_no_name(state: HostState) -> bool:
    return state.parked and state.error == FailureKind.NAME_NOT_FOUND


def _dead(state: HostState, now: float) -> Standing:
    if state.dead_until <= now:
        return Standing(HostStatus.DEAD, state.next_at, state.parked_at or state.error_at, "its name does not exist")
    why = f"{state.error}, {state.failures} times in a row; crawl.host_patience has ended"
    return Standing(HostStatus.DEAD, state.dead_until, state.dead_at, why)


def _in_hand(host: BackQueue) -> Standing:
    """It is being served."""
    since = host.since or None
    match host.phase:
        case Phase.RESOLVING:
            return Standing(HostStatus.RESOLVING, since=since)
        case Phase.ASKING:
            return Standing(HostStatus.ROBOTS, since=since, reason=f"another host is asked for that of {host.asking}")
        case Phase.QUEUEING if not host.out:
            return Standing(HostStatus.WAITING, since=since, reason=host.line)
        case _ if host.pending is not None:
            return Standing(HostStatus.ROBOTS, since=since, reason=host.pending.url)
        case _:
            return Standing(HostStatus.FETCHING, since=since)


def _over(state: HostState) -> Standing:
    """Nothing of it is queued."""
    if state.denied and not state.settled:
        why = f"its robots.txt or its preferences refused {state.denied} of its URLs, and none is left"
        return Standing(HostStatus.DENIED, since=state.denied_at or None, reason=why)
    if state.dead_at:
        why = f"{state.error}; crawl.host_patience has ended: the next URL found on it is tried once"
        return Standing(HostStatus.DONE, since=state.dead_at, reason=why)
    return Standing(HostStatus.DONE, since=state.last_end or state.met_at or None)


def _moment(state: HostState, host: BackQueue | None) -> float:
    if host is not None:
        return max(host.at, state.next_at)
    return max(state.next_at, state.ready_wake_ms / 1000 if state.ready_level >= 0 else 0.0)


def _by_moment(state: HostState, moment: float, now: float, gap: Callable[[HostState], str]) -> Standing:
    times = "once" if state.failures == 1 else f"{state.failures} times in a row"
    if state.parked:
        return Standing(HostStatus.PARKED, moment, state.parked_at or state.error_at or None, f"{state.error}, {times}")
    if state.failures and moment > now:
        since = state.failing_since or state.error_at
        return Standing(HostStatus.BACKING_OFF, moment, since or None, f"{state.error}, {times}")
    if moment > now:
        return Standing(HostStatus.WAITING, moment, state.last_end or state.met_at or None, gap(state))
    if state.fetches or state.failures:
        return Standing(HostStatus.READY, moment, moment or None)
    return Standing(HostStatus.NEW, moment, state.met_at or None)
