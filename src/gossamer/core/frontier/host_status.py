"""Where a host stands, in a word for people: what it is doing, what it waits for, why nothing is leased from it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from gossamer.core.frontier.back_queue import BackQueue, Phase
from gossamer.core.frontier.records import HostState
from gossamer.core.scope.reasons import Reason


class HostStatus(StrEnum):
    """One word or two; stable, for programs read them."""

    NEW = "new"
    """Found and never asked for anything."""
    RESOLVING = "resolving"
    ROBOTS = "robots pending"
    """Its robots.txt is being fetched, or asked of another host."""
    FETCHING = "fetching"
    READY = "ready"
    """Its moment has come."""
    WAITING = "waiting"
    """For its gap, or for the moment of a URL that is tried again."""
    BACKING_OFF = "backing off"
    """It failed, and is left alone for a while."""
    PARKED = "parked"
    """It failed several times in a row, and is tried ever more rarely."""
    HELD = "held"
    """Over a cap per host."""
    PAUSED = "paused"
    BLOCKED = "blocked"
    DONE = "done"
    """Nothing of it is queued, as far as is known now."""


class Standing(NamedTuple):
    """A host's status, and its next moment in seconds since the epoch; None where no time brings it on."""

    status: HostStatus
    next_at: float | None = None


_BY_ORDER: Final = frozenset({Reason.PAUSED, Reason.BLOCKED})


def standing_of(state: HostState, host: BackQueue | None, hold: str, now: float) -> Standing:
    """Where a host stands.

    `host`: its back queue, if it is in a working set; `hold`: see `FrontierPolicy.hold_reason`.
    """
    if hold in _BY_ORDER:
        return Standing(HostStatus(hold))
    if hold and state.total:
        return Standing(HostStatus.HELD)
    if host is not None and (host.out or host.phase is not Phase.WAITING):
        return Standing(_phase(host))
    if not state.total and (host is None or not host.errands):
        return Standing(HostStatus.DONE)
    moment = _moment(state, host)
    return Standing(_by_moment(state, moment, now), moment)


def _phase(host: BackQueue) -> HostStatus:
    if host.phase is Phase.RESOLVING:
        return HostStatus.RESOLVING
    return HostStatus.ROBOTS if host.phase is Phase.ASKING or host.pending is not None else HostStatus.FETCHING


def _moment(state: HostState, host: BackQueue | None) -> float:
    if host is not None:
        return max(host.at, state.next_at)
    return max(state.next_at, state.ready_wake_ms / 1000 if state.ready_level >= 0 else 0.0)


def _by_moment(state: HostState, moment: float, now: float) -> HostStatus:
    if state.parked:
        return HostStatus.PARKED
    if state.failures and moment > now:
        return HostStatus.BACKING_OFF
    if moment > now:
        return HostStatus.WAITING
    return HostStatus.READY if state.fetches or state.failures else HostStatus.NEW
