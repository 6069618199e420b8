"""ARC, the format before WARC (Internet Archive, 1996): one line of header a record, spaces between its words.

Version 1: URL, address, 14-digit date, media type, length. Version 2 puts result code, checksum, location, offset and
file name before the length; in both the length comes last, so both are read alike.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from gossamer.core.warc.foreign import ForeignRecord

FILE_START: Final = b"filedesc:"
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:\S*")
_LENGTH: Final = re.compile(r"-1|[0-9]{1,15}", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4,14}", re.ASCII)
_HTTP_START: Final = b"HTTP/"
_WORDS_MIN: Final = 5


class ArcHead(NamedTuple):
    """What the line before a record says."""

    url: str
    address: str
    date: str
    media_type: str
    length: int
    """-1 where the writer did not know it: such a record has no content."""


def parse_line(line: bytes) -> ArcHead | None:
    """The header of a record; None for a line that is none."""
    words = line.decode("utf-8", "replace").strip().split(" ")
    if len(words) < _WORDS_MIN or not _URL.fullmatch(words[0]) or not _LENGTH.fullmatch(words[-1]):
        return None
    return ArcHead(words[0], words[1], words[2][:14], words[3], int(words[-1]))


def as_record(head: ArcHead, block: bytes, size: int) -> ForeignRecord:
    """The record with the fields that WARC would give it.

    An HTTP answer is a `response`; what was fetched without a head, or by another protocol, is a `resource`, and the
    description at a file's beginning a `warcinfo`.
    """
    kind, media_type = "resource", head.media_type
    if head.url.startswith(FILE_START.decode()):
        kind = "warcinfo"
    elif block.startswith(_HTTP_START):
        kind, media_type = "response", "application/http;msgtype=response"
    fields = [("WARC-Type", kind), ("WARC-Target-URI", head.url), ("WARC-Date", _warc_date(head.date))]
    if head.address not in ("-", "0.0.0.0"):  # noqa: S104 - what ARC writes where there is no address
        fields.append(("WARC-IP-Address", head.address))
    fields += [("Content-Type", media_type), ("Content-Length", str(size))]
    return ForeignRecord(tuple(fields), block, "ARC/1", size=size)


def _warc_date(digits: str) -> str:
    if len(digits) != 14 or not _DATE.fullmatch(digits):
        return digits
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:]}Z"
