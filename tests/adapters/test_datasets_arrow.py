from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gossamer.adapters.datasets_arrow import ArrowDatasets, JournalLimits
from gossamer.adapters.disk_files import FolderDisk
from gossamer.core.datasets import DATASETS
from gossamer.core.warc.location import FileState
from gossamer.ports.files import CrawlDamaged
from gossamer.simulation.disk import MemoryFolder
from tests.ports import check_datasets, check_files
from tests.ports.check_datasets import columns, commit
from tests.ports.check_files import FixedClock, Machine, folder_machine, memory_machine, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gossamer.ports.disk import Disk
    from gossamer.simulation.entropy import SimEntropy

SMALL = JournalLimits(bytes_max=30_000, row_group_bytes=500)


def parquet(disk: Disk, path: str) -> pa.Table:
    return pq.read_table(pa.BufferReader(bytes(disk.view(path))))


def read(disk: Disk, dataset: str) -> list[dict[str, Any]]:
    """Rows of the Parquet files, and of the journals that no Parquet file stands for yet."""
    found = disk.lengths([dataset, "journal"])
    products = [path for path in found if path.startswith(dataset + "/") and ".tmp-" not in path]
    rows = [row for path in sorted(products) for row in parquet(disk, path).to_pylist()]
    for path in sorted(found):
        stem = path.rpartition("/")[2].partition(".")[0]
        if path.startswith(f"journal/{dataset}-") and f"{dataset}/{stem}.parquet" not in products:
            stream = pa.ipc.open_stream(disk.view(path))
            rows += [row for batch in stream for row in batch.to_pylist() if row["_commit"] >= 0]
    return rows


class ArrowKind:
    """A row is a page tagged by its URL, and a link of the same tag, so that two journals live side by side."""

    folder = "pages"

    def open(self, disk: Disk, clock: FixedClock, entropy: SimEntropy) -> ArrowDatasets:
        return ArrowDatasets(disk, clock, limits=SMALL)

    def append(self, files: ArrowDatasets, tag: str, shard: int, commit: int) -> None:
        files.append("pages", columns("pages", url=[tag]), shard, commit)

    def read(self, disk: Disk) -> list[str]:
        return [row["url"] for row in read(disk, "pages")]


class DatasetsHarness:
    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def open(self) -> ArrowDatasets:
        return ArrowDatasets(self.disk, FixedClock())

    def rows(self, dataset: str) -> list[dict[str, Any]]:
        return read(self.disk, dataset)


@pytest.mark.parametrize("check", check_files.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("where", ["folder", "memory"])
def test_port_files(check: Callable[[Machine], None], where: str, tmp_path: Path) -> None:
    check(folder_machine(ArrowKind(), tmp_path) if where == "folder" else memory_machine(ArrowKind()))


@pytest.mark.parametrize("check", check_datasets.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("where", ["folder", "memory"])
def test_port_datasets(check: Callable[[check_datasets.Harness], None], where: str, tmp_path: Path) -> None:
    check(DatasetsHarness(FolderDisk(tmp_path) if where == "folder" else MemoryFolder()))


@pytest.mark.parametrize("simulation_seed", range(20))
def test_a_random_life(simulation_seed: int) -> None:
    play(ArrowKind(), simulation_seed)


def finished(disk: Disk, datasets: ArrowDatasets, dataset: str) -> pa.Table:
    commit(datasets)
    datasets.finish()
    commit(datasets)
    (path,) = disk.lengths([dataset])
    return parquet(disk, path)


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_schema_is_the_published_one(dataset: str) -> None:
    disk = MemoryFolder()
    datasets = ArrowDatasets(disk, FixedClock())
    datasets.append(dataset, columns(dataset, **{DATASETS[dataset][0].name: ["u"]}), 0, 1)
    schema = finished(disk, datasets, dataset).schema
    assert schema.names == [column.name for column in DATASETS[dataset]]
    for column, kept in zip(DATASETS[dataset], schema, strict=True):
        names = {"timestamp": "timestamp[ms, tz=UTC]", "float64": "double"}
        assert str(kept.type) == names.get(column.type, column.type)
        assert kept.metadata[b"meaning"] == column.meaning.encode()
    assert schema.metadata[b"gossamer.schema_version"] == b"1"
    assert schema.metadata[b"gossamer.dataset"] == dataset.encode()


def test_timestamps_are_moments_of_utc_to_the_millisecond() -> None:
    disk = MemoryFolder()
    datasets = ArrowDatasets(disk, FixedClock())
    datasets.append("pages", columns("pages", url=["a", "b"], started=[1_700_000_000.123, None]), 0, 1)
    started = finished(disk, datasets, "pages").column("started").to_pylist()
    assert started == [dt.datetime(2023, 11, 14, 22, 13, 20, 123000, tzinfo=dt.UTC), None]


def test_a_conversion_holds_no_more_of_its_journal_than_a_row_group(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = MemoryFolder()
    released: list[int] = []
    monkeypatch.setattr(disk, "release", lambda view: released.append(len(view)))
    datasets = ArrowDatasets(disk, FixedClock(), limits=JournalLimits(row_group_bytes=1))
    for number in range(3):
        datasets.append("pages", columns("pages", url=[f"u{number}"]), 0, number + 1)
        commit(datasets)
    assert finished(disk, datasets, "pages").num_rows == 3
    assert len(released) == 3


def test_refused_is_one_row_for_each_url_and_reason() -> None:
    disk = MemoryFolder()
    datasets = ArrowDatasets(disk, FixedClock(), limits=JournalLimits(row_group_bytes=1))
    met = [
        ("b", "robots", 1, 20.0, 20.0, 3, "first"),
        ("a", "scope", 2, 10.0, 15.0, 5, "p"),
        ("b", "robots", 4, 5.0, 30.0, 2, "second"),
        ("b", "scope", 1, 7.0, 7.0, 9, "q"),
    ]
    for number, row in enumerate(met):
        names = ("url", "reason", "count", "first", "last", "depth", "referrer")
        datasets.append("refused", columns("refused", **{name: [row[i]] for i, name in enumerate(names)}), number, 1)
        commit(datasets)
    table = finished(disk, datasets, "refused")
    rows = [tuple(row.values()) for row in table.select(["url", "reason", "count", "depth", "referrer"]).to_pylist()]
    assert rows == [("a", "scope", 2, 5, "p"), ("b", "robots", 5, 2, "first"), ("b", "scope", 1, 9, "q")]
    spans = [(row["first"].timestamp(), row["last"].timestamp()) for row in table.to_pylist()]
    assert spans == [(10.0, 15.0), (5.0, 30.0), (7.0, 7.0)]


def test_refused_rows_that_recovery_dropped_do_not_count() -> None:
    machine = memory_machine(ArrowKind())
    machine.start()
    row = columns("refused", url=["a"], reason=["robots"])
    machine.files.append("refused", row, 0, 1)
    machine.files.append("refused", row, 1, 1)
    machine.commit(reached=1)
    machine.crash()
    assert machine.recover().rows_dropped == 1
    machine.finish()
    assert [row["count"] for row in read(machine.disk, "refused")] == [1]


def test_an_old_journal_closes_by_its_age_even_after_a_restart() -> None:
    machine = memory_machine(ArrowKind())
    machine.start()
    machine.append()
    machine.commit()
    machine.clock.time += 3000
    machine.crash()
    machine.recover()
    assert machine.files.marks() != []
    assert {mark.state for mark in machine.committed().values()} == {FileState.OPEN}
    machine.clock.time += 700
    for _ in range(4):
        machine.commit()
    states = {path.partition("/")[0]: mark.state for path, mark in machine.committed().items()}
    assert states == {"journal": FileState.REMOVED, "pages": FileState.CLOSED}


def test_a_conversion_goes_on_over_several_syncs_while_rows_come() -> None:
    machine = memory_machine(ArrowKind())
    machine.start()
    for _ in range(100):
        machine.append()
        machine.commit()
    machine.finish()
    machine.holds()
    groups = [
        pq.ParquetFile(pa.BufferReader(bytes(data))).num_row_groups
        for path, data in machine.disk.files.items()
        if path.startswith("pages/")
    ]
    assert max(groups) > 2


def test_a_journal_reads_at_any_committed_length() -> None:
    machine = memory_machine(ArrowKind())
    machine.start()
    lengths: list[int] = []
    for _ in range(3):
        machine.append()
        machine.append()
        (mark,) = machine.commit()
        lengths.append(mark.length)
    (path,) = machine.lengths()
    data = bytes(machine.disk.view(path))
    for count, length in enumerate(lengths, 1):
        assert sum(batch.num_rows for batch in pa.ipc.open_stream(data[:length])) == 2 * count


def test_bytes_that_are_no_stream_are_damage(tmp_path: Path) -> None:
    machine = folder_machine(ArrowKind(), tmp_path)
    machine.start()
    machine.append()
    machine.commit()
    (path,) = machine.lengths()
    machine.disk.patch(path, [(0, b"\xff" * 64)])
    machine.crash()
    with pytest.raises(CrawlDamaged, match=path):
        machine.recover()


def test_a_full_disk_during_a_conversion_leaves_the_journal_for_later() -> None:
    machine = memory_machine(ArrowKind())
    machine.start()
    while not any(mark.state is FileState.CLOSED for mark in machine.committed().values()):
        machine.append()
        machine.commit()
    machine.disk.fault = OSError(28, "No space left on device")
    with pytest.raises(OSError, match="No space"):
        machine.files.sync()
    machine.disk.fault = None
    machine.finish()
    machine.holds()


def test_a_flipped_bit_is_found_by_who_looks_at_checksums(tmp_path: Path) -> None:
    disk = FolderDisk(tmp_path)
    datasets = ArrowDatasets(disk, FixedClock())
    datasets.append("links", columns("links", target=[f"http://a.example/{number}" for number in range(300)]), 0, 1)
    rows = finished(disk, datasets, "links")
    (path,) = (tmp_path / "links").glob("*.parquet")
    content = path.read_bytes()
    unnoticed = found = 0
    for place in range(4, len(content) // 2, 3):
        flipped = pa.py_buffer(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            unnoticed += not pq.read_table(pa.BufferReader(flipped), page_checksum_verification=True).equals(rows)
        except (pa.ArrowException, OSError, ValueError):
            found += 1
    # What is left are page headers, which the format has no checksum for.
    assert found > 20 * unnoticed
