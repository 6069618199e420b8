"""Visits read back: each committed row once, whether it lies in a journal or in a Parquet file already."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gossamer.adapters.visit_rows import VisitRows
from gossamer.ports.files import CrawlDamaged

if TYPE_CHECKING:
    from collections.abc import Callable

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


def no_rows(path: Path) -> None:
    path.write_bytes(b"\xff\0no rows" * 50)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def in_a_circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("harm", [no_rows, cut, nothing, in_a_circle, a_folder, Path.unlink])
def test_a_damaged_parquet_file_is_named(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    parquet(tmp_path, FIRST, batch("1"))
    path = tmp_path / "pages" / f"{FIRST}.parquet"
    harm(path)
    if not path.exists() and not path.is_symlink():
        path.symlink_to(tmp_path / "gone")
    with pytest.raises(CrawlDamaged, match=rf"pages/{FIRST}\.parquet cannot be read"):
        urls(tmp_path)


@pytest.mark.parametrize("harm", [no_rows, cut, nothing, in_a_circle, a_folder])
def test_a_damaged_journal_is_named(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    found = journal(tmp_path, FIRST, batch("1"), batch("2"))
    harm(tmp_path / found[0])
    with pytest.raises(CrawlDamaged, match=rf"journal/{FIRST}\.arrows cannot be read"):
        urls(tmp_path, found)


def test_a_row_without_a_value_is_damage(tmp_path: Path) -> None:
    parquet(tmp_path, FIRST, batch(None))  # type: ignore[arg-type]
    with pytest.raises(CrawlDamaged, match="without values"):
        urls(tmp_path)


def test_a_journal_that_has_become_a_parquet_file_is_asked_for_again(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        urls(tmp_path, (f"journal/{FIRST}.arrows", 100))
