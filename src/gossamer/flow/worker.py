"""A worker: the shards of one process, what they share, and the tasks under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from gossamer.core.facts import Fact, ScopeWidened
from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.lease import Lease
from gossamer.core.frontier.records import PageRecord
from gossamer.core.http.exchange import FetchLimits
from gossamer.core.preference.purpose import Purpose
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.url.parse import host_of
from gossamer.flow.alarm import Alarm
from gossamer.flow.asking import Asking
from gossamer.flow.budget import Budget
from gossamer.flow.commit import Committer
from gossamer.flow.finished import Finished
from gossamer.flow.own_shards import OwnShards
from gossamer.flow.pace import Pace
from gossamer.flow.shard import Shard
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.widenings import Widening
from gossamer.ports.archive import Archive
from gossamer.ports.clock import Clock
from gossamer.ports.company import Alone, Company
from gossamer.ports.datasets import Datasets
from gossamer.ports.entropy import Entropy
from gossamer.ports.exchange import Parcel, ShardExchange
from gossamer.ports.facts import FactLog, Unheard
from gossamer.ports.fetcher import Fetcher
from gossamer.ports.parser import Parser
from gossamer.ports.resolver import Resolver

VISIT_END_SECONDS: Final = 5.0
"""How long a cancelled visit may take to end."""


@dataclass(frozen=True, slots=True)
class CrawlPolicy:
    """What the settings say to the flow."""

    user_agent: str
    limits: FetchLimits
    commit_interval: float = 0.25
    patience: float = 600.0
    retry_first_seconds: float = 10.0
    keep_seconds: float = 30.0
    """A connection is kept for the next request if the gap is no longer than this."""
    copies_follow: str = "never"
    wanted_media: frozenset[str] | None = None
    purposes: tuple[str, ...] = (Purpose.SEARCH, Purpose.ARCHIVE)
    """See `FrontierPolicy.purposes`; asked again once the answer has spoken."""
    obeys_noarchive: bool = False
    """Whether pages that say noarchive are left out of the archive."""
    well_known_sitemaps: bool = False
    """Where no robots.txt names a sitemap, ask for one at the usual paths."""


@dataclass(slots=True)
class Worker:
    """Everything the loop and the visits need, each part as a port or a plain value."""

    policy: CrawlPolicy
    rules: ShardRules
    judge: LinkJudge
    budget: Budget
    shards: OwnShards
    clock: Clock
    entropy: Entropy
    fetcher: Fetcher
    resolver: Resolver
    parser: Parser
    archive: Archive
    datasets: Datasets
    exchange: ShardExchange
    committer: Committer
    company: Company = field(default_factory=Alone)
    asking: Asking = field(default_factory=Asking)
    alarm: Alarm = field(default_factory=Alarm)
    stopping: bool = False
    """Asked to stop: finish what is in flight, lease nothing."""
    pauses: set[str] = field(default_factory=set)
    """Why nothing is leased for now, a word each; what is in flight ends, and commits go on."""
    releasing: int = 0
    """How many looks at all held hosts are under way."""
    looked_at_fetches: int = -1
    """The fetches there were when all held hosts were looked at last because nothing else was left; -1 before."""
    active_at: float = 0.0
    """When a visit last ended, or the operator last asked for something."""
    is_public: Callable[[str], bool] = bool
    """Whether an address is a public one, not in a range the user allowed."""
    facts: FactLog = field(default_factory=Unheard)
    widened: Callable[[str, str, str], None] = lambda _seed, _target, _group: None
    """Told of each widening of the scope: seed, target, seed group."""
    newest: str = ""
    """The URL of the last page."""
    listeners: list[Callable[[Finished], None]] = field(default_factory=list[Callable[[Finished], None]])
    """Called in the step that reports a visit of a page, once all of it is booked; durable with the next commit."""
    holders: list[Callable[[], bool]] = field(default_factory=list[Callable[[], bool]])
    """Who may still bring URLs, so that the crawl is not over while one of them says so."""
    chores: list[Callable[[], Coroutine[Any, Any, None]]] = field(
        default_factory=list[Callable[[], Coroutine[Any, Any, None]]]
    )
    """What runs beside the loop until it ends."""
    parcels: dict[int, list[Parcel]] = field(default_factory=dict[int, list[Parcel]])
    """Receiving shard -> outbox entries that leave for it together, in this step of the loop."""
    pace: Pace = field(init=False)
    perform: Callable[[Shard, list[Command]], None] = field(init=False)
    """Does what a frontier asks for; the loop sets it."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _visits: dict[asyncio.Task[None], Lease] = field(default_factory=dict)
    _failure: BaseException | None = None

    def __post_init__(self) -> None:
        self.pace = Pace(self.committer)

    @property
    def commit_number(self) -> int:
        """The commit that what happens now will belong to."""
        return self.committer.next_number

    @property
    def in_flight(self) -> list[Lease]:
        """The leases out."""
        return list(self._visits.values())

    @property
    def is_busy(self) -> bool:
        """Whether something is under way that may bring news without time passing."""
        working = bool(self._visits) or self.is_delivering or any(shard.frontier.is_busy() for shard in self.shards)
        return working or self.releasing > 0 or any(holds() for holds in self.holders)

    @property
    def is_delivering(self) -> bool:
        """Whether links are on their way to another shard."""
        return any(shard.outbox.waiting for shard in self.shards)

    def owns(self, host: str) -> bool:
        """Whether a host's shard is one of its own."""
        return self.rules.shard_of(host) in self.shards

    @property
    def leases_now(self) -> bool:
        """Whether the frontiers may have their turns."""
        return not (self.stopping or self.pauses)

    @property
    def waits_for_operator(self) -> bool:
        """Whether paused hosts have the only URLs left."""
        if any(shard.ledger.queued for shard in self.shards):
            return False
        paused = self.shards.first.frontier.policy.closed.paused
        here = ((host, self.rules.shard_of(host)) for host in paused)
        return any(self.shards[number].has_held(host) for host, number in here if number in self.shards)

    def in_turn(self) -> Iterator[Shard]:
        """All shards, each time beginning with another, so that none is always last to find room."""
        return self.shards.in_turn()

    def next_moment(self) -> float | None:
        """When the first frontier has something to do again; None when only events can bring it.

        A shard whose outbox is full has no moment: it leases nothing until a delivery ends.
        """
        moments = [shard.frontier.next_moment() for shard in self.shards if not shard.outbox.is_full]
        return min([moment for moment in moments if moment is not None], default=None)

    async def wait(self) -> None:
        """Sleep until a frontier's moment, the deadline, or something happens."""
        now = self.clock.now()
        moments = [self.budget.deadline]
        room = self.budget.room(now, wanted=False)
        if room.leases and self.leases_now and (room.bytes is None or room.bytes > 0):
            moments.append(self.next_moment())
        if self.waits_for_operator:
            moments.append(self.active_at + self.policy.patience)
        known = [moment for moment in moments if moment is not None]
        await self.alarm.wait(min(known) - now if known else None)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task beside the loop; if it fails, the crawl fails."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def start_visit(self, work: Coroutine[Any, Any, None], lease: Lease) -> None:
        """Run a visit."""
        self._visits[self.start(work)] = lease

    def widen(self, shard: Shard, seed: PageRecord, target: str) -> None:
        """A seed redirects: take its target into scope if it is on the same site, and record that.

        It is recorded also where the scope has it anyway: that of a later resume may not.
        """
        source, site_of = seed.tried[0] if seed.tried else seed.referrer or seed.url, self.rules.sites.site_of
        if source == target or site_of(host_of(source)) != site_of(host_of(target)):
            return
        shard.record_widening(Widening(source, target, seed.group))
        if self.judge.widen(source, target, seed.group):
            self.note(ScopeWidened(source, target))
            self.widened(source, target, seed.group)

    def note(self, fact: Fact) -> None:
        """Tell whoever listens what happened just now."""
        self.facts.note(fact, self.clock.now())

    def pause(self, why: str) -> None:
        """Lease nothing until `go_on` is called with the same word."""
        self.pauses.add(why)
        self.alarm.ring()

    def go_on(self, why: str) -> None:
        """End the pause of that name; harmless when there is none."""
        self.pauses.discard(why)
        self.active_at = self.clock.now()
        self.alarm.ring()

    def pause_while(self, why: str) -> Callable[[bool], None]:
        """To be called with whether that reason to pause holds."""
        return lambda holds: self.pause(why) if holds else self.go_on(why)

    def stop(self) -> None:
        """Lease nothing more; the loop ends once what is in flight has ended."""
        self.stopping = True
        self.alarm.ring()

    def raise_failures(self) -> None:
        """Raise what a task failed with, if one did: a task that dies takes the crawl down loudly."""
        if self._failure is not None:
            raise self._failure

    async def finish_files(self) -> None:
        """Turn every journal into its final file, in one last commit."""
        self.archive.finish()
        self.datasets.finish()
        await self.committer.commit()

    async def end_visits(self) -> None:
        """Cancel every task and wait until all have ended."""
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=VISIT_END_SECONDS)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._visits.pop(task, None) is not None:
            self.active_at = self.clock.now()
        if not task.cancelled() and (failure := task.exception()) is not None and self._failure is None:
            self._failure = failure
        self.alarm.ring()
