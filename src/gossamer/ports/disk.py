"""Port: the crawl folder's files as the archive and the datasets write them; and recovery's plan carried out on them.

Paths are relative to the crawl folder, with slashes. Every method that writes may raise OSError (a full or read-only
disk); what was durable before stays so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol

from gossamer.ports.files import CrawlDamaged, Recovery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.files.recovery import Plan


class GrowingFile(Protocol):
    """A file that only grows. Appends are buffered; bytes fixed by `fix` are written and made durable by `sync`."""

    @property
    def path(self) -> str:
        """Path relative to the crawl folder."""
        ...

    @property
    def length(self) -> int:
        """Bytes, those in buffers included."""
        ...

    def append(self, data: bytes) -> int:
        """Append at the end; the offset at which `data` lies."""
        ...

    def fix(self) -> int:
        """The bytes appended so far are those that the next `sync` makes durable; their number from the start."""
        ...

    def sync(self) -> None:
        """Make the fixed bytes durable, and the directory entry of a new file. On a thread; appends go on."""
        ...

    def close(self) -> None:
        """Give the file back. Bytes not synced are lost."""
        ...


class Draft(Protocol):
    """A file written aside, that appears under its name whole and durable or not at all."""

    @property
    def file(self) -> BinaryIO:
        """Where to write."""
        ...

    def publish(self) -> int:
        """Sync, rename, sync the directory; the file's length."""
        ...

    def discard(self) -> None:
        """Remove what was written."""
        ...


class Disk(Protocol):
    """The files of one crawl folder."""

    def grow(self, path: str, length: int | None = None) -> GrowingFile:
        """Go on at the end of a file of that length; without a length make a new file at the first `sync`."""
        ...

    def draft(self, path: str) -> Draft:
        """Begin a file that will be called `path`."""
        ...

    def lengths(self, folders: Sequence[str]) -> dict[str, int]:
        """Path -> length of the files directly in these folders; a folder that is not there holds none."""
        ...

    def view(self, path: str, *, scattered: bool = False) -> memoryview:
        """The bytes of a file, read where they lie; `scattered`: here and there, so that nothing is read ahead."""
        ...

    def release(self, view: memoryview) -> None:
        """What was read of a view need not stay in memory: the view is as good as before, and read anew."""
        ...

    def patch(self, path: str, changes: Sequence[tuple[int, bytes]]) -> None:
        """Overwrite bytes inside a file, (offset, bytes) each, and make that durable."""
        ...

    def cut(self, path: str, length: int) -> None:
        """Cut a file back to that length, durably."""
        ...

    def set_aside(self, path: str, start: int = 0) -> str:
        """Move a file into aside/ under a free name, or copy its bytes from `start` on; where they lie now. Durable."""
        ...

    def remove(self, path: str) -> None:
        """Delete a file; one that is not there is no error."""
        ...


def settle(disk: Disk, plan: Plan) -> Recovery:
    """Carry out recovery's plan. Raises CrawlDamaged, before it changes anything, if committed bytes are not there."""
    if plan.damaged:
        raise CrawlDamaged(plan.damaged)
    recovery = Recovery()
    found = disk.lengths(sorted({path.rpartition("/")[0] for path in (*plan.cut, *plan.tails_aside)}))
    for path, length in plan.tails_aside.items():
        disk.set_aside(path, length)
        recovery.aside.append(path)
    for path, length in (plan.cut | plan.tails_aside).items():
        disk.cut(path, length)
        recovery.cut[path] = found[path] - length
    for path in plan.aside:
        disk.set_aside(path)
        recovery.aside.append(path)
    for path in plan.remove:
        disk.remove(path)
    return recovery
