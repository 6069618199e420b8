"""Visits read back: each committed row once, whether it lies in a journal or in a Parquet file already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gossamer.adapters.visit_rows import VisitRows

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema(
    [
        ("host", pa.string()),
        ("kind", pa.string()),
        ("url", pa.string()),
        ("_shard", pa.int32()),
        ("_commit", pa.int64()),
    ]
)
FIRST, SECOND = "pages-20260101000000-00000-w0", "pages-20260102000000-00001-w0"


def batch(*urls: str, host: str = "a.test", kind: str = "page", commit: int = 1) -> pa.RecordBatch:
    size = len(urls)
    return pa.record_batch(
        [
            pa.array([host] * size),
            pa.array([kind] * size),
            pa.array(urls),
            pa.array([0] * size, pa.int32()),
            pa.array([commit] * size, pa.int64()),
        ],
        SCHEMA,
    )


def journal(folder: Path, name: str, *batches: pa.RecordBatch) -> tuple[str, int]:
    """A journal as the crawl leaves it, with no mark at its end."""
    content = SCHEMA.serialize().to_pybytes() + b"".join(one.serialize().to_pybytes() for one in batches)
    (folder / "journal").mkdir(exist_ok=True)
    (folder / "journal" / f"{name}.arrows").write_bytes(content)
    return f"journal/{name}.arrows", len(content)


def parquet(folder: Path, name: str, *batches: pa.RecordBatch) -> None:
    (folder / "pages").mkdir(exist_ok=True)
    table = pa.Table.from_batches(batches).drop_columns(["_shard", "_commit"])
    pq.write_table(table, folder / "pages" / f"{name}.parquet")


def urls(folder: Path, *journals: tuple[str, int], host: str = "a.test", all_robots: bool = False) -> list[str]:
    with VisitRows(folder, journals) as visits:
        return [row["url"] for row in visits.of_host(host, ["url"], all_robots=all_robots)]


def test_files_then_journals_in_the_order_reported(tmp_path: Path) -> None:
    parquet(tmp_path, SECOND, batch("3"))
    parquet(tmp_path, FIRST, batch("1", "2"))
    last = journal(tmp_path, "pages-20260103000000-00002-w0", batch("4"), batch("x", host="b.test"), batch("5"))
    assert urls(tmp_path, last) == ["1", "2", "3", "4", "5"]


def test_a_row_in_a_journal_that_became_a_file_not_committed_yet_counts_once(tmp_path: Path) -> None:
    live = journal(tmp_path, FIRST, batch("1"))
    parquet(tmp_path, FIRST, batch("1"))
    assert urls(tmp_path, live) == ["1"]
    assert urls(tmp_path) == ["1"]


def test_only_committed_bytes_and_rows_count(tmp_path: Path) -> None:
    _, committed = journal(tmp_path, FIRST, batch("1"), batch("dropped", commit=-1))
    path, _ = journal(tmp_path, FIRST, batch("1"), batch("dropped", commit=-1), batch("not committed"))
    assert urls(tmp_path, (path, committed)) == ["1"]
    assert urls(tmp_path, (path, 0)) == []


def test_robots_of_every_host_if_asked_for(tmp_path: Path) -> None:
    parquet(tmp_path, FIRST, batch("robots", host="b.test", kind="robots"), batch("page", host="b.test"), batch("1"))
    assert urls(tmp_path, all_robots=True) == ["robots", "1"]
    assert urls(tmp_path) == ["1"]


def test_a_journal_that_went_is_said(tmp_path: Path) -> None:
    live = journal(tmp_path, FIRST, batch("1"))
    with pytest.raises(FileNotFoundError):
        VisitRows(tmp_path, [live, ("journal/gone.arrows", 9)])
