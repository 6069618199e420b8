"""Opening a shard at its last commit: a few small rows and the working set, no scan of what grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gossamer.core.files.recovery import greatest
from gossamer.core.frontier.commands import Move
from gossamer.core.frontier.events import HeldLoaded, Woken
from gossamer.core.frontier.frontier import Frontier
from gossamer.core.frontier.ledger import Ledger, decode_ledger
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import PageRecord
from gossamer.core.frontier.shares import Shares
from gossamer.core.limits import HOSTS_IN_MEMORY_MAX
from gossamer.core.politeness.ceiling import Ceilings
from gossamer.core.warc.location import FileMark
from gossamer.flow.commit import decode_mark
from gossamer.flow.content_seen import ContentSeen
from gossamer.flow.outbox import Outbox
from gossamer.flow.pending import PendingStore
from gossamer.flow.shard import COMMIT_KEY, END, LEDGER_KEY, ORDER_KEY, RECEIPT_PREFIX, Shard
from gossamer.flow.shard_rules import ShardRules
from gossamer.ports.store import Store, Table

FILES_MAX = 1_000_000
"""Files of one crawl: at 1 GB each, far beyond one machine."""
SEGMENTS_MAX = 1_000_000
"""Rows of the Bloom filter's table."""


@dataclass(slots=True)
class OpeningRules:
    """What every shard of a worker is opened with."""

    rules: ShardRules
    frontier: FrontierPolicy
    ceilings: Ceilings
    chance: Callable[[], float]
    reopened: bool
    """Whether a crawl that has begun before is opened again, after a crash or a stop."""
    refusal: Callable[[PageRecord], str] = lambda _: ""
    """Why a queued URL is wanted no more; empty while it is."""
    shares: Shares | None = None
    """None where seed groups have no shares."""


def open_shard(number: int, store: Store, opening: OpeningRules, now: float) -> Shard:
    """The shard as of its last commit; a fresh one for an empty store."""
    from gossamer.core.seen.url_seen import restored  # noqa: PLC0415 - numpy, which a look at books does not need

    rows = PendingStore(store)
    ledger = read_ledger(rows)
    outbox = Outbox(rows)
    outbox.load()
    return Shard(
        number=number,
        rules=opening.rules,
        rows=rows,
        frontier=Frontier(
            opening.frontier,
            opening.ceilings,
            ledger,
            opening.chance,
            reopened_at=now if opening.reopened else None,
            refusal=opening.refusal,
            shares=opening.shares,
        ),
        ledger=ledger,
        url_seen=restored(rows.scan(Table.SEEN, b"", END, SEGMENTS_MAX)),
        content_seen=ContentSeen(rows),
        outbox=outbox,
        order=last_order(rows),
        commit=last_commit(rows),
        receipts=_receipts(rows),
    )


def restore_working_set(shard: Shard, now: float) -> None:
    """Bring back the hosts that were in the working set, and the held ones that nothing holds any more."""
    ids = [key for key, _ in shard.rows.scan(Table.ACTIVE, b"", END, HOSTS_IN_MEMORY_MAX)]
    held = [key for key, _ in shard.rows.scan(Table.HELD, b"", END, HOSTS_IN_MEMORY_MAX)]
    hosts = [host for host in shard.load_hosts(ids) if host is not None]
    perhaps_free = [host for host in shard.load_hosts(held) if host is not None]
    for event in (Woken(hosts, 0.0), HeldLoaded(perhaps_free)):
        for command in shard.frontier.handle(event, now):
            if isinstance(command, Move):
                shard.move(command)


def committed_files(shards: list[Shard]) -> dict[str, FileMark]:
    """Of each archive file, journal and dataset file the latest mark that any shard committed."""
    return greatest(_files(shard) for shard in shards)


def _files(shard: Shard) -> dict[str, FileMark]:
    rows = shard.rows.scan(Table.FILES, b"", END, FILES_MAX)
    return {key.decode(): decode_mark(key.decode(), value) for key, value in rows}


def commits_of(shards: list[Shard]) -> Mapping[int, int]:
    """Shard -> the number of its last commit."""
    return {shard.number: shard.commit for shard in shards}


def read_ledger(rows: PendingStore) -> Ledger:
    """The books of a shard as of its last commit."""
    value = rows.get(Table.META, [LEDGER_KEY])[0]
    return decode_ledger(value) if value is not None else Ledger()


def last_order(rows: PendingStore) -> int:
    """The last place given in any queue, as of the last commit."""
    return _number(rows, ORDER_KEY) or 1


def last_commit(rows: PendingStore) -> int:
    """The number of the last commit; 0 before the first."""
    return _number(rows, COMMIT_KEY)


def _number(rows: PendingStore, key: bytes) -> int:
    value = rows.get(Table.META, [key])[0]
    return int.from_bytes(value, "big") if value is not None else 0


def _receipts(rows: PendingStore) -> dict[int, int]:
    found = rows.scan(Table.META, RECEIPT_PREFIX, RECEIPT_PREFIX + b"\xff" * 3, 1 << 16)
    return {int.from_bytes(key[len(RECEIPT_PREFIX) :], "big"): int.from_bytes(value, "big") for key, value in found}
