"""Every line of the index leads to its capture, every row of the pages dataset to a line; records without one are
counted: their commits were lost, and they are orphans.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final

from gossamer.simulation.checkers.evidence import IndexLine, StoredRecord

if TYPE_CHECKING:
    from gossamer.simulation.archive import MemoryArchive
    from gossamer.simulation.checkers.evidence import Evidence

_END: Final = b"\r\n\r\n"
CAPTURED: Final = ("response", "revisit", "resource")
"""Types of records that an index names."""


def index_of(archive: MemoryArchive) -> list[IndexLine]:
    """The lines of the index."""
    found: list[IndexLine] = []
    for line in archive.captures():
        fields = json.loads(line.split(" ", 2)[2])
        path = f"archive/{fields['filename']}"
        found.append(IndexLine(fields["url"], path, int(fields["offset"]), int(fields["length"])))
    return found


def records_of(archive: MemoryArchive) -> dict[tuple[str, int], StoredRecord]:
    """(file, offset) -> each record of the archive, read from the bytes alone; a tail that is none is none."""
    found: dict[tuple[str, int], StoredRecord] = {}
    for path, data in archive.files().items():
        offset = 0
        while (end := data.find(_END, offset)) >= 0 and data.startswith(b"WARC/1.1\r\n", offset):
            head = dict(line.split(b": ", 1) for line in data[offset:end].split(b"\r\n")[1:])
            length = end + 2 * len(_END) + int(head[b"Content-Length"]) - offset
            if offset + length > len(data):
                break
            url = head.get(b"WARC-Target-URI", b"").decode()
            found[path, offset] = StoredRecord(head[b"WARC-Type"].decode(), url, length)
            offset += length
    return found


def orphans(evidence: Evidence) -> int:
    """Captures that no line names."""
    named = {(line.file, line.offset) for line in evidence.index}
    return sum(each.type in CAPTURED and place not in named for place, each in evidence.captures.items())


def check(evidence: Evidence) -> list[str]:
    """Lines without a record, rows without a line, places named twice, in words."""
    found: list[str] = []
    for line in evidence.index:
        stored = evidence.captures.get((line.file, line.offset))
        if stored is None:
            found.append(f"captures: the index names {line.url} at {line.file}:{line.offset}, where no record begins")
        elif stored.type not in CAPTURED or stored.url != line.url or stored.length != line.length:
            found.append(f"captures: {line.file}:{line.offset} holds {stored.type} {stored.url}, not {line.url}")
    lines = Counter((line.file, line.offset) for line in evidence.index)
    found += [f"captures: {count} lines for {path}:{at}" for (path, at), count in lines.items() if count > 1]
    found += [
        f"captures: no line for the visit of {row['url']} at {row['warc']}:{row['offset']}"
        for row in evidence.pages
        if row["warc"] and (row["warc"], row["offset"]) not in lines
    ]
    return found
