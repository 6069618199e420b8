"""Deliveries: outbox entries are sent once durable here, and leave the outbox once durable at their shard."""

from __future__ import annotations

from gossamer.core.page.found import FoundLinks
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker


def send_away(worker: Worker, shard: Shard, receiver: int, found: FoundLinks) -> None:
    """Put links for another shard into this commit; they are sent after it."""
    number, entry = shard.outbox.put(receiver, found)
    shard.ledger.sent += len(found)

    def send() -> None:
        worker.start(_deliver(worker, shard, receiver, number, entry))

    shard.after_commit.append(send)


def deliver_outboxes(worker: Worker) -> None:
    """Send again what was left at the last commit before a crash or a stop."""
    for shard in worker.shards:
        for (receiver, number), entry in sorted(shard.outbox.waiting.items()):
            worker.start(_deliver(worker, shard, receiver, number, entry))


async def _deliver(worker: Worker, shard: Shard, receiver: int, number: int, entry: bytes) -> None:
    await worker.exchange.shard(receiver).receive(shard.number, number, entry)
    shard.outbox.acknowledge(receiver, number)
    worker.alarm.ring()
