"""Reading a shard's tables through, a stretch at a time, and changing them a batch at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.ports.store import WriteBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.ports.store import Store, Table

STRETCH: Final = 4096
"""Rows read at once."""
END: Final = b"\xff" * 40
"""Behind every key."""
BATCH: Final = 4096
"""Changes written at once: a repair of millions must not gather them in memory."""


def rows(store: Store, table: Table) -> Iterator[tuple[bytes, bytes]]:
    """Every row of a table in order. Rows changed behind the reader do not matter to it."""
    for stretch in stretches(store, table):
        yield from stretch


def stretches(store: Store, table: Table) -> Iterator[list[tuple[bytes, bytes]]]:
    """The rows of a table in order, some at a time."""
    start = b""
    while found := store.scan(table, start, END, STRETCH):
        yield found
        start = found[-1][0] + b"\0"


@dataclass(slots=True)
class Changes:
    """Changes on their way into a store; nothing at all unless mending."""

    store: Store
    mend: bool
    _batch: WriteBatch = field(default_factory=WriteBatch)

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        """Set a row."""
        self._batch.puts.append((table, key, value))
        self._write_if_long()

    def delete(self, table: Table, key: bytes) -> None:
        """Remove a row."""
        self._batch.deletes.append((table, key))
        self._write_if_long()

    def write(self) -> None:
        """Everything so far, visible from now on."""
        if self.mend:
            self.store.write(self._batch)
        self._batch = WriteBatch()

    def _write_if_long(self) -> None:
        if len(self._batch.puts) + len(self._batch.deletes) >= BATCH:
            self.write()
