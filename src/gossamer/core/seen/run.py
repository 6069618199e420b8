"""A run: the sorted prints of known URLs in one file, read where it lies, with an index by their first bits.

Prints are uniform, so their first bits say where in the run they stand. The index holds, for each value of the first
`bits` bits, the place of the first print that begins so; some 12 follow there. A batch is answered by six vector
operations whatever the length of the run: look up the places, read a window of the fullest bucket's width at each,
compare. That takes a fourth of a binary search, and touches few cache lines. A few questions are answered one by one
in the same way, for vector operations have a price of their own.

    header   64 bytes: magic, count, bits, width of the windows, checksums; the last four are its own
    index    2**bits places, 4 bytes each
    prints   8 bytes each, ascending; the last one again and again, so that a window may begin at any place

All numbers are little-endian. A run is written once, from beginning to end, and never changed.

To make a run of a hundred million prints at once (what a test bench wants), give `run_bytes` one sorted column or
several: `for offset, data in run_bytes([column]): file.seek(offset); file.write(data)`. To read one: `Run(memory)`.
"""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from gossamer.core.seen.memory import FileDamaged
from gossamer.core.seen.prints import PRINT_BYTES, PRINT_TYPE, Prints

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

RUN_COUNT_MAX: Final = 2**32 - 1
"""Prints of one run: places have 32 bits."""
STEP_PRINTS: Final = 1 << 18
"""Prints that one step of a merge handles, about: 2 MiB, some milliseconds."""
PAGE_BYTES: Final = 4096
"""Of the system's memory; where its pages are longer, some are read more than once."""
TOUCHED_PAGES: Final = 2048
"""That one step of a touch reads a byte of: 8 MiB."""
FEW_PRINTS: Final = 12
"""Up to so many are looked for one by one."""

_MAGIC: Final = b"GSMRUN01"
_HEADER: Final = struct.Struct("<8sQIIII28x")
"""Magic, count, bits, width, checksum of the index, checksum of the prints; room for more."""
_PLACE: Final = struct.Struct("<I")
_OWN_SUM: Final = struct.Struct("<I")
_HEADER_BYTES: Final = _HEADER.size + _OWN_SUM.size
_PLACE_TYPE: Final = np.dtype("<u4")
_BUCKET_PRINTS: Final = 12
"""Prints in a bucket, about."""
_BITS_MAX: Final = 28
"""An index of 1 GiB, enough for 3 thousand million prints."""


class Run:
    """One run, over the bytes of its file."""

    __slots__ = (
        "_bits",
        "_data",
        "_index",
        "_is_touched",
        "_prints",
        "_prints_at",
        "_shift",
        "_sums",
        "_width",
        "_windows",
        "count",
    )

    def __init__(self, data: memoryview) -> None:
        """Reads the header only. Raises FileDamaged unless it is whole and the file has the length it tells."""
        count, bits, width, *self._sums = _read_header(data)
        prints_at = _HEADER_BYTES + (_PLACE_TYPE.itemsize << bits)
        if len(data) != prints_at + (count + width) * PRINT_BYTES:
            raise FileDamaged(f"a run of {count} prints does not have {len(data)} bytes")
        self.count: Final = count
        self._is_touched = False
        self._data, self._bits, self._width, self._prints_at = data, bits, width, prints_at
        self._shift: Final = np.uint64(64 - bits)
        self._index: NDArray[np.uint32] = np.frombuffer(data, _PLACE_TYPE, 1 << bits, _HEADER_BYTES)
        self._prints: Prints = np.frombuffer(data, PRINT_TYPE, count + width, prints_at)
        self._windows: NDArray[np.uint64] = np.lib.stride_tricks.sliding_window_view(self._prints, width)

    @property
    def prints(self) -> Prints:
        """All prints, ascending; not copied."""
        return self._prints[: self.count]

    def contains(self, prints: Prints) -> NDArray[np.bool_]:
        """For each of a batch whether it is in the run."""
        if len(prints) <= FEW_PRINTS:
            return np.fromiter(map(self._holds, prints.tolist()), np.bool_, len(prints))
        places = self._index[prints >> self._shift]
        found: NDArray[np.bool_] = (self._windows[places] == prints[:, np.newaxis]).any(axis=1)
        return found

    def _holds(self, number: int) -> bool:
        (place,) = _PLACE.unpack_from(self._data, _HEADER_BYTES + _PLACE.size * (number >> (64 - self._bits)))
        start = self._prints_at + PRINT_BYTES * place
        window = bytes(self._data[start : start + PRINT_BYTES * self._width])
        wanted = number.to_bytes(PRINT_BYTES, "little")
        found = window.find(wanted)
        while found % PRINT_BYTES and found > 0:
            found = window.find(wanted, found + 1)
        return found >= 0

    def touch(self, bytes_max: int) -> Iterator[None]:
        """Have every page of a run of up to so many bytes mapped, a bounded piece for each step; once is enough.

        A page that was never read costs a fault with its first question, which takes longer than the question. The
        interpreter's lock is not held.
        """
        if self._is_touched or len(self._data) > bytes_max:
            return
        self._is_touched = True
        one_a_page = np.frombuffer(self._data, np.uint8)[::PAGE_BYTES]
        for first in range(0, len(one_a_page), TOUCHED_PAGES):
            one_a_page[first : first + TOUCHED_PAGES].max()
            yield

    def check(self) -> Iterator[None]:
        """Read all of it, a bounded piece for each step. Raises FileDamaged where a checksum is not as written."""
        starts = (_HEADER_BYTES, self._prints_at, len(self._data))
        for (start, end), wanted in zip(pairwise(starts), self._sums, strict=True):
            found = 0
            for piece in range(start, end, STEP_PRINTS * PRINT_BYTES):
                found = zlib.crc32(self._data[piece : min(end, piece + STEP_PRINTS * PRINT_BYTES)], found)
                yield
            if found != wanted:
                raise FileDamaged("a checksum of the run is not what was written")


def run_bytes(columns: Sequence[Prints]) -> Iterator[tuple[int, bytes | memoryview]]:
    """The bytes of one run with all prints of some ascending columns, as (offset in the file, bytes).

    A print that stands in several columns is taken once. Each step takes about `STEP_PRINTS` prints and as much memory
    as they do, whatever the columns' lengths; besides there is the index, 0.4 bytes a print. Raises ValueError for
    columns without a print, or with more than `RUN_COUNT_MAX`.
    """
    most = sum(len(column) for column in columns)
    if not 0 < most <= RUN_COUNT_MAX:
        raise ValueError(f"a run has 1 to {RUN_COUNT_MAX} prints, not {most}")
    bits = min(_BITS_MAX, max(1, (most // _BUCKET_PRINTS).bit_length()))
    steps = min(1 << bits, -(-most // STEP_PRINTS))
    writing = _Writing(bits)
    starts = [0] * len(columns)
    for step in range(steps):
        first, beyond = (step << bits) // steps, ((step + 1) << bits) // steps
        limit = beyond << (64 - bits)
        ends = [_place(column, limit) for column in columns]
        pieces = [column[start:end] for column, start, end in zip(columns, starts, ends, strict=True) if end > start]
        starts = ends
        yield writing.take(_merged(pieces), first, beyond)
    yield from writing.finish()


def _place(column: Prints, limit: int) -> int:
    """How many prints of an ascending column are below a number, which may be 2**64."""
    return len(column) if limit >> 64 else int(np.searchsorted(column, np.uint64(limit)))


def _merged(pieces: list[Prints]) -> Prints:
    if len(pieces) < 2:
        return pieces[0] if pieces else np.zeros(0, PRINT_TYPE)
    merged = np.concatenate(pieces)
    # Finds what is sorted already and merges it.
    merged.sort(kind="stable")
    once = np.empty(len(merged), np.bool_)
    once[0] = True
    np.not_equal(merged[1:], merged[:-1], out=once[1:])
    return merged if once.all() else merged[once]


class _Writing:
    """A run being written."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._index: NDArray[np.uint32] = np.zeros(1 << bits, _PLACE_TYPE)
        self._count = self._width = self._sum = 0
        self._last = np.zeros(1, PRINT_TYPE)

    def take(self, prints: Prints, first: int, beyond: int) -> tuple[int, bytes | memoryview]:
        """The prints of the buckets from `first` to before `beyond`."""
        buckets = (prints >> np.uint64(64 - self._bits)).astype(np.int64) - first
        sizes = np.bincount(buckets, minlength=beyond - first)
        ends = np.cumsum(sizes) + self._count
        self._index[first:beyond] = ends - sizes
        self._width = max(self._width, int(sizes.max()))
        offset = self._offset()
        if len(prints):
            self._last = prints[-1:].copy()
        self._count += len(prints)
        return offset, self._summed(prints)

    def finish(self) -> Iterator[tuple[int, bytes | memoryview]]:
        """What follows the prints, then what stands before them."""
        offset = self._offset()
        yield offset, self._summed(np.repeat(self._last, self._width))
        index = self._index.data
        yield _HEADER_BYTES, index
        header = _HEADER.pack(_MAGIC, self._count, self._bits, self._width, zlib.crc32(index), self._sum)
        yield 0, header + _OWN_SUM.pack(zlib.crc32(header))

    def _offset(self) -> int:
        return _HEADER_BYTES + len(self._index) * _PLACE_TYPE.itemsize + self._count * PRINT_BYTES

    def _summed(self, prints: Prints) -> bytes | memoryview:
        data = np.ascontiguousarray(prints).data
        self._sum = zlib.crc32(data, self._sum)
        return data


def _read_header(data: memoryview) -> tuple[int, int, int, int, int]:
    """Count, bits, width and two checksums."""
    head = bytes(data[:_HEADER_BYTES])
    if len(head) < _HEADER_BYTES or not head.startswith(_MAGIC):
        raise FileDamaged("this is no run of prints")
    (wanted,) = _OWN_SUM.unpack_from(head, _HEADER.size)
    if zlib.crc32(head[: _HEADER.size]) != wanted:
        raise FileDamaged("the header of the run is damaged")
    _, count, bits, width, index_sum, prints_sum = _HEADER.unpack_from(head)
    if not (0 < bits <= _BITS_MAX and 0 < width <= count):
        raise FileDamaged("the header of the run makes no sense")
    return count, bits, width, index_sum, prints_sum
