"""The visits of one host, from a crawl's `pages`: Parquet files, and the journals that are not in one yet.

Rows come in the order they were reported, one batch in memory at a time, and none that no commit vouches for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

DATASET: Final = "pages"
BATCH_ROWS: Final = 64 * 1024
_COMMIT: Final = "_commit"
_ROBOTS: Final = "robots"


class VisitRows:
    """The committed rows of a crawl folder at one moment. A context manager: its journals stay open meanwhile.

    Raises FileNotFoundError when a journal has become a Parquet file since its length was asked for: ask again.
    """

    def __init__(self, folder: Path, journals: Sequence[tuple[str, int]]) -> None:
        """`journals`: path within `folder` and committed length of each live one, oldest first."""
        self._folder = folder
        self._names = frozenset(path.rpartition("/")[2].rpartition(".")[0] for path, _ in journals)
        self._journals: list[tuple[pa.MemoryMappedFile, int]] = []
        try:
            self._journals += ((pa.memory_map(str(folder / path)), length) for path, length in journals)
        except OSError:
            self.close()
            raise

    def of_host(self, host: str, columns: Sequence[str], *, all_robots: bool = False) -> Iterator[dict[str, Any]]:
        """The rows of `host`; with `all_robots` also those of every other host's robots.txt."""
        wanted = list(dict.fromkeys([*columns, "host", "kind"]))
        for batch in self._batches(wanted):
            mask = pc.equal(batch.column("host"), host)
            if all_robots:
                mask = pc.or_(mask, pc.equal(batch.column("kind"), _ROBOTS))
            yield from batch.filter(mask).select(list(columns)).to_pylist()

    def close(self) -> None:
        """Give the journals back; calling it twice is harmless."""
        while self._journals:
            self._journals.pop()[0].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        for path in sorted((self._folder / DATASET).glob("*.parquet"), key=lambda path: _age(path.name)):
            # A Parquet file whose journal still lives is not committed yet.
            if path.stem not in self._names:
                with pq.ParquetFile(path) as file:
                    yield from file.iter_batches(BATCH_ROWS, columns=columns)
        for journal, length in self._journals:
            yield from _in_journal(journal, length, columns)


def _in_journal(journal: pa.MemoryMappedFile, length: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    journal.seek(0)
    stream = journal.read_buffer(min(length, journal.size()))
    if stream.size:
        for batch in pa.ipc.open_stream(stream):
            kept = pc.greater_equal(batch.column(_COMMIT), 0)
            yield batch.filter(kept).select(columns)


def _age(name: str) -> tuple[str, ...]:
    """Names are pages-MOMENT-SERIAL-wWORKER.parquet; a new worker's serial may be lower than an old one's."""
    return tuple(name.split("-")[1:])
