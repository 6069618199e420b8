"""Events that report what was asked for: visits, look-ups, robots.txt files fetched for others."""

from __future__ import annotations

from gossamer.core.frontier import commands, events
from gossamer.core.frontier.back_queue import BackQueue, Phase
from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.host_update import after_visit, lookup_failed
from gossamer.core.frontier.lease import Entry
from gossamer.core.frontier.robots_errands import UNANSWERED
from gossamer.core.frontier.situation import Situation
from gossamer.core.frontier.working_set import SLEEP_SECONDS
from gossamer.core.http.exchange import FailureKind


def visited(situation: Situation, event: events.Visited, now: float) -> None:
    """A lease has ended."""
    lease = situation.leases.pop(event.lease.number)
    situation.ceilings.ended(lease.address)
    situation.ceilings.slots.ended(lease.slot)
    host = situation.hosts[lease.host_id]
    del host.out[lease.number]
    host.ended.discard(lease.number)
    gap = situation.policy.gap_at(lease.address, lease.host)
    situation.tell(after_visit(host.state, event, gap, situation.chance(), situation.policy.host_patience))
    situation.working.touch(host)
    situation.budgets.ended(lease, event, host.state)
    if lease.entry is not None:
        _settle(situation, host, lease.entry, event)
    else:
        situation.robots.fetched(host, event, now)
    if event.failed and not event.answered:
        situation.robots.give_up(host)
    if event.failed or event.slows:
        situation.bury(host, now)
    if host.phase in (Phase.WAITING, Phase.LEASED):
        situation.go_on(host, now)


def _settle(situation: Situation, host: BackQueue, entry: Entry, event: events.Visited) -> None:
    """Book what became of a leased URL."""
    queue = event.lease_queue
    host.leased.remove((queue, entry.order))
    if event.fate.kind is FateKind.BACK:
        host.give_back(queue, entry)
        return
    situation.remove(host, queue, entry.order)
    if event.requeued is not None:
        situation.requeue(host, event.requeued)
    else:
        situation.settle(host.state, event.fate.reason if event.fate.kind is FateKind.REFUSED else "")


def resolved(situation: Situation, event: events.Resolved, now: float) -> None:
    """A name was looked up."""
    host = situation.hosts[event.host_id]
    answer = event.answer
    situation.lookups -= 1
    host.phase = Phase.WAITING
    host.addresses, host.addresses_expire = answer.addresses, answer.expires
    host.refused_address = answer.failure is FailureKind.ADDRESS_REFUSED
    if answer.failure is not None and not host.refused_address:
        situation.tell(lookup_failed(host.state, answer, now, situation.chance(), situation.policy.host_patience))
        situation.working.touch(host)
        situation.robots.give_up(host)
        situation.bury(host, now)
        host.addresses_expire = 0.0
    elif host.refused_address:
        situation.robots.give_up(host)
        host.pending = None
    situation.working.push(host, now)


def errand_came(situation: Situation, event: events.ErrandCame, now: float) -> None:
    """Another host's robots.txt shall be fetched from this one."""
    host = situation.hosts.get(event.host_id)
    state = host.state if host is not None else event.loaded.state if event.loaded is not None else None
    if state is not None and situation.policy.closed.reason(state.name):
        situation.out.append(commands.AnswerErrand(event.errand, UNANSWERED))
        return
    if host is None:
        if event.loaded is None:
            raise ValueError("an ErrandCame event for a host outside the working set must bring the host")
        host = situation.working.enter(event.loaded, situation.not_before(event.loaded.state))
    # A dead host that has nothing queued would have its turns for the errand, and never do it.
    is_out_of_reach = host.refused_address or host.state.dead_until > now
    if is_out_of_reach or host.state.next_at > now + SLEEP_SECONDS:
        situation.out.append(commands.AnswerErrand(event.errand, UNANSWERED))
    else:
        host.errands.append(event.errand)
    # A host that waits for its own errand may be asked on the way: a chain of redirects that comes back to it.
    if host.phase in (Phase.WAITING, Phase.ASKING):
        situation.working.push(host, now)
    elif host.phase is Phase.LEASED:
        situation.go_on(host, now)


def robots_came(situation: Situation, event: events.RobotsCame, now: float) -> None:
    """Another host has fetched a robots.txt for this one."""
    entered = event.host_id not in situation.hosts and event.loaded is not None
    if event.loaded is not None and entered:
        situation.working.enter(event.loaded, situation.not_before(event.loaded.state))
    situation.robots.came(event, now)
    if entered:
        situation.working.push(situation.hosts[event.host_id], now)
