"""A received body, in memory while it is short."""

from __future__ import annotations

import tempfile
from typing import IO

from gossamer.core import limits


class SpooledBody:
    """A `Body` that moves to an unnamed temporary file beyond BODY_SPOOL_BYTES."""

    __slots__ = ("_chunks", "_file", "_folder", "_size")

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._chunks: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes received."""
        return self._size

    def write(self, chunk: bytes) -> None:
        """Append. Raises OSError when the disk does."""
        self._size += len(chunk)
        if self._file is not None:
            self._file.write(chunk)
            return
        self._chunks.append(chunk)
        if self._size > limits.BODY_SPOOL_BYTES:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - `close` closes it
            self._file.writelines(self._chunks)
            self._chunks = []

    def read(self) -> bytes:
        """The whole body."""
        if self._file is not None:
            self._file.seek(0)
            return self._file.read()
        if len(self._chunks) > 1:
            self._chunks = [b"".join(self._chunks)]
        return self._chunks[0] if self._chunks else b""

    def close(self) -> None:
        """Give memory or the file back."""
        self._chunks = []
        if self._file is not None:
            self._file.close()
