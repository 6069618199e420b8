"""Port `disk_space` on statvfs(3): each mount once, told by its device number, named by the first path on it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, BinaryIO, Final

from gossamer.core.disk_guard import MountSpace
from gossamer.core.limits import DISK_RESERVE_BYTES, DISK_RESERVE_SHARE_MAX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PIECE: Final = 1 << 20


class StatvfsDiskSpace:
    """The mounts that `paths` lie on; the reserve is the file `reserve`, on the first of them.

    A path that does not exist yet counts as its nearest parent that does.
    """

    def __init__(self, paths: Sequence[Path], reserve: Path, *, reserve_bytes: int = DISK_RESERVE_BYTES) -> None:
        self._paths = tuple(paths)
        self._reserve = reserve
        self._reserve_bytes = reserve_bytes
        self._reserved = 0
        # One that a killed process left is taken anew, so that its size is known.
        with contextlib.suppress(OSError):
            reserve.unlink(missing_ok=True)

    @property
    def reserved(self) -> int:
        """Bytes of the reserve."""
        return self._reserved

    def look(self) -> list[MountSpace]:
        """See the port. A mount that does not answer is left out."""
        found: dict[int, MountSpace] = {}
        for path in self._paths:
            with contextlib.suppress(OSError):
                place = _existing(path)
                device = place.stat().st_dev
                if device not in found:
                    found[device] = _space(place)
        return list(found.values())

    def keep_reserve(self) -> None:
        """Take the file's blocks: in no time where the system can, by writing them elsewhere."""
        if self._reserved or not self._reserve_bytes:
            return
        try:
            free = _space(_existing(self._reserve.parent)).free
            size = max(1, min(self._reserve_bytes, int(free * DISK_RESERVE_SHARE_MAX)))
            with self._reserve.open("wb") as file:
                _take(file, size)
            self._reserved = size
        except OSError:
            self.give_reserve()

    def give_reserve(self) -> int:
        """Remove the file."""
        given, self._reserved = self._reserved, 0
        with contextlib.suppress(OSError):
            self._reserve.unlink(missing_ok=True)
        return given


def _take(file: BinaryIO, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    # Not zeros: some file systems keep no blocks for those.
    file.writelines(os.urandom(min(PIECE, size - start)) for start in range(0, size, PIECE))
    file.flush()
    os.fsync(file.fileno())


def _existing(path: Path) -> Path:
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def _space(path: Path) -> MountSpace:
    told = os.statvfs(path)
    size = told.f_frsize or told.f_bsize
    # Some file systems (btrfs) have no fixed number of inodes and say 0.
    files = told.f_favail if told.f_files else None
    return MountSpace(str(path), told.f_bavail * size, told.f_blocks * size, files)
