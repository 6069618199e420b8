"""What an operator does to a crawl under way. Each takes effect in the step of the loop that it is called in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from gossamer.core.frontier.events import HeldLoaded, SleepersLoaded
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import HOST_ID_BYTES
from gossamer.core.page.links import LinkKind
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import host_of
from gossamer.flow.follow import add_seeds
from gossamer.flow.restoring import hosts_in
from gossamer.flow.site_links import note_named
from gossamer.flow.worker import Worker
from gossamer.ports.store import Table


def add_urls(worker: Worker, urls: list[str], group: str) -> list[str]:
    """Queue URLs that the operator names, each a seed of the scope too; of each the reason it is refused, or ""."""
    worker.active_at = worker.clock.now()
    for url in urls:
        worker.judge.add_seed(url, group)
    return add_seeds(worker, urls, group, LinkKind.OPERATOR)


def name_sites(worker: Worker, urls: Iterable[str]) -> None:
    """Have the sites of these URLs count as named by people: they have no budget, and what it held is released."""
    changed = False
    for host in {host_of(url) for url in urls}:
        if not worker.owns(host):
            continue
        shard = worker.shards[worker.rules.shard_of(host)]
        changed |= note_named(shard, [worker.rules.sites.site_of(host)])
    if changed:
        look_at_held(worker)


def is_known(worker: Worker, url: str) -> bool:
    """Whether a normalised URL is a known one."""
    shard, host = worker.shards[worker.rules.shard_of(host_of(url))], host_of(url)
    key = worker.rules.ids.page_key(host, url_key(url, worker.rules.key_rules))
    return shard.page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:]) is not None


def adopt(worker: Worker, policy: FrontierPolicy) -> None:
    """Put another policy of the frontiers in force, and release the hosts that nothing holds or delays under it."""
    now = worker.active_at = worker.clock.now()
    for shard in worker.shards:
        worker.perform(shard, shard.frontier.adopt(policy, now))
    look_at_held(worker)


def look_at_held(worker: Worker, *, idle: bool = False) -> None:
    """Release the hosts that nothing holds or delays; `idle`: see `HeldLoaded`. The crawl is busy until then."""
    worker.releasing += 1
    worker.start(_release(worker, idle=idle))


async def _release(worker: Worker, *, idle: bool) -> None:
    try:
        for shard in worker.shards:
            for part in hosts_in(shard, Table.HELD):
                worker.perform(shard, shard.frontier.handle(HeldLoaded(part, idle), worker.clock.now()))
                await asyncio.sleep(0)
            for part in hosts_in(shard, Table.READY) if shard.frontier.may_oversleep() else ():
                worker.perform(shard, shard.frontier.handle(SleepersLoaded(part), worker.clock.now()))
                await asyncio.sleep(0)
    finally:
        worker.releasing -= 1
