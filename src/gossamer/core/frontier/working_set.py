"""The working set: which hosts are back queues in memory, and when each has its next turn.

A host is in one of four places. In the *working set* it is a back queue with a moment in the heap. *Asleep* it is bytes
in the store, listed under the moment it wakes. *Held* it is over a cap, blocked or paused. Otherwise it has nothing
queued. Every change of place is a `Move`, committed with everything else, so that opening finds each host where it was.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.frontier.back_queue import BackQueue, Head, Phase
from gossamer.core.frontier.commands import Command, Move, Wake
from gossamer.core.frontier.events import LoadedHost
from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.lease import Entry
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.records import LEVELS, HostState

SLEEP_SECONDS: Final = 60.0
"""A host with nothing to do for longer than this leaves the working set."""
WAKE_AHEAD_SECONDS: Final = 1.0
"""Hosts enter the working set this long before their moment."""
WAKE_COUNT_MAX: Final = 64
"""Hosts woken at once, so that no step of the loop is long."""
LEASES_BEFORE_YIELD: Final = 32
"""With a full working set and others waiting, a host gives its place up after this many leases."""
STAY_SECONDS: Final = 600.0
"""Or after this long, once it has had a lease: a slow host must not keep others out for hours."""
OVERDUE_SECONDS: Final = 5.0
"""New hosts make way for sleeping ones whose moment has been over for longer than this."""


@dataclass(slots=True)
class WorkingSet:
    """Hosts in memory, at most `hosts_max` but for errands; commands it gives rise to gather in `out`."""

    hosts_max: int
    ledger: Ledger
    hosts: dict[bytes, BackQueue] = field(default_factory=dict)
    touched: dict[bytes, HostState] = field(default_factory=dict)
    """Host states changed since the last commit took them."""
    next_wake: float | None = 0.0
    """When to look for sleeping hosts; None when none sleeps."""
    suspended: set[bytes] = field(default_factory=set)
    """Hosts out of turn until an event brings them back."""
    out: list[Command] = field(default_factory=list)
    by_group: bool = False
    """Whether the heap is kept by seed group, for groups that share the crawl."""
    _heaps: dict[str, list[tuple[float, int, bytes]]] = field(default_factory=dict)
    """Seed group, or "" for all -> moments of hosts."""
    now: float = 0.0
    """The moment of the step under way."""
    gaps_number: int = 0
    """Which of the gaps is in force; see `GapChanges`."""
    _ticket: int = 0

    def touch(self, host: BackQueue) -> HostState:
        """The state of a host, to be changed; the next commit saves it."""
        self.touched[host.host_id] = host.state
        return host.state

    def due(self, now: float, group: str = "") -> BackQueue | None:
        """The host of a group whose moment came first, out of the heap; None when no moment has come."""
        heap = self._heaps.get(group)
        while heap and heap[0][0] <= now:
            at, _, host_id = heapq.heappop(heap)
            host = self.hosts.get(host_id)
            if host is not None and host.phase is Phase.WAITING and host.at == at:
                host.at = -1.0
                return host
        return None

    def due_groups(self, now: float) -> list[str]:
        """The groups with a host whose moment has come."""
        return [group for group, moment in self._moments() if moment <= now]

    def next_moment(self) -> float | None:
        """When `due` or `wake` has something to do again; None when only events can bring it."""
        first = self._first_moment()
        if self.next_wake is not None and len(self.hosts) < self.hosts_max:
            wake = self.next_wake - WAKE_AHEAD_SECONDS
            return wake if first is None else min(first, wake)
        return first

    def _first_moment(self) -> float | None:
        """The moment of the first host of all groups."""
        if not self.by_group:
            heap = self._heaps.get("")
            return self._first_of(heap) if heap else None
        return min((moment for _, moment in self._moments()), default=None)

    def _moments(self) -> list[tuple[str, float]]:
        """Of each group the moment of its first host."""
        firsts = ((group, self._first_of(heap)) for group, heap in self._heaps.items())
        moments = [(group, moment) for group, moment in firsts if moment is not None]
        if len(moments) < len(self._heaps):
            self._heaps = {group: self._heaps[group] for group, _ in moments}
        return moments

    def _first_of(self, heap: list[tuple[float, int, bytes]]) -> float | None:
        """The first moment of a heap at which a host has its turn still."""
        while heap:
            moment, _, host_id = heap[0]
            host = self.hosts.get(host_id)
            if host is not None and host.at == moment and host.phase is Phase.WAITING:
                return moment
            heapq.heappop(heap)
        return None

    def push(self, host: BackQueue, now: float, at: float = 0.0) -> None:
        """Give a waiting host its moment in the heap (not before `at`), or its leave."""
        state = host.state
        self.suspended.discard(host.host_id)
        is_wanted = bool(host.out or host.errands) or host.pending is not None
        if not is_wanted and not state.total:
            self._leave(host, Move(host.host_id, left_active=True))
            return
        # What a dead host has queued ends unfetched, which needs no gap.
        moment = at if state.dead_until > now else max(at, state.next_at, host.next_due())
        in_heap = host.at == moment and host.phase is Phase.WAITING
        self._set_phase(host, Phase.WAITING)
        host.at = moment
        if not (is_wanted or host.asking) and self._should_sleep(host, now):
            self._sleep(host)
        elif not in_heap:
            self._ticket += 1
            heap = self._heaps.setdefault(host.group if self.by_group else "", [])
            heapq.heappush(heap, (moment, self._ticket, host.host_id))

    def repush(self, host: BackQueue, now: float) -> None:
        """The moment of a host has changed: if it waits for its turn, its place in the heap changes too."""
        if host.phase is Phase.WAITING and host.host_id not in self.suspended:
            self.push(host, now)

    def rest(self, host: BackQueue) -> None:
        """Nothing to do before one of its leases ends."""
        self.suspended.discard(host.host_id)
        self._set_phase(host, Phase.LEASED)
        host.at = -1.0

    def line_up(self, host: BackQueue, line: str) -> None:
        """It stands in a line, out of the heap, until it is called; `line` says what for."""
        host.line = line
        self._set_phase(host, Phase.QUEUEING)
        host.at = -1.0

    def suspend(self, host: BackQueue, phase: Phase) -> None:
        """Take a host out of turn until an event brings it back."""
        self._set_phase(host, phase)
        host.at = -1.0
        self.suspended.add(host.host_id)

    def is_crowded(self, now: float) -> bool:
        """Whether the set is full and a sleeping host's moment has come."""
        return len(self.hosts) >= self.hosts_max and self.next_wake is not None and self.next_wake <= now

    def hold(self, host: BackQueue, hold: Hold, now: float) -> None:
        """Nothing may be leased from a host for now: its URLs are held. With `hold.until` it wakes by itself."""
        state = host.state
        state.held, state.held_why, state.held_at = True, hold.reason, now
        state.held_until, state.held_detail = hold.until, hold.detail
        self.ledger.queued -= state.total
        self.ledger.held += state.total
        if hold.until:
            state.ready_level, state.ready_wake_ms = host.best_level(), max(0, int(hold.until * 1000))
            self.note_wake(hold.until)
        level, wake_ms = state.ready_level, state.ready_wake_ms
        self._leave(host, Move(host.host_id, held=True, left_active=True, ready_level=level, ready_wake_ms=wake_ms))

    def hold_on(self, loaded: LoadedHost, hold: Hold, now: float) -> None:
        """A held host of the store stays held: for what reason now, and until when."""
        state = loaded.state
        if hold.reason != state.held_why:
            state.held_why, state.held_at = hold.reason, now
        state.held_until, state.held_detail = hold.until, hold.detail
        if hold.until:
            level = next((each for each in range(LEVELS) if state.queued[each]), LEVELS - 1)
            self._move_asleep(loaded, level, max(0, int(max(hold.until, now) * 1000)))
        elif state.ready_level >= 0:
            self.out.append(
                Move(
                    loaded.host_id,
                    held=True,
                    left_ready_level=state.ready_level,
                    left_ready_wake_ms=state.ready_wake_ms,
                )
            )
            state.ready_level, state.ready_wake_ms = -1, 0
        self.touched[loaded.host_id] = state

    def enter(self, loaded: LoadedHost, not_before: float) -> BackQueue:
        """Take a host in; `push` gives it its moment. Nobody is contacted before `not_before`."""
        state = loaded.state
        state.next_at = max(state.next_at, not_before)
        self.out.append(
            Move(
                loaded.host_id,
                active=True,
                left_ready_level=state.ready_level,
                left_ready_wake_ms=state.ready_wake_ms,
                left_held=state.held,
            )
        )
        state.ready_level, state.ready_wake_ms = -1, 0
        self._free(state)
        host = BackQueue(
            loaded.host_id,
            state,
            loaded.robots,
            heads=[Head(complete=not queued) for queued in state.queued],
            since=self.now,
            gaps_number=self.gaps_number,
            entered=self.now,
        )
        self.hosts[loaded.host_id] = host
        self.touched[loaded.host_id] = state
        return host

    def place(self, loaded: LoadedHost, now: float, not_before: float, entries: list[Entry]) -> None:
        """Give a host that was found URLs for its place: in the set if there is room, else asleep."""
        if len(self.hosts) < self.hosts_max and not self._others_first(now):
            host = self.enter(loaded, not_before)
            if host.state.total == len(entries):
                host.fill_heads(entries)
            self.push(host, now)
        else:
            self._lay_asleep(loaded, now)

    def release(self, loaded: LoadedHost, now: float, not_before: float) -> None:
        """Nothing holds a held host any more: it goes into the set if there is room, else asleep."""
        if len(self.hosts) < self.hosts_max and not self._others_first(now):
            self.push(self.enter(loaded, not_before), now)
            return
        self.out.append(Move(loaded.host_id, left_held=True))
        self._free(loaded.state)
        self.touched[loaded.host_id] = loaded.state
        self._lay_asleep(loaded, now)

    def wake(self, now: float) -> None:
        """Ask for sleeping hosts whose moment comes, if there is room for them."""
        free = self.hosts_max - len(self.hosts)
        if self.next_wake is not None and self.next_wake - WAKE_AHEAD_SECONDS <= now and free > 0:
            self.next_wake = None
            self.out.append(Wake(min(free, WAKE_COUNT_MAX), now + WAKE_AHEAD_SECONDS))

    def note_wake(self, moment: float) -> None:
        """A host sleeps until this moment."""
        self.next_wake = moment if self.next_wake is None else min(self.next_wake, moment)

    def _others_first(self, now: float) -> bool:
        """Whether sleeping hosts have waited for the next place in the set: who comes late sleeps behind them."""
        return self.next_wake is not None and 0.0 < self.next_wake <= now - OVERDUE_SECONDS

    def _set_phase(self, host: BackQueue, phase: Phase) -> None:
        if host.phase is not phase:
            host.phase, host.since = phase, self.now

    def _should_sleep(self, host: BackQueue, now: float) -> bool:
        """Whether a host that only its own URLs keep in the set makes way."""
        # An errand has brought it in beyond the set's size, and is done.
        if host.at > now + SLEEP_SECONDS or len(self.hosts) > self.hosts_max:
            return True
        stayed = host.leases and (host.leases >= LEASES_BEFORE_YIELD or now - host.entered > STAY_SECONDS)
        return bool(stayed) and self.is_crowded(now)

    def _sleep(self, host: BackQueue) -> None:
        level, wake_ms = host.best_level(), max(0, int(host.at * 1000))
        host.state.ready_level, host.state.ready_wake_ms = level, wake_ms
        self.note_wake(wake_ms / 1000)
        self._leave(host, Move(host.host_id, left_active=True, ready_level=level, ready_wake_ms=wake_ms))

    def wake_earlier(self, loaded: LoadedHost, now: float) -> None:
        """The moment of a sleeping host has come nearer."""
        wake_ms = max(0, int(max(loaded.state.next_at, now) * 1000))
        if wake_ms < loaded.state.ready_wake_ms:
            self._move_asleep(loaded, loaded.state.ready_level, wake_ms)

    def withdraw(self, loaded: LoadedHost, entries: list[Entry]) -> None:
        """URLs of a host outside the set are queued, or held, no more; without others it leaves its place."""
        state = loaded.state
        for entry in entries:
            queue = entry.record.queue
            state.queued[queue] -= 1
            if state.heads[queue] == entry.order:
                state.heads[queue] = entry.order + 1
        if state.held:
            self.ledger.held -= len(entries)
        else:
            self.ledger.queued -= len(entries)
        self.touched[loaded.host_id] = state
        if not state.total:
            level, wake_ms = state.ready_level, state.ready_wake_ms
            self.out.append(
                Move(loaded.host_id, left_ready_level=level, left_ready_wake_ms=wake_ms, left_held=state.held)
            )
            state.ready_level, state.ready_wake_ms = -1, 0
            self._free(state)

    def _free(self, state: HostState) -> None:
        """Its URLs, if they were held, are queued again."""
        if state.held:
            state.held, state.held_why, state.held_at = False, "", 0.0
            state.held_until, state.held_detail = 0.0, ""
            self.ledger.held -= state.total
            self.ledger.queued += state.total

    def _lay_asleep(self, loaded: LoadedHost, now: float) -> None:
        """List a host of the store under the moment it wakes."""
        state = loaded.state
        level = next((each for each in range(LEVELS) if state.queued[each]), LEVELS - 1)
        wake_ms = max(0, int((now if state.dead_until > now else max(state.next_at, now)) * 1000))
        if state.ready_level >= 0:
            wake_ms = min(wake_ms, state.ready_wake_ms)
        if (level, wake_ms) != (state.ready_level, state.ready_wake_ms):
            self._move_asleep(loaded, level, wake_ms)

    def _leave(self, host: BackQueue, move: Move) -> None:
        self.touch(host)
        del self.hosts[host.host_id]
        self.out.append(move)

    def _move_asleep(self, loaded: LoadedHost, level: int, wake_ms: int) -> None:
        state = loaded.state
        self.out.append(
            Move(
                loaded.host_id,
                ready_level=level,
                ready_wake_ms=wake_ms,
                left_ready_level=state.ready_level,
                left_ready_wake_ms=state.ready_wake_ms,
            )
        )
        state.ready_level, state.ready_wake_ms = level, wake_ms
        self.touched[loaded.host_id] = state
        self.note_wake(wake_ms / 1000)
