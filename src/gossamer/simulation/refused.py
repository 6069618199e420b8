"""The stand-in for the rows of `refused` that earlier lives left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.core.scope.refusal import Refusal, read_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.simulation.datasets import MemoryDatasets


class MemoryRefused:
    """The port `refused` on the datasets' stand-in; the rows are those of the moment it is made."""

    def __init__(self, datasets: MemoryDatasets, *, batch_rows: int = 100) -> None:
        self._rows = [_refusal(row) for row in datasets.rows("refused")]
        self._batch_rows = batch_rows

    def batches(self, reasons: frozenset[str]) -> Iterator[list[Refusal]]:
        """See the port."""
        wanted = [row for row in self._rows if row.reason in reasons]
        for start in range(0, len(wanted), self._batch_rows):
            yield wanted[start : start + self._batch_rows]

    def close(self) -> None:
        """Nothing to give back."""


def _refusal(row: dict[str, Any]) -> Refusal:
    given = {name: row[name] for name in ("url", "reason", "depth", "referrer", "hops", "group", "first", "nofollow")}
    return Refusal(**given, kinds=read_kinds(row["kinds"]))
