"""What every store must do, run on each adapter and on the stand-in. `CHECKS` is the list; a harness opens stores."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Final, Protocol

import pytest

from gossamer.ports.store import Store, StoreBusy, StoreError, Table, WriteBatch

if TYPE_CHECKING:
    from collections.abc import Callable


class Harness(Protocol):
    """Opens the one store under test; what `open` gives after `close` or `crash` sees what became durable."""

    def open(self) -> Store: ...

    def crash(self, store: Store) -> None:
        """End the store without a sync. Some first few of the unsynced batches may survive."""
        ...


HOST: Final = b"\x00\x00\x00\x00\x00\x00\x00\x07"
NEXT_HOST: Final = b"\x00\x00\x00\x00\x00\x00\x00\x08"


def put(store: Store, table: Table, *rows: tuple[bytes, bytes]) -> None:
    store.write(WriteBatch(puts=[(table, key, value) for key, value in rows]))


def number(value: int) -> bytes:
    return value.to_bytes(8, "big")


def check_get_keeps_order_and_says_none(harness: Harness) -> None:
    store = harness.open()
    put(store, Table.PAGE, (HOST + b"a", b"1"), (HOST + b"b", b"2"))
    asked = [HOST + b"b", HOST + b"x", HOST + b"a", HOST + b"b"]
    assert store.get(Table.PAGE, asked) == [b"2", None, b"1", b"2"]
    assert store.get(Table.PAGE, tuple(asked[:1])) == [b"2"]
    assert store.get(Table.PAGE, []) == []
    assert store.get(Table.HOST, [HOST + b"a"]) == [None]
    store.close()


def check_every_table_is_apart(harness: Harness) -> None:
    store = harness.open()
    store.write(WriteBatch(puts=[(table, b"key", table.value.encode()) for table in Table]))
    for table in Table:
        assert store.get(table, [b"key"]) == [table.value.encode()]
        assert store.scan(table, b"", b"\xff", 10) == [(b"key", table.value.encode())]
    store.close()


def check_scan_bounds_limit_and_order(harness: Harness) -> None:
    for table in (Table.QUEUE, Table.READY):
        store = harness.open()
        keys = [host + number(order) for host in (HOST, NEXT_HOST) for order in (3, 1, 2, 256)]
        put(store, table, *((key, key[-1:]) for key in keys))
        mine = [HOST + number(order) for order in (1, 2, 3, 256)]
        scanned = store.scan(table, HOST, NEXT_HOST, 100)
        assert [key for key, _ in scanned] == mine
        assert [value for _, value in scanned] == [b"\x01", b"\x02", b"\x03", b"\x00"]
        assert [key for key, _ in store.scan(table, HOST, NEXT_HOST, 2)] == mine[:2]
        assert [key for key, _ in store.scan(table, mine[1], mine[3], 9)] == mine[1:3], "start is in, end is out"
        assert [key for key, _ in store.scan(table, mine[1] + b"\x00", NEXT_HOST, 9)] == mine[2:]
        assert [key for key, _ in store.scan(table, mine[3], NEXT_HOST + number(2), 9)] == [mine[3], keys[5]]
        assert len(store.scan(table, b"", b"\xff" * 9, 100)) == 8, "no bound shorter than a prefix hides rows"
        for start, end, limit in (
            (NEXT_HOST, HOST, 9),
            (HOST, HOST, 9),
            (HOST, NEXT_HOST, 0),
            (b"\xff", b"\xff\xff", 9),
        ):
            assert store.scan(table, start, end, limit) == []
        store.write(WriteBatch(deletes=[(table, key) for key in keys]))
        store.close()


def check_scan_of_the_last_prefix(harness: Harness) -> None:
    store = harness.open()
    last = b"\xff" * 8
    put(store, Table.PAGE, (last + b"a", b"1"), (b"\xff" * 7 + b"\xfe" + b"z", b"0"))
    assert store.scan(Table.PAGE, last, last + b"\xff", 9) == [(last + b"a", b"1")]
    store.close()


def check_put_delete_put(harness: Harness) -> None:
    store = harness.open()
    put(store, Table.QUEUE, (HOST + b"a", b"1"))
    put(store, Table.QUEUE, (HOST + b"a", b"2"))
    assert store.get(Table.QUEUE, [HOST + b"a"]) == [b"2"]
    store.write(WriteBatch(deletes=[(Table.QUEUE, HOST + b"a"), (Table.QUEUE, HOST + b"never there")]))
    assert store.get(Table.QUEUE, [HOST + b"a"]) == [None]
    assert store.scan(Table.QUEUE, HOST, NEXT_HOST, 9) == []
    put(store, Table.QUEUE, (HOST + b"a", b"3"))
    assert store.scan(Table.QUEUE, HOST, NEXT_HOST, 9) == [(HOST + b"a", b"3")]
    store.close()


def check_a_written_batch_is_its_own(harness: Harness) -> None:
    store = harness.open()
    batch = WriteBatch(puts=[(Table.META, b"n", b"1")])
    store.write(batch)
    batch.puts[0] = (Table.META, b"n", b"2")
    batch.deletes.append((Table.META, b"n"))
    assert store.get(Table.META, [b"n"]) == [b"1"]
    store.sync()
    store.close()
    store = harness.open()
    assert store.get(Table.META, [b"n"]) == [b"1"]
    store.close()


def check_empty_and_odd_values(harness: Harness) -> None:
    store = harness.open()
    store.write(WriteBatch())
    store.sync()
    big = random.Random(1).randbytes(3_000_000)
    put(store, Table.READY, (b"empty", b""), (b"\x00\x01", b"\x00"), (b"k" * 3_000, b"long key"))
    put(store, Table.SEEN, (b"segment", big))
    assert store.get(Table.READY, [b"empty", b"\x00\x01", b"k" * 3_000]) == [b"", b"\x00", b"long key"]
    assert store.get(Table.SEEN, [b"segment"]) == [big]
    store.close()
    store = harness.open()
    assert store.get(Table.READY, [b"empty", b"gone"]) == [b"", None]
    assert store.get(Table.SEEN, [b"segment"]) == [big]
    store.close()


def check_close_is_durable_and_opens_again(harness: Harness) -> None:
    for round_number in range(4):
        store = harness.open()
        assert store.get(Table.META, [b"n"]) == [number(round_number - 1) if round_number else None]
        put(store, Table.META, (b"n", number(round_number)))
        store.close()
        store.close()


def check_in_use_is_said(harness: Harness) -> None:
    store = harness.open()
    with pytest.raises(StoreBusy):
        harness.open()
    put(store, Table.META, (b"n", b"1"))
    store.close()
    harness.open().close()


def check_use_after_close_is_misuse(harness: Harness) -> None:
    store = harness.open()
    store.close()
    uses: list[Callable[[], object]] = [
        lambda: store.get(Table.META, [b"n"]),
        lambda: store.scan(Table.META, b"", b"\xff", 1),
        lambda: store.write(WriteBatch(puts=[(Table.META, b"n", b"1")])),
        store.sync,
    ]
    for use in uses:
        with pytest.raises(StoreError, match="open it again"):
            use()


def check_a_synced_batch_survives_a_crash(harness: Harness) -> None:
    store = harness.open()
    put(store, Table.META, (b"n", b"1"))
    store.write(WriteBatch(puts=[(Table.QUEUE, HOST + b"a", b""), (Table.PAGE, HOST + b"a", b"p")]))
    store.sync()
    harness.crash(store)
    store = harness.open()
    assert store.get(Table.META, [b"n"]) == [b"1"]
    assert store.get(Table.PAGE, [HOST + b"a"]) == [b"p"]
    assert store.scan(Table.QUEUE, HOST, NEXT_HOST, 9) == [(HOST + b"a", b"")]
    store.close()


def check_a_crash_keeps_whole_batches_from_the_first(harness: Harness) -> None:
    store = harness.open()
    for count in range(20):
        puts = [(table, number(count), b"x") for table in Table if table is not Table.META]
        deletes = [(Table.READY, number(count - 1))] if count else []
        store.write(WriteBatch([*puts, (Table.META, b"n", number(count))], deletes))
        if count == 7:
            store.sync()
    harness.crash(store)
    store = harness.open()
    reached = int.from_bytes(store.get(Table.META, [b"n"])[0] or b"", "big")
    assert reached >= 7
    for table in Table:
        if table not in {Table.META, Table.READY}:
            assert [key for key, _ in store.scan(table, b"", b"\xff", 99)] == [number(n) for n in range(reached + 1)]
    assert store.scan(Table.READY, b"", b"\xff", 99) == [(number(reached), b"x")]
    store.close()


def check_sync_runs_beside_writes(harness: Harness) -> None:
    store = harness.open()
    done = threading.Event()
    failures: list[Exception] = []

    def keep_syncing() -> None:
        try:
            while not done.is_set():
                store.sync()
        except StoreError as error:  # pragma: no cover - only when the store is wrong
            failures.append(error)

    thread = threading.Thread(target=keep_syncing)
    thread.start()
    for count in range(300):
        put(store, Table.QUEUE, (HOST + number(count), b""))
        assert store.get(Table.QUEUE, [HOST + number(count)]) == [b""]
    done.set()
    thread.join()
    assert failures == []
    store.close()
    store = harness.open()
    assert len(store.scan(Table.QUEUE, HOST, NEXT_HOST, 1000)) == 300
    store.close()


def check_against_a_dictionary(harness: Harness) -> None:
    chance = random.Random(20)
    model: dict[bytes, bytes] = {}
    store = harness.open()
    for step in range(300):
        keys = {chance.randbytes(1) * 8 + chance.randbytes(1) for _ in range(chance.randrange(6))}
        gone = set(chance.sample(sorted(model), min(len(model), chance.randrange(4)))) - keys
        puts = [(Table.PAGE, key, chance.randbytes(chance.randrange(5))) for key in sorted(keys)]
        store.write(WriteBatch(puts, [(Table.PAGE, key) for key in sorted(gone)]))
        model |= {key: value for _, key, value in puts}
        model = {key: value for key, value in model.items() if key not in gone}
        start, end = chance.randbytes(chance.randrange(9)), chance.randbytes(chance.randrange(9))
        limit = chance.randrange(20)
        wanted = [(key, model[key]) for key in sorted(model) if start <= key < end][:limit]
        assert store.scan(Table.PAGE, start, end, limit) == wanted
        asked = [chance.randbytes(1) * 8 + chance.randbytes(1), *chance.sample(sorted(model), min(3, len(model)))]
        assert store.get(Table.PAGE, asked) == [model.get(key) for key in asked]
        if step % 60 == 59:
            store.close()
            store = harness.open()
    store.close()


CHECKS: Final[tuple[Callable[[Harness], None], ...]] = (
    check_get_keeps_order_and_says_none,
    check_every_table_is_apart,
    check_scan_bounds_limit_and_order,
    check_scan_of_the_last_prefix,
    check_put_delete_put,
    check_a_written_batch_is_its_own,
    check_empty_and_odd_values,
    check_close_is_durable_and_opens_again,
    check_in_use_is_said,
    check_use_after_close_is_misuse,
    check_a_synced_batch_survives_a_crash,
    check_a_crash_keeps_whole_batches_from_the_first,
    check_sync_runs_beside_writes,
    check_against_a_dictionary,
)
