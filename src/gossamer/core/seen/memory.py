"""What URL seen rests on: a memory of prints, kept in files that are written whole and named by a commit.

There are two. `seen.runs` is exact; `seen.bloom` is a filter that errs, for crawls whose runs would not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from gossamer.core.seen.prints import Prints

Bytes = bytes | memoryview


class FileDamaged(ValueError):  # noqa: N818 - says what is the matter
    """These bytes are no file of a memory, or not all of one."""


@dataclass(slots=True)
class Rewrite:
    """A file to be written, that takes the place of the newest ones."""

    kept: int
    """How many files, from the oldest on, stay."""
    pieces: Iterator[tuple[int, Bytes]]
    """(offset in the file, bytes); each step is short, and may run on another thread than the memory's."""
    replaced: list[object] = field(default_factory=list[object])
    """Once settled: what rested on the files that it replaces. Freeing it takes a while; that is left to the owner."""


class SeenMemory(Protocol):
    """Prints of one shard's known URLs."""

    @property
    def count(self) -> int:
        """Prints in it, about: one that was added twice may count twice."""
        ...

    def contains(self, prints: Prints) -> NDArray[np.bool_]:
        """For each of a batch whether it was added, before freezing or after."""
        ...

    def add(self, prints: Prints) -> None:
        """Remember from now on."""
        ...

    def take_in(self, prints: Prints) -> bool:
        """Take in what is known already, in a rebuilding; whether it wants a file before more."""
        ...

    def freeze(self) -> None:
        """What was added so far goes into the next file."""
        ...

    def rewrite(self) -> Rewrite | None:
        """The file that holds what was frozen and taken in; None when that is nothing. One at a time."""
        ...

    def touch(self, bytes_max: int) -> Iterator[None]:
        """Bring what files of up to so many bytes hold to where it is asked for; each step is short, and may run on
        another thread than the memory's.
        """
        ...

    def drop_files(self) -> None:
        """Forget what the files hold, and nothing that was added since."""
        ...

    def settle(self, rewrite: Rewrite, file: memoryview) -> None:
        """That file is written: rest on it."""
        ...
