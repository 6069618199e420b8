"""Rows found by a column's value: in Parquet files and journals, none twice, and damaged files named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gossamer.adapters.dataset_search import find_rows
from gossamer.ports.files import CrawlDamaged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCHEMA = pa.schema([("url", pa.string()), ("first", pa.timestamp("ms", tz="UTC")), ("_commit", pa.int64())])
LAST_MOMENT = 253_402_300_799_999
"""Milliseconds of the end of the year 9999."""


def batch(*urls: str | None, first: int = 0, commit: int = 1) -> pa.RecordBatch:
    moments = pa.array([first] * len(urls), pa.int64()).cast(pa.timestamp("ms", tz="UTC"))
    return pa.record_batch([pa.array(urls, pa.string()), moments, pa.array([commit] * len(urls), pa.int64())], SCHEMA)


def journal(folder: Path, *batches: pa.RecordBatch, tail: bytes = b"") -> Path:
    path = folder / "journal" / "links-0.arrows"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(SCHEMA.serialize().to_pybytes() + b"".join(one.serialize().to_pybytes() for one in batches) + tail)
    return path


def parquet(folder: Path, *batches: pa.RecordBatch) -> Path:
    path = folder / "links" / "links-1.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_batches(batches).drop_columns(["_commit"]), path, write_page_checksum=True)
    return path


def found(folder: Path, *urls: str, limit: int = 10) -> tuple[list[dict[str, Any]], bool]:
    return find_rows(folder, "links", "url", urls, ["url", "first"], limit=limit)


def test_both_forms_are_searched(tmp_path: Path) -> None:
    journal(tmp_path, batch("a", "b"), batch("a", commit=-1))
    parquet(tmp_path, batch("a", "c"))
    rows, complete = found(tmp_path, "a")
    assert ([row["url"] for row in rows], complete) == (["a", "a"], True)
    assert found(tmp_path, "a", limit=1)[1] is False
    assert found(tmp_path, "z") == ([], True)


def test_a_folder_without_rows(tmp_path: Path) -> None:
    assert found(tmp_path, "a") == ([], True)


def test_a_journal_that_grows_gives_what_is_whole(tmp_path: Path) -> None:
    journal(tmp_path, batch("a"), tail=batch("a").serialize().to_pybytes()[:-7])
    assert len(found(tmp_path, "a")[0]) == 1


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 0x41
    path.write_bytes(content)


def in_a_circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no Parquet at all"),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(bytes(path.stat().st_size)),
        flipped,
        in_a_circle,
        a_folder,
    ],
    ids=range(7),
)
def test_a_damaged_file_is_named(harm: Callable[[Path], object], tmp_path: Path) -> None:
    harm(parquet(tmp_path, batch(*map(str, range(2000)), "a")))
    with pytest.raises(CrawlDamaged, match=r"links/links-1\.parquet cannot be read"):
        found(tmp_path, "a")


@pytest.mark.parametrize("rows", [batch("a", first=LAST_MOMENT * 1000)])
def test_what_we_never_write_is_damage(rows: pa.RecordBatch, tmp_path: Path) -> None:
    journal(tmp_path, rows)
    with pytest.raises(CrawlDamaged, match=r"journal/links-0\.arrows"):
        found(tmp_path, "a")


def test_a_row_without_a_value_is_damage(tmp_path: Path) -> None:
    rows = pa.record_batch(
        [pa.array(["a"]), pa.array([None], SCHEMA.field("first").type), pa.array([1], pa.int64())], SCHEMA
    )
    journal(tmp_path, rows)
    with pytest.raises(CrawlDamaged, match="without values"):
        found(tmp_path, "a")


def test_a_file_that_goes_meanwhile_gives_nothing(tmp_path: Path) -> None:
    parquet(tmp_path, batch("a"))
    (tmp_path / "links" / "links-0.parquet").symlink_to(tmp_path / "gone")
    assert len(found(tmp_path, "a")[0]) == 1
