"""Where a record lies in the archive, and what a commit says of a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Location(NamedTuple):
    """One record: file path relative to the crawl folder, offset and length in compressed bytes."""

    file: str
    offset: int
    length: int


class FileState(StrEnum):
    """What a commit knows of a file."""

    OPEN = "open"
    """Still appended to; valid up to its committed length."""
    CLOSED = "closed"
    """Final."""
    REMOVED = "removed"
    """Superseded (a journal turned into a dataset file); may be missing, and is deleted once this is durable."""


@dataclass(frozen=True, slots=True)
class FileMark:
    """A file's path (relative to the crawl folder), its length in bytes that the commit vouches for, its state."""

    path: str
    length: int
    state: FileState
