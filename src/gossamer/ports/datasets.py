"""Port: the rows a crawl leaves for people and programs: pages, links, refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from gossamer.ports.files import CommittedFiles

Columns = Mapping[str, Sequence[Any]]
"""Column name -> values; all columns of a dataset, all of one length. `core/dataset_columns.py` has shorter forms."""


class Datasets(CommittedFiles, Protocol):
    """Appends rows to journals that become Parquet files. Schemas stand in `core/datasets.py`."""

    def append(self, dataset: str, columns: Columns, shard: int, commit: int) -> None:
        """Append a batch of rows to `dataset`, with the shard's coming commit. Synchronous and buffered.

        The columns are kept as they are until `marks`: nobody may change them afterwards.
        """
        ...
