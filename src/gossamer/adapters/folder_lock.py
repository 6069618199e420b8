"""One process at a time works on a crawl folder: an advisory lock that ends with the process, however it ends."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType


class FolderBusy(Exception):  # noqa: N818 - a state of the folder, by its name
    """Another process holds the lock. `process` is its id, or 0 when it did not say."""

    def __init__(self, path: Path, process: int) -> None:
        super().__init__(f"{path}: locked by process {process or 'unknown'}")
        self.process = process


class FolderLock:
    """Holds the lock file `path` until `release` or the end of the process. Raises FolderBusy, OSError.

    The file stays when the lock is gone: removing it could let two processes hold locks on two files of one name.
    """

    def __init__(self, path: Path) -> None:
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._file, 32, 0).strip()
            self.release()
            raise FolderBusy(path, int(holder) if holder.isdigit() else 0) from error
        except OSError:
            self.release()
            raise
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Give the folder free; calling it twice is harmless."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
