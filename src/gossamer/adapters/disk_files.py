"""Port `disk` on a real folder: appends in few large writes, and every step durable before it counts.

A file's bytes are durable after fsync of the file, its name after fsync of the directory it stands in; both are done
after every creation and rename. Writes go to explicit offsets, so a write that failed half-way is simply made again.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, Final

from gossamer.core.files.recovery import DRAFT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

_MODE: Final = 0o644
_ASIDE: Final = "aside"


class FolderDisk:
    """The files of the crawl folder `root`, which exists already."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def grow(self, path: str, length: int | None = None) -> FolderGrowingFile:
        """Go on at `length`, or make a new file at the first sync; FileExistsError then if the name is taken."""
        self._make_folder(path)
        return FolderGrowingFile(self._root, path, length)

    def draft(self, path: str) -> FolderDraft:
        """Begin a file that will be called `path`; until then its name begins with a dot."""
        self._make_folder(path)
        return FolderDraft(self._root / path)

    def lengths(self, folders: Sequence[str]) -> dict[str, int]:
        """Path -> length of the files directly in these folders."""
        found: dict[str, int] = {}
        for folder in folders:
            with contextlib.suppress(FileNotFoundError), os.scandir(self._root / folder) as entries:
                for entry in entries:
                    # Another worker may take a file of its own away meanwhile.
                    with contextlib.suppress(FileNotFoundError):
                        if _is_file(entry):
                            found[f"{folder}/{entry.name}"] = entry.stat().st_size
        return found

    def view(self, path: str, *, scattered: bool = False) -> memoryview:
        """The bytes of a file, mapped; unmapped when the last reference goes."""
        with (self._root / path).open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return memoryview(b"")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if scattered:
                mapped.madvise(mmap.MADV_RANDOM)
            return memoryview(mapped)

    def release(self, view: memoryview) -> None:
        """See the port. The bytes stay in the page cache as long as the system likes; they count no more as ours."""
        if isinstance(view.obj, mmap.mmap):
            view.obj.madvise(mmap.MADV_DONTNEED)

    def patch(self, path: str, changes: Sequence[tuple[int, bytes]]) -> None:
        """Overwrite in place and sync."""
        with _opened(self._root / path) as descriptor:
            for offset, data in changes:
                _write_all(descriptor, data, offset)
            os.fsync(descriptor)

    def cut(self, path: str, length: int) -> None:
        """Truncate and sync."""
        with _opened(self._root / path) as descriptor:
            os.ftruncate(descriptor, length)
            os.fsync(descriptor)

    def set_aside(self, path: str, start: int = 0) -> str:
        """Move to aside/ (start 0) or copy the tail there; the path it has now."""
        name = path.rpartition("/")[2].removeprefix(".") + (f".tail-{start}" if start else "")
        self._make_folder(f"{_ASIDE}/{name}")
        target = _free(self._root / _ASIDE / name)
        source = self._root / path
        if start:
            with source.open("rb") as tail, target.open("xb") as copy:
                tail.seek(start)
                shutil.copyfileobj(tail, copy, 1 << 20)
                copy.flush()
                os.fsync(copy.fileno())
        else:
            source.rename(target)
            _sync_folder(source.parent)
        _sync_folder(target.parent)
        return f"{_ASIDE}/{target.name}"

    def remove(self, path: str) -> None:
        """Delete; that it was there at all is not needed."""
        (self._root / path).unlink(missing_ok=True)

    def _make_folder(self, path: str) -> None:
        folder = (self._root / path).parent
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)
            _sync_folder(folder.parent)


class FolderGrowingFile:
    """One file that only grows. `append` and `fix` belong to one thread; `sync` may run on another meanwhile."""

    def __init__(self, root: Path, path: str, length: int | None) -> None:
        self._file = root / path
        self._path = path
        self._new = length is None
        self._length = self._written = length or 0
        self._fresh: list[bytes] = []
        self._fixed: list[bytes] = []
        self._swap = Lock()
        self._descriptor: int | None = None

    @property
    def path(self) -> str:
        """Path relative to the crawl folder."""
        return self._path

    @property
    def length(self) -> int:
        """Bytes, those in buffers included."""
        return self._length

    def append(self, data: bytes) -> int:
        """Append to the buffer; where the bytes will lie."""
        offset = self._length
        self._fresh.append(data)
        self._length += len(data)
        return offset

    def fix(self) -> int:
        """Hand the buffer to the next `sync`."""
        with self._swap:
            self._fixed += self._fresh
        self._fresh = []
        return self._length

    def sync(self) -> None:
        """Write what was fixed in one go, then sync; after a failure the same bytes are written again."""
        with self._swap:
            pieces, self._fixed = self._fixed, []
        if not pieces and not self._new:
            return
        try:
            self._write(b"".join(pieces))
        except OSError:
            with self._swap:
                self._fixed = pieces + self._fixed
            raise

    def close(self) -> None:
        """Close the descriptor; twice is harmless."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _write(self, data: bytes) -> None:
        if self._descriptor is None:
            making = os.O_CREAT | os.O_EXCL if self._new else 0
            self._descriptor = os.open(self._file, os.O_WRONLY | os.O_CLOEXEC | making, _MODE)
        _write_all(self._descriptor, data, self._written)
        os.fsync(self._descriptor)
        if self._new:
            _sync_folder(self._file.parent)
            self._new = False
        self._written += len(data)


class FolderDraft:
    """A file under a name that begins with a dot, until it is whole."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._aside = target.with_name(DRAFT_PREFIX + target.name)
        self._file = self._aside.open("wb")

    @property
    def file(self) -> BinaryIO:
        """Where to write."""
        return self._file

    def publish(self) -> int:
        """Sync, rename, sync the directory."""
        with self._file:
            self._file.flush()
            os.fsync(self._file.fileno())
            length = os.fstat(self._file.fileno()).st_size
        self._aside.rename(self._target)
        _sync_folder(self._target.parent)
        return length

    def discard(self) -> None:
        """Close and delete."""
        self._file.close()
        self._aside.unlink(missing_ok=True)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """A symbolic link to nowhere, or in a circle, is none."""
    try:
        return entry.is_file()
    except OSError:
        return False


@contextlib.contextmanager
def _opened(file: Path) -> Generator[int]:
    descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes, offset: int) -> None:
    left = memoryview(data)
    while left:
        written = os.pwrite(descriptor, left, offset)
        left, offset = left[written:], offset + written


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _free(wanted: Path) -> Path:
    """`wanted`, or its first numbered kin that is not there yet."""
    number, path = 0, wanted
    while path.exists():
        number += 1
        path = wanted.with_name(f"{wanted.name}.{number}")
    return path
