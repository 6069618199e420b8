"""One process at a time works on a crawl folder: an advisory lock that ends with the process, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING, Final, Self

ORPHANS_SECONDS: Final = 5.0
"""How long processes may take to end whose supervisor was killed; they need milliseconds."""

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
            self._take(path)
        except (FolderBusy, OSError):
            self.release()
            raise
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def _take(self, path: Path) -> None:
        """Workers keep the lock of their supervisor; where that is gone they go, too, and are waited for."""
        assert self._file is not None, "opened just now"
        until = time.monotonic() + ORPHANS_SECONDS
        while True:
            try:
                return fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                text = os.pread(self._file, 32, 0).strip()
                holder = int(text) if text.isdigit() else 0
                if not holder or _lives(holder) or time.monotonic() > until:
                    raise FolderBusy(path, holder) from error
            time.sleep(0.01)

    @property
    def descriptor(self) -> int:
        """For processes that shall keep the lock as long as they live. Raises ValueError once it is released."""
        if self._file is None:
            raise ValueError("the lock is released")
        return self._file

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


def _lives(process: int) -> bool:
    """Whether a process is there, and no zombie that nobody has waited for yet."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    try:
        with open(f"/proc/{process}/stat", "rb") as stat:  # noqa: PTH123 - one line of a file of the system's
            return stat.read().rpartition(b")")[2].split()[0] != b"Z"
    except (OSError, IndexError):
        return True
