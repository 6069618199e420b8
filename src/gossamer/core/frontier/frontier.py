"""The frontier: which URL may be fetched now, and by nobody else. Events in, commands out, the time an argument.

A host is in one of four places. In the *working set* it is a back queue: a phase, a moment in the heap, the heads of
its front queues in memory. *Asleep* it is bytes in the store, listed under the moment it wakes. *Held* it is over a
cap. Otherwise it has nothing queued. Every change of place is a `Move`, committed with everything else.

A turn of a host, when its moment has come, ends in exactly one of: a lease, a look-up of its name, a refill of a head,
a robots.txt asked for, or a later moment. Only `_lease` makes leases, and it is reached only after the gap (the heap),
the address ceilings, the caps and the robots verdict.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.frontier import commands, events
from gossamer.core.frontier.back_queue import BackQueue, Phase, RobotsPending
from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.host_update import after_visit, lookup_failed
from gossamer.core.frontier.lease import Entry, Errand, Lease, LeaseKind
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.records import LEVELS, QUEUES, RETRY, HostState
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import ROBOTS_REDIRECTS_MAX
from gossamer.core.politeness.ceiling import Ceilings
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind, robots_state
from gossamer.core.url.parse import authority_of

SLEEP_SECONDS: Final = 60.0
"""A host with nothing to do for longer than this leaves the working set."""
WAKE_AHEAD_SECONDS: Final = 1.0
"""Hosts enter the working set this long before their moment."""
WAKE_COUNT_MAX: Final = 64
"""Hosts woken at once, so that no step of the loop is long."""
REFUSALS_PER_TURN: Final = 64
"""URLs refused by robots.txt in one turn of a host, for the same reason."""
LEASES_BEFORE_YIELD: Final = 32
"""With a full working set and others waiting, a host gives its place up after this many leases."""
UNANSWERED: Final = RobotsAnswer(failure=FailureKind.CONNECT_FAILED)
"""What an errand comes to when its host cannot be asked: unreachable."""


@dataclass(frozen=True, slots=True)
class FrontierPolicy:
    """What the settings say to a frontier."""

    gap: GapPolicy
    product: str
    hosts_max: int
    body_bytes_max: int
    pages_per_host_max: int | None = None
    bytes_per_host_max: int | None = None
    gap_allowed: GapPolicy | None = None
    """For hosts at addresses that the user allowed by range: the only ones that may have a gap under a second."""
    is_allowed: Callable[[str], bool] = bool
    """Whether an address lies in such a range; by default any address does, and `gap_allowed` is what counts."""


@dataclass(slots=True)
class Room:
    """What the worker can take on in this step: leases, and bytes still free under the cap in all."""

    leases: int
    bytes: int | None = None


@dataclass(slots=True)
class Frontier:
    """The frontier of one shard."""

    policy: FrontierPolicy
    ceilings: Ceilings
    ledger: Ledger
    chance: Callable[[], float]
    opened_at: float
    hosts: dict[bytes, BackQueue] = field(default_factory=dict)
    touched: dict[bytes, HostState] = field(default_factory=dict)
    """Host states changed since the last commit took them."""
    leases: dict[int, Lease] = field(default_factory=dict)
    next_wake: float | None = 0.0
    """When to look for sleeping hosts; None when none sleeps."""
    blocked_until: float = 0.0
    _heap: list[tuple[float, int, bytes]] = field(default_factory=list)
    _out: list[Command] = field(default_factory=list)
    _ticket: int = 0
    _lease_number: int = 0

    # --- what the loop calls -------------------------------------------------------------------------------------

    def handle(self, event: events.Event, now: float) -> list[Command]:
        """Take in one event; what follows from it."""
        match event:
            case events.Found():
                self._found(event, now)
            case events.Visited():
                self._visited(event, now)
            case events.HeadLoaded():
                self._head_loaded(event, now)
            case events.Woken():
                self._woken(event, now)
            case events.Resolved():
                self._resolved(event, now)
            case events.ErrandCame():
                self._errand_came(event, now)
            case events.RobotsCame():
                self._robots_came(event, now)
        return self._take()

    def advance(self, now: float, room: Room) -> list[Command]:
        """Give every host whose moment has come its turn, while there is room; what follows."""
        self._wake(now)
        while self._heap and self._heap[0][0] <= now and room.leases > 0 and (room.bytes is None or room.bytes > 0):
            at, _, host_id = heapq.heappop(self._heap)
            host = self.hosts.get(host_id)
            if host is not None and host.phase is Phase.WAITING and host.at == at:
                self._turn(host, now, room)
        return self._take()

    def next_moment(self) -> float | None:
        """When `advance` has something to do again; None when only events can bring it."""
        while self._heap and self._is_stale(self._heap[0]):
            heapq.heappop(self._heap)
        moments = [self._heap[0][0]] if self._heap else []
        if self.next_wake is not None and len(self.hosts) < self.policy.hosts_max:
            moments.append(self.next_wake - WAKE_AHEAD_SECONDS)
        return min(moments) if moments else None

    def is_busy(self) -> bool:
        """Whether a lease, a look-up or an errand is under way: progress may come without time passing."""
        return bool(self.leases) or any(
            host.phase in (Phase.RESOLVING, Phase.ASKING) or host.errands for host in self.hosts.values()
        )

    def take_touched(self) -> dict[bytes, HostState]:
        """The host states changed since the last call, for the commit."""
        touched, self.touched = self.touched, {}
        return touched

    def state_of(self, host_id: bytes) -> HostState | None:
        """The state of a host if it is at hand (in the working set, or changed since the last commit)."""
        host = self.hosts.get(host_id)
        return host.state if host is not None else self.touched.get(host_id)

    # --- events --------------------------------------------------------------------------------------------------

    def _found(self, event: events.Found, now: float) -> None:
        host = self.hosts.get(event.host_id)
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
            self.ledger.held += len(event.entries)
        else:
            self.ledger.queued += len(event.entries)
        self.touched[event.host_id] = state
        if host is not None:
            if host.phase is Phase.WAITING:
                self._push(host, now)
        elif not state.held and event.loaded is not None:
            self._place(event.loaded, now, event.entries)

    def _visited(self, event: events.Visited, now: float) -> None:
        lease = self.leases.pop(event.lease.number)
        self.ceilings.ended(lease.address)
        host = self.hosts[lease.host_id]
        if event.freed:
            host.state.last_end = max(host.state.last_end, event.ended)
        else:
            after_visit(host.state, event, self._gap_of(lease.address), self.chance())
        self.touched[host.host_id] = host.state
        if lease.kind is LeaseKind.PAGE and lease.entry is not None:
            self._settle(host, lease.entry, event)
        elif not event.freed:
            self._robots_fetched(host, event, now)
        if event.failed and not event.answered:
            self._give_up_errands(host)
        host.phase = Phase.WAITING if host.phase is Phase.LEASED else host.phase
        if host.phase is Phase.WAITING:
            self._push(host, now)

    def _settle(self, host: BackQueue, entry: Entry, event: events.Visited) -> None:
        """Book what became of a leased URL."""
        state, queue = host.state, event.lease_queue
        if event.fate.kind is FateKind.BACK or event.freed:
            host.heads[queue].entries.insert(0, entry)
            return
        self._remove(host, queue, entry.order)
        if event.requeued is not None:
            if not state.queued[RETRY] or event.requeued.order < state.heads[RETRY]:
                state.heads[RETRY] = event.requeued.order
            state.queued[RETRY] += 1
            self.ledger.queued += 1
            host.heads[RETRY].add(event.requeued)

    def _robots_fetched(self, host: BackQueue, event: events.Visited, now: float) -> None:
        lease = event.lease
        errand = lease.errand
        if event.redirect and lease.hops < ROBOTS_REDIRECTS_MAX:
            self._follow_robots(host, event)
            return
        answer = event.robots or RobotsAnswer(too_many_redirects=True)
        if errand is not None:
            self._out.append(commands.AnswerErrand(errand, answer))
        else:
            host.pending = None
            self._keep_robots(host, lease.authority, answer, now)

    def _follow_robots(self, host: BackQueue, event: events.Visited) -> None:
        lease = event.lease
        if lease.errand is not None:
            errand = lease.errand
            again = Errand(errand.asker, errand.asker_site, errand.authority, event.redirect, lease.hops + 1)
            self._out.append(commands.SendErrand(again))
        elif event.redirect_host == lease.host:
            host.pending = RobotsPending(lease.authority, event.redirect, lease.hops + 1)
        else:
            host.pending = None
            host.phase = Phase.ASKING
            errand = Errand(host.host_id, host.state.site, lease.authority, event.redirect, lease.hops + 1)
            self._out.append(commands.SendErrand(errand))

    def _keep_robots(self, host: BackQueue, authority: str, answer: RobotsAnswer, now: float) -> None:
        robots = robots_state(answer, host.robots.get(authority), now)
        host.robots[authority] = robots
        host.rules.pop(authority, None)
        rules = host.rules_of(authority, self.policy.product)
        if rules is not None and rules.crawl_delay:
            host.state.crawl_delay = max(host.state.crawl_delay, rules.crawl_delay)
            host.state.next_at = max(host.state.next_at, host.state.last_end + rules.crawl_delay)
        self.touched[host.host_id] = host.state
        self._out.append(commands.SaveRobots(host.host_id, authority, robots))

    def _head_loaded(self, event: events.HeadLoaded, now: float) -> None:
        host = self.hosts[event.host_id]
        head = host.heads[event.queue]
        head.entries, head.complete = event.entries, event.complete
        if event.entries:
            host.state.heads[event.queue] = event.entries[0].order
            self.touched[host.host_id] = host.state
        elif event.complete and host.state.queued[event.queue]:
            raise ValueError(f"queue {event.queue} of {host.state.name} counts entries that the store does not hold")
        self._push(host, now)

    def _woken(self, event: events.Woken, now: float) -> None:
        self.next_wake = event.next_wake
        for loaded in event.hosts:
            self._push(self._enter(loaded), now)

    def _resolved(self, event: events.Resolved, now: float) -> None:
        host = self.hosts[event.host_id]
        answer = event.answer
        host.phase = Phase.WAITING
        host.addresses, host.addresses_expire = answer.addresses, answer.expires
        host.refused_address = answer.failure is FailureKind.ADDRESS_REFUSED
        if answer.failure is not None and not host.refused_address:
            lookup_failed(host.state, answer, now, self.chance())
            self.touched[host.host_id] = host.state
            self._give_up_errands(host)
            host.addresses_expire = 0.0
        elif host.refused_address:
            self._give_up_errands(host)
        self._push(host, now)

    def _errand_came(self, event: events.ErrandCame, now: float) -> None:
        host = self.hosts.get(event.host_id)
        if host is None:
            if event.loaded is None:
                raise ValueError("an ErrandCame event for a host outside the working set must bring the host")
            host = self._enter(event.loaded)
        if host.state.next_at > now + SLEEP_SECONDS or host.refused_address:
            self._out.append(commands.AnswerErrand(event.errand, UNANSWERED))
        else:
            host.errands.append(event.errand)
        # A host that waits for its own errand may be asked on the way: a chain of redirects that comes back to it.
        if host.phase in (Phase.WAITING, Phase.ASKING):
            self._push(host, now)

    def _robots_came(self, event: events.RobotsCame, now: float) -> None:
        host = self.hosts.get(event.host_id)
        if host is None:
            return
        self._keep_robots(host, event.authority, event.answer, now)
        if host.phase is Phase.ASKING:
            host.phase = Phase.WAITING
            self._push(host, now)

    def _give_up_errands(self, host: BackQueue) -> None:
        self._out += (commands.AnswerErrand(errand, UNANSWERED) for errand in host.errands)
        host.errands.clear()

    # --- a turn --------------------------------------------------------------------------------------------------

    def _turn(self, host: BackQueue, now: float, room: Room) -> None:
        if host.refused_address and now < host.addresses_expire:
            self._refuse_all(host, now)
        elif host.addresses_expire <= now:
            host.phase = Phase.RESOLVING
            self._out.append(commands.Resolve(host.host_id, host.state.name))
        elif host.pending is not None:
            pending = host.pending
            self._lease(host, now, room, LeaseKind.ROBOTS, pending.url, authority=pending.authority, hops=pending.hops)
        elif host.errands:
            self._lease_errand(host, now, room)
        elif self.is_over_cap(host.state):
            self._hold(host)
        else:
            self._turn_page(host, now, room)

    def _turn_page(self, host: BackQueue, now: float, room: Room) -> None:
        for _ in range(REFUSALS_PER_TURN):
            entry = self._first(host, now)
            if entry is None:
                return
            authority = authority_of(entry.record.url)
            robots = host.robots.get(authority)
            if robots is None or robots.expires_at <= now:
                host.pending = RobotsPending(authority, authority + "/robots.txt")
                self._lease(
                    host, now, room, LeaseKind.ROBOTS, host.pending.url, authority=authority
                )
                return
            if robots.kind is RobotsKind.UNREACHABLE:
                host.state.next_at = max(host.state.next_at, robots.expires_at)
                self.touched[host.host_id] = host.state
                self._push(host, now)
                return
            rules = host.rules_of(authority, self.policy.product)
            verdict = rules.verdict(entry.record.url[len(authority) :]) if rules is not None else None
            if verdict is None or verdict.allowed:
                line = verdict.line if verdict is not None else ""
                self._lease(host, now, room, LeaseKind.PAGE, entry.record.url, entry=entry, robots_line=line)
                return
            self._refuse(host, entry, "robots", verdict.line)
        self._push(host, now)

    def _first(self, host: BackQueue, now: float) -> Entry | None:
        """The first URL of the queue drawn; None when there is none yet (a refill or a later moment follows)."""
        queue = host.choose_queue(now, self.chance())
        if queue < 0:
            self._push(host, now)
            return None
        head = host.heads[queue]
        if not head.entries:
            self._out.append(commands.Refill(host.host_id, queue, host.state.heads[queue]))
            host.phase = Phase.WAITING
            host.at = -1.0
            return None
        return head.entries[0]

    def _lease(  # noqa: PLR0913 - a lease is made in one place, from all that it needs
        self,
        host: BackQueue,
        now: float,
        room: Room,
        kind: LeaseKind,
        url: str,
        *,
        entry: Entry | None = None,
        authority: str = "",
        hops: int = 0,
        errand: Errand | None = None,
        robots_line: str = "",
    ) -> None:
        address = host.addresses[0]
        later = self.ceilings.admit(address, host.state.site, now)
        if later is not None:
            if errand is not None:
                host.errands.insert(0, errand)
            self._push(host, now, later)
            return
        if entry is not None:
            host.heads[entry.record.queue].entries.pop(0)
        self.ceilings.started(address, host.state.site, now)
        body_bytes = self._body_bytes(host.state, room)
        self._lease_number += 1
        lease = Lease(
            number=self._lease_number,
            kind=kind,
            host_id=host.host_id,
            host=host.state.name,
            site=host.state.site,
            url=url,
            addresses=host.addresses,
            address=address,
            granted=now,
            body_bytes_max=body_bytes,
            entry=entry,
            authority=authority,
            hops=hops,
            errand=errand,
            robots_line=robots_line,
        )
        self.leases[lease.number] = lease
        host.phase = Phase.LEASED
        host.leases += 1
        room.leases -= 1
        if room.bytes is not None:
            room.bytes -= body_bytes
        self._out.append(commands.Visit(lease))

    def _body_bytes(self, state: HostState, room: Room) -> int:
        """Bytes the body of the next answer may have, so that no cap is exceeded."""
        limits = [self.policy.body_bytes_max]
        if room.bytes is not None:
            limits.append(room.bytes)
        if self.policy.bytes_per_host_max is not None:
            limits.append(max(1, self.policy.bytes_per_host_max - state.bytes))
        return min(limits)

    def _lease_errand(self, host: BackQueue, now: float, room: Room) -> None:
        errand = host.errands.pop(0)
        self._lease(
            host, now, room, LeaseKind.ROBOTS, errand.url, authority=errand.authority, hops=errand.hops, errand=errand
        )

    def _refuse(self, host: BackQueue, entry: Entry, reason: str, detail: str) -> None:
        queue = entry.record.queue
        host.heads[queue].entries.pop(0)
        self._remove(host, queue, entry.order)
        self._out.append(commands.Refuse(host.host_id, entry, reason, detail))

    def _refuse_all(self, host: BackQueue, now: float) -> None:
        """Refuse the URLs of a host none of whose addresses may be connected to."""
        for _ in range(REFUSALS_PER_TURN):
            queue = next((each for each in range(QUEUES) if host.state.queued[each]), -1)
            if queue < 0:
                break
            head = host.heads[queue]
            if not head.entries:
                self._out.append(commands.Refill(host.host_id, queue, host.state.heads[queue]))
                host.at = -1.0
                return
            self._refuse(host, head.entries[0], "address", "every address of the host is private or reserved")
        self._push(host, now)

    def _remove(self, host: BackQueue, queue: int, order: int) -> None:
        """Book one URL out of its queue."""
        host.state.queued[queue] -= 1
        if host.state.heads[queue] == order:
            entries = host.heads[queue].entries
            host.state.heads[queue] = entries[0].order if entries else order + 1
        self.ledger.queued -= 1
        self.touched[host.host_id] = host.state

    def is_over_cap(self, state: HostState) -> bool:
        """Whether a host has had all that the caps give it."""
        pages, size = self.policy.pages_per_host_max, self.policy.bytes_per_host_max
        return (pages is not None and state.pages >= pages) or (size is not None and state.bytes >= size)

    # --- places --------------------------------------------------------------------------------------------------

    def _push(self, host: BackQueue, now: float, at: float = 0.0) -> None:
        """Give a waiting host its moment in the heap, or its leave."""
        state = host.state
        if not state.total and not host.errands and host.pending is None:
            self._leave(host, commands.Move(host.host_id, left_active=True))
            return
        host.phase = Phase.WAITING
        host.at = max(at, state.next_at, host.next_due())
        if self._should_sleep(host, now):
            self._sleep(host)
            return
        self._ticket += 1
        heapq.heappush(self._heap, (host.at, self._ticket, host.host_id))

    def _should_sleep(self, host: BackQueue, now: float) -> bool:
        if host.errands or host.pending is not None:
            return False
        if host.at > now + SLEEP_SECONDS:
            return True
        crowded = len(self.hosts) >= self.policy.hosts_max and self.next_wake is not None and self.next_wake <= now
        return crowded and host.leases >= LEASES_BEFORE_YIELD

    def _sleep(self, host: BackQueue) -> None:
        level, wake = host.best_level(), max(0, int(host.at * 1000))
        host.state.ready_level, host.state.ready_wake_ms = level, wake
        self._note_wake(wake / 1000)
        self._leave(
            host, commands.Move(host.host_id, left_active=True, ready_level=level, ready_wake_ms=wake)
        )

    def _hold(self, host: BackQueue) -> None:
        host.state.held = True
        self.ledger.queued -= host.state.total
        self.ledger.held += host.state.total
        self._leave(host, commands.Move(host.host_id, left_active=True, held=True))

    def _leave(self, host: BackQueue, move: commands.Move) -> None:
        del self.hosts[host.host_id]
        self.touched[host.host_id] = host.state
        self._out.append(move)

    def _place(self, loaded: events.LoadedHost, now: float, entries: list[Entry]) -> None:
        """Give a host that has URLs again, or new ones, its place."""
        if len(self.hosts) < self.policy.hosts_max:
            host = self._enter(loaded)
            if host.state.total == len(entries):
                self._fill_heads(host, entries)
            self._push(host, now)
            return
        state = loaded.state
        level = next((each for each in range(LEVELS) if state.queued[each]), LEVELS - 1)
        wake = state.ready_wake_ms if state.ready_level >= 0 else max(0, int(max(state.next_at, now) * 1000))
        if any(state.queued[:LEVELS]):
            wake = min(wake, max(0, int(max(state.next_at, now) * 1000)))
        if (level, wake) == (state.ready_level, state.ready_wake_ms):
            return
        self._out.append(
            commands.Move(
                loaded.host_id,
                ready_level=level,
                ready_wake_ms=wake,
                left_ready_level=state.ready_level,
                left_ready_wake_ms=state.ready_wake_ms,
            )
        )
        state.ready_level, state.ready_wake_ms = level, wake
        self._note_wake(wake / 1000)

    def _fill_heads(self, host: BackQueue, entries: list[Entry]) -> None:
        """All that a host has queued has just been found: its heads are complete without a look at the store."""
        for head in host.heads:
            head.entries, head.complete = [], True
        for entry in entries:
            host.heads[entry.record.queue].add(entry)

    def _enter(self, loaded: events.LoadedHost) -> BackQueue:
        """Take a host into the working set. After an opening nobody is contacted before the gap has passed."""
        state = loaded.state
        state.next_at = max(state.next_at, self.opened_at + self._gap_at_opening(state))
        self._out.append(
            commands.Move(
                loaded.host_id,
                active=True,
                left_ready_level=state.ready_level,
                left_ready_wake_ms=state.ready_wake_ms,
                left_held=state.held,
            )
        )
        state.ready_level, state.ready_wake_ms = -1, 0
        if state.held:
            state.held = False
            self.ledger.held -= state.total
            self.ledger.queued += state.total
        host = BackQueue(loaded.host_id, state, loaded.robots)
        for queue, head in enumerate(host.heads):
            head.complete = not state.queued[queue]
        self.hosts[loaded.host_id] = host
        self.touched[loaded.host_id] = state
        return host

    def _gap_at_opening(self, state: HostState) -> float:
        if not state.fetches and not state.last_end:
            return 0.0
        return max(self.policy.gap.minimum_seconds, state.crawl_delay)

    def _gap_of(self, address: str) -> GapPolicy:
        allowed = self.policy.gap_allowed
        return allowed if allowed is not None and self.policy.is_allowed(address) else self.policy.gap

    def _note_wake(self, wake: float) -> None:
        self.next_wake = wake if self.next_wake is None else min(self.next_wake, wake)

    def _wake(self, now: float) -> None:
        free = self.policy.hosts_max - len(self.hosts)
        if self.next_wake is not None and self.next_wake - WAKE_AHEAD_SECONDS <= now and free > 0:
            self.next_wake = None
            self._out.append(commands.Wake(min(free, WAKE_COUNT_MAX), now + WAKE_AHEAD_SECONDS))

    def _is_stale(self, item: tuple[float, int, bytes]) -> bool:
        host = self.hosts.get(item[2])
        return host is None or host.phase is not Phase.WAITING or host.at != item[0]

    def _take(self) -> list[Command]:
        out, self._out = self._out, []
        return out
