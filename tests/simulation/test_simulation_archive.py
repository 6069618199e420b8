from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.simulation.archive import MemoryArchive
from gossamer.simulation.datasets import MemoryDatasets
from gossamer.simulation.disk import MemoryFolder
from gossamer.simulation.entropy import SimEntropy
from tests.ports import check_archive, check_datasets, check_files
from tests.ports.check_datasets import columns
from tests.ports.check_files import FixedClock, Kind, Machine, memory_machine, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.warc.location import Location
    from gossamer.ports.disk import Disk


class ArchiveKind:
    folder = "archive"

    def open(self, disk: Disk, clock: FixedClock, entropy: SimEntropy) -> MemoryArchive:
        return MemoryArchive(disk, clock, entropy, bytes_target=2500)

    def append(self, files: MemoryArchive, tag: str, shard: int, commit: int) -> None:
        (location,) = files.append([tag.encode() * 20])
        files.index(f"{tag} {location.file} {location.offset} {location.length}", shard, commit)

    def read(self, disk: Disk) -> list[str]:
        tags: list[str] = []
        for line in MemoryArchive(disk, FixedClock(), SimEntropy(1)).captures():
            tag, file, offset, length = line.split(" ")
            assert bytes(disk.view(file)[int(offset) : int(offset) + int(length)]) == tag.encode() * 20
            tags.append(tag)
        return tags


class DatasetsKind:
    folder = "pages"

    def open(self, disk: Disk, clock: FixedClock, entropy: SimEntropy) -> MemoryDatasets:
        return MemoryDatasets(disk, journal_bytes=1000)

    def append(self, files: MemoryDatasets, tag: str, shard: int, commit: int) -> None:
        files.append("pages", columns("pages", url=[tag]), shard, commit)

    def read(self, disk: Disk) -> list[str]:
        return [row["url"] for row in MemoryDatasets(disk).rows("pages")]


class ArchiveHarness:
    def __init__(self) -> None:
        self.disk = MemoryFolder()

    def open(self) -> MemoryArchive:
        self.archive = MemoryArchive(self.disk, FixedClock(), SimEntropy(3), bytes_target=2500)
        return self.archive

    def read(self, location: Location) -> bytes:
        return self.archive.record(location)


class DatasetsHarness:
    def __init__(self) -> None:
        self.disk = MemoryFolder()

    def open(self) -> MemoryDatasets:
        return MemoryDatasets(self.disk)

    def rows(self, dataset: str) -> list[dict[str, Any]]:
        return MemoryDatasets(self.disk).rows(dataset)


KINDS = [ArchiveKind(), DatasetsKind()]


@pytest.mark.parametrize("kind", KINDS, ids=["archive", "datasets"])
@pytest.mark.parametrize("check", check_files.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_port_files(check: Callable[[Machine], None], kind: Kind) -> None:
    check(memory_machine(kind))


@pytest.mark.parametrize("check", check_archive.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_port_archive(check: Callable[[check_archive.Harness], None]) -> None:
    check(ArchiveHarness())


@pytest.mark.parametrize("check", check_datasets.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_port_datasets(check: Callable[[check_datasets.Harness], None]) -> None:
    check(DatasetsHarness())


@pytest.mark.parametrize("kind", KINDS, ids=["archive", "datasets"])
@pytest.mark.parametrize("simulation_seed", range(20))
def test_a_random_life(simulation_seed: int, kind: Kind) -> None:
    play(kind, simulation_seed)
