"""One life of the crawler on simulated parts: the same assembly as the real one's, with a stand-in for every port."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from gossamer.core import limits
from gossamer.core.disk_guard import DiskGuard, DiskPolicy, Threshold
from gossamer.core.frontier.host_rules import HostRule
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.http.exchange import FetchLimits
from gossamer.core.http.request import PRODUCT, user_agent
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules
from gossamer.core.seen.fingerprint import KEY_BYTES, Fingerprinter
from gossamer.core.url.site import SiteList
from gossamer.flow.budget import Budget
from gossamer.flow.commit import Committer
from gossamer.flow.disk_watch import DiskWatch
from gossamer.flow.inbox import Inbox
from gossamer.flow.loop import attach, crawl
from gossamer.flow.opening import OpeningRules, commits_of, committed_files, open_shard, restore_working_set
from gossamer.flow.seeding import seed
from gossamer.flow.shard import Shard
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.worker import CrawlPolicy, Worker
from gossamer.simulation.archive import MemoryArchive
from gossamer.simulation.clock import SimClock
from gossamer.simulation.datasets import MemoryDatasets
from gossamer.simulation.disk import MemoryFolder
from gossamer.simulation.exchange import SimExchange
from gossamer.simulation.facts import MemoryFacts
from gossamer.simulation.network import Network, SimFetcher, SimResolver
from gossamer.simulation.offload import SimOffload
from gossamer.simulation.parser import SimParser
from gossamer.simulation.store import MemoryDisk, MemoryStore
from gossamer.simulation.world import KEY_RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.ending import EndState
    from gossamer.ports.disk_space import DiskSpace
    from gossamer.simulation.entropy import SimEntropy
    from gossamer.simulation.world import World

FETCH_LIMITS: Final = FetchLimits(
    connect_seconds=limits.CONNECT_SECONDS_MAX,
    first_byte_seconds=limits.FIRST_BYTE_SECONDS_MAX,
    total_seconds=limits.TOTAL_SECONDS_MAX,
    low_speed_bytes_per_second=limits.LOW_SPEED_BYTES_PER_SECOND,
    low_speed_seconds=limits.LOW_SPEED_SECONDS,
    header_bytes=limits.HEADER_BYTES_MAX,
    body_bytes=limits.BODY_BYTES_MAX,
)
DISK_POLICY: Final = DiskPolicy(pause_below=Threshold(1_000), resume_above=Threshold(2_000))
WANTED_MEDIA: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """What a simulated crawl is told; everything else has its default."""

    gap_seconds: float = 1.0
    copies_follow: str = "never"
    hosts_max: int = 100
    """Working set of a shard."""
    fetches_max: int = 50
    file_bytes: int = 1 << 20
    """Length at which archive files and journals close."""
    shards: int = 4
    commit_interval: float = 0.25
    patience: float = 600.0
    exchange_seconds: float = 0.0
    """How long a message between shards takes."""
    connections: int = 1
    """Leases at once of the operator's own hosts, see `own_hosts`; the others have one."""


@dataclass(slots=True)
class SimDisk:
    """The disk of the crawl: what outlives a process. A store each shard, and one folder for the rest."""

    stores: list[MemoryDisk]
    folder: MemoryFolder = field(default_factory=MemoryFolder)

    def crash(self, open_stores: list[MemoryStore], entropy: SimEntropy) -> None:
        """Freeze: what the dead process still holds writes to nothing that anyone reads again."""
        for store in open_stores:
            store.crash(entropy.unit())
        self.folder = self.folder.crash(entropy)


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
    stop_after: float | None = None
    """Seconds after which somebody asks it to stop."""
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

    async def run(self) -> EndState:
        """Open, queue the seeds of a new crawl, crawl to the end, turn journals into final files."""
        worker = self.open()
        if self.sabotage is not None:
            self.sabotage(self, worker)
        seed(worker, ((url, "") for url in self.world.seeds))
        if self.stop_after is not None:
            asyncio.get_running_loop().call_later(self.stop_after, worker.stop)
        ending = await crawl(worker)
        await worker.committer.commit()
        self.archive.finish()
        self.datasets.finish()
        await worker.committer.commit()
        for store in self.stores:
            store.close()
        return ending

    def open(self) -> Worker:
        """The worker as of the last commit."""
        now = SimClock().now()
        self.archive = MemoryArchive(
            self.disk.folder, SimClock(), self.entropy.stream("archive"), bytes_target=self.settings.file_bytes
        )
        self.datasets = MemoryDatasets(self.disk.folder, journal_bytes=self.settings.file_bytes)
        rules = ShardRules(Fingerprinter(self.hash_key), KEY_RULES, site_list(), self.settings.shards)
        ceilings = Ceilings(CeilingPolicy(worker_fetches=self.settings.fetches_max))
        chance = self.entropy.stream("frontier").unit
        opening = OpeningRules(rules, self._frontier_policy(), ceilings, chance, reopened=self.reopened)
        self.stores = [MemoryStore(disk) for disk in self.disk.stores]
        shards = [open_shard(number, store, opening, now) for number, store in enumerate(self.stores)]
        committed, commits = committed_files(shards), commits_of(shards)
        self.archive.recover(committed, commits)
        self.datasets.recover(committed, commits)
        worker, exchange = self._worker(rules, shards)
        for shard in shards:
            exchange.join(shard.number, Inbox(worker, shard))
            restore_working_set(shard, now)
        return worker

    def _frontier_policy(self) -> FrontierPolicy:
        gap, own = GapPolicy(self.settings.gap_seconds), own_hosts(self.world, self.settings)
        return FrontierPolicy(
            gap=gap,
            gap_allowed=gap,
            is_allowed=lambda _: False,
            product=PRODUCT,
            hosts_max=self.settings.hosts_max,
            body_bytes_max=limits.BODY_BYTES_MAX,
            hosts={host: HostRule(mine=True, connections=number) for host, number in own.items()},
        )

    def _worker(self, rules: ShardRules, shards: list[Shard]) -> tuple[Worker, SimExchange]:
        clock, exchange = SimClock(), SimExchange(self.settings.exchange_seconds)
        offload = SimOffload(self.entropy.stream("offload").dice(), self.on_commit)
        scope = ScopeRules(Scope(ScopeKind(self.world.scope), tuple(self.world.seeds)), rules.sites.site_of)
        filters = FilterRules(blocked=BlockList(hosts=frozenset(self.world.blocked)), depth_max=None)
        worker = Worker(
            policy=CrawlPolicy(
                user_agent=user_agent("0"),
                limits=FETCH_LIMITS,
                copies_follow=self.settings.copies_follow,
                commit_interval=self.settings.commit_interval,
                patience=self.settings.patience,
                wanted_media=WANTED_MEDIA,
            ),
            rules=rules,
            judge=LinkJudge(scope, filters, rules.sites.site_of),
            budget=Budget(fetches_max=self.settings.fetches_max),
            shards=shards,
            clock=clock,
            entropy=self.entropy.stream("worker"),
            fetcher=SimFetcher(self.network),
            resolver=SimResolver(self.world),
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
        return attach(worker), exchange

    def _watch(self, worker: Worker) -> None:
        worker.facts = worker.committer.facts = self.facts
        if self.disk_space is not None:
            guard = DiskGuard(DISK_POLICY)
            changed = worker.pause_while("disk")
            worker.committer.disk = DiskWatch(guard, self.disk_space, self.facts, changed)


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
