"""The outbox: numbered for each receiver, kept until acknowledged, whole after a reopening."""

from __future__ import annotations

import msgspec
import pytest

from gossamer.core.limits import LINKS_AT_ONCE_MAX
from gossamer.core.page.found import FoundLinks, decode_batches, encode_batches
from gossamer.flow import outbox
from gossamer.flow.outbox import Outbox, outbox_key
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table
from gossamer.simulation.store import MemoryDisk, MemoryStore


def found(url: str) -> FoundLinks:
    return FoundLinks("http://a.test/", 1, "", "", 0, 0.0, [url], "L", b"\0")


def commit(box: Outbox) -> None:
    rows = box.rows
    box.begin_commit()
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
    numbers: list[int | None] = []
    for receiver in (1, 2, 1, 1):
        numbers.append(box.put(receiver, found(f"http://b.test/{receiver}")))
        commit(box)
    assert numbers == [1, 1, 2, 3]
    assert box.put(2, found("http://b.test/last")) == 2
    commit(box)
    assert [each.urls for each in decode_batches(box.waiting[2, 2])] == [["http://b.test/last"]]


def test_what_one_commit_has_for_a_receiver_is_one_entry() -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    box = Outbox(PendingStore(store))
    batches = {number: found(f"http://b.test/{number}") for number in range(6)}
    assert [box.put(number % 2, each) for number, each in batches.items()] == [1, 1, None, None, None, None]
    assert sorted(box.waiting) == [(0, 1), (1, 1)], "nothing has left"
    commit(box)
    again = reopened(disk, store)
    assert decode_batches(again.waiting[0, 1]) == [batches[0], batches[2], batches[4]]
    assert again.put(0, batches[0]) == 2


def test_an_entry_holds_no_more_links_than_are_taken_in_at_once() -> None:
    box = Outbox(PendingStore(MemoryStore(MemoryDisk())))
    half = FoundLinks("", 0, "", "", 0, 0.0, ["http://b.test/"] * (LINKS_AT_ONCE_MAX // 2), "", b"")
    assert [box.put(1, half) for _ in range(5)] == [1, None, 2, None, 3]
    commit(box)
    assert [len(decode_batches(entry)) for entry in box.waiting.values()] == [2, 2, 1]


def test_an_entry_of_an_older_release_holds_one_batch_alone() -> None:
    one = found("http://b.test/")
    assert decode_batches(msgspec.msgpack.encode(one)) == decode_batches(encode_batches([one])) == [one]
    with pytest.raises(msgspec.DecodeError):
        decode_batches(b"\xc0")


def test_keys_keep_a_receivers_entries_together_in_order() -> None:
    places = [(receiver, number) for receiver in (0, 1, 256, 1023) for number in (1, 255, 256, 1 << 33)]
    assert sorted(outbox_key(*place) for place in places) == [outbox_key(*place) for place in places]


def test_an_acknowledged_entry_leaves_with_the_next_commit_and_its_number_is_never_given_again() -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    box = Outbox(PendingStore(store))
    for number in range(3):
        box.put(7, found(f"http://b.test/{number}"))
        commit(box)
    box.acknowledge(7, 2)
    box.acknowledge(7, 2)
    box.acknowledge(9, 1)
    assert sorted(box.waiting) == [(7, 1), (7, 3)]
    before = reopened(disk, store)
    assert sorted(before.waiting) == [(7, 1), (7, 2), (7, 3)], "the acknowledgment was not committed: sent again"
    before.acknowledge(7, 3)
    commit(before)
    store = before.rows.store  # type: ignore[assignment]
    after = reopened(disk, store)
    assert sorted(after.waiting) == [(7, 1), (7, 2)]
    assert after.put(7, found("http://b.test/new")) == 4


def test_what_was_not_committed_never_was() -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    box = Outbox(PendingStore(store))
    box.put(1, found("http://b.test/1"))
    again = reopened(disk, store)
    assert again.waiting == {}
    assert again.put(1, found("http://b.test/1")) == 1


def test_a_full_outbox_says_so_takes_more_and_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "OUTBOX_ENTRIES_MAX", 5)
    disk = MemoryDisk()
    store = MemoryStore(disk)
    box = Outbox(PendingStore(store), entries_max=5)
    for number in range(4):
        box.put(number, found(f"http://b.test/{number}"))
    fullness = [box.is_full]
    for number in range(20):
        box.put(number, found(f"http://b.test/{number}"))
    assert [*fullness, box.is_full] == [False, True]
    commit(box)
    waiting = dict(box.waiting)
    assert reopened(disk, store).waiting == waiting


def test_no_other_row_is_mistaken_for_a_number() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    rows.put(Table.META, b"outbox", b"\1" * 8)
    rows.put(Table.META, b"receipt:\0\1", b"\1" * 8)
    box = Outbox(rows)
    box.load()
    assert box.numbers == {}
