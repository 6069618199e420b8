"""Walking a WARC file member by member: is each a whole gzip member with one whole record in it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from isal import isal_zlib

from gossamer.core.limits import RECORD_BYTES_MAX
from gossamer.core.warc.reading import WarcRecord, parse_record

if TYPE_CHECKING:
    from collections.abc import Iterator

_GZIP_BITS: Final = 31
_CHUNK: Final = 16 * 1024
"""Compressed bytes given at once: what lies behind a member's end is copied each time."""
_RECORD_END: Final = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a WARC file."""

    offset: int
    length: int
    """Compressed bytes."""
    record: WarcRecord | None
    problem: str = ""
    """What is wrong with it; nothing behind it can be found then."""


def walk(content: memoryview, length: int) -> Iterator[Member]:
    """The members of the first `length` bytes; the last one has a problem where the file is not sound."""
    offset = 0
    while offset < length:
        member = _member(content[:length], offset)
        yield member
        if member.problem:
            return
        offset += member.length


def _member(content: memoryview, offset: int) -> Member:
    inflater = isal_zlib.decompressobj(_GZIP_BITS)
    parts: list[bytes] = []
    position = offset
    size = 0
    try:
        while not inflater.eof:
            chunk = content[position : position + _CHUNK]
            if not chunk:
                return Member(offset, position - offset, None, "the file ends inside a record")
            parts.append(inflater.decompress(chunk))
            position += len(chunk)
            size += len(parts[-1])
            if size > RECORD_BYTES_MAX:
                return Member(offset, position - offset, None, "a record is longer than any of ours")
    except isal_zlib.error:
        return Member(offset, position - offset, None, "no gzip member can be read")
    length = position - len(inflater.unused_data) - offset
    record, problem = _record(b"".join(parts))
    return Member(offset, length, record, problem)


def _record(data: bytes) -> tuple[WarcRecord | None, str]:
    record = parse_record(data)
    if record is None:
        return None, "a member holds no WARC record"
    stated = record.field("Content-Length")
    if not stated.isdecimal() or int(stated) != len(record.block) or not data.endswith(_RECORD_END):
        return None, "a record is not as long as it says"
    return record, ""
