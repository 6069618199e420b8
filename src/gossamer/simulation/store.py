"""The store's stand-in: tables in memory over a disk that remembers only what was synced.

`MemoryDisk` outlives the store as a real disk outlives a process. `MemoryStore.crash` ends a store without a sync: the
disk keeps what was durable and, as RocksDB may, some first few of the batches written since, never a later one
without the earlier, never part of one.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.ports.store import StoreBusy, StoreError, Table, WriteBatch
from gossamer.simulation.disk import Fuse

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True)
class _Rows:
    """One table: values by key, and the keys in order."""

    values: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    keys: list[bytes] = field(default_factory=list[bytes])

    def put(self, key: bytes, value: bytes) -> None:
        if key not in self.values:
            insort(self.keys, key)
        self.values[key] = value

    def delete(self, key: bytes) -> None:
        if self.values.pop(key, None) is not None:
            del self.keys[bisect_left(self.keys, key)]

    def copy(self) -> _Rows:
        return _Rows(dict(self.values), list(self.keys))


def _no_rows() -> dict[Table, _Rows]:
    return {table: _Rows() for table in Table}


def _apply(tables: dict[Table, _Rows], batch: WriteBatch) -> None:
    for table, key, value in batch.puts:
        tables[table].put(key, value)
    for table, key in batch.deletes:
        tables[table].delete(key)


@dataclass(slots=True)
class MemoryDisk:
    """What survives a crash, and the faults a disk can have."""

    durable: dict[Table, _Rows] = field(default_factory=_no_rows)
    written: list[WriteBatch] = field(default_factory=list[WriteBatch])
    """Batches written and not yet durable, in order."""
    fault: StoreError | None = None
    """Raised by every write and sync while set: StoreFull for a full disk."""
    fuse: Fuse = field(default_factory=Fuse)
    """Spent by every sync, so that a kill falls between those of two shards."""
    in_use: bool = False
    syncs: int = 0
    """Syncs that completed."""
    settled: int = 0
    """Batches that became durable."""

    def settle(self, count: int) -> None:
        """Make the first `count` written batches durable."""
        for batch in self.written[:count]:
            _apply(self.durable, batch)
            self.settled += 1
        del self.written[:count]


class MemoryStore:
    """One shard's store on `disk`. Raises StoreBusy while another store has that disk open."""

    def __init__(self, disk: MemoryDisk) -> None:
        if disk.in_use:
            raise StoreBusy("the disk is in use by another store; close that one first")
        disk.in_use = True
        self._disk = disk
        self._open = True
        self._tables = {table: rows.copy() for table, rows in disk.durable.items()}
        self._syncing = threading.Lock()

    def get(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        """See the port."""
        self._check_open()
        values = self._tables[table].values
        return [values.get(key) for key in keys]

    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        """See the port."""
        self._check_open()
        rows = self._tables[table]
        first = bisect_left(rows.keys, start)
        last = min(bisect_left(rows.keys, end), first + max(limit, 0))
        return [(key, rows.values[key]) for key in rows.keys[first:last]]

    def write(self, batch: WriteBatch) -> None:
        """See the port."""
        self._check_open()
        self._check_disk()
        kept = WriteBatch(list(batch.puts), list(batch.deletes))
        _apply(self._tables, kept)
        self._disk.written.append(kept)

    def sync(self) -> None:
        """See the port."""
        with self._syncing:
            self._check_open()
            self._check_disk()
            self._disk.fuse.spend()
            self._disk.settle(len(self._disk.written))
            self._disk.syncs += 1

    def close(self) -> None:
        """See the port; calling it twice is harmless."""
        with self._syncing:
            if self._open:
                self._end(len(self._disk.written))

    def crash(self, chance: float = 0.0) -> None:
        """End as by `kill -9` or a lost power supply: unsynced batches are lost but for a first few of them.

        `chance` in [0, 1) chooses how many of them the disk kept; 0 keeps none.
        """
        with self._syncing:
            if self._open:
                self._end(int(chance * (len(self._disk.written) + 1)))

    def _end(self, kept: int) -> None:
        self._disk.settle(kept)
        self._disk.written.clear()
        self._disk.in_use = False
        self._open = False

    def _check_open(self) -> None:
        if not self._open:
            raise StoreError("the store is closed; open it again before use")

    def _check_disk(self) -> None:
        if self._disk.fault is not None:
            raise self._disk.fault
