"""Opening a shard at its last commit: a few small rows and the working set, no scan of what grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.core.files.recovery import greatest
from gossamer.core.frontier.frontier import Frontier
from gossamer.core.frontier.ledger import Ledger, decode_ledger
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import PageRecord
from gossamer.core.frontier.shares import Shares
from gossamer.core.politeness.ceiling import Ceilings
from gossamer.core.trap.rules import TrapRules
from gossamer.core.warc.location import FileMark
from gossamer.flow.commit import decode_mark
from gossamer.flow.content_seen import ContentSeen
from gossamer.flow.outbox import Outbox
from gossamer.flow.pending import PendingStore
from gossamer.flow.scoring import Scoring
from gossamer.flow.shard import COMMIT_KEY, END, LEDGER_KEY, ORDER_KEY, RECEIPT_PREFIX, Shard
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.sites import Sites
from gossamer.flow.widenings import Widening, read_widenings
from gossamer.ports.store import Store, Table

if TYPE_CHECKING:
    from gossamer.flow.seen_files import SeenRules

WORKERS_KEY = b"workers"
FILES_MAX = 1_000_000
"""Files of one crawl: at 1 GB each, far beyond one machine."""


@dataclass(slots=True)
class Found:
    """What stores say of a crawl when it is opened; of all shards, whoever opens them."""

    files: dict[str, FileMark] = field(default_factory=dict[str, FileMark])
    """Of each file the latest mark that any shard committed."""
    commits: dict[int, int] = field(default_factory=dict[int, int])
    """Shard -> the number of its last commit."""
    workers: dict[int, int] = field(default_factory=dict[int, int])
    """Shard -> how many workers there were then."""
    widenings: list[Widening] = field(default_factory=list[Widening])

    def widen(self, seed: str, target: str, group: str) -> None:
        """The scope is widened while the crawl runs."""
        self.widenings.append(Widening(seed, target, group))

    def joined(self, later: Found) -> Found:
        """The same with what was found later."""
        return Found(
            files=greatest([self.files, later.files]),
            commits=self.commits | later.commits,
            workers=self.workers | later.workers,
            widenings=list(dict.fromkeys([*self.widenings, *later.widenings])),
        )


@dataclass(slots=True)
class OpeningRules:
    """What every shard of a worker is opened with."""

    rules: ShardRules
    frontier: FrontierPolicy
    ceilings: Ceilings
    chance: Callable[[], float]
    seen: SeenRules
    reopened: bool
    """Whether a crawl that has begun before is opened again, after a crash or a stop."""
    refusal: Callable[[PageRecord], str] = lambda _: ""
    """Why a queued URL is wanted no more; empty while it is."""
    shares: Shares | None = None
    """None where seed groups have no shares."""
    scoring: Scoring = field(default_factory=Scoring)
    traps: TrapRules | None = None
    """None where no template is watched."""


def open_shard(number: int, store: Store, opening: OpeningRules, now: float) -> Shard:
    """The shard as of its last commit; a fresh one for an empty store."""
    from gossamer.flow.seen_files import open_seen  # noqa: PLC0415 - numpy, which a look at books does not need

    rows = PendingStore(store)
    ledger = read_ledger(rows)
    outbox = Outbox(rows)
    outbox.load()
    sites = Sites(rows, opening.rules.ids)
    shard = Shard(
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
            sites=sites,
        ),
        ledger=ledger,
        url_seen=open_seen(number, rows, opening.seen, is_new=last_commit(rows) == 0),
        content_seen=ContentSeen(rows),
        outbox=outbox,
        sites=sites,
        scoring=opening.scoring,
        order=last_order(rows),
        commit=last_commit(rows),
        receipts=_receipts(rows),
    )
    shard.templates.adopt(opening.traps)
    shard.frontier.judges.urls.append(shard.templates.judge)
    return shard


def committed_files(shards: list[Shard]) -> dict[str, FileMark]:
    """Of each archive file, journal and dataset file the latest mark that any shard committed."""
    return greatest(_files(shard.rows) for shard in shards)


def _files(shard: PendingStore) -> dict[str, FileMark]:
    rows = shard.scan(Table.FILES, b"", END, FILES_MAX)
    return {key.decode(): decode_mark(key.decode(), value) for key, value in rows}


def commits_of(shards: list[Shard]) -> Mapping[int, int]:
    """Shard -> the number of its last commit."""
    return {shard.number: shard.commit for shard in shards}


def found_in(shards: Mapping[int, PendingStore]) -> Found:
    """What the rows of these shards say of the crawl, by number."""
    return Found(
        files=greatest(_files(rows) for rows in shards.values()),
        commits={number: last_commit(rows) for number, rows in shards.items()},
        workers={number: workers_of(rows) for number, rows in shards.items()},
        widenings=[widening for rows in shards.values() for widening in read_widenings(rows)],
    )


def note_deal(shard: Shard, workers: int) -> None:
    """Note in the coming commit by how many workers the shards are dealt, if that has changed."""
    if workers_of(shard.rows) != workers:
        shard.rows.put(Table.META, WORKERS_KEY, workers.to_bytes(4, "big"))


def workers_of(rows: PendingStore) -> int:
    """How many workers there were at the last commit."""
    return _number(rows, WORKERS_KEY) or 1


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
