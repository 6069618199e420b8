"""The rows of `refused` read back: from Parquet files and journals, in batches, whatever is replaced meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from gossamer.adapters import refused_arrow
from gossamer.adapters.datasets_arrow import ArrowDatasets
from gossamer.adapters.disk_files import FolderDisk
from gossamer.adapters.refused_arrow import ArrowRefused
from gossamer.core.datasets import REFUSED
from gossamer.core.page.links import LinkKind

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

MOMENT = 1_700_000_000.0
ALL = frozenset({"scope", "depth", "kind not followed"})


class Clock:
    def now(self) -> float:
        return MOMENT

    async def sleep(self, seconds: float) -> None:
        del seconds


def rows(*urls: str, **values: Any) -> dict[str, list[Any]]:
    given = {
        "reason": "scope",
        "count": 1,
        "first": MOMENT,
        "last": MOMENT,
        "depth": 2,
        "referrer": "http://r/",
        "hops": "LL",
        "group": "given",
        "kinds": "a",
        "nofollow": False,
        **values,
    }
    return {"url": list(urls), **{name: [value] * len(urls) for name, value in given.items()}}


def commit(datasets: ArrowDatasets) -> None:
    datasets.marks()
    datasets.sync()
    datasets.acknowledge()


def read(folder: Path, reasons: frozenset[str] = ALL) -> list[tuple[str, str]]:
    refused = ArrowRefused(folder)
    found = [(row.url, row.reason) for batch in refused.batches(reasons) for row in batch]
    refused.close()
    return sorted(found)


def test_files_and_journals(tmp_path: Path) -> None:
    datasets = ArrowDatasets(FolderDisk(tmp_path), Clock())
    datasets.append("refused", rows("http://a/", "http://b/"), 0, 1)
    datasets.append("refused", rows("http://a/", reason="robots"), 0, 1)
    commit(datasets)
    datasets.finish()
    commit(datasets)
    datasets.append("refused", rows("http://c/", reason="depth"), 0, 2)
    commit(datasets)
    assert read(tmp_path) == [("http://a/", "scope"), ("http://b/", "scope"), ("http://c/", "depth")]
    assert read(tmp_path, frozenset({"robots"})) == [("http://a/", "robots")]


def test_one_row_for_each_url_reason_and_group(tmp_path: Path) -> None:
    datasets = ArrowDatasets(FolderDisk(tmp_path), Clock())
    datasets.append("refused", rows("http://a/", kinds="image", nofollow=True, depth=3), 0, 1)
    datasets.append("refused", rows("http://a/", kinds="script", depth=1), 0, 1)
    datasets.append("refused", rows("http://a/", group="north"), 0, 1)
    commit(datasets)
    datasets.finish()
    commit(datasets)
    (found,) = list(ArrowRefused(tmp_path).batches(ALL))
    given, north = sorted(found, key=lambda row: row.group)
    assert (given.kinds, given.nofollow, given.depth) == ((LinkKind.IMAGE, LinkKind.SCRIPT), False, 1)
    assert (north.group, north.kinds, north.first) == ("north", (LinkKind.A,), MOMENT)


def test_a_journal_replaced_meanwhile_is_read_all_the_same(tmp_path: Path) -> None:
    datasets = ArrowDatasets(FolderDisk(tmp_path), Clock())
    datasets.append("refused", rows("http://a/"), 0, 1)
    commit(datasets)
    refused = ArrowRefused(tmp_path)
    datasets.append("refused", rows("http://later/"), 0, 2)
    commit(datasets)
    datasets.finish()
    commit(datasets)
    assert not list((tmp_path / "journal").glob("refused-*"))
    assert [row.url for batch in refused.batches(ALL) for row in batch] == ["http://a/"]
    refused.close()


def test_batches_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused_arrow, "BATCH_ROWS", 10)
    datasets = ArrowDatasets(FolderDisk(tmp_path), Clock())
    datasets.append("refused", rows(*(f"http://a/{number}" for number in range(55))), 0, 1)
    commit(datasets)
    assert [len(batch) for batch in ArrowRefused(tmp_path).batches(ALL)] == [10, 10, 10, 10, 10, 5]
    datasets.finish()
    commit(datasets)
    assert sum(len(batch) for batch in ArrowRefused(tmp_path).batches(ALL)) == 55
    assert max(len(batch) for batch in ArrowRefused(tmp_path).batches(ALL)) <= 10


def test_files_of_older_releases_lack_the_last_columns(tmp_path: Path) -> None:
    (tmp_path / "refused").mkdir()
    names = [column.name for column in REFUSED if column.name not in ("kinds", "nofollow")]
    kinds = {"count": pa.int64(), "depth": pa.int32(), "first": pa.timestamp("ms", tz="UTC")}
    kinds["last"] = kinds["first"]
    schema = pa.schema([pa.field(name, kinds.get(name, pa.string())) for name in names])
    given = rows("http://a/", first=int(MOMENT * 1000), last=int(MOMENT * 1000))
    batch = pa.record_batch([pa.array(given[name], kinds.get(name, pa.string())) for name in names], schema)
    with (tmp_path / "refused" / "old.parquet").open("wb") as file:
        writer = pq.ParquetWriter(file, schema)
        writer.write_table(pa.Table.from_batches([batch]))
        writer.close()
    ((row,),) = list(ArrowRefused(tmp_path).batches(ALL))
    assert (row.kinds, row.nofollow) == ((), False)
    assert row.finding.kinds == (LinkKind.A,)
