"""The visits of one host, from a crawl's `pages`: Parquet files, and the journals that are not in one yet.

Rows come in the order they were reported, one batch in memory at a time, and none that no commit vouches for. A file
that cannot be read, or holds what we never write, is named: what is counted from half of the rows would be wrong.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gossamer.ports.files import CrawlDamaged

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

DATASET: Final = "pages"
BATCH_ROWS: Final = 64 * 1024
_COMMIT: Final = "_commit"
_ROBOTS: Final = "robots"
WORDS_MAX: Final = 120
"""Characters of what the library says of a file that it cannot read."""


class VisitRows:
    """The committed rows of a crawl folder at one moment. A context manager: its journals stay open meanwhile.

    Raises FileNotFoundError when a journal has become a Parquet file since its length was asked for: ask again. Raises
    CrawlDamaged for a file that is not what we wrote.
    """

    def __init__(self, folder: Path, journals: Sequence[tuple[str, int]]) -> None:
        """`journals`: path within `folder` and committed length of each live one, oldest first."""
        self._folder = folder
        self._names = frozenset(path.rpartition("/")[2].rpartition(".")[0] for path, _ in journals)
        self._journals: list[tuple[str, pa.MemoryMappedFile, int]] = []
        try:
            for path, length in journals:
                with _damage_named(path):
                    self._journals.append((path, pa.memory_map(str(folder / path)), length))
        except BaseException:
            self.close()
            raise

    def of_host(self, host: str, columns: Sequence[str], *, all_robots: bool = False) -> Iterator[dict[str, Any]]:
        """The rows of `host`; with `all_robots` also those of every other host's robots.txt."""
        wanted = list(dict.fromkeys([*columns, "host", "kind"]))
        for path, batches in self._files(wanted):
            with _damage_named(path, gone=True):
                for batch in batches:
                    mask = pc.equal(batch.column("host"), host)
                    if all_robots:
                        mask = pc.or_(mask, pc.equal(batch.column("kind"), _ROBOTS))
                    yield from batch.filter(mask).select(list(columns)).to_pylist()

    def close(self) -> None:
        """Give the journals back; calling it twice is harmless."""
        while self._journals:
            self._journals.pop()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _files(self, columns: list[str]) -> Iterator[tuple[str, Iterator[pa.RecordBatch]]]:
        """Each file with its batches, which are read as they are asked for."""
        for path in sorted((self._folder / DATASET).glob("*.parquet"), key=lambda path: _age(path.name)):
            # A Parquet file whose journal still lives is not committed yet.
            if path.stem not in self._names:
                yield f"{DATASET}/{path.name}", _in_parquet(path, columns)
        for name, journal, length in self._journals:
            yield name, _in_journal(journal, length, columns)


def _in_parquet(path: Path, columns: list[str]) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        for batch in file.iter_batches(BATCH_ROWS, columns=columns):
            yield _checked(batch)


def _in_journal(journal: pa.MemoryMappedFile, length: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    if journal.size() < length:
        raise ValueError(f"it has {journal.size():,} bytes; the last commit vouches for {length:,}")
    journal.seek(0)
    stream = journal.read_buffer(length)
    if stream.size:
        for batch in pa.ipc.open_stream(stream):
            batch.validate(full=True)
            kept = pc.greater_equal(batch.column(_COMMIT), 0)
            yield _checked(batch.filter(kept).select(columns))


def _checked(batch: pa.RecordBatch) -> pa.RecordBatch:
    """We write no row without a value. Raises ValueError for a batch with one."""
    if any(column.null_count for column in batch.columns):
        raise ValueError("it holds rows without values")
    return batch


@contextmanager
def _damage_named(path: str, *, gone: bool = False) -> Generator[None]:
    """What a reader raises over bytes that are no rows, as CrawlDamaged with its name; `gone`: also without a file."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError) as error:
        if isinstance(error, FileNotFoundError) and not gone:
            raise
        raise CrawlDamaged({path: f"cannot be read ({' '.join(str(error).split())[:WORDS_MAX]})"}) from error


def _age(name: str) -> tuple[str, ...]:
    """Names are pages-MOMENT-SERIAL-wWORKER.parquet; a new worker's serial may be lower than an old one's."""
    return tuple(name.split("-")[1:])
