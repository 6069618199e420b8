"""Seeding: a new crawl queues its seeds, each once, and a kill on the way loses none of them.

The batches of the shards are not atomic together: a kill during the very first commit may leave the seeds of some
shards durable and those of others not. So every shard notes in the batch that holds its seeds that it has them, and an
opening queues the seeds of the shards without that note.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gossamer.core.url.parse import host_of
from gossamer.flow.follow import add_seeds
from gossamer.flow.worker import Worker
from gossamer.ports.store import Table

SEEDED_KEY: Final = b"seeded"


def seed(worker: Worker, seeds: Iterable[tuple[str, str]]) -> None:
    """Queue the seeds (normalised URL, group) of the shards that do not have theirs yet."""
    shards = [shard for shard in worker.shards if shard.rows.get(Table.META, [SEEDED_KEY])[0] is None]
    numbers = {shard.number for shard in shards}
    for url, group in seeds if numbers else ():
        if worker.rules.shard_of(host_of(url)) in numbers:
            add_seeds(worker, [url], group)
    for shard in shards:
        shard.rows.put(Table.META, SEEDED_KEY, b"")
