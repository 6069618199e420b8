"""Finding captures in a CDXJ index: a binary search in sorted files, a plain one in journals not sorted yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from gossamer.core.warc.location import Location

_MOMENT_DIGITS: Final = 14
_DIGITS: Final = re.compile(r"\d{4,14}", re.ASCII)
_FIRST_MOMENT: Final = "00000101000000"
"""What fills up a moment given by its first digits: January, the first, midnight."""

_EARLIEST: Final = -62_135_596_800.0
_LATEST: Final = 253_402_300_799.0
"""The calendar from the year 1 to 9999 in UTC; by another zone a moment may lie beyond, and rounding may end there."""


class Bytes(Protocol):
    """Bytes in memory or mapped from a file."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes: ...

    def find(self, sub: bytes, start: int, end: int, /) -> int:
        """As `bytes.find`."""
        ...

    def rfind(self, sub: bytes, start: int, end: int, /) -> int:
        """As `bytes.rfind`."""
        ...


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One capture, as the index names it."""

    surt: str
    moment: str
    """14 digits, UTC."""
    url: str
    status: str
    """Empty for a revisit."""
    is_revisit: bool
    place: Location
    digest: str = ""
    """SHA-1 of the payload, base32; empty where the index does not say it."""

    @property
    def at(self) -> float:
        """`moment` in seconds since the epoch."""
        return moment_seconds(self.moment) or 0.0


def sorted_lines(index: Bytes, surt: str) -> Iterator[bytes]:
    """The lines of a sorted index with that SURT, without line ends. Reads as many pages as a binary search takes."""
    wanted = surt.encode() + b" "
    start = _first(index, wanted)
    size = len(index)
    while start < size:
        end = _line_end(index, start)
        line = index[start:end]
        if not line.startswith(wanted):
            return
        yield line
        start = end + 1


def journal_lines(journal: Bytes, surt: str) -> Iterator[bytes]:
    """The whole lines of a journal (`shard commit<TAB>line`) with that SURT; those that recovery dropped left out."""
    wanted = b"\t" + surt.encode() + b" "
    size = len(journal)
    found = journal.find(wanted, 0, size)
    while found >= 0:
        end = journal.find(b"\n", found, size)
        if end < 0:
            return
        start = journal.rfind(b"\n", 0, found) + 1
        if journal[start : start + 1] != b"#":
            yield journal[found + 1 : end]
        found = journal.find(wanted, end, size)


def parse_line(line: bytes, folder: str = "archive/") -> IndexLine | None:
    """A CDXJ line taken apart; None for one that is none. `folder` goes before the file's name."""
    try:
        surt, moment, text = line.decode().split(" ", 2)
        fields: dict[str, str] = {str(name): str(value) for name, value in json.loads(text).items()}
        place = Location(folder + fields["filename"].rpartition("/")[2], int(fields["offset"]), int(fields["length"]))
    except (ValueError, KeyError, AttributeError, RecursionError):
        return None
    if place.offset < 0 or place.length <= 0 or len(moment) != _MOMENT_DIGITS or not moment.isdecimal():
        return None
    is_revisit = fields.get("mime") == "warc/revisit"
    return IndexLine(
        surt, moment, fields.get("url", ""), fields.get("status", ""), is_revisit, place, fields.get("digest", "")
    )


def moment_seconds(text: str) -> float | None:
    """Seconds since the epoch of a moment as people write it: 2026, 20261130, 2026-11-30, 2026-11-30T13:47:00Z.

    A moment without a zone is UTC. None for what is no moment, or none that `core.warc.date` can write.
    """
    if _DIGITS.fullmatch(text) is not None:
        filled = text + _FIRST_MOMENT[len(text) :]
        return _seconds_of_digits(filled)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _seconds(moment)


def _seconds(moment: datetime) -> float | None:
    # Not .timestamp(): years near the ends of the calendar overflow it on some systems.
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1)
    return seconds if _EARLIEST <= seconds <= _LATEST else None


def _seconds_of_digits(digits: str) -> float | None:
    try:
        moment = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return _seconds(moment)


def _first(index: Bytes, wanted: bytes) -> int:
    """Where the first line at or after `wanted` begins."""
    low, high = 0, len(index)
    while low < high:
        middle = (low + high) // 2
        start = index.rfind(b"\n", low, middle) + 1 or low
        end = _line_end(index, start)
        if index[start:end] < wanted:
            low = end + 1
        else:
            high = start
    return low


def _line_end(index: Bytes, start: int) -> int:
    end = index.find(b"\n", start, len(index))
    return len(index) if end < 0 else end
