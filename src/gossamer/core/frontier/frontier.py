"""The frontier: which URL may be fetched now, and by nobody else. Events in, commands out, the time an argument.

A turn of a host, when its moment has come, ends in exactly one of: a lease, a look-up of its name, a refill of a head,
a robots.txt asked for, or a later moment. Only `_lease` makes leases, and it is reached only after the gap (the heap),
the address ceilings, the caps and the robots verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from gossamer.core.facts import Fact, HostHeld
from gossamer.core.frontier import commands, events
from gossamer.core.frontier.back_queue import BackQueue, Phase, RobotsPending, at_hand
from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.host_update import after_visit, change_gap, lookup_failed
from gossamer.core.frontier.lease import LEASE_KINDS, Entry, Lease, LeaseKind
from gossamer.core.frontier.leasing import Room, Wanted, body_bytes
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.permission import Permission, permission
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import QUEUES, RETRY, HostState, PageRecord
from gossamer.core.frontier.robots_errands import UNANSWERED, RobotsErrands
from gossamer.core.frontier.shares import Shares
from gossamer.core.frontier.working_set import SLEEP_SECONDS, WorkingSet
from gossamer.core.http.exchange import FailureKind
from gossamer.core.politeness.ceiling import Ceilings
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.parse import authority_of

REFUSALS_PER_TURN: Final = 64
"""URLs refused in one turn of a host, so that no step of the loop is long."""
POSTPONE_PAUSE_SECONDS: Final = 1.0
"""Between two moves of URLs out of the way of others: they cost writes, and nothing is lost by waiting."""
NOT_WANTED: Final = "the scope has changed"
"""The detail of a refusal of a URL that was wanted when it was found."""


class Frontier:
    """The frontier of one shard. `chance` draws from [0, 1).

    `refusal` says why a queued URL is wanted no more, under a scope that has changed since it was found; empty while it
    is wanted. `shares`, of all frontiers of a worker, decides between seed groups; None where there are none to decide
    between. `reopened_at` is the moment at which a crawl that had begun before was opened again; None for a new one.
    """

    def __init__(
        self,
        policy: FrontierPolicy,
        ceilings: Ceilings,
        ledger: Ledger,
        chance: Callable[[], float],
        *,
        reopened_at: float | None = None,
        refusal: Callable[[PageRecord], str] = lambda _: "",
        shares: Shares | None = None,
    ) -> None:
        self.policy = policy
        """Replaced by `adopt` only."""
        self._before: list[FrontierPolicy] = []
        """Policies with other gaps that were in force before: hosts may sleep by them."""
        self.ceilings: Final = ceilings
        self.ledger: Final = ledger
        self.working: Final = WorkingSet(policy.hosts_max, ledger, by_group=shares is not None)
        self.leases: dict[int, Lease] = {}
        self._chance: Final = chance
        self._reopened_at: Final = reopened_at
        self._refusal: Final = refusal
        self._shares: Final = shares
        self._seat: Final = shares.join() if shares is not None else 0
        self._out = self.working.out
        self._robots: Final = RobotsErrands(self.working, policy.product)
        self._lease_number = 0

    # --- what the loop calls -------------------------------------------------------------------------------------

    def handle(self, event: events.Event, now: float) -> list[Command]:
        """Take in one event; what follows from it."""
        match event:
            case events.Found():
                self._found(event, now)
            case events.Visited():
                self._visited(event, now)
            case events.Postponed():
                self._postponed(event, now)
            case events.HeldLoaded() | events.SleepersLoaded() | events.Unwanted():
                self._look_again(event, now)
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
        self.working.wake(now)
        while room.leases > 0 and (room.bytes is None or room.bytes > 0):
            host = self._next_host(now)
            if host is None:
                break
            self._turn(host, now, room)
        if self._shares is not None:
            self._shares.report(self._seat, self.working.due_groups(now))
        return self._take()

    def stand_back(self) -> None:
        """This frontier gets no turns for now: no other one leaves room for it."""
        if self._shares is not None:
            self._shares.report(self._seat, ())

    def adopt(self, policy: FrontierPolicy, now: float) -> list[Command]:
        """Put another policy in force. Hosts that it closes are held as their turn comes, before anything is leased.

        Hosts that it opens come back with `HeldLoaded`, those that sleep too long under it (see `may_oversleep`) with
        `SleepersLoaded`. `hosts_max` stays what it was.
        """
        if not any(self.policy.same_gaps(other) for other in (policy, *self._before)):
            self._before.append(self.policy)
        gaps = {host_id: self._gap_seconds(host) for host_id, host in self.hosts.items()}
        self.policy = policy
        for host in list(self.hosts.values()):
            before, after = gaps[host.host_id], self._gap_seconds(host)
            if before != after:
                change_gap(self.working.touch(host), before, after)
                self.working.repush(host, now)
            if host.phase is Phase.LEASED:
                self._go_on(host, now)  # it may have more leases at once now
        return self._take()

    def may_oversleep(self) -> bool:
        """Whether hosts sleep because of a gap that is shorter now."""
        return any(policy.longest_minimum > SLEEP_SECONDS for policy in self._before)

    def exchange_ended(self, lease: Lease) -> None:
        """The exchange is over, its report will follow: until then nothing more is leased from its host."""
        self.hosts[lease.host_id].ended.add(lease.number)

    def next_moment(self) -> float | None:
        """When `advance` has something to do again; None when only events can bring it."""
        return self.working.next_moment()

    def is_busy(self) -> bool:
        """Whether a lease, a look-up or an errand is under way: progress may come without time passing."""
        return bool(self.leases or self.working.suspended)

    def take_touched(self) -> dict[bytes, HostState]:
        """The host states changed since the last call, for the commit."""
        touched, self.working.touched = self.working.touched, {}
        return touched

    @property
    def hosts(self) -> dict[bytes, BackQueue]:
        """The hosts in the working set, by id."""
        return self.working.hosts

    def state_of(self, host_id: bytes) -> HostState | None:
        """The state of a host if it is at hand (in the working set, or changed since the last commit)."""
        host = self.hosts.get(host_id)
        return host.state if host is not None else self.working.touched.get(host_id)

    def records_at_hand(self, host_id: bytes) -> dict[bytes, PageRecord]:
        """The records of a host's URLs that are in memory, leased or at the head of a queue, by fingerprint."""
        return at_hand(self.hosts.get(host_id), self.leases.values())

    def is_over_cap(self, state: HostState) -> bool:
        """See `FrontierPolicy.is_over_cap`."""
        return self.policy.is_over_cap(state)

    def hold_reason(self, state: HostState) -> str:
        """See `FrontierPolicy.hold_reason`."""
        return self.policy.hold_reason(state)

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
        self.working.touched[event.host_id] = state
        if host is not None:
            if host.phase in (Phase.WAITING, Phase.LEASED):
                self._go_on(host, now)
        elif not state.held and event.loaded is not None:
            self.working.place(event.loaded, now, self._not_before(state), event.entries)

    def _visited(self, event: events.Visited, now: float) -> None:
        lease = self.leases.pop(event.lease.number)
        self.ceilings.ended(lease.address)
        host = self.hosts[lease.host_id]
        del host.out[lease.number]
        host.ended.discard(lease.number)
        gap = self.policy.gap_at(lease.address, lease.host)
        self._tell(after_visit(host.state, event, gap, self._chance()))
        self.working.touch(host)
        if lease.entry is not None:
            self._settle(host, lease.entry, event)
        else:
            self._robots.fetched(host, event, now)
        if event.failed and not event.answered:
            self._robots.give_up(host)
        if host.phase in (Phase.WAITING, Phase.LEASED):
            self._go_on(host, now)

    def _go_on(self, host: BackQueue, now: float) -> None:
        """Leases, URLs or what is allowed have changed: its next turn, unless it has all it may have at once."""
        if host.may_lease(self.policy.rule_of(host.state.name).connections):
            self.working.push(host, now)
        else:
            self.working.rest(host)

    def _settle(self, host: BackQueue, entry: Entry, event: events.Visited) -> None:
        """Book what became of a leased URL."""
        queue = event.lease_queue
        host.leased.remove((queue, entry.order))
        if event.fate.kind is FateKind.BACK:
            host.give_back(queue, entry)
            return
        self._remove(host, queue, entry.order)
        if event.requeued is not None:
            self._requeue(host, event.requeued)

    def _postponed(self, event: events.Postponed, now: float) -> None:
        """URLs moved into the retry queue of their host; its turn comes again after a pause."""
        host = self.hosts[event.host_id]
        head = host.heads[event.queue]
        for before, after in event.moved:
            head.entries.remove(before)
            self._remove(host, event.queue, before.order)
            self._requeue(host, after)
        self.working.push(host, now, now + POSTPONE_PAUSE_SECONDS)

    def _requeue(self, host: BackQueue, entry: Entry) -> None:
        state = host.state
        if not state.queued[RETRY] or entry.order < state.heads[RETRY]:
            state.heads[RETRY] = entry.order
        state.queued[RETRY] += 1
        self.ledger.queued += 1
        host.heads[RETRY].add(entry)

    def _head_loaded(self, event: events.HeadLoaded, now: float) -> None:
        host = self.hosts[event.host_id]
        head = host.heads[event.queue]
        head.entries = [entry for entry in event.entries if not host.is_leased(event.queue, entry.order)]
        head.complete = event.complete
        if event.entries:
            host.state.heads[event.queue] = event.entries[0].order
            self.working.touch(host)
        elif event.complete and host.state.queued[event.queue]:
            raise ValueError(f"queue {event.queue} of {host.state.name} counts entries that the store does not hold")
        self.working.push(host, now)

    def _woken(self, event: events.Woken, now: float) -> None:
        # Hosts may have gone to sleep since the store was asked, and their wakes been noted.
        if event.next_wake is not None:
            self.working.note_wake(event.next_wake)
        for loaded in event.hosts:
            self.working.push(self.working.enter(loaded, self._not_before(loaded.state)), now)

    def _look_again(self, event: events.HeldLoaded | events.SleepersLoaded | events.Unwanted, now: float) -> None:
        if isinstance(event, events.Unwanted):
            self._unwanted(event, now)
        elif isinstance(event, events.HeldLoaded):
            self._held_loaded(event, now)
        else:
            self._sleepers_loaded(event, now)

    def _held_loaded(self, event: events.HeldLoaded, now: float) -> None:
        for loaded in event.hosts:
            state = loaded.state
            if not state.held or loaded.host_id in self.hosts:
                continue
            why = self.hold_reason(state)
            if not why:
                self.working.release(loaded, now, self._not_before(state))
            elif why != state.held_why:
                state.held_why, state.held_at = why, now
                self.working.touched[loaded.host_id] = state

    def _sleepers_loaded(self, event: events.SleepersLoaded, now: float) -> None:
        for loaded in event.hosts:
            state = loaded.state
            if loaded.host_id not in self.hosts and state.ready_level >= 0:
                before = max(policy.gap_of(state).seconds for policy in self._before)
                after = self.policy.gap_of(state).seconds
                if after < before:
                    change_gap(state, before, after)
                    self.working.wake_earlier(loaded, now)

    def _unwanted(self, event: events.Unwanted, now: float) -> None:
        """Queued URLs end as refused, wherever their host is; leased ones are judged again when they come back."""
        host = self.hosts.get(event.host_id)
        refused = [
            (entry, reason)
            for entry, reason in event.entries
            if host is None or not host.is_leased(entry.record.queue, entry.order)
        ]
        self._out += (commands.Refuse(event.host_id, entry, reason, NOT_WANTED) for entry, reason in refused)
        if host is None:
            if event.loaded is None:
                raise ValueError("an Unwanted event for a host outside the working set must bring the host")
            self.working.withdraw(event.loaded, [entry for entry, _ in refused])
            return
        for entry, _ in refused:
            host.heads[entry.record.queue].drop(entry.order)
            self._remove(host, entry.record.queue, entry.order)
        if host.phase in (Phase.WAITING, Phase.LEASED):
            self._go_on(host, now)

    def _resolved(self, event: events.Resolved, now: float) -> None:
        host = self.hosts[event.host_id]
        answer = event.answer
        host.phase = Phase.WAITING
        host.addresses, host.addresses_expire = answer.addresses, answer.expires
        host.refused_address = answer.failure is FailureKind.ADDRESS_REFUSED
        if answer.failure is not None and not host.refused_address:
            self._tell(lookup_failed(host.state, answer, now, self._chance()))
            self.working.touch(host)
            self._robots.give_up(host)
            host.addresses_expire = 0.0
        elif host.refused_address:
            self._robots.give_up(host)
            host.pending = None
        self.working.push(host, now)

    def _errand_came(self, event: events.ErrandCame, now: float) -> None:
        host = self.hosts.get(event.host_id)
        state = host.state if host is not None else event.loaded.state if event.loaded is not None else None
        if state is not None and self.policy.closed.reason(state.name):
            self._out.append(commands.AnswerErrand(event.errand, UNANSWERED))
            return
        if host is None:
            if event.loaded is None:
                raise ValueError("an ErrandCame event for a host outside the working set must bring the host")
            host = self.working.enter(event.loaded, self._not_before(event.loaded.state))
        if host.state.next_at > now + SLEEP_SECONDS or host.refused_address:
            self._out.append(commands.AnswerErrand(event.errand, UNANSWERED))
        else:
            host.errands.append(event.errand)
        # A host that waits for its own errand may be asked on the way: a chain of redirects that comes back to it.
        if host.phase in (Phase.WAITING, Phase.ASKING):
            self.working.push(host, now)
        elif host.phase is Phase.LEASED:
            self._go_on(host, now)

    def _robots_came(self, event: events.RobotsCame, now: float) -> None:
        entered = event.host_id not in self.hosts and event.loaded is not None
        if event.loaded is not None and entered:
            self.working.enter(event.loaded, self._not_before(event.loaded.state))
        self._robots.came(event, now)
        if entered:
            self.working.push(self.hosts[event.host_id], now)

    def _next_host(self, now: float) -> BackQueue | None:
        """The host that has its turn: the first whose moment came, or the first of the seed group that comes first."""
        if self._shares is None:
            return self.working.due(now)
        groups = self.working.due_groups(now)
        self._shares.report(self._seat, groups)
        group = self._shares.next_of(groups)
        return self.working.due(now, group) if group is not None else None

    # --- a turn --------------------------------------------------------------------------------------------------

    def _turn(self, host: BackQueue, now: float, room: Room) -> None:
        if host.out and not self._may_go_on(host):
            self.working.rest(host)
        elif why := self.policy.closed.reason(host.state.name):
            self._close(host, why, now)
        elif host.refused_address and now < host.addresses_expire:
            self._refuse_all(host, now)
        elif host.addresses_expire <= now:
            self.working.suspend(host, Phase.RESOLVING)
            self._out.append(commands.Resolve(host.host_id, host.state.name))
        elif host.pending is not None:
            self._lease_robots(host, host.pending, now, room)
        elif host.errands:
            errand = host.errands[0]
            wanted = Wanted(LeaseKind.ROBOTS, errand.url, None, errand.authority, errand.hops, errand)
            if self._lease(host, wanted, now, room):
                host.errands.pop(0)
        elif host.asking:
            self.working.suspend(host, Phase.ASKING)
        elif self.is_over_cap(host.state):
            state = host.state
            self._tell([HostHeld(state.name, state.pages, state.bytes, state.total)])
            self.working.hold(host, Reason.CAP, now)
        else:
            self._turn_page(host, now, room)

    def _may_go_on(self, host: BackQueue) -> bool:
        """Whether more is leased from it while leases are out; if not it stays until they have ended."""
        if host.refused_address or self.policy.hold_reason(host.state):
            return False
        return host.may_lease(self.policy.rule_of(host.state.name).connections)

    def _close(self, host: BackQueue, why: str, now: float) -> None:
        """The operator keeps the host out of turn: what it has queued is held, what others want of it is not done."""
        self._robots.give_up(host)
        host.pending = None
        if host.state.total:
            self.working.hold(host, why, now)
        else:
            self.working.push(host, now)

    def _lease_robots(self, host: BackQueue, pending: RobotsPending, now: float, room: Room) -> None:
        wanted = Wanted(pending.kind, pending.url, None, pending.authority, pending.hops)
        self._lease(host, wanted, now, room)

    def _turn_page(self, host: BackQueue, now: float, room: Room) -> None:
        ignored = self.policy.rule_of(host.state.name).robots_ignored
        for _ in range(REFUSALS_PER_TURN):
            entry = self._first(host, now)
            if entry is None:
                return
            if not ignored and host.is_blocked(entry, now):
                entry, other = host.first_blocked(now), host.first_open(now)
                if other is None and self._look_further(host, entry, now):
                    return
                if other is not None and not host.is_overtaken(entry, other, now):
                    entry = other
            if reason := self._refusal(entry.record):
                self._refuse(host, entry, reason, NOT_WANTED)
                continue
            found = Permission() if ignored else permission(host, entry, self.policy, now)
            if found.asks is not None:
                host.pending = found.asks
                self._lease_robots(host, host.pending, now, room)
                return
            if not found.reason:
                kind = LEASE_KINDS[entry.record.kind]
                self._lease(host, Wanted(kind, entry.record.url, entry, stated=found.stated), now, room)
                return
            self._refuse(host, entry, found.reason, found.detail)
        self.working.push(host, now)

    def _look_further(self, host: BackQueue, entry: Entry, now: float) -> bool:
        """Every URL in memory waits for an unreachable robots.txt. URLs of other authorities may wait in the store:
        then those in memory make way for them, into the retry queue. False when the robots.txt of `entry` is all that
        is left to ask for.
        """
        unread = host.unread_queue()
        if unread >= 0:
            self._refill(host, unread)
            return True
        again = host.robots[authority_of(entry.record.url)].expires_at
        queue = host.hiding_queue(now)
        # A retry put off to this very moment would be no further back.
        if queue >= 0 and (queue != RETRY or again > now):
            self._out.append(commands.Postpone(host.host_id, queue, list(host.heads[queue].entries), max(again, now)))
            self.working.suspend(host, Phase.WAITING)
            return True
        if again > now:
            self.working.push(host, now, again)
            return True
        return False

    def _first(self, host: BackQueue, now: float) -> Entry | None:
        """The first URL of the queue drawn; None when there is none yet (a refill or a later moment follows)."""
        queue = host.choose_queue(now, self._chance())
        if queue < 0:
            self._go_on(host, now)
            return None
        head = host.heads[queue]
        if not head.entries:
            self._refill(host, queue)
            return None
        if self._shares is not None and queue != RETRY:
            return self._shares.choose(head.entries)
        return head.entries[0]

    def _refill(self, host: BackQueue, queue: int) -> None:
        self._out.append(commands.Refill(host.host_id, queue, host.state.heads[queue]))
        self.working.suspend(host, Phase.WAITING)

    def _lease(self, host: BackQueue, wanted: Wanted, now: float, room: Room) -> bool:
        """Make the lease, if the ceilings of the host's address permit it now."""
        address, state = host.addresses[0], host.state
        later = self.ceilings.admit(address, state.site, now)
        if later is not None:
            self.working.push(host, now, later)
            return False
        self.ceilings.started(address, state.site, now)
        if wanted.entry is not None:
            host.heads[wanted.entry.record.queue].entries.remove(wanted.entry)
            host.leased.append((wanted.entry.record.queue, wanted.entry.order))
        self._lease_number += 1
        lease = Lease(
            number=self._lease_number,
            kind=wanted.kind,
            host_id=host.host_id,
            host=state.name,
            site=state.site,
            url=wanted.url,
            addresses=host.addresses,
            address=address,
            granted=now,
            body_bytes_max=body_bytes(wanted.kind, self.policy, state, room),
            entry=wanted.entry,
            authority=wanted.authority,
            hops=wanted.hops,
            errand=wanted.errand,
            stated=wanted.stated,
        )
        self.leases[lease.number] = lease
        if self._shares is not None:
            self._shares.charge(wanted.entry.record.group if wanted.entry is not None else host.group)
        host.out[lease.number] = lease.kind
        host.leases += 1
        room.leases -= 1
        if room.bytes is not None:
            room.bytes -= lease.body_bytes_max
        self._out.append(commands.Visit(lease))
        self._go_on(host, now)
        return True

    def _refuse(self, host: BackQueue, entry: Entry, reason: str, detail: str) -> None:
        queue = entry.record.queue
        host.heads[queue].entries.remove(entry)
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
                self._refill(host, queue)
                return
            self._refuse(host, head.entries[0], "address", "every address of the host is private or reserved")
        self.working.push(host, now)

    def _remove(self, host: BackQueue, queue: int, order: int) -> None:
        """Book one URL out of its queue."""
        host.state.queued[queue] -= 1
        if host.state.heads[queue] == order:
            entries = host.heads[queue].entries
            following = [entries[0].order if entries else order + 1]
            # What is leased stands in the store still, and is found there again after a crash.
            host.state.heads[queue] = min(following + [each for at, each in host.leased if at == queue])
        self.ledger.queued -= 1
        self.working.touch(host)

    def _not_before(self, state: HostState) -> float:
        """The gap may have been raised while the host slept. After a reopening nobody is contacted before the gap has
        passed: a crash may have taken what was known of the last contact, and of a host met since the last commit
        everything.
        """
        slept = state.last_end + self.policy.least_gap(state.name) if state.last_end else 0.0
        if self._reopened_at is None:
            return slept
        return max(slept, self._reopened_at + self.policy.gap_of(state).seconds)

    def _gap_seconds(self, host: BackQueue) -> float:
        return self.policy.gap_of(host.state, host.addresses[0] if host.addresses else "").seconds

    def _tell(self, facts: Iterable[Fact]) -> None:
        self._out += (commands.Tell(fact) for fact in facts)

    def _take(self) -> list[Command]:
        out = list(self._out)
        self._out.clear()
        return out
