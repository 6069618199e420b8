"""Reading web archives, whoever wrote them: WARC 0.17 to 1.1 and ARC, gzip, zstd or plain, sound or broken.

    from gossamer import warc

    with warc.open("crawl.warc.gz") as archive:
        for record in archive:
            if record.kind == "response" and record.status == 200:
                print(record.url, record.at, len(record.body))
        for offset, problem in archive.problems:
            print(offset, problem)

Memory stays bounded whatever a file holds: a block longer than `block_bytes_max` is cut, which `record.problems` says,
and the file is read once, from its beginning to its end. `read_at` reads one record that an index names.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Self

from gossamer.core.limits import ARCHIVE_BLOCK_BYTES_MAX
from gossamer.core.warc.foreign import ForeignRecord as Record
from gossamer.core.warc.records import ArchiveReader
from gossamer.core.warc.unpacking import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Archive", "Record", "Source", "open", "read", "read_at"]


class Archive:
    """An archive being read. A context manager; iterating gives its records in order, once."""

    def __init__(self, source: Source, *, block_bytes_max: int = ARCHIVE_BLOCK_BYTES_MAX) -> None:
        """`source`: anything with `read(size)` that gives bytes; `block_bytes_max`: bytes kept of one block."""
        self._source = source
        self._reader = ArchiveReader(source, block_bytes_max)

    @property
    def packing(self) -> str:
        """What the file is packed in: "gzip", "zstd", "lz4" (which is not read), or empty for a plain file."""
        return self._reader.packing

    @property
    def problems(self) -> list[tuple[int, str]]:
        """Offset and words of what belongs to no record; complete once all records were read."""
        return self._reader.problems

    def close(self) -> None:
        """Close the source, if it can be closed."""
        close = getattr(self._source, "close", None)
        if close is not None:
            close()

    def __iter__(self) -> Iterator[Record]:
        return iter(self._reader)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(path: str | Path, *, block_bytes_max: int = ARCHIVE_BLOCK_BYTES_MAX) -> Archive:  # noqa: A001 - as gzip.open
    """An archive file. Raises OSError where the file cannot be opened; nothing raises for what is in it."""
    return Archive(Path(path).open("rb"), block_bytes_max=block_bytes_max)


def read(data: bytes, *, block_bytes_max: int = ARCHIVE_BLOCK_BYTES_MAX) -> list[Record]:
    """All records of an archive in memory."""
    return list(Archive(io.BytesIO(data), block_bytes_max=block_bytes_max))


def read_at(path: str | Path, offset: int, *, block_bytes_max: int = ARCHIVE_BLOCK_BYTES_MAX) -> Record | None:
    """The record that begins at `offset`; None where none does. Raises OSError where the file cannot be read."""
    with Path(path).open("rb") as file:
        file.seek(offset)
        found = next(iter(ArchiveReader(file, block_bytes_max)), None)
    if found is None or found.offset != 0:
        return None
    return Record(found.fields, found.block, found.version, offset, found.length, found.size, found.problems)
