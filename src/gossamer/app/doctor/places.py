"""The places of hosts: each with queued URLs is in the working set, asleep under the moment it wakes, or held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.app.doctor.books import QueueCounts, queues_by_host
from gossamer.app.doctor.tables import rows
from gossamer.core.frontier.records import (
    HOST_ID_BYTES,
    LEVELS,
    HostState,
    decode_host,
    decode_page,
    encode,
    ready_key,
)
from gossamer.core.url.parse import host_of
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from gossamer.app.doctor.books import Desk


def check_hosts(desk: Desk) -> int:
    """See that every host state counts what its queues hold, and that the host is in its place; URLs held."""
    queues = queues_by_host(desk.store)
    active = {key for key, _ in rows(desk.store, Table.ACTIVE)}
    listed_held = {key for key, _ in rows(desk.store, Table.HELD)}
    ready: dict[bytes, list[bytes]] = {}
    for key, _ in rows(desk.store, Table.READY):
        ready.setdefault(key[-HOST_ID_BYTES:], []).append(key)
    held = 0
    for host_id, value in rows(desk.store, Table.HOST):
        counts = queues.pop(host_id, QueueCounts())
        state = _state(value)
        before = encode(state) if state is not None else b""
        state = state or _made_anew(desk, host_id, counts)
        asleep = ready.pop(host_id, [])
        places = (host_id in active, asleep, host_id in listed_held)
        active.discard(host_id)
        listed_held.discard(host_id)
        _count_anew(state, counts)
        in_place = _is_in_place(state, host_id, *places)
        if not in_place or encode(state) != before:
            desk.books.hosts += 1
            _lay(desk, host_id, state, asleep)
        held += state.total if state.held else 0
    for host_id, counts in queues.items():
        desk.books.hosts += 1
        state = _made_anew(desk, host_id, counts)
        _count_anew(state, counts)
        _lay(desk, host_id, state, ready.pop(host_id, []))
        active.discard(host_id)
        listed_held.discard(host_id)
    _drop_strangers(desk, active, listed_held, ready)
    desk.changes.write()
    return held


def _state(value: bytes) -> HostState | None:
    try:
        return decode_host(value)
    except msgspec.DecodeError:
        return None


def _made_anew(desk: Desk, host_id: bytes, counts: QueueCounts) -> HostState:
    """A host whose state is lost: its name from a URL that waits for it. Its gap counts from the next resume."""
    page = desk.store.get(Table.PAGE, [host_id + counts.first])[0] if counts.first else None
    name = host_of(decode_page(page).url) if page is not None else ""
    return HostState(name, desk.rules.sites.site_of(name) if name else "")


def _count_anew(state: HostState, counts: QueueCounts) -> None:
    state.queued = list(counts.queued)
    # Where nothing is queued the head says nothing; where something is, it may lie before the first entry.
    for queue, number in enumerate(counts.queued):
        if number and state.heads[queue] > counts.heads[queue]:
            state.heads[queue] = counts.heads[queue]


def _is_in_place(state: HostState, host_id: bytes, active: bool, asleep: list[bytes], held: bool) -> bool:  # noqa: FBT001
    """Whether a host is listed where its state says, and nowhere else."""
    if not state.total:
        # A host without work may stay listed until it is looked at next.
        return not asleep or asleep == [ready_key(max(state.ready_level, 0), state.ready_wake_ms, host_id)]
    if state.held:
        # One with a moment at which it is looked at again is listed under that moment, too.
        looked = [ready_key(state.ready_level, state.ready_wake_ms, host_id)] if state.ready_level >= 0 else []
        return held and not active and asleep == looked
    if state.ready_level >= 0:
        return asleep == [ready_key(state.ready_level, state.ready_wake_ms, host_id)] and not active and not held
    return active and not asleep and not held


def _lay(desk: Desk, host_id: bytes, state: HostState, asleep: list[bytes]) -> None:
    """Put a host into one place: held if it was, else asleep, to wake when it may be contacted."""
    for key in asleep:
        desk.changes.delete(Table.READY, key)
    desk.changes.write()
    desk.changes.delete(Table.ACTIVE, host_id)
    desk.changes.delete(Table.HELD, host_id)
    desk.changes.write()
    state.ready_level, state.ready_wake_ms = -1, 0
    if state.total and state.held:
        desk.changes.put(Table.HELD, host_id, b"")
    wakes = state.held_until if state.held else state.next_at
    if state.total and (not state.held or wakes):
        level = next((each for each in range(LEVELS) if state.queued[each]), LEVELS - 1)
        state.ready_level, state.ready_wake_ms = level, max(0, int(wakes * 1000))
        desk.changes.put(Table.READY, ready_key(level, state.ready_wake_ms, host_id), b"")
    desk.changes.put(Table.HOST, host_id, encode(state))


def _drop_strangers(desk: Desk, active: set[bytes], held: set[bytes], ready: dict[bytes, list[bytes]]) -> None:
    """Places of hosts that nothing else knows of."""
    desk.books.hosts += len(active) + len(held) + len(ready)
    for table, ids in ((Table.ACTIVE, active), (Table.HELD, held)):
        for host_id in ids:
            desk.changes.delete(table, host_id)
    for keys in ready.values():
        for key in keys:
            desk.changes.delete(Table.READY, key)
