"""One shard: its frontier, its store, its ledger. Everything it changes goes into its next commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.frontier import commands
from gossamer.core.frontier.events import LoadedHost
from gossamer.core.frontier.frontier import Frontier
from gossamer.core.frontier.lease import Entry, Errand
from gossamer.core.frontier.ledger import Ledger, decode_ledger, encode_ledger
from gossamer.core.frontier.records import (
    HOST_ID_BYTES,
    LAST,
    LEVELS,
    RETRY,
    HostState,
    PageRecord,
    decode_host,
    decode_page,
    encode,
    queue_key,
    retry_order,
)
from gossamer.core.limits import HEAD_ENTRIES_MAX, ROBOTS_AUTHORITIES_PER_HOST_MAX
from gossamer.core.robots.answer import RobotsAnswer, RobotsState, decode_robots, encode_robots
from gossamer.core.warc.location import FileMark
from gossamer.flow.content_seen import ContentSeen
from gossamer.flow.outbox import Outbox
from gossamer.flow.pending import PendingStore
from gossamer.flow.scoring import Scoring
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.sites import Sites
from gossamer.flow.sleepers import Sleepers
from gossamer.flow.templates import Templates
from gossamer.flow.widenings import Widening, read_widenings, record_widening
from gossamer.ports.store import Table, WriteBatch

if TYPE_CHECKING:
    # It loads numpy, for which nobody should wait who only looks at a stopped crawl.
    from gossamer.core.seen.url_seen import UrlSeen

END: Final = b"\xff" * 32
COMMIT_KEY: Final = b"commit"
LEDGER_KEY: Final = b"ledger"
ORDER_KEY: Final = b"order"
RECEIPT_PREFIX: Final = b"receipt:"


@dataclass(slots=True)
class Shard:
    """State and commits of one shard; admission, reports and host loading stand in files of their own."""

    number: int
    rules: ShardRules
    rows: PendingStore
    frontier: Frontier
    ledger: Ledger
    url_seen: UrlSeen
    content_seen: ContentSeen
    outbox: Outbox
    sites: Sites
    """What is known of its sites; its frontier's budgets read and write there."""
    scoring: Scoring = field(default_factory=Scoring)
    """How its URLs are scored; all shards of a worker share it."""
    order: int = 1
    """The last place given in any queue: they grow through all queues of the shard."""
    commit: int = 0
    """The last durable commit."""
    receipts: dict[int, int] = field(default_factory=dict)
    """Sender -> the highest entry number taken in."""
    after_commit: list[Callable[[], None]] = field(default_factory=list)
    """What waits for the next commit to be durable."""
    errands: dict[Errand, asyncio.Future[RobotsAnswer]] = field(default_factory=dict)
    """robots.txt files being fetched here for other hosts."""
    todo: list[commands.Command] = field(default_factory=list[commands.Command])
    """What its frontier asked for and is being done; empty between steps."""
    unrestored: dict[Table, Iterable[list[LoadedHost]]] = field(default_factory=dict[Table, Iterable[list[LoadedHost]]])
    """After an opening: hosts of a table that are still to be brought back; see `restoring`."""
    sleepers: Sleepers = field(init=False)
    templates: Templates = field(init=False)
    """What the fetches of each template brought; it counts nothing until it is given rules."""
    _committing: list[Callable[[], None]] = field(default_factory=list)
    _books: Ledger = field(init=False)
    """The ledger as the last commit holds it."""
    _receipts: dict[int, int] = field(init=False)
    """The receipts as the last commit holds them."""

    def __post_init__(self) -> None:
        self.sleepers = Sleepers(self.rows)
        self._books, self._receipts = decode_ledger(encode_ledger(self.ledger)), dict(self.receipts)
        self.templates = Templates(self.rows, self.rules, None)

    # --- hosts ---------------------------------------------------------------------------------------------------

    def load_hosts(self, host_ids: Sequence[bytes]) -> list[LoadedHost | None]:
        """Hosts by id, from the last changes or the store; None for one never seen."""
        states: list[HostState | None] = [self.frontier.state_of(host_id) for host_id in host_ids]
        missing = [index for index, state in enumerate(states) if state is None]
        if missing:
            values = self.rows.get(Table.HOST, [host_ids[index] for index in missing])
            for index, value in zip(missing, values, strict=True):
                states[index] = decode_host(value) if value is not None else None
        return [
            LoadedHost(host_id, state, self.load_robots(host_id)) if state is not None else None
            for host_id, state in zip(host_ids, states, strict=True)
        ]

    def host_state(self, host_id: bytes) -> HostState | None:
        """What is known of a host, from the last changes or the store; None for one never seen."""
        state = self.frontier.state_of(host_id)
        if state is not None:
            return state
        value = self.rows.get(Table.HOST, [host_id])[0]
        return decode_host(value) if value is not None else None

    def has_held(self, host: str) -> bool:
        """Whether a host has URLs that are held."""
        state = self.host_state(self.rules.ids.host_id(host))
        return state is not None and state.held and state.total > 0

    def load_robots(self, host_id: bytes) -> dict[str, RobotsState]:
        """The robots.txt files known for a host's authorities."""
        found = self.rows.scan(Table.ROBOTS, host_id, host_id + END, ROBOTS_AUTHORITIES_PER_HOST_MAX)
        return {key[HOST_ID_BYTES:].decode(): decode_robots(value) for key, value in found}

    def book(self, command: commands.Booking) -> None:
        """Do what a frontier asks of its own shard."""
        match command:
            case commands.Move():
                self.move(command)
            case commands.SaveRobots(host_id, authority, robots):
                self.rows.put(Table.ROBOTS, host_id + authority.encode(), encode_robots(robots))
            case commands.DropRobots(host_id, authority):
                self.rows.delete(Table.ROBOTS, host_id + authority.encode())
            case commands.AnswerErrand(errand, answer):
                self.answer_errand(errand, answer)

    def answer_errand(self, errand: Errand, answer: RobotsAnswer) -> None:
        """Hand an errand's answer to whoever waits for it."""
        waiting = self.errands.pop(errand, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def move(self, command: commands.Move) -> None:
        """Book a host's change of place."""
        host_id = command.host_id
        if command.left_ready_level >= 0:
            self.sleepers.remove(command.left_ready_level, command.left_ready_wake_ms, host_id)
        if command.ready_level >= 0:
            self.sleepers.put(command.ready_level, command.ready_wake_ms, host_id)
        if command.left_active:
            self.rows.delete(Table.ACTIVE, host_id)
        if command.active:
            self.rows.put(Table.ACTIVE, host_id, b"")
        if command.left_held:
            self.rows.delete(Table.HELD, host_id)
        if command.held:
            self.rows.put(Table.HELD, host_id, b"")

    def sleeping(self, count: int, until: float, chance: float) -> tuple[list[LoadedHost], float | None]:
        """Up to `count` hosts that wake before `until`, and when the next one does; `chance` draws the first level."""
        due, next_wake = self.sleepers.first(count, until, chance)
        return [host for host in self.load_hosts(due) if host is not None], next_wake

    def head(self, host_id: bytes, queue: int, order: int) -> tuple[list[Entry], bool]:
        """The first entries of a queue from `order` on, and whether the store holds no more."""
        start, end = queue_key(host_id, queue, order), host_id + bytes((queue + 1,))
        found = self.rows.scan(Table.QUEUE, start, end, HEAD_ENTRIES_MAX)
        values = self.rows.get(Table.PAGE, [host_id + value for _, value in found])
        entries = [
            Entry(int.from_bytes(key[-8:], "big"), fingerprint, decode_page(value))
            for (key, fingerprint), value in zip(found, values, strict=True)
            if value is not None
        ]
        if len(entries) < len(found):
            raise RuntimeError(f"shard {self.number}: a queue names a URL that has no record")
        return entries, len(found) < HEAD_ENTRIES_MAX

    # --- pages ---------------------------------------------------------------------------------------------------

    def save_page(self, host_id: bytes, fingerprint: bytes, record: PageRecord) -> None:
        """Write a page record."""
        self.rows.put(Table.PAGE, host_id + fingerprint, encode(record))

    def page(self, host_id: bytes, fingerprint: bytes) -> PageRecord | None:
        """The record of a URL; None when it is not known."""
        value = self.rows.get(Table.PAGE, [host_id + fingerprint])[0]
        return decode_page(value) if value is not None else None

    def records_of(self, keys: Sequence[bytes]) -> list[PageRecord | None]:
        """The records of URLs by their page keys, with one look into the store; None where there is none.

        Of a URL in memory it is the object there, for that is written again with its next report.
        """
        at_hand: dict[bytes, dict[bytes, PageRecord]] = {}
        records: list[PageRecord | None] = []
        for key, value in zip(keys, self.rows.get(Table.PAGE, keys), strict=True):
            host_id, fingerprint = key[:HOST_ID_BYTES], key[HOST_ID_BYTES:]
            if host_id not in at_hand:
                at_hand[host_id] = self.frontier.records_at_hand(host_id)
            records.append(at_hand[host_id].get(fingerprint) or (decode_page(value) if value is not None else None))
        return records

    def enqueue(self, host_id: bytes, fingerprint: bytes, record: PageRecord, order: int) -> Entry:
        """Put a URL at `order` into the queue its record names, and save the record."""
        record.order = order
        self.rows.put(Table.QUEUE, queue_key(host_id, record.queue, order), fingerprint)
        self.save_page(host_id, fingerprint, record)
        return Entry(order, fingerprint, record)

    def enqueue_all(self, host_id: bytes, made: Sequence[tuple[PageRecord, bytes]]) -> list[Entry]:
        """Put new URLs of one host, each with its page key, at the ends of the queues their records name."""
        order, entries = self.order, list[Entry]()
        for record, key in made:
            order += 1
            record.order = order
            entries.append(Entry(order, key[HOST_ID_BYTES:], record))
        self.order = order
        queued = [(queue_key(host_id, each.record.queue, each.order), each.fingerprint) for each in entries]
        self.rows.put_all(Table.QUEUE, queued)
        self.rows.put_all(Table.PAGE, [(key, encode(record)) for record, key in made])
        return entries

    def postpone(self, command: commands.Postpone) -> list[tuple[Entry, Entry]]:
        """Move URLs into their host's retry queue; each as it stood and as it stands."""
        return [
            (entry, self.requeue(command.host_id, entry, RETRY, retry_order(command.due, self.next_order())))
            for entry in command.entries
        ]

    def put_last(self, command: commands.PutLast) -> list[tuple[Entry, Entry]]:
        """Move URLs into the last level of their host, whatever their score; each as it stood and as it stands."""
        for entry in command.entries:
            entry.record.base, entry.record.level = LAST, LEVELS - 1
        return [
            (entry, self.requeue(command.host_id, entry, LEVELS - 1, self.next_order())) for entry in command.entries
        ]

    def requeue(self, host_id: bytes, entry: Entry, queue: int, order: int) -> Entry:
        """Move a URL from the queue it stands in to `order` in another one of its host; as it stands there."""
        self.dequeue(host_id, entry.record.queue, entry.order)
        entry.record.queue = queue
        return self.enqueue(host_id, entry.fingerprint, entry.record, order)

    def dequeue(self, host_id: bytes, queue: int, order: int) -> None:
        """Take a URL out of its queue."""
        self.rows.delete(Table.QUEUE, queue_key(host_id, queue, order))

    def next_order(self) -> int:
        """A place after all places given so far."""
        self.order += 1
        return self.order

    def record_widening(self, widening: Widening) -> None:
        """Keep where a seed's redirect led on its site: it is in scope, whatever scope the crawl is resumed with."""
        record_widening(self.rows, widening)

    def widenings(self) -> Iterator[Widening]:
        """The widenings recorded, by target."""
        return read_widenings(self.rows)

    # --- commits -------------------------------------------------------------------------------------------------

    @property
    def changed(self) -> bool:
        """Whether there is something to commit."""
        if self.rows.changed or self.sites.changed or self.templates.changed or self.outbox.filling:
            return True
        if self.frontier.working.touched or self.after_commit:
            return True
        return self.ledger != self._books

    def begin_commit(
        self, number: int, marks: Sequence[FileMark], encode_mark: Callable[[FileMark], bytes]
    ) -> WriteBatch:
        """Everything changed since the last commit, as one batch. One step of the loop."""
        for host_id, state in self.frontier.take_touched().items():
            self.rows.put(Table.HOST, host_id, encode(state))
        self.sites.begin_commit()
        self.templates.begin_commit()
        self.outbox.begin_commit()
        for mark in marks:
            self.rows.put(Table.FILES, mark.path.encode(), encode_mark(mark))
        for table, key, value in self.url_seen.changes(number):
            if value is None:
                self.rows.delete(Table(table), key)
            else:
                self.rows.put(Table(table), key, value)
        for sender, received in self.receipts.items():
            if self._receipts.get(sender) != received:
                self._receipts[sender] = received
                self.rows.put(Table.META, RECEIPT_PREFIX + sender.to_bytes(2, "big"), received.to_bytes(8, "big"))
        books = encode_ledger(self.ledger)
        self._books = decode_ledger(books)
        self.rows.put(Table.META, LEDGER_KEY, books)
        self.rows.put(Table.META, ORDER_KEY, self.order.to_bytes(8, "big"))
        self.rows.put(Table.META, COMMIT_KEY, number.to_bytes(8, "big"))
        self._committing, self.after_commit = self.after_commit, []
        return self.rows.begin_commit()

    def end_commit(self, number: int) -> None:
        """The commit is durable: tell those who waited for it."""
        self.commit = number
        self.rows.end_commit()
        waiting, self._committing = self._committing, []
        for act in waiting:
            act()
