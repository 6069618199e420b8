"""Port: the rows of `refused` that earlier runs left, to be reconsidered under another scope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from gossamer.core.scope.refusal import Refusal


class RefusedRows(Protocol):
    """The rows that were on the disk when this was made. Later rows do not appear, and no row is lost to a file that
    is replaced meanwhile.
    """

    def batches(self, reasons: frozenset[str]) -> Iterator[list[Refusal]]:
        """The rows with one of these reasons, some thousand at a time, so that memory stays bounded whatever their
        number. Each step may take a while and may be done on a thread.
        """
        ...

    def close(self) -> None:
        """Give the files back."""
        ...
