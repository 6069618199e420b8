"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replace the file at `path`: written beside it, synced, renamed, its folder synced."""
    draft = path.with_name(f".{path.name}.draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - from a descriptor, for its mode
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def append_lines(path: Path, lines: Iterable[str], mode: int = 0o644) -> None:
    """Add lines to a file, synced. A line that a crash cut short before is taken away: nobody was told of it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, mode)
    with open(handle, "rb+") as file:  # noqa: PTH123 - from a descriptor, for its mode
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read(1) not in (b"", b"\n"):
            file.seek(0)
            file.truncate(len(whole_lines(file.read())))
        file.write("".join(f"{line}\n" for line in lines).encode())
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def whole_lines(content: bytes) -> bytes:
    """Without a last line that a crash cut short."""
    return content[: content.rfind(b"\n") + 1]


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
