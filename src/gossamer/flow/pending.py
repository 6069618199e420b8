"""What a shard has changed and not yet committed, laid over what its store holds.

Reads see changes at once; the store sees them as one batch. While a batch is on its way to the disk it lies between:
the store may or may not show it, and both come to the same.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Final

from gossamer.ports.store import Store, Table, WriteBatch

_NONE: Final[Mapping[bytes, bytes | None]] = MappingProxyType({})
FEW_KEYS: Final = 8
"""So many are put in their places one by one; more are cheaper to sort together with all others."""
SCAN_GROWTH: Final = 8
"""A scan that has not found enough looks at so many times more changes."""


class Layer:
    """Changes by table: key -> value, or None for a deletion; their keys come in order when a scan asks for them."""

    def __init__(self) -> None:
        self.changes: dict[Table, dict[bytes, bytes | None]] = {}
        self._order: dict[Table, list[bytes]] = {}
        """Keys changed before the last scan of their table. Most tables are never scanned between two commits, and one
        page may bring 20,000 keys: keeping each in its place would cost more the more there are. Those changed since
        are the last ones in `changes`, for a dictionary keeps the order in which its keys came."""

    def set(self, table: Table, key: bytes, value: bytes | None) -> None:
        """Put a value, or delete with None."""
        rows = self.changes.get(table)
        if rows is None:
            rows = self.changes[table] = {}
        rows[key] = value

    def set_all(self, table: Table, changes: Iterable[tuple[bytes, bytes]]) -> None:
        """Put many values of one table."""
        rows = self.changes.get(table)
        if rows is None:
            rows = self.changes[table] = {}
        rows.update(changes)

    def within(self, table: Table, start: bytes, end: bytes, limit: int) -> list[bytes]:
        """The first `limit` changed keys with start <= key < end, in order."""
        if table not in self.changes:
            return []
        order = self._in_order(table)
        first = bisect_left(order, start)
        return order[first : min(bisect_left(order, end, lo=first), first + limit)]

    def _in_order(self, table: Table) -> list[bytes]:
        order, rows = self._order.setdefault(table, []), self.changes[table]
        fresh = len(rows) - len(order)
        if fresh <= FEW_KEYS:
            for key in islice(reversed(rows), fresh):
                insort(order, key)
        else:
            # What is in order already costs a sort next to nothing.
            order += islice(reversed(rows), fresh)
            order.sort()
        return order

    def batch(self) -> WriteBatch:
        """All changes as one batch."""
        batch = WriteBatch()
        for table, rows in self.changes.items():
            puts = [(table, key, value) for key, value in rows.items() if value is not None]
            batch.puts += puts
            if len(puts) < len(rows):
                batch.deletes += [(table, key) for key, value in rows.items() if value is None]
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
        return bool(self._current.changes)

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        """Set one row."""
        self._current.set(table, key, value)

    def put_all(self, table: Table, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Set many rows of one table."""
        self._current.set_all(table, rows)

    def delete(self, table: Table, key: bytes) -> None:
        """Remove one row; harmless where there is none."""
        self._current.set(table, key, None)

    def get(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of `keys`, uncommitted changes included."""
        newer, older = self._changes(table)
        if not newer and not older:
            return self.store.get(table, keys)
        missing = [key for key in keys if key not in newer and key not in older]
        if len(missing) == len(keys):
            return self.store.get(table, missing)
        stored = dict(zip(missing, self.store.get(table, missing), strict=True)) if missing else {}
        return [newer[key] if key in newer else older[key] if key in older else stored[key] for key in keys]

    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        """At most `limit` rows with start <= key < end in order, uncommitted changes included.

        It looks at no more changes than it needs: a flooding page may have left tens of thousands in one queue.
        """
        looked_at = max(limit, 1)
        while True:
            changes, beyond = self._first_changes(table, start, end, looked_at)
            deleted = sum(value is None for value in changes.values())
            merged = dict(self.store.scan(table, start, beyond, limit + deleted))
            for key, value in changes.items():
                if value is None:
                    merged.pop(key, None)
                else:
                    merged[key] = value
            if len(merged) >= limit or beyond == end:
                return sorted(merged.items())[:limit]
            looked_at *= SCAN_GROWTH

    def _first_changes(
        self, table: Table, start: bytes, end: bytes, limit: int
    ) -> tuple[dict[bytes, bytes | None], bytes]:
        """All changes from `start` to before a key, and that key: `end`, or the one after about `limit` changes."""
        found: list[tuple[Layer, list[bytes]]] = []
        beyond = end
        for layer in (self._committing, self._current):
            if layer is not None:
                keys = layer.within(table, start, end, limit)
                found.append((layer, keys))
                if len(keys) == limit:
                    beyond = min(beyond, keys[-1] + b"\0")
        changes: dict[bytes, bytes | None] = {}
        for layer, keys in found:
            rows = layer.changes.get(table, {})
            changes.update((key, rows[key]) for key in keys if key < beyond)
        return changes, beyond

    def begin_commit(self) -> WriteBatch:
        """Take the changes made so far as one batch; further changes belong to the next."""
        if self._committing is not None:
            raise RuntimeError("a commit of this shard is under way; end it before the next begins")
        self._committing, self._current = self._current, Layer()
        return self._committing.batch()

    def end_commit(self) -> None:
        """The batch taken last is durable."""
        self._committing = None

    def _changes(self, table: Table) -> tuple[Mapping[bytes, bytes | None], Mapping[bytes, bytes | None]]:
        """What is changed in a table: since the last commit began, and by one under way."""
        committing = self._committing.changes.get(table, _NONE) if self._committing is not None else _NONE
        return self._current.changes.get(table, _NONE), committing
