"""A store with its uncommitted changes answers as one plain dict would, wherever a batch is on its way to the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from gossamer.flow.pending import Layer, PendingStore
from gossamer.ports.store import Table
from gossamer.simulation.store import MemoryDisk, MemoryStore

if TYPE_CHECKING:
    from gossamer.ports.store import WriteBatch

TABLES = st.sampled_from([Table.PAGE, Table.QUEUE])
KEYS = st.binary(min_size=1, max_size=2).map(lambda key: bytes(byte & 3 for byte in key))
VALUES = st.binary(max_size=2)


class PendingMachine(RuleBasedStateMachine):
    """Changes and commits in any order; the model is a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore(MemoryDisk())
        self.rows = PendingStore(self.store)
        self.model: dict[Table, dict[bytes, bytes]] = {Table.PAGE: {}, Table.QUEUE: {}}
        self.batch: WriteBatch | None = None
        self.written = False

    @rule(table=TABLES, key=KEYS, value=VALUES)
    def put(self, table: Table, key: bytes, value: bytes) -> None:
        self.rows.put(table, key, value)
        self.model[table][key] = value
        assert self.rows.changed

    @rule(table=TABLES, key=KEYS)
    def delete(self, table: Table, key: bytes) -> None:
        self.rows.delete(table, key)
        self.model[table].pop(key, None)

    @rule(table=TABLES, keys=st.lists(KEYS, max_size=6))
    def get(self, table: Table, keys: list[bytes]) -> None:
        assert self.rows.get(table, keys) == [self.model[table].get(key) for key in keys]

    @rule(table=TABLES, start=KEYS, end=KEYS, limit=st.integers(0, 8))
    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> None:
        wanted = sorted((key, value) for key, value in self.model[table].items() if start <= key < end)
        assert self.rows.scan(table, start, end, limit) == wanted[:limit]

    @precondition(lambda self: self.batch is None)
    @rule()
    def begin(self) -> None:
        self.batch = self.rows.begin_commit()
        self.written = False
        assert not self.rows.changed
        assert not {(table, key) for table, key, _ in self.batch.puts}.intersection(self.batch.deletes)

    @precondition(lambda self: self.batch is not None and not self.written)
    @rule()
    def write(self) -> None:
        assert self.batch is not None
        self.store.write(self.batch)
        self.written = True

    @precondition(lambda self: self.batch is not None and self.written)
    @rule()
    def end(self) -> None:
        self.rows.end_commit()
        self.batch = None

    def teardown(self) -> None:
        """What the commits hold is all there is: a store opened anew shows the model."""
        if self.batch is not None:
            if not self.written:
                self.write()
            self.end()
        self.begin()
        self.write()
        self.end()
        for table, rows in self.model.items():
            assert dict(self.store.scan(table, b"", b"\xff" * 4, 1000)) == rows


TestPendingMachine = PendingMachine.TestCase
TestPendingMachine.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)


def test_one_commit_at_a_time() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    rows.put(Table.PAGE, b"a", b"1")
    rows.begin_commit()
    with pytest.raises(RuntimeError, match="under way"):
        rows.begin_commit()
    rows.end_commit()
    rows.begin_commit()


def test_a_layer_makes_one_batch_of_the_last_word_on_each_key() -> None:
    layer = Layer()
    assert not layer
    layer.set(Table.PAGE, b"a", b"1")
    layer.set(Table.PAGE, b"a", None)
    layer.set(Table.PAGE, b"b", None)
    layer.set(Table.PAGE, b"b", b"2")
    batch = layer.batch()
    assert batch.puts == [(Table.PAGE, b"b", b"2")]
    assert batch.deletes == [(Table.PAGE, b"a")]
    assert layer.within(Table.PAGE, b"a", b"b", 9) == [b"a"]
    assert layer.within(Table.HOST, b"", b"z", 9) == []


def test_keys_come_in_order_however_many_were_set_since_the_last_scan() -> None:
    layer = Layer()
    keys = [bytes((first, second)) for first in range(8) for second in range(8)]
    for few_or_many in (keys[::-7], keys[1::5], keys[3:5], keys):
        for key in few_or_many:
            layer.set(Table.PAGE, key, b"")
        known = sorted(layer.changes[Table.PAGE])
        assert layer.within(Table.PAGE, b"", b"\xff", 99) == known
        assert layer.within(Table.PAGE, known[2], known[-1], 3) == known[2:5]


def test_a_scan_looks_at_few_of_many_changes() -> None:
    """A page may leave tens of thousands of URLs in one queue; each refill wants the first few."""
    rows = PendingStore(MemoryStore(MemoryDisk()))
    asked: list[int] = []

    class Watched(Layer):
        def within(self, table: Table, start: bytes, end: bytes, limit: int) -> list[bytes]:
            found = super().within(table, start, end, limit)
            asked.append(len(found))
            return found

    rows._current = Watched()
    for number in range(20_000):
        rows.put(Table.QUEUE, number.to_bytes(4, "big"), b"")
    assert [key for key, _ in rows.scan(Table.QUEUE, b"", b"\xff", 3)] == [bytes((0, 0, 0, n)) for n in range(3)]
    assert sum(asked) <= 3
    for number in range(40):
        rows.delete(Table.QUEUE, number.to_bytes(4, "big"))
    assert rows.scan(Table.QUEUE, b"", b"\xff", 1) == [(bytes((0, 0, 0, 40)), b"")]
