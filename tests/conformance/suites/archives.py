"""Archives that others wrote, read by ours, beside what warcio and FastWARC find in them."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gossamer import warc
from tests.conformance.frame import Bar, Case, Suite, compare

NAMES = {"arc_header": "warcinfo"}
"""warcio's words for record types that are none of WARC's."""


def _rows(data: Path) -> list[dict[str, Any]]:
    rows = json.loads((data / "warc/readers.json").read_text(encoding="utf-8"))
    return [row for row in rows if (data / row["file"]).is_file()]


def _absent(data: Path) -> Mapping[str, int]:
    rows = json.loads((data / "warc/readers.json").read_text(encoding="utf-8"))
    return {"files that are kept back": len(rows) - len(_rows(data))}


def _cases(data: Path) -> Iterator[Case]:
    for row in _rows(data):
        with warc.open(data / row["file"]) as archive:
            records = list(archive)
            told = bool(archive.problems) or any(record.problems for record in records)
        name, kind = row["file"].removeprefix("warc/"), "lz4" if row["file"].endswith(".lz4") else ""
        theirs = [_of_warcio(record) for record in row["warcio"]]
        # Where warcio gives up, ours must find what it found before, and may go on.
        ours = [_ours(record) for record in records][: len(theirs) if "warcio_error" in row else None]
        yield compare(f"{name}: warcio", got=ours, expected=theirs, kind=kind)
        if "fastwarc" in row:
            counts = dict(Counter(record.kind for record in records))
            yield compare(f"{name}: FastWARC", got=counts, expected=row["fastwarc"], kind=kind)
        if name.endswith(("clipped.warc.gz", ".lz4")):
            yield compare(f"{name}: told", got=told, expected=True)


def _of_warcio(record: dict[str, Any]) -> tuple[object, ...]:
    status = record["status"] or ""
    is_answer = record["type"] in ("response", "revisit") and status.isdigit()
    kind = NAMES.get(record["type"], record["type"])
    return (kind, record["url"] or "", record["offset"], int(status) if is_answer else 0)


def _ours(record: warc.Record) -> tuple[object, ...]:
    return (record.kind, record.url, record.offset, record.status)


def _digests(data: Path) -> Iterator[Case]:
    for row in _rows(data):
        with warc.open(data / row["file"]) as archive:
            wrong = [record.offset for record in archive if record.block_digest_matches() is False]
        yield compare(row["file"].removeprefix("warc/"), got=wrong, expected=[])


def _members(data: Path) -> Iterator[Case]:
    """Files of gzip members that hold no records: read to their end without a word too much."""
    for path in sorted((data / "warc/webarchive-commons/format/gzip").glob("*.gz")):
        if not path.name.endswith(".warc.gz"):
            with warc.open(path) as archive:
                records = list(archive)
            yield compare(path.name, got=len(records), expected=0, given=_plain(path.read_bytes())[:20])


def _plain(packed: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(packed)
    except zlib.error:
        return b""


SUITES = [
    Suite(
        "archives: records found",
        "warc (readers.json)",
        Bar.FACTS,
        _cases,
        differences={"lz4": "LZ4 is no packing of the WARC guidelines (gzip) nor of the IIPC's (zstd); ours says so"},
        left_out=_absent,
    ),
    Suite("archives: block digests hold", "warc", Bar.ALL, _digests),
    Suite("archives: odd gzip members", "warc/webarchive-commons/format/gzip", Bar.SURVIVES, _members),
]
