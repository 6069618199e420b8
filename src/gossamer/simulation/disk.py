"""The crawl folder's stand-in: files in memory, of which a crash keeps what was synced and a random part of the rest.

A crash gives a new folder. What the dead process still holds writes to the old one, which nobody reads any more.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from gossamer.core.files.recovery import DRAFT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.ports.entropy import Entropy


class PowerCut(Exception):  # noqa: N818 - says what happened
    """The folder's fuse burnt in the middle of an operation; `crash` gives the folder that is left."""


@dataclass(slots=True)
class Fuse:
    """Burns after so many durable steps (a write with its sync, a rename, a cut) of all that share it; None: never."""

    steps: int | None = None

    def spend(self) -> None:
        """One durable step begins. Raises PowerCut once it has burnt."""
        if self.steps is not None:
            if self.steps <= 0:
                raise PowerCut
            self.steps -= 1


class MemoryFolder:
    """The port `disk` in memory.

    `fuse`: what every durable step spends; a number for a fuse of its own.
    `fault`: raised by every operation that writes while set, as OSError with ENOSPC for a full disk.
    """

    def __init__(self, files: dict[str, bytearray] | None = None, *, fuse: Fuse | int | None = None) -> None:
        self.files = files if files is not None else {}
        """Path -> bytes, as a process that lives sees them."""
        self.fuse = fuse if isinstance(fuse, Fuse) else Fuse(fuse)
        self.fault: OSError | None = None
        self._removed: dict[str, bytearray] = {}
        self._growing: list[MemoryGrowingFile] = []

    def crash(self, entropy: Entropy) -> MemoryFolder:
        """What is left after the power was cut: random parts of unsynced tails, some of the files just removed."""
        files = {path: bytearray(data) for path, data in self.files.items()}
        for growing in self._growing:
            tail = growing.unsynced()
            kept = int(entropy.unit() * (len(tail) + 1))
            if kept or (growing.is_new and entropy.unit() < 0.5):
                files.setdefault(growing.path, bytearray()).extend(tail[:kept])
        for path, data in self._removed.items():
            if path not in files and entropy.unit() < 0.5:
                files[path] = bytearray(data)
        return MemoryFolder(files)

    def grow(self, path: str, length: int | None = None) -> MemoryGrowingFile:
        """See the port."""
        growing = MemoryGrowingFile(self, path, length)
        self._growing.append(growing)
        return growing

    def draft(self, path: str) -> MemoryDraft:
        """See the port."""
        self.spend()
        return MemoryDraft(self, path)

    def lengths(self, folders: Sequence[str]) -> dict[str, int]:
        """See the port."""
        return {path: len(data) for path, data in self.files.items() if path.rpartition("/")[0] in folders}

    def view(self, path: str, *, scattered: bool = False) -> memoryview:  # noqa: ARG002 - memory has no such cost
        """See the port."""
        if path not in self.files:
            raise FileNotFoundError(path)
        return memoryview(bytes(self.files[path]))

    def release(self, view: memoryview) -> None:
        """See the port: here memory is all there is."""

    def patch(self, path: str, changes: Sequence[tuple[int, bytes]]) -> None:
        """See the port."""
        for offset, data in changes:
            self.spend()
            self.files[path][offset : offset + len(data)] = data

    def cut(self, path: str, length: int) -> None:
        """See the port."""
        self.spend()
        del self.files[path][length:]

    def set_aside(self, path: str, start: int = 0) -> str:
        """See the port."""
        self.spend()
        wanted = "aside/" + path.rpartition("/")[2].removeprefix(".") + (f".tail-{start}" if start else "")
        target, number = wanted, 0
        while target in self.files:
            number += 1
            target = f"{wanted}.{number}"
        self.files[target] = self.files[path][start:] if start else self.files.pop(path)
        return target

    def remove(self, path: str) -> None:
        """See the port; the removal itself is not synced, so a crash may bring the file back."""
        self.spend()
        if path in self.files:
            self._removed[path] = self.files.pop(path)

    def spend(self) -> None:
        """One durable step begins."""
        if self.fault is not None:
            raise self.fault
        self.fuse.spend()

    def forget(self, growing: MemoryGrowingFile) -> None:
        """A file was given back: its unsynced bytes are nowhere."""
        if growing in self._growing:
            self._growing.remove(growing)


class MemoryGrowingFile:
    """One file that only grows."""

    def __init__(self, folder: MemoryFolder, path: str, length: int | None) -> None:
        self.is_new = length is None
        """Not created yet."""
        self._folder = folder
        self._path = path
        self._length = length or 0
        self._fresh: list[bytes] = []
        self._fixed: list[bytes] = []

    @property
    def path(self) -> str:
        """See the port."""
        return self._path

    @property
    def length(self) -> int:
        """See the port."""
        return self._length

    def append(self, data: bytes) -> int:
        """See the port."""
        offset = self._length
        self._fresh.append(data)
        self._length += len(data)
        return offset

    def fix(self) -> int:
        """See the port."""
        self._fixed += self._fresh
        self._fresh = []
        return self._length

    def sync(self) -> None:
        """See the port."""
        if not self._fixed and not self.is_new:
            return
        self._folder.spend()
        if self.is_new and self._path in self._folder.files:
            raise FileExistsError(self._path)
        self._folder.files.setdefault(self._path, bytearray()).extend(b"".join(self._fixed))
        self.is_new = False
        self._fixed = []

    def close(self) -> None:
        """See the port."""
        self._folder.forget(self)

    def unsynced(self) -> bytes:
        """Bytes appended and not synced."""
        return b"".join((*self._fixed, *self._fresh))


class MemoryDraft:
    """A file written aside."""

    def __init__(self, folder: MemoryFolder, path: str) -> None:
        head, _, name = path.rpartition("/")
        self._folder = folder
        self._path = path
        self._aside = f"{head}/{DRAFT_PREFIX}{name}"
        self._written = io.BytesIO()
        folder.files[self._aside] = bytearray()

    @property
    def file(self) -> BinaryIO:
        """See the port."""
        return self._written

    def publish(self) -> int:
        """See the port."""
        self._folder.files[self._aside] = bytearray(self._written.getvalue())
        self._folder.spend()
        self._folder.files[self._path] = self._folder.files.pop(self._aside)
        self._folder.spend()
        return len(self._folder.files[self._path])

    def discard(self) -> None:
        """See the port."""
        self._folder.files.pop(self._aside, None)
