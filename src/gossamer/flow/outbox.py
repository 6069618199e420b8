"""The outbox: links for other shards, in the same commit as the page they were found on, sent once that is durable.

Links of a page that names very many wait there for their own shard too, to be queued in steps of the loop.

What the pages of one commit have for a shard goes into one entry, unless it is very much: most name a link or two.
Entries of a pair of shards are numbered. An entry leaves when the receiver has it durably; a crash in between sends it
again, and URL seen makes that harmless. A full outbox stops leasing, never receiving, so two cannot block each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.core.limits import LINKS_AT_ONCE_MAX, OUTBOX_ENTRIES_MAX
from gossamer.core.page.found import FoundLinks, encode_batches
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

NUMBERS_KEY = b"outbox numbers"


def outbox_key(receiver: int, number: int) -> bytes:
    """Key of one entry: all entries for a receiver stand together, in order."""
    return receiver.to_bytes(2, "big") + number.to_bytes(8, "big")


@dataclass(slots=True)
class Outbox:
    """What one shard has for the others."""

    rows: PendingStore
    entries_max: int = OUTBOX_ENTRIES_MAX
    """With so many entries waiting it is full."""
    numbers: dict[int, int] = field(default_factory=dict)
    """Receiver -> the last number given."""
    waiting: dict[tuple[int, int], bytes] = field(default_factory=dict)
    """Entries not yet acknowledged, by receiver and number; empty bytes for one that is still being filled."""
    filling: dict[int, list[FoundLinks]] = field(default_factory=dict[int, list[FoundLinks]])
    """Receiver -> what its last entry holds so far; the coming commit takes it."""
    _links: dict[int, int] = field(default_factory=dict[int, int])
    """Receiver -> how many links those are."""

    @property
    def is_full(self) -> bool:
        """Whether leasing should pause until entries have left."""
        return len(self.waiting) >= self.entries_max

    def put(self, receiver: int, found: FoundLinks) -> int | None:
        """Put links into the coming commit; the number of their entry, if it begins with them."""
        links = self._links.get(receiver, 0) + len(found.urls)
        if receiver in self.filling and links <= LINKS_AT_ONCE_MAX:
            self.filling[receiver].append(found)
            self._links[receiver] = links
            return None
        self._close(receiver)
        number = self.numbers[receiver] = self.numbers.get(receiver, 0) + 1
        self.filling[receiver], self._links[receiver] = [found], len(found.urls)
        self.waiting[receiver, number] = b""
        return number

    def begin_commit(self) -> None:
        """Write what has gathered into the coming commit."""
        for receiver in list(self.filling):
            self._close(receiver)

    def _close(self, receiver: int) -> None:
        batches = self.filling.pop(receiver, None)
        if batches is None:
            return
        number = self.numbers[receiver]
        entry = self.waiting[receiver, number] = encode_batches(batches)
        self.rows.put(Table.OUTBOX, outbox_key(receiver, number), entry)
        self.rows.put(Table.META, NUMBERS_KEY + receiver.to_bytes(2, "big"), number.to_bytes(8, "big"))

    def acknowledge(self, receiver: int, number: int) -> None:
        """The receiver has the entry durably."""
        if self.waiting.pop((receiver, number), None) is not None:
            self.rows.delete(Table.OUTBOX, outbox_key(receiver, number))

    def load(self) -> None:
        """Read what was left at the last commit, all of it: what visits under way found may lie beyond the limit."""
        start = b""
        while found := self.rows.scan(Table.OUTBOX, start, b"\xff" * 11, OUTBOX_ENTRIES_MAX):
            for key, entry in found:
                self.waiting[int.from_bytes(key[:2], "big"), int.from_bytes(key[2:], "big")] = entry
            start = found[-1][0] + b"\0"
        for key, value in self.rows.scan(Table.META, NUMBERS_KEY, NUMBERS_KEY + b"\xff" * 3, 1 << 16):
            self.numbers[int.from_bytes(key[len(NUMBERS_KEY) :], "big")] = int.from_bytes(value, "big")
