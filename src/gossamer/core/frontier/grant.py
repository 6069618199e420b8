"""Making a lease: the one place where it is done, after the gap, the holds, the ceilings and the robots verdict."""

from __future__ import annotations

from gossamer.core.frontier import commands
from gossamer.core.frontier.back_queue import BackQueue
from gossamer.core.frontier.lease import Lease
from gossamer.core.frontier.leasing import Room, Wanted, body_bytes
from gossamer.core.frontier.situation import Situation
from gossamer.core.politeness.fetch_slots import pace_of


def grant(situation: Situation, host: BackQueue, wanted: Wanted, now: float, room: Room) -> bool:
    """Make the lease, if the ceilings of the host's address permit it now; otherwise the host comes again later."""
    address, state, entry, ceilings = host.addresses[0], host.state, wanted.entry, situation.ceilings
    later = ceilings.admit(address, state.site, now)
    if later is not None:
        situation.working.push(host, now, later)
        return False
    pace = pace_of(state.response_seconds, state.last_seconds if state.failures else 0.0)
    if not ceilings.slots.free(pace, now):
        situation.stand_in_line(host, pace, now)
        return False
    ceilings.started(address, state.site, now)
    if entry is not None:
        queue = entry.record.queue
        host.heads[queue].entries.remove(entry)
        host.leased.append((queue, entry.order))
        host.note_lease(queue)
    lease = _lease_of(situation, host, wanted, room, slot=ceilings.slots.started(pace, now), now=now)
    situation.leases[lease.number] = lease
    situation.budgets.started(lease, state)
    if situation.shares is not None:
        situation.shares.charge(entry.record.group if entry is not None else host.group)
    host.out[lease.number] = lease.kind
    host.leases += 1
    room.leases -= 1
    if room.bytes is not None:
        room.bytes -= lease.body_bytes_max
    situation.out.append(commands.Visit(lease))
    situation.go_on(host, now)
    return True


def _lease_of(situation: Situation, host: BackQueue, wanted: Wanted, room: Room, *, slot: int, now: float) -> Lease:
    situation.lease_number += 1
    state = host.state
    return Lease(
        number=situation.lease_number,
        kind=wanted.kind,
        host_id=host.host_id,
        host=state.name,
        site=state.site,
        url=wanted.url,
        addresses=host.addresses,
        address=host.addresses[0],
        granted=now,
        body_bytes_max=body_bytes(
            wanted.kind, situation.policy, room, situation.budgets.bytes_left(situation.policy, state)
        ),
        entry=wanted.entry,
        authority=wanted.authority,
        hops=wanted.hops,
        errand=wanted.errand,
        stated=wanted.stated,
        slot=slot,
    )
