"""One life of the crawler on simulated parts: the same assembly as the real one's, with a stand-in for every port."""

from __future__ import annotations

import asyncio
import errno
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from gossamer.core import limits
from gossamer.core.budget.policy import BudgetPolicy
from gossamer.core.disk_guard import DiskGuard, DiskPolicy, Threshold
from gossamer.core.frontier.host_rules import HostRule
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.rejudging import refusal_of
from gossamer.core.http.exchange import FetchLimits
from gossamer.core.http.request import PRODUCT, user_agent
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.identity import JudgedBy, rules_digest
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules
from gossamer.core.seen.fingerprint import KEY_BYTES, Fingerprinter
from gossamer.core.trap.novelty import NoveltyRules
from gossamer.core.trap.rules import TrapRules
from gossamer.core.url.site import SiteList
from gossamer.flow.budget import Budget
from gossamer.flow.commit import Committer
from gossamer.flow.disk_watch import DiskWatch
from gossamer.flow.inbox import Inbox
from gossamer.flow.loop import attach, crawl
from gossamer.flow.opening import OpeningRules, commits_of, committed_files, open_shard
from gossamer.flow.own_shards import OwnShards
from gossamer.flow.restoring import restore_working_set
from gossamer.flow.scope_change import reconsider
from gossamer.flow.seeding import seed
from gossamer.flow.seen_files import SeenFiles, SeenRules
from gossamer.flow.shard import Shard
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.worker import CrawlPolicy, Worker
from gossamer.ports.store import StoreFull
from gossamer.simulation.archive import MemoryArchive
from gossamer.simulation.clock import SimClock
from gossamer.simulation.datasets import MemoryDatasets
from gossamer.simulation.disk import Fuse, MemoryFolder
from gossamer.simulation.exchange import SimExchange
from gossamer.simulation.facts import MemoryFacts
from gossamer.simulation.faults import Faults, LifeFaults
from gossamer.simulation.network import Network, SimFetcher, SimResolver
from gossamer.simulation.offload import SimOffload
from gossamer.simulation.parser import SimParser
from gossamer.simulation.refused import MemoryRefused
from gossamer.simulation.settings import CrawlSettings
from gossamer.simulation.store import MemoryDisk, MemoryStore
from gossamer.simulation.world import KEY_RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.ending import EndState
    from gossamer.ports.disk_space import DiskSpace
    from gossamer.simulation.entropy import SimEntropy
    from gossamer.simulation.taker import SlowTaker
    from gossamer.simulation.world import World

BODY_BYTES: Final = 30_000
"""The longest body, so that one without end costs little."""
FETCH_LIMITS: Final = FetchLimits(
    connect_seconds=limits.CONNECT_SECONDS_MAX,
    first_byte_seconds=limits.FIRST_BYTE_SECONDS_MAX,
    total_seconds=limits.TOTAL_SECONDS_MAX,
    low_speed_bytes_per_second=limits.LOW_SPEED_BYTES_PER_SECOND,
    low_speed_seconds=limits.LOW_SPEED_SECONDS,
    header_bytes=limits.HEADER_BYTES_MAX,
    body_bytes=BODY_BYTES,
)
DISK_POLICY: Final = DiskPolicy(pause_below=Threshold(1_000), resume_above=Threshold(2_000))
WANTED_MEDIA: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(slots=True)
class SimDisk:
    """The disk of the crawl: what outlives a process. A store each shard, and one folder for the rest."""

    stores: list[MemoryDisk]
    folder: MemoryFolder = field(default_factory=MemoryFolder)

    def open_stores(self) -> list[MemoryStore]:
        """The store of each shard."""
        return [MemoryStore(disk) for disk in self.stores]

    def crash(self, open_stores: list[MemoryStore], entropy: SimEntropy) -> None:
        """Freeze: what the dead process still holds writes to nothing that anyone reads again. Faults end."""
        for store in open_stores:
            store.crash(entropy.unit())
        self.folder = self.folder.crash(entropy)
        for disk in self.stores:
            disk.fault = None
        self.light(None)

    def light(self, steps: int | None) -> None:
        """A power cut after so many steps of the folder and all stores; None: none."""
        fuse = self.folder.fuse = Fuse(steps)
        for disk in self.stores:
            disk.fuse = fuse

    def fill(self) -> None:
        """From now on nothing can be written."""
        self.folder.fault = OSError(errno.ENOSPC, "no space left on device")
        for disk in self.stores:
            disk.fault = StoreFull("no space left on device")


@dataclass(slots=True)
class Crawler:
    """One process: opened on a disk, run until it ends or is killed."""

    world: World
    network: Network
    disk: SimDisk
    settings: CrawlSettings
    entropy: SimEntropy
    """Of this life."""
    hash_key: bytes
    """Fixed when the crawl is made."""
    on_commit: Callable[[], None]
    """Called whenever a store may have taken a commit."""
    life: LifeFaults = field(default_factory=LifeFaults)
    """What befalls it."""
    faults: Faults = field(default_factory=Faults)
    """What befalls it and the lives before and after it."""
    offset: float = 0.0
    """Seconds by which its wall clock is wrong."""
    scope: str = ""
    """The word of its scope, where it is not the world's."""
    sabotage: Callable[[Crawler, Worker], None] | None = None
    """Breaks something once all is open (`canary.py`)."""
    reopened: bool = False
    """Not the first life of this crawl."""
    disk_space: DiskSpace | None = None
    """None: nobody watches the disk."""
    facts: MemoryFacts = field(default_factory=MemoryFacts)
    stores: list[MemoryStore] = field(default_factory=list[MemoryStore])
    archive: MemoryArchive = field(init=False)
    datasets: MemoryDatasets = field(init=False)
    taker: SlowTaker | None = None

    async def run(self) -> EndState:
        """Open, queue the seeds of a new crawl, crawl to the end, turn journals into final files."""
        worker = self.open()
        if self.sabotage is not None:
            self.sabotage(self, worker)
        reconsider(worker, self._judged_by(worker), lambda: MemoryRefused(self.datasets))
        seed(worker, ((url, "") for url in self.world.seeds))
        if self.life.stop_after is not None:
            asyncio.get_running_loop().call_later(self.life.stop_after, worker.stop)
        if self.life.full_after is not None:
            asyncio.get_running_loop().call_later(self.life.full_after, self.disk.fill)
        if self.taker is not None:
            self.taker.attach(worker)
        ending = await crawl(worker)
        await worker.committer.commit()
        self.archive.finish()
        self.datasets.finish()
        await worker.committer.commit()
        for store in self.stores:
            store.close()
        return ending

    def _judged_by(self, worker: Worker) -> JudgedBy:
        return JudgedBy(
            rules=rules_digest(worker.judge), copies=self.settings.copies_follow, media=tuple(sorted(WANTED_MEDIA))
        )

    def open(self) -> Worker:
        """The worker as of the last commit."""
        clock = SimClock(self.offset)
        now = clock.now()
        self.archive = MemoryArchive(
            self.disk.folder, clock, self.entropy.stream("archive"), bytes_target=self.settings.file_bytes
        )
        self.datasets = MemoryDatasets(self.disk.folder, journal_bytes=self.settings.file_bytes)
        rules = ShardRules(Fingerprinter(self.hash_key), KEY_RULES, site_list(), self.settings.shards)
        ceilings = Ceilings(
            CeilingPolicy(worker_fetches=self.settings.fetches_max), reopened_at=now if self.reopened else None
        )
        chance = self.entropy.stream("frontier").unit
        judge = self._judge(rules)
        seen = SeenRules(self.disk.folder, seen_folder, listed_max=self.settings.listed_max)
        opening = OpeningRules(
            rules,
            self._frontier_policy(),
            ceilings,
            chance,
            seen,
            reopened=self.reopened,
            refusal=partial(refusal_of, judge),
            traps=TrapRules(NoveltyRules()),
        )
        self.stores = self.disk.open_stores()
        shards = [open_shard(number, store, opening, now) for number, store in enumerate(self.stores)]
        committed, commits = committed_files(shards), commits_of(shards)
        self.archive.recover(committed, commits)
        self.datasets.recover(committed, commits)
        worker, exchange = self._worker(rules, shards, judge)
        worker.chores.append(SeenFiles(worker, seen).keep)
        for shard in shards:
            for widening in shard.widenings():
                worker.judge.widen(*widening)
        for shard in shards:
            exchange.join(shard.number, Inbox(worker, shard))
            restore_working_set(shard, now, worker.note)
        return worker

    def _frontier_policy(self) -> FrontierPolicy:
        gap, own = GapPolicy(self.settings.gap_seconds), own_hosts(self.world, self.settings)
        return FrontierPolicy(
            gap=gap,
            gap_allowed=gap,
            is_allowed=lambda _: False,
            product=PRODUCT,
            hosts_max=self.settings.hosts_max,
            body_bytes_max=BODY_BYTES,
            pages_per_host_max=self.settings.host_pages_max,
            budget=BudgetPolicy(
                pages_per_site=self.settings.site_pages_max, first_pages=self.settings.first_pages, growth=1.0
            ),
            host_patience=self.settings.host_patience,
            hosts={host: HostRule(mine=True, connections=number) for host, number in own.items()},
        )

    def _judge(self, rules: ShardRules) -> LinkJudge:
        kind = ScopeKind(self.scope or self.world.scope)
        scope = ScopeRules(Scope(kind, tuple(self.world.seeds)), rules.sites.site_of)
        filters = FilterRules(blocked=BlockList(hosts=frozenset(self.world.blocked)), depth_max=None)
        return LinkJudge(scope, filters, rules.sites.site_of)

    def _budget(self, shards: list[Shard], now: float) -> Budget:
        return Budget(
            fetches_max=self.settings.fetches_max,
            pages_max=self.settings.pages_max,
            bytes_max=self.settings.bytes_max,
            deadline=now + self.life.max_time if self.life.max_time is not None else None,
            pages=sum(shard.ledger.pages for shard in shards),
            bytes=sum(shard.ledger.bytes for shard in shards),
        )

    def _worker(self, rules: ShardRules, shards: list[Shard], judge: LinkJudge) -> tuple[Worker, SimExchange]:
        clock, exchange = SimClock(self.offset), SimExchange(self.settings.exchange_seconds, self.faults.stall)
        offload = SimOffload(self.entropy.stream("offload").dice(), self.on_commit)
        worker = Worker(
            policy=CrawlPolicy(
                user_agent=user_agent("0"),
                limits=FETCH_LIMITS,
                copies_follow=self.settings.copies_follow,
                commit_interval=self.settings.commit_interval,
                patience=self.settings.patience,
                wanted_media=WANTED_MEDIA,
                obeys_noarchive=self.settings.obeys_noarchive,
            ),
            rules=rules,
            judge=judge,
            budget=self._budget(shards, clock.now()),
            shards=OwnShards(shards),
            clock=clock,
            entropy=self.entropy.stream("worker"),
            fetcher=SimFetcher(self.network, self.offset),
            resolver=SimResolver(self.world, self.offset),
            parser=SimParser(),
            archive=self.archive,
            datasets=self.datasets,
            exchange=exchange,
            committer=Committer(
                shards=shards,
                archive=self.archive,
                datasets=self.datasets,
                clock=clock,
                offload=offload,
                next_number=max(shard.commit for shard in shards) + 1,
            ),
        )
        self._watch(worker)
        if self.faults.outbox_entries is not None:
            for shard in shards:
                shard.outbox.entries_max = self.faults.outbox_entries
        return attach(worker), exchange

    def _watch(self, worker: Worker) -> None:
        worker.facts = worker.committer.facts = self.facts
        if self.disk_space is not None:
            guard = DiskGuard(DISK_POLICY)
            changed = worker.pause_while("disk")
            worker.committer.disk = DiskWatch(guard, self.disk_space, self.facts, changed)


def seen_folder(shard: int) -> str:
    """Where a shard's files of URL seen lie."""
    return f"state/shard-{shard:03}/seen"


def own_hosts(world: World, settings: CrawlSettings) -> dict[str, int]:
    """The hosts that have several leases at once, with how many: every second one by name."""
    return dict.fromkeys(sorted(world.hosts)[::2], settings.connections) if settings.connections > 1 else {}


def new_disk(shards: int) -> SimDisk:
    """An empty disk."""
    return SimDisk([MemoryDisk() for _ in range(shards)])


def new_hash_key(entropy: SimEntropy) -> bytes:
    """The crawl's own hash key."""
    return entropy.stream("hash key").bytes(KEY_BYTES)


@cache
def site_list() -> SiteList:
    """Read once a process: it takes 0.2 s."""
    return SiteList()
