"""What a shard has changed and not yet committed, laid over what its store holds.

Reads see changes at once; the store sees them as one batch. While a batch is on its way to the disk it lies between:
the store may or may not show it, and both come to the same.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from gossamer.ports.store import Store, Table, WriteBatch


class Layer:
    """Changes by table: key -> value, or None for a deletion; keys kept in order for scans."""

    def __init__(self) -> None:
        self.changes: dict[Table, dict[bytes, bytes | None]] = {}
        self._order: dict[Table, list[bytes]] = {}

    def set(self, table: Table, key: bytes, value: bytes | None) -> None:
        """Put a value, or delete with None."""
        rows = self.changes.setdefault(table, {})
        if key not in rows:
            insort(self._order.setdefault(table, []), key)
        rows[key] = value

    def within(self, table: Table, start: bytes, end: bytes) -> list[bytes]:
        """The changed keys with start <= key < end, in order."""
        order = self._order.get(table)
        if not order:
            return []
        return order[bisect_left(order, start) : bisect_left(order, end)]

    def batch(self) -> WriteBatch:
        """All changes as one batch."""
        batch = WriteBatch()
        for table, rows in self.changes.items():
            for key, value in rows.items():
                if value is None:
                    batch.deletes.append((table, key))
                else:
                    batch.puts.append((table, key, value))
        return batch

    def __bool__(self) -> bool:
        return bool(self.changes)


class PendingStore:
    """A store with its uncommitted changes: the only view a shard has of its store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._current = Layer()
        self._committing: Layer | None = None

    @property
    def changed(self) -> bool:
        """Whether there is something to commit."""
        return bool(self._current)

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        """Set one row."""
        self._current.set(table, key, value)

    def delete(self, table: Table, key: bytes) -> None:
        """Remove one row; harmless where there is none."""
        self._current.set(table, key, None)

    def get(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of `keys`, uncommitted changes included."""
        found: list[bytes | None] = [None] * len(keys)
        missing: list[int] = []
        layers = self._layers(table)
        for index, key in enumerate(keys):
            for rows in layers:
                if key in rows:
                    found[index] = rows[key]
                    break
            else:
                missing.append(index)
        if missing:
            values = self.store.get(table, [keys[index] for index in missing])
            for index, value in zip(missing, values, strict=True):
                found[index] = value
        return found

    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        """At most `limit` rows with start <= key < end in order, uncommitted changes included."""
        changes: dict[bytes, bytes | None] = {}
        for layer in (self._committing, self._current):
            if layer is not None:
                rows = layer.changes.get(table, {})
                changes.update((key, rows[key]) for key in layer.within(table, start, end))
        deleted = sum(value is None for value in changes.values())
        stored = self.store.scan(table, start, end, limit + deleted)
        merged = dict(stored)
        merged.update((key, value) for key, value in changes.items() if value is not None)
        for key, value in changes.items():
            if value is None:
                merged.pop(key, None)
        return sorted(merged.items())[:limit]

    def begin_commit(self) -> WriteBatch:
        """Take the changes made so far as one batch; further changes belong to the next."""
        if self._committing is not None:
            raise RuntimeError("a commit of this shard is under way; end it before the next begins")
        self._committing, self._current = self._current, Layer()
        return self._committing.batch()

    def end_commit(self) -> None:
        """The batch taken last is durable."""
        self._committing = None

    def _layers(self, table: Table) -> list[dict[bytes, bytes | None]]:
        layers = (self._current, self._committing)
        return [layer.changes[table] for layer in layers if layer is not None and table in layer.changes]
