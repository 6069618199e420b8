from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.ports.store import Store, StoreFull, Table, WriteBatch
from gossamer.simulation.store import MemoryDisk, MemoryStore
from tests.ports.check_store import CHECKS, Harness

if TYPE_CHECKING:
    from collections.abc import Callable


class MemoryHarness:
    def __init__(self, chance: float) -> None:
        self.disk = MemoryDisk()
        self.chance = chance

    def open(self) -> Store:
        return MemoryStore(self.disk)

    def crash(self, store: Store) -> None:
        assert isinstance(store, MemoryStore)
        store.crash(self.chance)


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_port(check: Callable[[Harness], None], chance: float) -> None:
    check(MemoryHarness(chance))


def batch(count: int) -> WriteBatch:
    return WriteBatch(puts=[(Table.META, b"n", bytes([count]))])


@pytest.mark.parametrize(("chance", "kept"), [(0.0, 1), (0.24, 1), (0.26, 2), (0.6, 3), (0.99, 4)])
def test_a_crash_keeps_as_many_batches_as_chance_says(chance: float, kept: int) -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    store.write(batch(1))
    store.sync()
    for count in (2, 3, 4):
        store.write(batch(count))
    store.crash(chance)
    assert MemoryStore(disk).get(Table.META, [b"n"]) == [bytes([kept])]


def test_a_full_disk_changes_nothing_and_heals() -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    store.write(batch(1))
    disk.fault = StoreFull("no space left")
    with pytest.raises(StoreFull):
        store.write(batch(2))
    with pytest.raises(StoreFull):
        store.sync()
    assert store.get(Table.META, [b"n"]) == [b"\x01"]
    disk.fault = None
    store.sync()
    store.crash()
    assert MemoryStore(disk).get(Table.META, [b"n"]) == [b"\x01"]
