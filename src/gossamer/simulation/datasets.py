"""The datasets' stand-in: rows as lines of JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from gossamer.core.datasets import DATASETS
from gossamer.simulation.committed import CommittedLines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.warc.location import FileMark
    from gossamer.ports.datasets import Columns
    from gossamer.ports.disk import Disk
    from gossamer.ports.files import Recovery

_PRODUCTS: Final = {dataset: dataset + "/{}.jsonl" for dataset in DATASETS}


class MemoryDatasets:
    """The port `datasets` on a folder in memory; `refused` is not summed up, its rows stand as they came."""

    def __init__(self, disk: Disk, *, journal_bytes: int = 1 << 20) -> None:
        self._lines = CommittedLines(disk, "rows", _PRODUCTS, journal_bytes)

    def append(self, dataset: str, columns: Columns, shard: int, commit: int) -> None:
        """See the port."""
        if dataset not in DATASETS:
            raise ValueError(f"no dataset {dataset!r}; there are {', '.join(DATASETS)}")
        names = [column.name for column in DATASETS[dataset]]
        if set(names).symmetric_difference(columns):
            raise ValueError(f"columns of {dataset} missing or unknown")
        for values in zip(*(columns[name] for name in names), strict=True):
            self._lines.add(dataset, shard, commit, json.dumps(values, default=_plain).encode())

    def rows(self, dataset: str) -> list[dict[str, Any]]:
        """The rows that are on the disk and count, for checkers."""
        names = [column.name for column in DATASETS[dataset]]
        return [dict(zip(names, json.loads(row), strict=True)) for row in self._lines.rows(dataset)]

    def marks(self) -> list[FileMark]:
        """See the port."""
        return self._lines.marks()

    def sync(self) -> None:
        """See the port."""
        self._lines.sync()

    def acknowledge(self) -> None:
        """See the port."""
        self._lines.acknowledge()

    def finish(self) -> None:
        """See the port."""
        self._lines.finish()

    def recover(self, committed: Mapping[str, FileMark], commits: Mapping[int, int]) -> Recovery:
        """See the port."""
        return self._lines.recover(committed, commits, tuple(DATASETS))[0]


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's own."""
    return value.item()
