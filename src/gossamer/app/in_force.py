"""Settings and standing orders put in force in a crawl under way.

Always all of them, whatever changed: the same call twice changes nothing, and none can be forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gossamer.app.added import queue_added
from gossamer.app.orders import OPERATOR_PAUSE
from gossamer.app.policies import frontier_policy
from gossamer.app.suspects import release_freed
from gossamer.app.trap_wiring import trap_rules
from gossamer.app.watching import Watching, log_rules
from gossamer.app.wiring import crawl_policy
from gossamer.core.dns.address_guard import AddressGuard, parse_networks
from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.flow.operations import adopt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.orders import Orders
    from gossamer.app.seeds import Seed
    from gossamer.app.settings import Settings
    from gossamer.core.facts import Fact
    from gossamer.flow.worker import Worker


@dataclass(frozen=True, slots=True)
class LiveCrawl:
    """A running crawl within its operator's reach."""

    worker: Worker
    started: float
    """When it began; crawl.max_time counts from here."""
    watching: Watching
    folder: CrawlFolder
    end: Callable[[], None]
    """Ends it as Ctrl-C does once."""
    has_caps: bool = True
    """Whether the caps of the crawl in all are this worker's alone."""
    freed: Callable[[dict[str, float]], None] | None = None
    """See `release_freed`."""

    def stop(self) -> None:
        """See `Live`."""
        self.end()

    def note(self, fact: Fact) -> None:
        """See `Live`."""
        self.worker.note(fact)

    def add(self, seeds: Sequence[Seed]) -> dict[str, str]:
        """See `Live`; those of this worker's shards."""
        return queue_added(self.worker, seeds)

    def unknown(self, hosts: Sequence[str]) -> list[str]:
        """See `Live`; those of this worker's shards."""
        worker, rules = self.worker, self.worker.rules
        own = [host for host in hosts if worker.owns(host)]
        ids = [(host, worker.shards[rules.shard_of(host)], rules.ids.host_id(host)) for host in own]
        return [host for host, shard, host_id in ids if shard.host_state(host_id) is None]

    def release_freed(self) -> None:
        """See `Live`."""
        release_freed(self.worker, self.folder, self.freed)

    def put_in_force(self, settings: Settings, orders: Orders) -> None:
        """Everything that is decided from now on follows `settings` (the live ones) and `orders`."""
        worker = self.worker
        guard = AddressGuard(parse_networks(settings.network.allow_address))
        worker.judge.block(orders.block_list)
        traps = trap_rules(settings.traps, orders.traps)
        if worker.judge.traps is not None:
            worker.judge.traps.adopt(orders.traps)
        for shard in worker.shards:
            shard.templates.adopt(traps)
        closed = ClosedHosts(worker.judge.filters.blocked, frozenset(orders.paused))
        worker.policy = crawl_policy(settings)
        self.watching.log.rules = log_rules(settings)
        self._limit(settings)
        adopt(worker, replace(frontier_policy(settings, guard), closed=closed))
        if orders.paused_at:
            worker.pause(OPERATOR_PAUSE)
        else:
            worker.go_on(OPERATOR_PAUSE)

    def _limit(self, settings: Settings) -> None:
        budget, crawl = self.worker.budget, settings.crawl
        budget.fetches_max = crawl.max_fetches
        if self.has_caps:
            budget.pages_max, budget.bytes_max = crawl.max_pages, crawl.max_bytes
            budget.deadline = None if crawl.max_time is None else self.started + crawl.max_time
        for shard in self.worker.shards:
            shard.frontier.ceilings.limit_worker(crawl.max_fetches)
