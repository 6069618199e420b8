"""The frontier: which URL may be fetched now, and by nobody else. Events in, commands out, the time an argument.

A turn of a host, when its moment has come, ends in exactly one of: a lease, a look-up of its name, a refill of a head,
a robots.txt asked for, or a later moment. Only `_lease` makes leases, and it is reached only after the gap (the heap),
the address ceilings, the caps and the robots verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from gossamer.core.facts import Fact, HostHeld, RobotsRead
from gossamer.core.frontier import commands, events
from gossamer.core.frontier.back_queue import BackQueue, Phase, RobotsPending, at_hand
from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.host_update import after_visit, change_gap, lookup_failed
from gossamer.core.frontier.lease import LEASE_KINDS, LISTING_LEASES, Entry, Errand, Lease, LeaseKind
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.permission import permission, tdm_body
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import QUEUES, RETRY, HostState, PageRecord
from gossamer.core.frontier.working_set import SLEEP_SECONDS, WorkingSet
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import ROBOTS_BYTES_MAX, ROBOTS_REDIRECTS_MAX, SITEMAP_BYTES_MAX
from gossamer.core.politeness.ceiling import Ceilings
from gossamer.core.politeness.gap import gap_seconds
from gossamer.core.preference.preferences import NOTHING, Preferences
from gossamer.core.robots.answer import RobotsAnswer, robots_state
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.parse import authority_of

REFUSALS_PER_TURN: Final = 64
"""URLs refused in one turn of a host, so that no step of the loop is long."""
POSTPONE_PAUSE_SECONDS: Final = 1.0
"""Between two moves of URLs out of the way of others: they cost writes, and nothing is lost by waiting."""
_FILE_LEASES: Final = frozenset({LeaseKind.ROBOTS, LeaseKind.PROBE})
"""Leases without a known URL."""
UNANSWERED: Final = RobotsAnswer(failure=FailureKind.CONNECT_FAILED)
"""What an errand comes to when its host cannot be asked: unreachable."""


@dataclass(slots=True)
class Room:
    """What the worker can take on in this step: leases, and bytes still free under the cap in all."""

    leases: int
    bytes: int | None = None


@dataclass(slots=True)
class Wanted:
    """What a lease is wanted for: a page, or a robots.txt for an authority of this host or of another."""

    kind: LeaseKind
    url: str
    entry: Entry | None = None
    authority: str = ""
    hops: int = 0
    errand: Errand | None = None
    stated: Preferences = NOTHING


class Frontier:
    """The frontier of one shard. `chance` draws from [0, 1).

    `reopened_at` is the moment at which a crawl that had begun before was opened again; None for a new one.
    """

    def __init__(
        self,
        policy: FrontierPolicy,
        ceilings: Ceilings,
        ledger: Ledger,
        chance: Callable[[], float],
        *,
        reopened_at: float | None = None,
    ) -> None:
        self.policy = policy
        """Replaced by `adopt` only."""
        self._longest_gap = policy.gap
        self.ceilings: Final = ceilings
        self.ledger: Final = ledger
        self.working: Final = WorkingSet(policy.hosts_max, ledger)
        self.leases: dict[int, Lease] = {}
        self._chance: Final = chance
        self._reopened_at: Final = reopened_at
        self._out = self.working.out
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
            case events.HeldLoaded() | events.SleepersLoaded():
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
            host = self.working.due(now)
            if host is None:
                break
            self._turn(host, now, room)
        return self._take()

    def adopt(self, policy: FrontierPolicy, now: float) -> list[Command]:
        """Put another policy in force. Hosts that it closes are held as their turn comes, before anything is leased.

        Hosts that it opens come back with `HeldLoaded`, those that sleep too long under it (see `may_oversleep`) with
        `SleepersLoaded`. `hosts_max` stays what it was.
        """
        self._longest_gap = max(self._longest_gap, policy.gap, key=lambda gap: gap.minimum_seconds)
        gaps = {host_id: self._gap_seconds(host) for host_id, host in self.hosts.items()}
        self.policy = policy
        for host in list(self.hosts.values()):
            before, after = gaps[host.host_id], self._gap_seconds(host)
            if before != after:
                change_gap(self.working.touch(host), before, after)
                self.working.repush(host, now)
        return self._take()

    def may_oversleep(self) -> bool:
        """Whether hosts sleep because of a gap that is shorter now."""
        return self._longest_gap.minimum_seconds > max(SLEEP_SECONDS, self.policy.gap.minimum_seconds)

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
            if host.phase is Phase.WAITING:
                self.working.push(host, now)
        elif not state.held and event.loaded is not None:
            self.working.place(event.loaded, now, self._not_before(state), event.entries)

    def _visited(self, event: events.Visited, now: float) -> None:
        lease = self.leases.pop(event.lease.number)
        self.ceilings.ended(lease.address)
        host = self.hosts[lease.host_id]
        self._tell(after_visit(host.state, event, self.policy.gap_at(lease.address), self._chance()))
        self.working.touch(host)
        if lease.entry is not None:
            self._settle(host, lease.entry, event)
        else:
            self._robots_fetched(host, event, now)
        if event.failed and not event.answered:
            self._give_up_errands(host)
        host.phase = Phase.WAITING if host.phase is Phase.LEASED else host.phase
        if host.phase is Phase.WAITING:
            self.working.push(host, now)

    def _settle(self, host: BackQueue, entry: Entry, event: events.Visited) -> None:
        """Book what became of a leased URL."""
        queue = event.lease_queue
        if event.fate.kind is FateKind.BACK:
            host.heads[queue].put_back(entry)
            return
        self._remove(host, queue, entry.order)
        if event.requeued is not None:
            self._requeue(host, event.requeued)

    def _robots_fetched(self, host: BackQueue, event: events.Visited, now: float) -> None:
        lease = event.lease
        errand = lease.errand
        if lease.kind is LeaseKind.PROBE:
            host.pending = None
            self._out += host.keep_tdm(lease.authority, tdm_body(event.robots or UNANSWERED), now)
            return
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
            again = Errand(errand.asker, errand.authority, event.redirect, lease.hops + 1)
            self._out.append(commands.SendErrand(again, origin=errand))
        elif event.redirect_host == lease.host:
            host.pending = RobotsPending(lease.authority, event.redirect, lease.hops + 1)
        else:
            host.pending, host.asking = None, lease.authority
            self.working.suspend(host, Phase.ASKING)
            errand = Errand(host.host_id, lease.authority, event.redirect, lease.hops + 1)
            self._out.append(commands.SendErrand(errand))

    def _keep_robots(self, host: BackQueue, authority: str, answer: RobotsAnswer, now: float) -> None:
        robots = robots_state(answer, host.robots.get(authority), now)
        self._out += host.keep_robots(authority, robots)
        delay = host.crawl_delay(self.policy.product)
        host.state.crawl_delay = delay
        host.state.next_at = max(host.state.next_at, host.state.last_end + delay)
        self.working.touch(host)
        self._out += host.sitemaps_named(authority, self.policy.product, now)
        self._tell([RobotsRead(authority, robots.kind, robots.reason, len(robots.body), delay)])

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
        head.entries, head.complete = event.entries, event.complete
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

    def _look_again(self, event: events.HeldLoaded | events.SleepersLoaded, now: float) -> None:
        if isinstance(event, events.HeldLoaded):
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
                times, delay = state.response_seconds, state.crawl_delay
                before, after = (gap_seconds(gap, times, delay) for gap in (self._longest_gap, self.policy.gap))
                if after.seconds < before.seconds:
                    change_gap(state, before.seconds, after.seconds)
                    self.working.wake_earlier(loaded, now)

    def _resolved(self, event: events.Resolved, now: float) -> None:
        host = self.hosts[event.host_id]
        answer = event.answer
        host.phase = Phase.WAITING
        host.addresses, host.addresses_expire = answer.addresses, answer.expires
        host.refused_address = answer.failure is FailureKind.ADDRESS_REFUSED
        if answer.failure is not None and not host.refused_address:
            self._tell(lookup_failed(host.state, answer, now, self._chance()))
            self.working.touch(host)
            self._give_up_errands(host)
            host.addresses_expire = 0.0
        elif host.refused_address:
            self._give_up_errands(host)
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

    def _robots_came(self, event: events.RobotsCame, now: float) -> None:
        host = self.hosts.get(event.host_id)
        entered = host is None and event.loaded is not None
        if host is None and event.loaded is not None:
            host = self.working.enter(event.loaded, self._not_before(event.loaded.state))
        if host is None:
            return
        self._keep_robots(host, event.authority, event.answer, now)
        host.asking = "" if host.asking == event.authority else host.asking
        if entered or host.phase is Phase.ASKING:
            self.working.push(host, now)

    def _give_up_errands(self, host: BackQueue) -> None:
        self._out += (commands.AnswerErrand(errand, UNANSWERED) for errand in host.errands)
        host.errands.clear()

    # --- a turn --------------------------------------------------------------------------------------------------

    def _turn(self, host: BackQueue, now: float, room: Room) -> None:
        if why := self.policy.closed.reason(host.state.name):
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

    def _close(self, host: BackQueue, why: str, now: float) -> None:
        """The operator keeps the host out of turn: what it has queued is held, what others want of it is not done."""
        self._give_up_errands(host)
        host.pending = None
        if host.state.total:
            self.working.hold(host, why, now)
        else:
            self.working.push(host, now)

    def _lease_robots(self, host: BackQueue, pending: RobotsPending, now: float, room: Room) -> None:
        wanted = Wanted(pending.kind, pending.url, None, pending.authority, pending.hops)
        self._lease(host, wanted, now, room)

    def _turn_page(self, host: BackQueue, now: float, room: Room) -> None:
        for _ in range(REFUSALS_PER_TURN):
            entry = self._first(host, now)
            if entry is None:
                return
            if host.is_blocked(entry, now):
                entry, other = host.first_blocked(now), host.first_open(now)
                if other is None and self._look_further(host, entry, now):
                    return
                if other is not None and not host.is_overtaken(entry, other, now):
                    entry = other
            found = permission(host, entry, self.policy, now)
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
            self.working.push(host, now)
            return None
        head = host.heads[queue]
        if not head.entries:
            self._refill(host, queue)
            return None
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
            body_bytes_max=self._body_bytes(wanted.kind, state, room),
            entry=wanted.entry,
            authority=wanted.authority,
            hops=wanted.hops,
            errand=wanted.errand,
            stated=wanted.stated,
        )
        self.leases[lease.number] = lease
        host.phase = Phase.LEASED
        host.leases += 1
        room.leases -= 1
        if room.bytes is not None:
            room.bytes -= lease.body_bytes_max
        self._out.append(commands.Visit(lease))
        return True

    def _body_bytes(self, kind: LeaseKind, state: HostState, room: Room) -> int:
        """Bytes the body of the next answer may have, so that no cap is exceeded."""
        # One byte more than is read of a robots.txt tells a longer file from one that ends there.
        limits = [ROBOTS_BYTES_MAX + 1 if kind in _FILE_LEASES else self.policy.body_bytes_max]
        limits = [SITEMAP_BYTES_MAX] if kind in LISTING_LEASES else limits
        if room.bytes is not None:
            limits.append(room.bytes)
        if self.policy.bytes_per_host_max is not None:
            limits.append(max(1, self.policy.bytes_per_host_max - state.bytes))
        return min(limits)

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
            host.state.heads[queue] = entries[0].order if entries else order + 1
        self.ledger.queued -= 1
        self.working.touch(host)

    def _not_before(self, state: HostState) -> float:
        """The gap may have been raised while the host slept. After a reopening nobody is contacted before the gap has
        passed: a crash may have taken what was known of the last contact, and of a host met since the last commit
        everything.
        """
        policies = [self.policy.gap, self.policy.gap_allowed or self.policy.gap]
        least = min(policy.minimum_seconds for policy in policies)
        slept = state.last_end + least if state.last_end else 0.0
        if self._reopened_at is None:
            return slept
        gap = gap_seconds(self.policy.gap, state.response_seconds, state.crawl_delay).seconds
        return max(slept, self._reopened_at + gap)

    def _gap_seconds(self, host: BackQueue) -> float:
        policy = self.policy.gap_at(host.addresses[0] if host.addresses else "")
        return gap_seconds(policy, host.state.response_seconds, host.state.crawl_delay).seconds

    def _tell(self, facts: Iterable[Fact]) -> None:
        self._out += (commands.Tell(fact) for fact in facts)

    def _take(self) -> list[Command]:
        out = list(self._out)
        self._out.clear()
        return out
