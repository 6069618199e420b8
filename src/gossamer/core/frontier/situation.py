"""What a frontier knows, and the bookkeeping that turns and events share; what those decide stands in their files."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.budget.budgets import Budgets
from gossamer.core.facts import Fact, HostDied
from gossamer.core.frontier import commands
from gossamer.core.frontier.back_queue import BackQueue, Phase
from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.gap_change import GapChanges
from gossamer.core.frontier.holds import Hold, Judges
from gossamer.core.frontier.host_update import end_patience
from gossamer.core.frontier.lease import Entry, Lease
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import HostState
from gossamer.core.frontier.robots_errands import RobotsErrands
from gossamer.core.frontier.shares import Shares
from gossamer.core.frontier.working_set import WorkingSet
from gossamer.core.politeness.ceiling import Ceilings
from gossamer.core.politeness.fetch_slots import LINES, Pace
from gossamer.core.scope.reasons import Reason

LOOKUPS_MAX: Final = 64
"""Names looked up at once by one frontier: more would only wait at the resolver, and expire before they are used."""
LOOKUP_LINE: Final = "in line for a look-up of its name"
SLOT_LINE: Final = "in line for a fetch slot: hosts that are slow, or have answered nothing yet, hold all theirs"
LINE_SLEEP_SECONDS: Final = 120.0
"""How long a host sleeps that finds no slot for its pace while others need its place in the working set."""
DENIALS: Final = frozenset({Reason.ROBOTS, Reason.PURPOSE})
"""Reasons by which a host itself says no."""


@dataclass(slots=True)
class Situation:
    """One frontier's state. See `Frontier` for what its parts are given."""

    policy: FrontierPolicy
    ceilings: Ceilings
    ledger: Ledger
    chance: Callable[[], float]
    working: WorkingSet
    robots: RobotsErrands
    budgets: Budgets
    reopened_at: float | None = None
    shares: Shares | None = None
    seat: int = 0
    """Its number with `shares`."""
    judges: Judges = field(default_factory=Judges)
    """Of hosts, asked after the operator's own orders and caps; of URLs, asked before robots.txt."""
    before: list[FrontierPolicy] = field(default_factory=list)
    """Policies with other gaps that were in force before: hosts may sleep by them."""
    leases: dict[int, Lease] = field(default_factory=dict)
    lease_number: int = 0
    hosts: dict[bytes, BackQueue] = field(init=False)
    """The hosts in the working set, by id."""
    all_lines: tuple[deque[bytes], ...] = field(init=False)
    """Those for a look-up and for a fetch slot."""
    gaps: GapChanges = field(init=False)
    lines: dict[Pace, deque[bytes]] = field(default_factory=lambda: {pace: deque() for pace in LINES})
    """Hosts in line for a fetch slot, by pace, the first to be called first."""
    lookups: int = 0
    """Look-ups under way."""
    lookup_line: deque[bytes] = field(default_factory=deque[bytes])
    """Hosts in line for one."""

    def __post_init__(self) -> None:
        self.hosts = self.working.hosts
        self.all_lines = (self.lookup_line, *self.lines.values())
        self.gaps = GapChanges(self.working, [self.policy])

    @property
    def out(self) -> list[Command]:
        """What is asked for so far."""
        return self.working.out

    def tell(self, facts: Iterable[Fact]) -> None:
        """Something happened that others may want to hear of."""
        self.working.out += [commands.Tell(fact) for fact in facts]

    def take(self) -> list[Command]:
        """What was asked for since the last call."""
        out, self.working.out = self.working.out, []
        return out

    # --- may it? -------------------------------------------------------------------------------------------------

    def hold_of(self, state: HostState, now: float) -> Hold | None:
        """Why nothing may be leased from a host, whoever says so; None when something may."""
        if closed := self.policy.closed.reason(state.name):
            return Hold(closed)
        return self.limit_of(state, now)

    def limit_of(self, state: HostState, now: float) -> Hold | None:
        """The same, the operator's orders apart: a host over a limit may still answer for its robots.txt."""
        return self.budgets.hold_of(self.policy, state, now) or self.judges.hold_of(state, now)

    def not_before(self, state: HostState) -> float:
        """The gap may have been raised while the host slept. After a reopening nobody is contacted before the gap has
        passed: a crash may have taken what was known of the last contact, and of a host met since the last commit
        everything.
        """
        slept = state.last_end + self.policy.least_gap(state.name) if state.last_end else 0.0
        if self.reopened_at is None:
            return slept
        return max(slept, self.reopened_at + self.policy.gap_of(state).seconds)

    # --- the books -----------------------------------------------------------------------------------------------

    def go_on(self, host: BackQueue, now: float) -> None:
        """Leases, URLs or what is allowed have changed: its next turn, unless it has all it may have at once."""
        if not host.out or host.may_lease(self.policy.rule_of(host.state.name).connections):
            self.working.push(host, now)
        else:
            self.working.rest(host)

    def look_up(self, host: BackQueue) -> None:
        """Ask for the addresses of a host, once fewer look-ups are under way."""
        if self.lookups >= LOOKUPS_MAX:
            self.working.line_up(host, LOOKUP_LINE)
            self.lookup_line.append(host.host_id)
            return
        self.lookups += 1
        self.working.suspend(host, Phase.RESOLVING)
        self.out.append(commands.Resolve(host.host_id, host.state.name))

    def stand_in_line(self, host: BackQueue, pace: Pace, now: float) -> None:
        """No slot is free for a host of this pace. Where others need its place in the working set it waits asleep."""
        if self.working.is_crowded(now):
            self.working.push(host, now, now + LINE_SLEEP_SECONDS)
            return
        self.working.line_up(host, SLOT_LINE)
        self.lines[pace].append(host.host_id)

    def call_lines(self, now: float) -> None:
        """Give those first in line their turns, as many as there are slots for."""
        if self.lookup_line:
            self._call(self.lookup_line, LOOKUPS_MAX - self.lookups, now)
        for pace, line in self.lines.items():
            if line:
                self._call(line, self.ceilings.slots.free(pace, now), now)

    def _call(self, line: deque[bytes], free: int, now: float) -> None:
        while line and free > 0:
            host = self.hosts.get(line.popleft())
            if host is not None and host.phase is Phase.QUEUEING:
                self.working.push(host, now)
                free -= 1

    def requeue(self, host: BackQueue, entry: Entry) -> None:
        """Book one URL of a host into the queue that its record names: the retry queue, or a better level."""
        state, queue = host.state, entry.record.queue
        if not state.queued[queue] or entry.order < state.heads[queue]:
            state.heads[queue] = entry.order
        state.queued[queue] += 1
        self.ledger.queued += 1
        host.heads[queue].add(entry)

    def remove(self, host: BackQueue, queue: int, order: int) -> None:
        """Book one URL out of its queue."""
        host.state.queued[queue] -= 1
        if host.state.heads[queue] == order:
            entries = host.heads[queue].entries
            following = entries[0].order if entries else order + 1
            if host.leased:
                # What is leased stands in the store still, and is found there again after a crash.
                following = min([following, *(each for at, each in host.leased if at == queue)])
            host.state.heads[queue] = following
        self.ledger.queued -= 1
        self.working.touch(host)

    def end(self, host: BackQueue, entry: Entry, reason: str, detail: str, *, failed: bool = False) -> None:
        """A queued URL at hand ends unfetched, as refused or as failed."""
        queue = entry.record.queue
        host.heads[queue].entries.remove(entry)
        self.remove(host, queue, entry.order)
        self.settle(host.state, reason if not failed else "")
        self.out.append(commands.Refuse(host.host_id, entry, reason, detail, failed))

    def settle(self, state: HostState, refused: str) -> None:
        """Count a URL that has ended: `refused` is the reason it was refused for, if it was. See `HostState.denied`."""
        if refused in DENIALS:
            state.denied += 1
            state.denied_at = self.working.now
        else:
            state.settled += 1

    def bury(self, host: BackQueue, now: float) -> None:
        """Look whether patience with a host that has just failed has ended: what it has queued ends in its turns."""
        state = host.state
        was_dead = bool(state.dead_at)
        if end_patience(state, self.policy.host_patience, now):
            host.pending = None
            self.robots.give_up(host)
            if not was_dead:
                self.tell([HostDied(state.name, state.error, state.failures, state.failing_since, state.total)])
