"""Reading a WARC record back: its fields, its block, and of an HTTP block the head and the payload.

Written for our own records (`record.py`), lenient where others write differently. Nothing raises for foreign bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_VERSION: Final = b"WARC/"


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record, uncompressed."""

    fields: tuple[tuple[str, str], ...]
    """Names and values in order."""
    block: bytes

    def field(self, name: str) -> str:
        """The first field of that name (any case), or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.fields if key.lower() == wanted), "")

    @property
    def kind(self) -> str:
        """WARC-Type."""
        return self.field("WARC-Type").lower()


def parse_record(data: bytes) -> WarcRecord | None:
    """The record that `data` (one gzip member, inflated) holds; None when it is none."""
    end = _HEAD_END.search(data)
    if end is None or not data.startswith(_VERSION):
        return None
    lines = data[: end.start()].decode("utf-8", "replace").splitlines()[1:]
    fields = tuple((name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
    record = WarcRecord(fields, b"")
    stated = record.field("Content-Length")
    length = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 16 else len(data)
    return WarcRecord(fields, data[end.end() : end.end() + length])


def split_http(block: bytes) -> tuple[bytes, bytes]:
    """Head (with its empty line) and payload of an HTTP block; all is head where no empty line ends one."""
    end = _HEAD_END.search(block)
    return (block, b"") if end is None else (block[: end.end()], block[end.end() :])
