"""The outbox: numbered for each receiver, kept until acknowledged, whole after a reopening."""

from __future__ import annotations

import pytest

from gossamer.core.page.found import FoundLinks, decode_found
from gossamer.flow import outbox
from gossamer.flow.outbox import Outbox, outbox_key
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table
from gossamer.simulation.store import MemoryDisk, MemoryStore


def found(url: str) -> FoundLinks:
    return FoundLinks("http://a.test/", 1, "", "", 0, 0.0, [url], "L", b"\0")


def commit(rows: PendingStore) -> None:
    rows.store.write(rows.begin_commit())
    rows.store.sync()
    rows.end_commit()


def reopened(disk: MemoryDisk, store: MemoryStore) -> Outbox:
    store.crash()
    again = Outbox(PendingStore(MemoryStore(disk)))
    again.load()
    return again


def test_entries_are_numbered_for_each_receiver() -> None:
    box = Outbox(PendingStore(MemoryStore(MemoryDisk())))
    assert [box.put(receiver, found(f"http://b.test/{receiver}"))[0] for receiver in (1, 2, 1, 1)] == [1, 1, 2, 3]
    number, entry = box.put(2, found("http://b.test/last"))
    assert number == 2
    assert decode_found(entry).urls == ["http://b.test/last"]
    assert box.waiting[2, 2] == entry


def test_keys_keep_a_receivers_entries_together_in_order() -> None:
    places = [(receiver, number) for receiver in (0, 1, 256, 1023) for number in (1, 255, 256, 1 << 33)]
    assert sorted(outbox_key(*place) for place in places) == [outbox_key(*place) for place in places]


def test_an_acknowledged_entry_leaves_with_the_next_commit_and_its_number_is_never_given_again() -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    box = Outbox(PendingStore(store))
    for number in range(3):
        box.put(7, found(f"http://b.test/{number}"))
    commit(box.rows)
    box.acknowledge(7, 2)
    box.acknowledge(7, 2)
    box.acknowledge(9, 1)
    assert sorted(box.waiting) == [(7, 1), (7, 3)]
    before = reopened(disk, store)
    assert sorted(before.waiting) == [(7, 1), (7, 2), (7, 3)], "the acknowledgment was not committed: sent again"
    before.acknowledge(7, 3)
    commit(before.rows)
    store = before.rows.store  # type: ignore[assignment]
    after = reopened(disk, store)
    assert sorted(after.waiting) == [(7, 1), (7, 2)]
    assert after.put(7, found("http://b.test/new"))[0] == 4


def test_what_was_not_committed_never_was() -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    box = Outbox(PendingStore(store))
    box.put(1, found("http://b.test/1"))
    again = reopened(disk, store)
    assert again.waiting == {}
    assert again.put(1, found("http://b.test/1"))[0] == 1


def test_a_full_outbox_says_so_takes_more_and_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "OUTBOX_ENTRIES_MAX", 5)
    disk = MemoryDisk()
    store = MemoryStore(disk)
    box = Outbox(PendingStore(store), entries_max=5)
    for number in range(4):
        box.put(number % 3, found(f"http://b.test/{number}"))
    assert not box.is_full
    for number in range(20):
        box.put(number % 3, found(f"http://b.test/{number}"))
    assert box.is_full
    commit(box.rows)
    waiting = dict(box.waiting)
    assert reopened(disk, store).waiting == waiting


def test_no_other_row_is_mistaken_for_a_number() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    rows.put(Table.META, b"outbox", b"\1" * 8)
    rows.put(Table.META, b"receipt:\0\1", b"\1" * 8)
    box = Outbox(rows)
    box.load()
    assert box.numbers == {}
