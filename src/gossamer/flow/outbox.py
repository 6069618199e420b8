"""The outbox: links for other shards, in the same commit as the page they were found on, sent once that is durable.

Links of a page that names very many wait there for their own shard too, to be queued in steps of the loop.

Entries of a pair of shards are numbered. An entry leaves when the receiver has it durably; a crash in between sends it
again, and URL seen makes that harmless. A full outbox stops leasing, never receiving, so two cannot block each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.core.limits import OUTBOX_ENTRIES_MAX
from gossamer.core.page.found import FoundLinks, encode_found
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
    """Entries written and not yet acknowledged, by receiver and number."""

    @property
    def is_full(self) -> bool:
        """Whether leasing should pause until entries have left."""
        return len(self.waiting) >= self.entries_max

    def put(self, receiver: int, found: FoundLinks) -> tuple[int, bytes]:
        """Write an entry into the coming commit; its number and stored form."""
        number = self.numbers.get(receiver, 0) + 1
        self.numbers[receiver] = number
        entry = encode_found(found)
        self.rows.put(Table.OUTBOX, outbox_key(receiver, number), entry)
        self.rows.put(Table.META, NUMBERS_KEY + receiver.to_bytes(2, "big"), number.to_bytes(8, "big"))
        self.waiting[receiver, number] = entry
        return number, entry

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
