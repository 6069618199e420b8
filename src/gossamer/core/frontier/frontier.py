"""The frontier: which URL may be fetched now, and by nobody else. Events in, commands out, the time an argument.

What an event does stands in `arrivals` and `reports`, what a host's turn does in `turn`, the making of a lease in
`grant`; the rules that hold a host or refuse a URL are the judges of `holds`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from gossamer.core.budget.budgets import Budgets
from gossamer.core.budget.site_state import SiteBooks, SitesInMemory
from gossamer.core.frontier import arrivals, events, reports
from gossamer.core.frontier.back_queue import BackQueue, Phase, at_hand
from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.holds import Hold, Judges, scope_judge
from gossamer.core.frontier.lease import Lease
from gossamer.core.frontier.leasing import Room
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import HostState, PageRecord
from gossamer.core.frontier.robots_errands import RobotsErrands
from gossamer.core.frontier.shares import Shares
from gossamer.core.frontier.situation import Situation
from gossamer.core.frontier.turn import take_turn
from gossamer.core.frontier.working_set import SLEEP_SECONDS, WorkingSet
from gossamer.core.politeness.ceiling import Ceilings

TURNS_PER_STEP: Final = 512
"""Turns in one step of the loop: not every turn makes a lease, so that room alone is no bound."""
_HANDLERS: Final[Mapping[type, Callable[[Situation, Any, float], None]]] = MappingProxyType(
    {
        events.Found: arrivals.found,
        events.HeadLoaded: arrivals.head_loaded,
        events.Woken: arrivals.woken,
        events.HeldLoaded: arrivals.held_loaded,
        events.SleepersLoaded: arrivals.sleepers_loaded,
        events.Postponed: arrivals.postponed,
        events.Unwanted: arrivals.unwanted,
        events.Resolved: reports.resolved,
        events.Visited: reports.visited,
        events.ErrandCame: reports.errand_came,
        events.RobotsCame: reports.robots_came,
    }
)
"""What each event does."""


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
        sites: SiteBooks | None = None,
    ) -> None:
        working = WorkingSet(policy.hosts_max, ledger, by_group=shares is not None)
        self._situation: Final = Situation(
            policy,
            ceilings,
            ledger,
            chance,
            working,
            RobotsErrands(working, policy.product),
            Budgets(sites or SitesInMemory()),
            reopened_at=reopened_at,
            shares=shares,
            seat=shares.join() if shares is not None else 0,
            judges=Judges(urls=[scope_judge(refusal)]),
        )
        self.ceilings: Final = ceilings
        self.ledger: Final = ledger
        self.working: Final = working
        self.hosts: Final = working.hosts
        """The hosts in the working set, by id."""
        self.leases: Final = self._situation.leases
        """The leases out, by number."""
        self._moment: float | None = None
        self._knows_moment = False
        """Whether `_moment` is what `next_moment` would find: nothing has happened since."""

    # --- what the loop calls -------------------------------------------------------------------------------------

    def handle(self, event: events.Event, now: float) -> list[Command]:
        """Take in one event; what follows from it."""
        situation = self._situation
        self._knows_moment = False
        self.working.now = now
        _HANDLERS[type(event)](situation, event, now)
        return situation.take()

    def advance(self, now: float, room: Room) -> list[Command]:
        """Give every host whose moment has come its turn, while there is room; what follows."""
        situation = self._situation
        self._knows_moment = False
        self.working.now = now
        situation.gaps.step(now)
        situation.call_lines(now)
        self.working.wake(now)
        for _ in range(TURNS_PER_STEP):
            if room.leases <= 0 or (room.bytes is not None and room.bytes <= 0):
                break
            host = self._next_host(now)
            if host is None:
                break
            take_turn(situation, host, now, room)
        if situation.shares is not None:
            situation.shares.report(situation.seat, self.working.due_groups(now))
        return situation.take()

    def has_turns(self, now: float) -> bool:
        """Whether `advance` has anything to do: of many frontiers most have not, whenever something happens to one."""
        situation = self._situation
        if situation.shares is not None or any(situation.all_lines):
            return True
        moment = self.next_moment()
        return moment is not None and moment <= now

    def stand_back(self) -> None:
        """This frontier gets no turns for now: no other one leaves room for it."""
        if self._situation.shares is not None:
            self._situation.shares.report(self._situation.seat, ())

    def adopt(self, policy: FrontierPolicy, now: float) -> list[Command]:
        """Put another policy in force. Hosts that it closes are held as their turn comes, before anything is leased.

        Hosts that it opens come back with `HeldLoaded`, those that sleep too long under it (see `may_oversleep`) with
        `SleepersLoaded`. `hosts_max` stays what it was.
        """
        situation = self._situation
        self._knows_moment = False
        self.working.now = now
        if not any(situation.policy.same_gaps(other) for other in (policy, *situation.before)):
            situation.before.append(situation.policy)
        situation.policy = policy
        situation.gaps.adopt(policy)
        situation.gaps.step(now)
        for host_id in sorted({lease.host_id for lease in self.leases.values()}):
            if self.hosts[host_id].phase is Phase.LEASED:
                situation.go_on(self.hosts[host_id], now)  # it may have more leases at once now
        return situation.take()

    def may_oversleep(self) -> bool:
        """Whether hosts sleep because of a gap that is shorter now."""
        return any(policy.longest_minimum > SLEEP_SECONDS for policy in self._situation.before)

    def read_again(self, host_id: bytes) -> None:
        """Forget the heads of a host's levels: its URLs may be worth more by now, which is found when they are read."""
        host = self.hosts.get(host_id)
        if host is not None and host_id not in self.working.suspended:
            host.forget_heads()

    def exchange_ended(self, lease: Lease) -> None:
        """The exchange is over, its report will follow: until then nothing more is leased from its host."""
        self.hosts[lease.host_id].ended.add(lease.number)

    def next_moment(self) -> float | None:
        """When `advance` has something to do again; None when only events can bring it."""
        if not self._knows_moment:
            self._moment = 0.0 if self._situation.gaps.waiting else self.working.next_moment()
            self._knows_moment = True
        return self._moment

    def is_busy(self) -> bool:
        """Whether a lease, a look-up or an errand is under way: progress may come without time passing."""
        return bool(self.leases or self.working.suspended)

    def take_touched(self) -> dict[bytes, HostState]:
        """The host states changed since the last call, for the commit."""
        touched, self.working.touched = self.working.touched, {}
        return touched

    # --- what others look at -------------------------------------------------------------------------------------

    @property
    def policy(self) -> FrontierPolicy:
        """The policy in force; replaced by `adopt` only."""
        return self._situation.policy

    @policy.setter
    def policy(self, policy: FrontierPolicy) -> None:
        self._situation.policy = policy

    @property
    def judges(self) -> Judges:
        """The rules that hold hosts and refuse URLs; append to them before the first turn."""
        return self._situation.judges

    def state_of(self, host_id: bytes) -> HostState | None:
        """The state of a host if it is at hand (in the working set, or changed since the last commit)."""
        host = self.hosts.get(host_id)
        return host.state if host is not None else self.working.touched.get(host_id)

    def records_at_hand(self, host_id: bytes) -> dict[bytes, PageRecord]:
        """The records of a host's URLs that are in memory, leased or at the head of a queue, by fingerprint."""
        return at_hand(self.hosts.get(host_id), self.leases.values())

    @property
    def budgets(self) -> Budgets:
        """What its sites and hosts have had and may have."""
        return self._situation.budgets

    def hold_of(self, state: HostState, now: float) -> Hold | None:
        """Why nothing may be leased from a host now, and until when; None when something may."""
        return self._situation.hold_of(state, now)

    def _next_host(self, now: float) -> BackQueue | None:
        """The host that has its turn: the first whose moment came, or the first of the seed group that comes first."""
        shares = self._situation.shares
        if shares is None:
            return self.working.due(now)
        groups = self.working.due_groups(now)
        shares.report(self._situation.seat, groups)
        group = shares.next_of(groups)
        return self.working.due(now, group) if group is not None else None
