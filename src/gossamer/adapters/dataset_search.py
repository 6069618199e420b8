"""Rows of the datasets by one column's value: Parquet files with their statistics, and the journals not in one yet."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gossamer.ports.files import CrawlDamaged

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow.parquet import Statistics

_COMMIT: Final = "_commit"
WORDS_MAX: Final = 120
"""Characters of what the library says of a file that it cannot read."""


def find_rows(
    folder: Path, dataset: str, column: str, values: Sequence[str], columns: Sequence[str], *, limit: int
) -> tuple[list[dict[str, Any]], bool]:
    """At most `limit` rows of a crawl folder's `dataset` where `column` is one of `values`; whether that is all.

    A file that goes meanwhile gives nothing, a journal that grows what is whole of it. Raises CrawlDamaged for a file
    that is not what we wrote.
    """
    rows: list[dict[str, Any]] = []
    for found in _found(folder, dataset, column, values, columns):
        rows += found
        if len(rows) > limit:
            return rows[:limit], False
    return rows, True


def _found(
    folder: Path, dataset: str, column: str, values: Sequence[str], columns: Sequence[str]
) -> Iterator[list[dict[str, Any]]]:
    # Journals first: one that becomes a Parquet file meanwhile is then met there; a row met twice is one row to people.
    for path in sorted((folder / "journal").glob(f"{dataset}-*.arrows")):
        with _damage_named(f"journal/{path.name}"):
            yield from _in_journal(path, column, values, columns)
    for path in sorted((folder / dataset).glob("*.parquet")):
        with _damage_named(f"{dataset}/{path.name}"):
            yield from _in_parquet(path, column, values, columns)


def _in_parquet(
    path: Path, column: str, values: Sequence[str], columns: Sequence[str]
) -> Iterator[list[dict[str, Any]]]:
    """A row group at a time, and only those whose statistics admit a value."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        place = file.schema_arrow.get_field_index(column)
        for group in range(file.num_row_groups):
            if _may_hold(file.metadata.row_group(group).column(place).statistics, values):
                table = file.read_row_group(group, columns=list(dict.fromkeys((column, *columns))))
                yield _rows(table.filter(_is_one_of(table.column(column), values)).select(columns))


def _may_hold(statistics: Statistics | None, values: Sequence[str]) -> bool:
    if statistics is None or not statistics.has_min_max:
        return True
    return any(statistics.min <= value <= statistics.max for value in values)


def _in_journal(
    path: Path, column: str, values: Sequence[str], columns: Sequence[str]
) -> Iterator[list[dict[str, Any]]]:
    """The whole record batches of a stream that may still grow; rows that recovery dropped left out."""
    try:
        with pa.memory_map(str(path)) as file:
            for batch in pa.ipc.open_stream(file.read_buffer()):
                _validate(batch)
                kept = batch.filter(pc.greater_equal(batch.column(_COMMIT), 0))
                yield _rows(kept.filter(_is_one_of(kept.column(column), values)).select(columns))
    except (pa.ArrowInvalid, OSError, EOFError):
        # Behind the last commit a stream may end anywhere; what a commit vouches for is the doctor's to check.
        return


def _is_one_of(column: pa.Array, values: Sequence[str]) -> pa.BooleanArray:
    return pc.is_in(column, value_set=pa.array(values, pa.string()))


def _validate(batch: pa.RecordBatch) -> None:
    """Before anything computes with it: offsets that point outside would be followed. Raises ValueError."""
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        # Not the library's error, which is also what an unfinished end gives.
        raise ValueError(str(error)) from None


def _rows(table: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """We write no row without a value. Raises CrawlDamaged's ValueError for one, and for a moment that is none."""
    if any(column.null_count for column in table.columns):
        raise ValueError("it holds rows without values")
    return table.to_pylist()


@contextmanager
def _damage_named(path: str) -> Generator[None]:
    """What a reader raises over bytes that are no rows, as CrawlDamaged with the file's name."""
    try:
        yield
    except FileNotFoundError:
        return
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError) as error:
        raise CrawlDamaged({path: f"cannot be read ({' '.join(str(error).split())[:WORDS_MAX]})"}) from error
