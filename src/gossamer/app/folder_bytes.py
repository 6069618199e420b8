"""How much each part of a crawl folder takes on the disk."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK: Final = 512
"""stat(2): the unit of st_blocks."""


def folder_bytes(path: Path) -> dict[str, int]:
    """Folder in `path` -> bytes on the disk of all files in it; files in `path` itself count as ".".

    A crawl may run meanwhile: what vanishes is not counted. Links are not followed.
    """
    sizes = {name: sum(_sizes(place)) for name, place in _folders(path)}
    own = sum(_size(entry) for entry in _entries(path) if not entry.is_dir(follow_symlinks=False))
    return {".": own, **{name: size for name, size in sorted(sizes.items()) if size}}


def _folders(path: Path) -> Iterator[tuple[str, str]]:
    return ((entry.name, entry.path) for entry in _entries(path) if entry.is_dir(follow_symlinks=False))


def _sizes(path: str) -> Iterator[int]:
    waiting = [path]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                yield _size(entry)


def _size(entry: os.DirEntry[str]) -> int:
    with contextlib.suppress(OSError):
        return entry.stat(follow_symlinks=False).st_blocks * BLOCK
    return 0


def _entries(path: Path | str) -> list[os.DirEntry[str]]:
    with contextlib.suppress(OSError), os.scandir(path) as entries:
        return list(entries)
    return []
