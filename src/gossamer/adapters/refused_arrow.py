"""Port `refused` on the Parquet files and journals of a crawl folder."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gossamer.core.scope.refusal import Refusal, read_kinds
from gossamer.ports.files import CrawlDamaged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BATCH_ROWS: Final = 2_000
"""Rows judged in one step of the loop: some ten milliseconds."""
_COLUMNS: Final = ("url", "reason", "depth", "referrer", "hops", "group", "first", "kinds", "nofollow")
_COMMIT: Final = "_commit"


class ArrowRefused:
    """The rows of a folder's `refused`. Made before the crawl goes on, whose first commits replace journals."""

    def __init__(self, folder: Path) -> None:
        self._files: Final = sorted((folder / "refused").glob("*.parquet"))
        self._journals: Final = [
            pa.memory_map(str(path)) for path in sorted((folder / "journal").glob("refused-*.arrows"))
        ]

    def batches(self, reasons: frozenset[str]) -> Iterator[list[Refusal]]:
        """See the port."""
        wanted = pa.array(sorted(reasons), pa.string())
        for batch in self._batches():
            refused = batch.filter(pc.is_in(batch.column("reason"), value_set=wanted))
            for start in range(0, refused.num_rows, BATCH_ROWS):
                yield [_refusal(row) for row in refused.slice(start, BATCH_ROWS).to_pylist()]

    def close(self) -> None:
        """See the port."""
        for journal in self._journals:
            journal.close()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for path in self._files:
            try:
                with pq.ParquetFile(path, page_checksum_verification=True) as file:
                    names = file.schema_arrow.names
                    yield from file.iter_batches(BATCH_ROWS, columns=[name for name in _COLUMNS if name in names])
            except (pa.ArrowException, OSError) as error:
                raise CrawlDamaged({f"refused/{path.name}": f"cannot be read ({str(error)[:120]})"}) from error
        for journal in self._journals:
            # Recovery has cut it to what was committed; what is appended from now on is not in the map.
            with suppress(pa.ArrowInvalid, EOFError):
                for batch in pa.ipc.open_stream(journal.read_buffer()):
                    yield batch.filter(pc.greater_equal(batch.column(_COMMIT), 0))


def _refusal(row: dict[str, Any]) -> Refusal:
    return Refusal(
        url=row["url"],
        reason=row["reason"],
        depth=row["depth"],
        referrer=row["referrer"],
        hops=row["hops"],
        group=row["group"],
        first=row["first"].timestamp(),
        kinds=read_kinds(row.get("kinds") or ""),
        nofollow=bool(row.get("nofollow")),
    )
