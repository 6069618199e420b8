"""Deliveries: outbox entries are sent once durable here, and leave the outbox once durable at their shard.

What one commit has made durable for a shard, of all shards of the worker, goes to it together: most entries hold few
links, and a batch costs little more than one of them.
"""

from __future__ import annotations

from functools import partial

from gossamer.core.page.found import FoundLinks
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker
from gossamer.ports.exchange import Parcel


def send_away(worker: Worker, shard: Shard, receiver: int, found: FoundLinks) -> None:
    """Put links for another shard into this commit; they are sent after it."""
    shard.ledger.sent += len(found.urls)
    number = shard.outbox.put(receiver, found)
    if number is not None:
        shard.after_commit.append(partial(_send, worker, shard, receiver, number))


def deliver_outboxes(worker: Worker) -> None:
    """Send again what was left at the last commit before a crash or a stop."""
    for shard in worker.shards:
        for (receiver, number), entry in sorted(shard.outbox.waiting.items()):
            if entry:
                _send(worker, shard, receiver, number)


def _send(worker: Worker, shard: Shard, receiver: int, number: int) -> None:
    entry = shard.outbox.waiting.get((receiver, number))
    if entry is None:
        return
    parcel = Parcel(shard.number, number, entry)
    parcels = worker.parcels.get(receiver)
    if parcels is None:
        worker.parcels[receiver] = [parcel]
        worker.start(_deliver(worker, receiver))
    else:
        parcels.append(parcel)


async def _deliver(worker: Worker, receiver: int) -> None:
    """Deliver what has gathered for a shard when this begins: all that was sent in one step of the loop."""
    parcels = worker.parcels.pop(receiver)
    await worker.exchange.shard(receiver).receive(parcels)
    for sender, number, _ in parcels:
        worker.shards[sender].outbox.acknowledge(receiver, number)
    worker.alarm.ring()
