"""A crawl that does not run, opened for a look or a small change: its lock, and of its stores only those asked for."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.app.numbers import ledger_numbers
from gossamer.app.orders import read_orders
from gossamer.app.policies import frontier_policy, hosts_map
from gossamer.app.priority_wiring import scoring_by_weights
from gossamer.app.scope_wiring import make_judge
from gossamer.app.seeds import decode_seeds
from gossamer.app.trap_wiring import link_traps, trap_rules
from gossamer.app.whole_file import whole_lines
from gossamer.core.dns.address_guard import AddressGuard, parse_networks
from gossamer.core.ending import EndState
from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.flow.inspection import CrawlState, Inspection, ShardView
from gossamer.flow.opening import Found, found_in, read_ledger
from gossamer.flow.pending import PendingStore
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.templates import Templates
from gossamer.flow.widenings import read_widenings
from gossamer.ports.store import NoStore

if TYPE_CHECKING:
    from collections.abc import Generator

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.seeds import Seed
    from gossamer.app.settings import Settings
    from gossamer.core.url.site import SiteList

MIB: Final = 1024 * 1024


@contextmanager
def open_stopped(
    folder: CrawlFolder, settings: Settings, host: str, *, read_only: bool = True
) -> Generator[Inspection]:
    """The look-up of URLs of `host`. Raises UserError (exit 7) while another process has the folder."""
    with ExitStack() as stack:
        stack.enter_context(folder.hold())
        facts, sites = folder.read_facts(), folder.read_sites()
        rules = ShardRules(Fingerprinter(facts.hash_key), facts.keys, sites, settings.crawl.shards)
        views = _Views(folder, stack, read_only=read_only)
        orders = read_orders(folder)
        traps = link_traps(settings.traps, sites, orders.traps)
        seeds = _seeds_near(folder, sites, host)
        judge = make_judge(settings.scope, seeds, sites, settings.seeds.groups, traps=traps)
        # A scope widens within a site only, so the host's own shard holds what concerns it.
        for widening in read_widenings(views.view(rules.shard_of(host)).rows):
            judge.widen(*widening)
        judge.block(orders.block_list)
        closed = ClosedHosts(judge.filters.blocked, frozenset(orders.paused))
        guard = AddressGuard(parse_networks(settings.network.allow_address))
        named = hosts_map(settings)
        yield Inspection(
            rules=rules,
            judge=judge,
            policy=replace(frontier_policy(settings, guard), closed=closed),
            view=views.view,
            addresses_of=lambda name: named.lookup(name) or _literal(name, guard),
            traps=trap_rules(settings.traps, orders.traps),
            scoring=scoring_by_weights(settings),
        )


@contextmanager
def open_views(folder: CrawlFolder, settings: Settings) -> Generator[list[ShardView]]:
    """All shards, for a look at their hosts. Raises UserError (exit 7) while another process has the folder."""
    with ExitStack() as stack:
        stack.enter_context(folder.hold())
        views = _Views(folder, stack, read_only=True)
        yield [views.view(number) for number in range(settings.crawl.shards)]


@contextmanager
def open_templates(folder: CrawlFolder, settings: Settings) -> Generator[list[Templates]]:
    """The counts of all shards' templates. Raises UserError (exit 7) while another process has the folder."""
    facts = folder.read_facts()
    rules = ShardRules(Fingerprinter(facts.hash_key), facts.keys, folder.read_sites(), settings.crawl.shards)
    with open_views(folder, settings) as views:
        yield [Templates(view.rows, rules, None) for view in views]


def read_found(folder: CrawlFolder, settings: Settings) -> Found:
    """What the stores say of a crawl that is about to go on. Locked by the caller."""
    with ExitStack() as stack:
        views = _Views(folder, stack, read_only=True)
        return found_in({number: views.view(number).rows for number in range(settings.crawl.shards)})


def read_numbers(folder: CrawlFolder) -> dict[str, Any]:
    """What the ledgers of a crawl say that does not run; {} before the first commit. Locked by the caller."""
    if not folder.shard(0).exists():
        return {}
    with ExitStack() as stack:
        views = _Views(folder, stack, read_only=True)
        return ledger_numbers([read_ledger(views.view(n).rows) for n in range(folder.read_settings().crawl.shards)])


def last_state(folder: CrawlFolder) -> CrawlState:
    """How the last run ended, as the reason why nothing is fetched now."""
    summary = folder.read_summary() or {}
    ended, reason = str(summary.get("end_state", "")), str(summary.get("reason", ""))
    words = f"the crawl does not run; its last run ended: {ended or 'without a summary'}"
    code = "crawl limit" if ended == EndState.LIMIT.value else "not running"
    return CrawlState(running=False, code=code, text=words + (f", {reason}" if reason else "") + "; resume goes on")


def now() -> float:
    """Seconds since the epoch."""
    return time.time()


class _Views:
    """The shards' stores, each opened when first asked for, closed with the stack."""

    def __init__(self, folder: CrawlFolder, stack: ExitStack, *, read_only: bool) -> None:
        self._folder = folder
        self._read_only = read_only
        self._stack = stack
        self._resources = RocksResources(cache_bytes=16 * MIB, write_buffer_bytes=16 * MIB, background_threads=1)
        self._open: dict[int, ShardView] = {}

    def view(self, number: int) -> ShardView:
        """One shard's rows; none where it was never written."""
        if number not in self._open:
            path = self._folder.shard(number)
            store: RocksStore | NoStore = NoStore()
            if path.exists():
                opened = RocksStore(path, resources=self._resources, create=False, read_only=self._read_only)
                store = self._stack.enter_context(opened)
            self._open[number] = ShardView(PendingStore(store))
        return self._open[number]


def _seeds_near(folder: CrawlFolder, sites: SiteList, host: str) -> list[Seed]:
    """The seeds that can have a say about a host: those that name its site. A crawl may have a million others."""
    site = sites.site_of(host).encode()
    added = folder.added.read_bytes() if folder.added.exists() else b""
    lines = (folder.seeds.read_bytes() + whole_lines(added)).splitlines(keepends=True)
    return decode_seeds(b"".join(line for line in lines if site in line))


def _literal(host: str, guard: AddressGuard) -> tuple[str, ...]:
    """An address literal is its own address."""
    return (host,) if guard.is_allowed(host) or guard.permits(host) else ()
