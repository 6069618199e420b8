"""Which bodies the archive holds whole: the response records that rows of the pages dataset name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gossamer.core.warc.location import Location
from gossamer.simulation.checkers.evidence import StoredBody

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.simulation.archive import MemoryArchive

_TYPE: Final = b"WARC-Type: "
_PAYLOAD: Final = b"WARC-Payload-Digest: "


def stored_bodies(rows: Sequence[Mapping[str, Any]], archive: MemoryArchive) -> list[StoredBody]:
    """The pages' bodies that are stored whole, in the order of their rows."""
    found: list[StoredBody] = []
    for row in rows:
        if row["kind"] != "page" or not row["warc"] or not row["digest"]:
            continue
        record = archive.record(Location(row["warc"], row["offset"], row["length"]))
        if _field(record, _TYPE) == b"response":
            at = row["started"] + row["seconds"]
            found.append(StoredBody(row["url"], row["digest"], _field(record, _PAYLOAD).decode(), at))
    return found


def _field(record: bytes, name: bytes) -> bytes:
    return record.partition(b"\r\n\r\n")[0].partition(name)[2].partition(b"\r\n")[0]
