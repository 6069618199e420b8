"""The index of a WARC file made anew from the file itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.doctor.warc_walk import walk
from gossamer.core.warc import cdx
from gossamer.core.warc.digest import sha1_label
from gossamer.core.warc.location import Location
from gossamer.core.warc.lookup import moment_seconds
from gossamer.core.warc.reading import WarcRecord, split_http
from gossamer.core.warc.record import Capture

if TYPE_CHECKING:
    from collections.abc import Iterator


def index_lines(file: str, content: memoryview) -> Iterator[bytes]:
    """The lines, with line ends, of a sound WARC file (its path in the crawl folder, its bytes); not sorted."""
    for member in walk(content, len(content)):
        if member.record is not None and not member.problem:
            line = _line(member.record, Location(file, member.offset, member.length))
            if line:
                yield line.encode() + b"\n"


def _line(record: WarcRecord, location: Location) -> str:
    started = moment_seconds(record.field("WARC-Date"))
    if started is None or record.kind not in ("response", "revisit", "resource"):
        return ""
    capture = Capture(record.field("WARC-Target-URI"), started, "")
    if record.kind == "resource":
        return cdx.resource_line(capture, record.field("Content-Type"), sha1_label(record.block), location)
    if record.kind == "revisit":
        return cdx.revisit_line(capture, record.field("WARC-Payload-Digest"), location)
    head, payload = split_http(record.block)
    return cdx.response_line(capture, head, sha1_label(payload), location)
