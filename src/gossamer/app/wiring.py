"""The one place that chooses adapters: from settings and a crawl folder to a worker, all parts made and joined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from gossamer import __version__
from gossamer.adapters.archive_files import WarcFiles, WarcNaming
from gossamer.adapters.clock_system import SystemClock
from gossamer.adapters.datasets_arrow import ArrowDatasets, JournalLimits
from gossamer.adapters.disk_files import FolderDisk
from gossamer.adapters.entropy_system import SystemEntropy
from gossamer.adapters.exchange_local import LocalExchange
from gossamer.adapters.exchange_socket import SocketExchange
from gossamer.adapters.fetcher_curl import CurlFetcher
from gossamer.adapters.offload_thread import ThreadOffload
from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.adapters.resolver_cares import CaresResolver
from gossamer.adapters.store_rocksdb import RocksResources, RocksStore, write_buffers
from gossamer.app.host_wiring import host_requests, host_rules
from gossamer.app.orders import OPERATOR_PAUSE, read_orders
from gossamer.app.policies import frontier_policy, hosts_map, shares_of
from gossamer.app.priority_wiring import make_scoring
from gossamer.app.scope_wiring import crawl_judge
from gossamer.app.shard_wiring import expect_stores, shard_rules
from gossamer.app.trap_wiring import trap_rules
from gossamer.app.watching import Watching, make_watching
from gossamer.core.deal import ALONE, Deal, newest_commits
from gossamer.core.dns.address_guard import AddressGuard, parse_networks
from gossamer.core.facts import SecretWithheld
from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.core.frontier.host_rules import ignored_robots, raised_connections
from gossamer.core.frontier.rejudging import refusal_of
from gossamer.core.http.blanking import BLANKED_WORDS
from gossamer.core.http.exchange import FetchLimits
from gossamer.core.http.request import PRODUCT
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings
from gossamer.core.warc.record import WarcInfo
from gossamer.flow.asking import Asking
from gossamer.flow.budget import Budget
from gossamer.flow.commit import Committer
from gossamer.flow.inbox import Inbox
from gossamer.flow.loop import attach
from gossamer.flow.opening import (
    Found,
    OpeningRules,
    found_in,
    note_deal,
    open_shard,
)
from gossamer.flow.own_shards import OwnShards
from gossamer.flow.restoring import restore_working_set
from gossamer.flow.seen_files import SeenFiles, SeenRules, newest_share
from gossamer.flow.shard import Shard
from gossamer.flow.worker import CrawlPolicy, Worker
from gossamer.ports.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings
    from gossamer.ports.files import Recovery


@dataclass(slots=True)
class World:
    """The adapters that outlive single calls, to be closed in the end."""

    clock: SystemClock
    entropy: SystemEntropy
    offload: ThreadOffload
    archive: WarcFiles
    datasets: ArrowDatasets
    fetcher: CurlFetcher
    resolver: CaresResolver
    stores: list[RocksStore]
    watching: Watching

    async def close(self) -> list[StoreError]:
        """Give sockets, threads and files back; what the stores said that could not write their last bytes."""
        await self.fetcher.close()
        await self.resolver.close()
        self.offload.close()
        troubles: list[StoreError] = []
        for store in self.stores:
            try:
                store.close()
            except StoreError as trouble:
                troubles.append(trouble)
        self.watching.close()
        return troubles


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a crawl a worker gets."""

    deal: Deal = ALONE
    found: Found = field(default_factory=Found)
    """What the stores of all shards said before any worker opened them."""
    exchange: LocalExchange | SocketExchange = field(default_factory=LocalExchange)


def make_worker(
    settings: Settings, folder: CrawlFolder, *, resume: bool, part: Part | None = None
) -> tuple[Worker, World, Recovery]:
    """A worker of a crawl folder, opened at its last commit; its adapters; what recovery did. `part`: None for all."""
    part = part or Part()
    guard = AddressGuard(parse_networks(settings.network.allow_address))
    expect_stores(settings, folder)
    rules = shard_rules(settings, folder)
    scoring = make_scoring(settings, rules)
    world = _make_world(settings, folder, guard, part.deal)
    now = world.clock.now()
    judge, orders = crawl_judge(settings, folder, rules.sites), read_orders(folder)
    closed = ClosedHosts(judge.filters.blocked, frozenset(orders.paused))
    opening = OpeningRules(
        rules=rules,
        frontier=replace(frontier_policy(settings, guard), closed=closed),
        ceilings=_ceilings(settings, part.deal.workers, now if resume else None),
        chance=world.entropy.unit,
        seen=_seen_rules(settings, folder, part.deal),
        reopened=resume,
        refusal=partial(refusal_of, judge),
        shares=shares_of(settings),
        scoring=scoring,
        traps=trap_rules(settings.traps, orders.traps),
    )
    numbers = part.deal.shards(settings.crawl.shards)
    shards = [open_shard(number, store, opening, now) for number, store in zip(numbers, world.stores, strict=True)]
    found = part.found.joined(found_in({shard.number: shard.rows for shard in shards}))
    recovery = _recover(world, found)
    worker = attach(
        Worker(
            policy=crawl_policy(settings),
            rules=rules,
            judge=judge,
            budget=_budget(settings, shards, now),
            shards=OwnShards(shards),
            clock=world.clock,
            entropy=world.entropy,
            fetcher=world.fetcher,
            resolver=world.resolver,
            parser=TurboParser(),
            archive=world.archive,
            datasets=world.datasets,
            exchange=part.exchange,
            committer=_committer(world, shards, found),
            asking=make_asking(settings),
            pauses={OPERATOR_PAUSE} if orders.paused_at else set(),
            is_public=lambda address: not guard.is_allowed(address),
        )
    )
    world.watching.watch_over(worker)
    for widening in found.widenings:
        worker.judge.widen(*widening)
    _join(worker, part, opening, now)
    return worker, world, recovery


def _seen_rules(settings: Settings, folder: CrawlFolder, deal: Deal) -> SeenRules:
    return SeenRules(
        FolderDisk(folder.path),
        folder.seen,
        settings.frontier.url_seen,
        -(-settings.frontier.urls_expected // settings.crawl.shards),
        newest_share(len(deal.shards(settings.crawl.shards))),
    )


def _join(worker: Worker, part: Part, opening: OpeningRules, now: float) -> None:
    """Join a worker that is listened to with all that tells it something, and bring its hosts back."""
    worker.chores.append(SeenFiles(worker, opening.seen).keep)
    opening.scoring.tell = worker.note
    worker.asking.tell_withheld = lambda host: worker.note(SecretWithheld(host))
    for shard in worker.shards:
        part.exchange.join(shard.number, Inbox(worker, shard))
        note_deal(shard, part.deal.workers)
        restore_working_set(shard, now, worker.note)


def _committer(world: World, shards: list[Shard], found: Found) -> Committer:
    return Committer(
        shards=shards,
        archive=world.archive,
        datasets=world.datasets,
        clock=world.clock,
        offload=world.offload,
        # Above those of all shards: see `newest_commits`.
        next_number=max(found.commits.values()) + 1,
    )


def _make_world(settings: Settings, folder: CrawlFolder, guard: AddressGuard, deal: Deal) -> World:
    clock, entropy = SystemClock(), SystemEntropy()
    disk = FolderDisk(folder.path)
    journals = JournalLimits(settings.archive.journal_bytes, settings.archive.journal_time)
    naming = WarcNaming(worker=deal.worker, bytes_target=settings.archive.warc_bytes, owns=deal.owns_file)
    return World(
        clock=clock,
        entropy=entropy,
        offload=ThreadOffload(),
        archive=WarcFiles(disk, clock, entropy, warc_info(settings), naming),
        datasets=ArrowDatasets(disk, clock, worker=deal.worker, limits=journals, owns=deal.owns_file),
        fetcher=CurlFetcher(guard.permits, clock, ca_file=settings.fetch.ca_file, http2=settings.fetch.http2),
        resolver=CaresResolver(guard, clock, hosts=hosts_map(settings), nameservers=settings.dns.nameservers),
        stores=list(_open_stores(folder, deal.shards(settings.crawl.shards))),
        watching=make_watching(settings, folder, deal),
    )


def warc_info(settings: Settings) -> WarcInfo:
    """What every archive file says of the crawl; of hosts, what goes further than good manners would."""
    rules = host_rules(settings)
    ignored = ", ".join(ignored_robots(rules))
    return WarcInfo(
        software=f"{PRODUCT}/{__version__}",
        user_agent=settings.politeness.agent,
        operator=settings.politeness.contact or "",
        robots=f"obey; ignored for the operator's own: {ignored}" if ignored else "obey",
        connections=", ".join(raised_connections(rules)),
        blanked="" if settings.archive.keep_secrets else BLANKED_WORDS,
    )


def make_asking(settings: Settings) -> Asking:
    """What hosts are sent beside the usual, secrets and all. Raises UserError for a secret that is not there."""
    return Asking(host_requests(settings), settings.archive.keep_secrets)


def _open_stores(folder: CrawlFolder, numbers: Collection[int]) -> Iterator[RocksStore]:
    resources = RocksResources(write_buffer_bytes=write_buffers(len(numbers)))
    for number in numbers:
        yield RocksStore(folder.shard(number), resources=resources)


def _recover(world: World, found: Found) -> Recovery:
    """Bring archive and datasets back to what the shards vouch for."""
    recovery = world.archive.recover(found.files, found.commits)
    other = world.datasets.recover(found.files, found.commits)
    recovery.cut.update(other.cut)
    recovery.aside += [path for path in other.aside if path not in recovery.aside]
    recovery.rows_dropped += other.rows_dropped
    recovery.dropped_commits |= other.dropped_commits
    recovery.lost = recovery.lost_shards(newest_commits(found.commits, found.workers))
    return recovery


def _ceilings(settings: Settings, workers: int, reopened_at: float | None) -> Ceilings:
    policy = CeilingPolicy(worker_fetches=settings.crawl.max_fetches, slow_share=settings.crawl.slow_share)
    return Ceilings(policy.shared_by(workers), parse_networks(settings.network.allow_address), reopened_at=reopened_at)


def crawl_policy(settings: Settings) -> CrawlPolicy:
    """What the settings say to the flow."""
    fetch = settings.fetch
    return CrawlPolicy(
        user_agent=settings.politeness.agent,
        limits=FetchLimits(
            connect_seconds=fetch.connect,
            first_byte_seconds=fetch.first_byte,
            total_seconds=fetch.total,
            low_speed_bytes_per_second=fetch.low_speed,
            low_speed_seconds=int(fetch.low_speed_time),
            header_bytes=fetch.header_bytes,
            body_bytes=fetch.body_bytes,
        ),
        commit_interval=settings.crawl.commit_interval,
        patience=settings.crawl.patience,
        copies_follow=settings.copies.follow,
        wanted_media=settings.scope.wanted_media,
        purposes=settings.politeness.purposes,
        obeys_noarchive=settings.archive.noarchive == "obey",
        well_known_sitemaps=settings.scope.well_known_sitemaps,
    )


def _budget(settings: Settings, shards: list[Shard], now: float) -> Budget:
    crawl = settings.crawl
    return Budget(
        fetches_max=crawl.max_fetches,
        pages_max=crawl.max_pages,
        bytes_max=crawl.max_bytes,
        deadline=now + crawl.max_time if crawl.max_time is not None else None,
        public_pages_max=settings.politeness.public_pages_max,
        public_pages=sum(shard.ledger.public_pages for shard in shards),
        pages=sum(shard.ledger.pages for shard in shards),
        bytes=sum(shard.ledger.bytes for shard in shards),
    )
