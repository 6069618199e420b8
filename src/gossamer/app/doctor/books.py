"""A shard's books against its records: every page record, queue entry and host state is read and counted anew.

The page records are the truth. What else there is follows from them: the ledger's counts of URLs, the entries of the
queues, the counts in host states, the place of each host (working set, asleep, held). With `mend` whatever differs is
made to follow; each step writes before the next reads, and all of them may be done again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.app.doctor.tables import Changes, rows, stretches
from gossamer.core.frontier.ledger import Ledger, decode_ledger, encode_ledger
from gossamer.core.frontier.records import (
    HOST_ID_BYTES,
    LEVELS,
    QUEUES,
    RETRY,
    PageRecord,
    PageState,
    decode_page,
    encode,
    queue_key,
)
from gossamer.flow.seeding import SEEDED_KEY
from gossamer.flow.shard import LEDGER_KEY, ORDER_KEY
from gossamer.ports.exchange import Claim
from gossamer.ports.store import Store, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.flow.shard_rules import ShardRules

SAY_EVERY: Final = 100_000
"""Records between two words about progress."""
EXAMPLES: Final = 5


@dataclass(slots=True)
class Books:
    """What was counted in one shard, and what differed."""

    counted: Ledger = field(default_factory=Ledger)
    """URLs by state, as the records have them."""
    lost: int = 0
    """Records that say DONE of a capture that is not in the archive."""
    lost_urls: list[str] = field(default_factory=list[str])
    """Some of them."""
    unqueued: int = 0
    """URLs that wait but stand in no queue."""
    dangling: int = 0
    """Queue entries of no waiting URL."""
    hosts: int = 0
    """Host states whose counts or place differ."""
    forgotten: int = 0
    """URLs in the books that have no record any more."""
    unreadable: int = 0
    """Rows that are no record."""
    order: int = 0
    """The greatest place in any queue."""


@dataclass(slots=True)
class Desk:
    """What the checks of one shard share."""

    number: int
    store: Store
    rules: ShardRules
    sound: Mapping[str, int]
    """WARC file -> bytes of it that count."""
    changes: Changes
    claims: Mapping[int, Changes]
    """Shard -> changes of its table of digests."""
    say: Callable[[str], None]
    books: Books = field(default_factory=Books)

    def next_order(self) -> int:
        """A place after all others."""
        self.books.order += 1
        return self.books.order


def check_pages(desk: Desk) -> None:
    """Count every page record; see that it is queued if it waits, and archived if it says so."""
    desk.books.order = _stored_order(desk)
    seen = 0
    for stretch in stretches(desk.store, Table.PAGE):
        records = [(key, record) for key, value in stretch if (record := _record(desk, key, value)) is not None]
        waiting = [(key, record) for key, record in records if record.state == PageState.QUEUED]
        for _, record in waiting:
            if record.queue != RETRY:
                desk.books.order = max(desk.books.order, record.order)
        for key, record in records:
            if not _is_archived(desk, record):
                _note_lost(desk, record)
                if desk.changes.mend:
                    _requeue(desk, key, record)
            _count(desk.books.counted, record)
        _check_waiting(desk, waiting)
        if seen // SAY_EVERY != (seen + len(stretch)) // SAY_EVERY:
            desk.say(f"shard {desk.number}: {seen + len(stretch):,} records")
        seen += len(stretch)
    desk.changes.write()


def _record(desk: Desk, key: bytes, value: bytes) -> PageRecord | None:
    try:
        return decode_page(value)
    except msgspec.DecodeError:
        desk.books.unreadable += 1
        desk.changes.delete(Table.PAGE, key)
        return None


def _is_archived(desk: Desk, record: PageRecord) -> bool:
    """Whether the capture that a record names is there. A URL that waits again keeps its last one; that counts less."""
    if not record.file or record.state == PageState.QUEUED:
        return True
    return record.offset + record.length <= desk.sound.get(record.file, 0)


def _note_lost(desk: Desk, record: PageRecord) -> None:
    books = desk.books
    books.lost += 1
    if len(books.lost_urls) < EXAMPLES:
        books.lost_urls.append(record.url)


def _requeue(desk: Desk, key: bytes, record: PageRecord) -> None:
    """The capture is gone: the URL waits again, as if just found, and its body counts as never seen."""
    if record.digest:
        _forget_body(desk, record)
    record.state, record.reason, record.tries = PageState.QUEUED, "", 0
    record.etag = record.last_modified = record.payload_digest = record.record_id = record.file = record.copy_of = ""
    record.digest, record.offset, record.length = b"", 0, 0
    record.queue = min(record.level, LEVELS - 1)
    record.order = desk.next_order()
    desk.changes.put(Table.QUEUE, queue_key(key[:HOST_ID_BYTES], record.queue, record.order), key[HOST_ID_BYTES:])
    desk.changes.put(Table.PAGE, key, encode(record))


def _forget_body(desk: Desk, record: PageRecord) -> None:
    """If this very capture is the one that copies refer to, the next fetch of that body stores it whole."""
    owner = desk.claims.get(desk.rules.shard_of_digest(record.digest))
    if owner is None:
        return
    value = owner.store.get(Table.CONTENT, [record.digest])[0]
    if value is not None and msgspec.msgpack.decode(value, type=Claim).record_id == record.record_id:
        owner.delete(Table.CONTENT, record.digest)


def _check_waiting(desk: Desk, waiting: list[tuple[bytes, PageRecord]]) -> None:
    desk.changes.write()
    keys = [queue_key(key[:HOST_ID_BYTES], record.queue, record.order) for key, record in waiting]
    found = desk.store.get(Table.QUEUE, keys)
    for (key, record), place, value in zip(waiting, keys, found, strict=True):
        if value == key[HOST_ID_BYTES:]:
            continue
        desk.books.unqueued += 1
        if value is None:
            desk.changes.put(Table.QUEUE, place, key[HOST_ID_BYTES:])
        else:
            # Its place is another's: it gets one at the end.
            record.order = desk.next_order()
            desk.changes.put(Table.PAGE, key, encode(record))
            another = queue_key(key[:HOST_ID_BYTES], record.queue, record.order)
            desk.changes.put(Table.QUEUE, another, key[HOST_ID_BYTES:])


def _stored_order(desk: Desk) -> int:
    found = desk.store.get(Table.META, [ORDER_KEY])[0]
    return int.from_bytes(found, "big") if found is not None else 1


def _count(ledger: Ledger, record: PageRecord) -> None:
    ledger.known += 1
    match record.state:
        case PageState.QUEUED:
            ledger.queued += 1
        case PageState.DONE:
            ledger.done += 1
        case PageState.GONE:
            ledger.gone += 1
        case PageState.FAILED:
            ledger.failed[record.reason] = ledger.failed.get(record.reason, 0) + 1
        case _:
            ledger.refused[record.reason] = ledger.refused.get(record.reason, 0) + 1


def check_queues(desk: Desk) -> None:
    """See that every queue entry is of a URL that waits just there."""
    for stretch in stretches(desk.store, Table.QUEUE):
        keys = [key[:HOST_ID_BYTES] + value for key, value in stretch]
        for (key, _), page in zip(stretch, desk.store.get(Table.PAGE, keys), strict=True):
            record = _record_of(page)
            here = record is not None and record.state == PageState.QUEUED
            if not (here and record is not None and queue_key(key[:HOST_ID_BYTES], record.queue, record.order) == key):
                desk.books.dangling += 1
                desk.changes.delete(Table.QUEUE, key)
    desk.changes.write()


def _record_of(value: bytes | None) -> PageRecord | None:
    try:
        return decode_page(value) if value is not None else None
    except msgspec.DecodeError:
        return None


@dataclass(slots=True)
class QueueCounts:
    """What stands in the queues of one host."""

    queued: list[int] = field(default_factory=lambda: [0] * QUEUES)
    heads: list[int] = field(default_factory=lambda: [0] * QUEUES)
    first: bytes = b""
    """The fingerprint of some URL in them."""


def queues_by_host(store: Store) -> dict[bytes, QueueCounts]:
    """Host id -> its queues, counted. Some 400 bytes for each host with queued URLs."""
    found: dict[bytes, QueueCounts] = {}
    for key, value in rows(store, Table.QUEUE):
        counts = found.setdefault(key[:HOST_ID_BYTES], QueueCounts())
        queue = key[HOST_ID_BYTES]
        if not counts.queued[queue]:
            counts.heads[queue] = int.from_bytes(key[HOST_ID_BYTES + 1 :], "big")
        counts.queued[queue] += 1
        counts.first = counts.first or value
    return found


def check_ledger(desk: Desk, held: int) -> list[str]:
    """Compare the ledger with what was counted; what differs, in words. `held`: URLs of held hosts."""
    value = desk.store.get(Table.META, [LEDGER_KEY])[0]
    ledger = decode_ledger(value) if value is not None else Ledger()
    counted = desk.books.counted
    counted.held, counted.queued = held, counted.queued - held
    words: list[str] = []
    desk.books.forgotten = max(0, ledger.known - counted.known)
    for name in ("known", "queued", "held", "done", "gone"):
        stated, true = getattr(ledger, name), getattr(counted, name)
        if stated != true:
            words.append(f"{name}: {stated:,} in the books, {true:,} records")
            setattr(ledger, name, true)
    for name in ("failed", "refused"):
        if Counter(getattr(ledger, name)) != Counter(getattr(counted, name)):
            words.append(
                f"{name}: {_sums(getattr(ledger, name))} in the books, {_sums(getattr(counted, name))} records"
            )
            setattr(ledger, name, getattr(counted, name))
    words += [] if words else ledger.problems()
    if desk.books.forgotten:
        # Perhaps seeds are among them: the next opening offers those again, and they lead to the rest.
        desk.changes.delete(Table.META, SEEDED_KEY)
    if words:
        _balance_links(ledger)
        desk.changes.put(Table.META, LEDGER_KEY, encode_ledger(ledger))
    if desk.books.order > _stored_order(desk):
        desk.changes.put(Table.META, ORDER_KEY, desk.books.order.to_bytes(8, "big"))
    desk.changes.write()
    return words


def _balance_links(ledger: Ledger) -> None:
    """The links' book follows: as many new links as known URLs, and as many found as there were fates of them."""
    ledger.new = max(0, ledger.known - ledger.received_new)
    ledger.received_new = ledger.known - ledger.new
    ledger.received = ledger.received_refused + ledger.received_seen + ledger.received_new
    ledger.found = sum(ledger.refused_links.values()) + ledger.sent + ledger.seen + ledger.new


def _sums(table: Mapping[str, int]) -> str:
    return f"{sum(table.values()):,} ({', '.join(f'{name} {number}' for name, number in sorted(table.items()))[:80]})"
