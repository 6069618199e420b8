"""The exact memory: newest prints in a set, all others in runs.

Runs are merged so that each is at least `RUN_RATIO` times as long as the next one, so there are few: three or four for
a hundred million prints. A print is rewritten some fourteen times in all, 110 bytes: less than its page record costs.
Nothing grows in memory with the number of URLs: runs are files that the system keeps in its page cache as it can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gossamer.core.seen.memory import Rewrite
from gossamer.core.seen.prints import PRINT_TYPE, Prints
from gossamer.core.seen.run import Run, run_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gossamer.core.seen.memory import Bytes

RUN_RATIO: Final = 8
REBUILD_PRINTS: Final = 1 << 21
"""Prints gathered before a rebuilding writes them: 16 MiB."""


class SeenRuns:
    """Prints of one shard, the port's `SeenMemory`."""

    def __init__(self, files: Sequence[memoryview] = ()) -> None:
        """`files`: the runs, oldest and longest first. Raises FileDamaged for one that is none."""
        self._runs: list[Run] = [Run(file) for file in files]
        self._newest: set[int] = set()
        self._frozen: set[int] = set()
        self._taken_in: list[Prints] = []

    @property
    def count(self) -> int:
        """See the protocol."""
        return sum(run.count for run in self._runs) + len(self._newest) + len(self._frozen)

    @property
    def run_counts(self) -> list[int]:
        """Prints of each run, oldest first."""
        return [run.count for run in self._runs]

    def contains(self, prints: Prints) -> NDArray[np.bool_]:
        """See the protocol. The longest run is asked first: it knows most; the others only what it does not know."""
        found = self._among_newest(prints)
        for run in self._runs:
            if not found.any():
                found = run.contains(prints)
                continue
            left = np.flatnonzero(~found)
            if not len(left):
                break
            found[left] = run.contains(prints[left])
        return found

    def _among_newest(self, prints: Prints) -> NDArray[np.bool_]:
        """Which of them no run holds yet."""
        newest, frozen = self._newest, self._frozen
        numbers = prints.tolist()
        if newest.isdisjoint(numbers) and frozen.isdisjoint(numbers):
            return np.zeros(len(numbers), np.bool_)
        known = np.fromiter(map(newest.__contains__, numbers), np.bool_, len(numbers))
        if frozen:
            known |= np.fromiter(map(frozen.__contains__, numbers), np.bool_, len(numbers))
        return known

    def touch(self, bytes_max: int) -> Iterator[None]:
        """See the protocol."""
        for run in list(self._runs):
            yield from run.touch(bytes_max)

    def add(self, prints: Prints) -> None:
        """See the protocol."""
        self._newest.update(prints.tolist())

    def take_in(self, prints: Prints) -> bool:
        """See the protocol. Not asked for until it is in a run: while rebuilding, the store answers."""
        self._taken_in.append(prints)
        return sum(map(len, self._taken_in)) >= REBUILD_PRINTS

    def freeze(self) -> None:
        """See the protocol."""
        if self._frozen:
            raise RuntimeError("what was frozen before is not written yet; settle that first")
        self._frozen, self._newest = self._newest, set()

    def rewrite(self) -> Rewrite | None:
        """See the protocol."""
        size = len(self._frozen) + sum(map(len, self._taken_in))
        if not size:
            return None
        kept = len(self._runs)
        while kept and self._runs[kept - 1].count < RUN_RATIO * size:
            kept -= 1
            size += self._runs[kept].count
        return Rewrite(kept, _pieces(self._runs[kept:], self._frozen, self._taken_in))

    def drop_files(self) -> None:
        """See the protocol."""
        self._runs.clear()

    def settle(self, rewrite: Rewrite, file: memoryview) -> None:
        """See the protocol."""
        rewrite.replaced[:] = self._runs[rewrite.kept :]
        self._runs[rewrite.kept :] = [Run(file)]
        self._frozen = set()
        self._taken_in = []


def _pieces(runs: list[Run], frozen: set[int], taken_in: list[Prints]) -> Iterator[tuple[int, Bytes]]:
    """Sorting is part of the first step, so that it is not the loop's."""
    columns = [run.prints for run in runs]
    if frozen:
        columns.append(np.sort(np.fromiter(frozen, PRINT_TYPE, len(frozen))))
    if taken_in:
        columns.append(np.sort(np.concatenate(taken_in)))
    yield from run_bytes(columns)
