"""What an operator does to a crawl under way. Each takes effect in the step of the loop that it is called in."""

from __future__ import annotations

import asyncio
from typing import Final

from gossamer.core.frontier.events import HeldLoaded
from gossamer.core.frontier.frontier import FrontierPolicy
from gossamer.core.frontier.records import HOST_ID_BYTES
from gossamer.core.page.links import LinkKind
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import host_of
from gossamer.flow.follow import add_seeds
from gossamer.flow.shard import END, Shard
from gossamer.flow.worker import Worker
from gossamer.ports.store import Table

HELD_AT_ONCE: Final = 256
"""Held hosts looked at in one step, so that no step of the loop is long."""


def add_urls(worker: Worker, urls: list[str], group: str) -> list[str]:
    """Queue URLs that the operator names, each a seed of the scope too; of each the reason it is refused, or ""."""
    worker.active_at = worker.clock.now()
    for url in urls:
        worker.judge.add_seed(url)
    return add_seeds(worker, urls, group, LinkKind.OPERATOR)


def is_known(worker: Worker, url: str) -> bool:
    """Whether a normalised URL is a known one."""
    shard, host = worker.shards[worker.rules.shard_of(host_of(url))], host_of(url)
    key = worker.rules.ids.page_key(host, url_key(url, worker.rules.key_rules))
    return shard.page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:]) is not None


def adopt(worker: Worker, policy: FrontierPolicy) -> None:
    """Put another policy of the frontiers in force, and release the hosts that nothing holds under it."""
    now = worker.active_at = worker.clock.now()
    for shard in worker.shards:
        worker.perform(shard, shard.frontier.adopt(policy, now))
    worker.releasing += 1
    worker.start(_release(worker))


async def _release(worker: Worker) -> None:
    try:
        for shard in worker.shards:
            start: bytes | None = b""
            while start is not None:
                start = _look_at_held(worker, shard, start)
                await asyncio.sleep(0)
    finally:
        worker.releasing -= 1


def _look_at_held(worker: Worker, shard: Shard, start: bytes) -> bytes | None:
    """Let the frontier look at some held hosts from `start` on; where to go on, None at the end."""
    ids = [key for key, _ in shard.rows.scan(Table.HELD, start, END, HELD_AT_ONCE)]
    hosts = [host for host in shard.load_hosts(ids) if host is not None]
    worker.perform(shard, shard.frontier.handle(HeldLoaded(hosts), worker.clock.now()))
    return ids[-1] + b"\0" if len(ids) == HELD_AT_ONCE else None
