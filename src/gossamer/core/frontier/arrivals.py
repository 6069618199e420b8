"""Events that bring URLs and hosts: found, loaded from the store, woken, released, withdrawn."""

from __future__ import annotations

from typing import Final

from gossamer.core.frontier import commands, events
from gossamer.core.frontier.back_queue import Phase
from gossamer.core.frontier.holds import NOT_WANTED
from gossamer.core.frontier.host_update import change_gap
from gossamer.core.frontier.situation import Situation

POSTPONE_PAUSE_SECONDS: Final = 1.0
"""Between two moves of URLs out of the way of others: they cost writes, and nothing is lost by waiting."""


def found(situation: Situation, event: events.Found, now: float) -> None:
    """New URLs stand in a host's queues."""
    host = situation.hosts.get(event.host_id)
    if host is not None:
        state = host.state
    elif event.loaded is not None:
        state = event.loaded.state
    else:
        raise ValueError("a Found event for a host outside the working set must bring the host")
    for entry in event.entries:
        queue = entry.record.queue
        if not state.queued[queue]:
            state.heads[queue] = entry.order
        state.queued[queue] += 1
        if host is not None:
            host.heads[queue].add(entry)
    if state.held:
        situation.ledger.held += len(event.entries)
    else:
        situation.ledger.queued += len(event.entries)
    state.met_at = state.met_at or now
    situation.working.touched[event.host_id] = state
    if host is not None:
        if host.phase in (Phase.WAITING, Phase.LEASED):
            situation.go_on(host, now)
    elif not state.held and event.loaded is not None:
        situation.working.place(event.loaded, now, situation.not_before(state), event.entries)


def postponed(situation: Situation, event: events.Postponed, now: float) -> None:
    """URLs moved into the retry queue of their host, after which it rests for a moment, or into its last level."""
    host = situation.hosts[event.host_id]
    head = host.heads[event.queue]
    for before, after in event.moved:
        head.entries.remove(before)
        situation.remove(host, event.queue, before.order)
        situation.requeue(host, after)
    situation.working.push(host, now, now + POSTPONE_PAUSE_SECONDS if event.pause else 0.0)


def head_loaded(situation: Situation, event: events.HeadLoaded, now: float) -> None:
    """The head of a queue is in memory; what was found to be worth more stands in better queues."""
    host = situation.hosts[event.host_id]
    head = host.heads[event.queue]
    head.entries = []
    for before, after in event.raised:
        situation.remove(host, event.queue, before.order)
        situation.requeue(host, after)
    head.entries = [entry for entry in event.entries if not host.is_leased(event.queue, entry.order)]
    head.complete = event.complete
    if event.entries:
        host.state.heads[event.queue] = event.entries[0].order
        situation.working.touch(host)
    elif event.raised and not event.complete:
        beyond = event.raised[-1][0].order + 1
        host.state.heads[event.queue] = min([beyond, *(order for at, order in host.leased if at == event.queue)])
    elif event.complete and host.state.queued[event.queue]:
        raise ValueError(f"queue {event.queue} of {host.state.name} counts entries that the store does not hold")
    situation.working.push(host, now)


def woken(situation: Situation, event: events.Woken, now: float) -> None:
    """Sleeping hosts whose time has come."""
    # Hosts may have gone to sleep since the store was asked, and their wakes been noted.
    if event.next_wake is not None:
        situation.working.note_wake(event.next_wake)
    for loaded in event.hosts:
        state = loaded.state
        if loaded.host_id in situation.hosts:
            continue  # something else brought it in, while those of the last run were still coming back
        if state.held:
            # Held, and its moment to be looked at has come: nothing of it changes unless something holds it no more.
            # Hosts are woken a little early.
            due = max(now, state.held_until)
            situation.tell(situation.budgets.look(situation.policy.budget, state.site, due))
            hold = situation.hold_of(state, due)
            if hold is not None and hold.reason:
                situation.working.hold_on(loaded, hold, now)
                continue
        situation.working.push(situation.working.enter(loaded, situation.not_before(state)), now)


def held_loaded(situation: Situation, event: events.HeldLoaded, now: float) -> None:
    """Held hosts are judged again."""
    for loaded in event.hosts:
        state = loaded.state
        if not state.held or loaded.host_id in situation.hosts:
            continue
        situation.tell(situation.budgets.look(situation.policy.budget, state.site, now, idle=event.idle))
        hold = situation.hold_of(state, now)
        if hold is None or not hold.reason:
            situation.working.release(loaded, now, situation.not_before(state))
        elif hold.reason != state.held_why:
            situation.working.hold_on(loaded, hold, now)


def sleepers_loaded(situation: Situation, event: events.SleepersLoaded, now: float) -> None:
    """Sleeping hosts whose gap may be shorter now."""
    for loaded in event.hosts:
        state = loaded.state
        if loaded.host_id not in situation.hosts and state.ready_level >= 0:
            before = max(policy.gap_of(state).seconds for policy in situation.before)
            after = situation.policy.gap_of(state).seconds
            if after < before:
                change_gap(state, before, after)
                situation.working.wake_earlier(loaded, now)


def unwanted(situation: Situation, event: events.Unwanted, now: float) -> None:
    """Queued URLs end as refused, wherever their host is; leased ones are judged again when they come back."""
    host = situation.hosts.get(event.host_id)
    refused = [
        (entry, reason)
        for entry, reason in event.entries
        if host is None or not host.is_leased(entry.record.queue, entry.order)
    ]
    situation.out.extend(commands.Refuse(event.host_id, entry, reason, NOT_WANTED) for entry, reason in refused)
    if host is None:
        if event.loaded is None:
            raise ValueError("an Unwanted event for a host outside the working set must bring the host")
        situation.working.withdraw(event.loaded, [entry for entry, _ in refused])
        return
    for entry, _ in refused:
        host.heads[entry.record.queue].drop(entry.order)
        situation.remove(host, entry.record.queue, entry.order)
    if host.phase in (Phase.WAITING, Phase.LEASED):
        situation.go_on(host, now)
