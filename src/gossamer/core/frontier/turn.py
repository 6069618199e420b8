"""A turn of a host: what is done with it once its moment has come.

It ends in exactly one of: a lease, a look-up of its name, a refill of a head, a robots.txt asked for, a hold, or a
later moment. `grant` makes the leases, and is reached only after the gap (the heap), the operator's orders, the holds,
and for a page the rulings and the robots verdict.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from gossamer.core.facts import HostHeld
from gossamer.core.frontier import commands
from gossamer.core.frontier.back_queue import BackQueue, Phase, RobotsPending
from gossamer.core.frontier.grant import grant
from gossamer.core.frontier.holds import Hold, Ruling
from gossamer.core.frontier.lease import LEASE_KINDS, Entry, LeaseKind
from gossamer.core.frontier.leasing import Room, Wanted
from gossamer.core.frontier.permission import Permission, permission
from gossamer.core.frontier.records import LEVELS, QUEUES, RETRY, HostState
from gossamer.core.frontier.situation import Situation
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.parse import authority_of
from gossamer.core.warc.date import warc_date

REFUSALS_PER_TURN: Final = 64
"""URLs refused in one turn of a host, so that no step of the loop is long."""


def take_turn(situation: Situation, host: BackQueue, now: float, room: Room) -> None:
    """Give a host its turn; what follows stands in `situation.out`."""
    if situation.gaps.follow(host) and not host.out and host.state.next_at > now:
        situation.working.push(host, now)
    else:
        _serve(situation, host, now, room)


def _serve(situation: Situation, host: BackQueue, now: float, room: Room) -> None:
    state = host.state
    if host.out and not _may_go_on(situation, host, now):
        situation.working.rest(host)
    elif why := situation.policy.closed.reason(state.name):
        _close(situation, host, Hold(why), now)
    elif now < state.dead_until:
        _end_all(situation, host, now, _death(state))
    elif host.refused_address and now < host.addresses_expire:
        _end_all(situation, host, now, _NO_ADDRESS)
    elif not (host.errands or host.asking) and (hold := situation.limit_of(state, now)) is not None:
        _hold(situation, host, hold, now)
    elif host.addresses_expire <= now:
        situation.look_up(host)
    elif host.pending is not None:
        _lease_robots(situation, host, host.pending, now, room)
    elif host.errands:
        _do_errand(situation, host, now, room)
    elif host.asking:
        situation.working.suspend(host, Phase.ASKING)
    else:
        _turn_page(situation, host, now, room)


def _may_go_on(situation: Situation, host: BackQueue, now: float) -> bool:
    """Whether more is leased from it while leases are out; if not it stays until they have ended."""
    if host.refused_address or now < host.state.dead_until or situation.hold_of(host.state, now) is not None:
        return False
    return host.may_lease(situation.policy.rule_of(host.state.name).connections)


def _hold(situation: Situation, host: BackQueue, hold: Hold, now: float) -> None:
    """It has had what it may have, for now or for a moment: that costs it no look-up and no robots.txt."""
    state = host.state
    if hold.reason:
        # Its site may be due for a look, for which no held host has been woken yet.
        situation.tell(situation.budgets.look(situation.policy.budget, state.site, now))
        hold, host.pending = situation.limit_of(state, now) or Hold("", now), None
    if not hold.reason or not state.total:
        situation.working.push(host, now, hold.until)
        return
    if hold.reason == Reason.CAP:
        situation.tell([HostHeld(state.name, state.pages, state.bytes, state.total)])
    situation.tell(situation.budgets.held(hold, state, now))
    situation.working.hold(host, hold, now)


def _close(situation: Situation, host: BackQueue, hold: Hold, now: float) -> None:
    """The operator keeps the host out of turn: what it has queued is held, what others want of it is not done."""
    situation.robots.give_up(host)
    host.pending = None
    if host.state.total:
        situation.working.hold(host, hold, now)
    else:
        situation.working.push(host, now)


def _lease_robots(situation: Situation, host: BackQueue, pending: RobotsPending, now: float, room: Room) -> None:
    wanted = Wanted(pending.kind, pending.url, None, pending.authority, pending.hops)
    grant(situation, host, wanted, now, room)


def _do_errand(situation: Situation, host: BackQueue, now: float, room: Room) -> None:
    errand = host.errands[0]
    wanted = Wanted(LeaseKind.ROBOTS, errand.url, None, errand.authority, errand.hops, errand)
    if grant(situation, host, wanted, now, room):
        host.errands.pop(0)


# --- a page ----------------------------------------------------------------------------------------------------------


def _turn_page(situation: Situation, host: BackQueue, now: float, room: Room) -> None:
    ignored = situation.policy.rule_of(host.state.name).robots_ignored
    levels = LEVELS
    for _ in range(REFUSALS_PER_TURN):
        entry = _first(situation, host, now, levels)
        if entry is not None and not ignored:
            entry = _open(situation, host, entry, now)
        if entry is None:
            return
        ruling = situation.judges.ruling_on(host.state, entry.record, now)
        if ruling is not None and ruling.last and levels == LEVELS and host.has_before(entry, LEVELS - 1):
            levels = LEVELS - 1
            continue
        if ruling is not None and _has_to_wait(situation, host, entry, ruling, now):
            return
        if ruling is not None and not ruling.last:
            situation.end(host, entry, ruling.reason, ruling.detail)
            continue
        found = Permission() if ignored else permission(host, entry, situation.policy, now)
        if found.asks is not None:
            host.pending, host.cause = found.asks, entry.record
            _lease_robots(situation, host, host.pending, now, room)
            return
        if not found.reason:
            kind = LEASE_KINDS[entry.record.kind]
            grant(situation, host, Wanted(kind, entry.record.url, entry, stated=found.stated), now, room)
            return
        situation.end(host, entry, found.reason, found.detail)
    situation.working.push(host, now)


def _open(situation: Situation, host: BackQueue, entry: Entry, now: float) -> Entry | None:
    """The URL, or another in its stead while its robots.txt is unreachable; None when more of the store comes first."""
    if not host.is_blocked(entry, now):
        return entry
    blocked, other = host.first_blocked(now), host.first_open(now)
    if other is None:
        return None if _look_further(situation, host, blocked, now) else blocked
    return blocked if host.is_overtaken(blocked, other, now) else other


def _has_to_wait(situation: Situation, host: BackQueue, entry: Entry, ruling: Ruling, now: float) -> bool:
    """Move a URL that is put off into the retry queue, until its moment; and one that comes last into the last level,
    with those at hand of which the same is true. Or let its whole host wait. Whether any of that was done.
    """
    queue, judges = entry.record.queue, situation.judges
    if ruling.last and queue < LEVELS - 1:
        others = ((each, judges.ruling_on(host.state, each.record, now)) for each in host.heads[queue].entries)
        moving = [each for each, said in others if each is entry or (said is not None and said.last)]
        situation.out.append(commands.PutLast(host.host_id, queue, moving))
    elif ruling.until > now and ruling.host:
        situation.working.push(host, now, ruling.until)
        return True
    elif ruling.until > now:
        situation.out.append(commands.Postpone(host.host_id, queue, [entry], ruling.until))
    else:
        return False
    situation.working.suspend(host, Phase.WAITING)
    return True


def _first(situation: Situation, host: BackQueue, now: float, levels: int) -> Entry | None:
    """The first URL of the queue drawn, of so many levels; None when there is none yet (a refill or a later moment
    follows).
    """
    queue = host.choose_queue(now, situation.chance(), levels)
    if queue < 0:
        situation.go_on(host, now)
        return None
    head = host.heads[queue]
    if not head.entries:
        _refill(situation, host, queue)
        return None
    if situation.shares is not None and queue != RETRY:
        return situation.shares.choose(head.entries)
    return head.entries[0]


def _refill(situation: Situation, host: BackQueue, queue: int) -> None:
    situation.out.append(commands.Refill(host.host_id, queue, host.state.heads[queue]))
    situation.working.suspend(host, Phase.WAITING)


def _look_further(situation: Situation, host: BackQueue, entry: Entry, now: float) -> bool:
    """Every URL in memory waits for an unreachable robots.txt. URLs of other authorities may wait in the store: then
    those in memory make way for them, into the retry queue. False when the robots.txt of `entry` is all that is left to
    ask for.
    """
    unread = host.unread_queue()
    if unread >= 0:
        _refill(situation, host, unread)
        return True
    again = host.robots[authority_of(entry.record.url)].expires_at
    queue = host.hiding_queue(now)
    # A retry put off to this very moment would be no further back.
    if queue >= 0 and (queue != RETRY or again > now):
        moving = list(host.heads[queue].entries)
        situation.out.append(commands.Postpone(host.host_id, queue, moving, max(again, now)))
        situation.working.suspend(host, Phase.WAITING)
        return True
    if again > now:
        situation.working.push(host, now, again)
        return True
    return False


class _End(NamedTuple):
    """How everything ends that a host has queued."""

    reason: str
    detail: str
    failed: bool = False


_NO_ADDRESS: Final = _End(Reason.ADDRESS, "every address of the host is private or reserved")


def _death(state: HostState) -> _End:
    since = f"it has failed since {warc_date(state.failing_since)}, {state.failures} times in a row"
    return _End(state.error or "host dead", f"{since}: crawl.host_patience has ended", failed=True)


def _end_all(situation: Situation, host: BackQueue, now: float, end: _End) -> None:
    """Whatever a host has queued ends unfetched, a part of it in each of its turns."""
    for _ in range(REFUSALS_PER_TURN):
        queue = next((each for each in range(QUEUES) if host.unleased(each)), -1)
        if queue < 0:
            break
        head = host.heads[queue]
        if not head.entries:
            _refill(situation, host, queue)
            return
        situation.end(host, head.entries[0], end.reason, end.detail, failed=end.failed)
    situation.go_on(host, now)
