"""The memory that errs: a Bloom filter of prints, two bytes a known URL, for crawls whose runs are too large.

*Blocked*: all bits of a print lie in one block of 512 bits, one cache line, so an answer costs one memory access. With
16 bits a print and 9 probes 0.084 % of the answers at design fill are false positives (0.046 % for the classic
filter), and far fewer before: `seen.loss` says how many URLs that costs.

*In layers*: a filter filled beyond its design errs ever more often (twice: 3 %), and it cannot grow. So when a layer
is full a new one, twice as large, takes the new prints, and an answer asks all. Their rates add up: three layers hold
7 times the first one's prints at 0.25 %.

*In a file*: the whole filter is written aside now and then, while prints are added. Bits are only ever set, so the
file holds at least what was added before its writing began; what came later is listed in the store and added again.

    header   128 bytes: magic, number of layers, first capacity, checksum of the words, prints of each layer; the last
             four bytes are the header's own checksum
    words    of each layer, 8 bytes each, little-endian
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from gossamer.core.seen.loss import BITS_PER_PRINT, BLOCK_BITS, LAYER_GROWTH
from gossamer.core.seen.memory import FileDamaged, Rewrite
from gossamer.core.seen.prints import PRINT_TYPE, Prints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gossamer.core.seen.memory import Bytes

LAYERS_MAX: Final = 12
"""4,095 times what was expected; nobody errs by more, and the last layer is filled beyond its design then."""
STEP_WORDS: Final = 1 << 18
"""Words that one step of a writing copies: 2 MiB."""

_MAGIC: Final = b"GSMBLM01"
_HEADER: Final = struct.Struct(f"<8sIQI{LAYERS_MAX}Q")
_HEADER_BYTES: Final = 128
_OWN_SUM: Final = struct.Struct("<I")
_BLOCK_WORDS: Final = BLOCK_BITS // 64
_HIGH: Final = np.uint64(32)
_BIT_IN_BLOCK: Final = np.uint64(BLOCK_BITS - 1)
_BIT_IN_WORD: Final = np.uint64(63)
_WORD_OF_BIT: Final = np.uint64(6)
_ONE: Final = np.uint64(1)
# Nine probes of nine bits each: seven from the print mixed anew, two from the low end of the print itself, whose high
# end chooses the block.
_SHIFTS_MIXED: Final = np.arange(0, 63, 9, dtype=np.uint64)
_SHIFTS_PRINT: Final = np.arange(0, 18, 9, dtype=np.uint64)
_MIXING: Final = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
"""Shifts and factors of SplitMix64 (Steele, Lea, Flood 2014), which spreads 64 bits over 64."""
_MIXED_LAST: Final = np.uint64(31)


class _Layer:
    """One blocked filter of fixed size."""

    def __init__(self, capacity: int, words: NDArray[np.uint64] | None = None) -> None:
        self.capacity: Final = capacity
        self.count = 0
        self._blocks: Final = np.uint64(-(-capacity * BITS_PER_PRINT // BLOCK_BITS))
        length = int(self._blocks) * _BLOCK_WORDS
        self.words: Final = words if words is not None else np.zeros(length, PRINT_TYPE)

    def add(self, prints: Prints) -> None:
        words, masks = self._places(prints)
        np.bitwise_or.at(self.words, words, masks)
        self.count += len(prints)

    def contains(self, prints: Prints) -> NDArray[np.bool_]:
        words, masks = self._places(prints)
        found: NDArray[np.bool_] = ((self.words[words] & masks) == masks).all(axis=1)
        return found

    def _places(self, prints: Prints) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """For each print the nine words its bits lie in, and the masks of those bits. Shapes (n, 9)."""
        column = prints[:, np.newaxis]
        block = ((column >> _HIGH) * self._blocks) >> _HIGH
        bits = np.concatenate((_mixed(column) >> _SHIFTS_MIXED, column >> _SHIFTS_PRINT), axis=1) & _BIT_IN_BLOCK
        words = block * np.uint64(_BLOCK_WORDS) + (bits >> _WORD_OF_BIT)
        return words.astype(np.int64), _ONE << (bits & _BIT_IN_WORD)


class BloomFilter:
    """Which prints may have been added, the port's `SeenMemory`. Never denies one that was."""

    def __init__(self, first_capacity: int) -> None:
        """`first_capacity`: prints of the first layer, those expected in all."""
        if first_capacity <= 0:
            raise ValueError("a Bloom filter needs room for a print")
        self._layers: list[_Layer] = [_Layer(first_capacity)]

    @classmethod
    def read(cls, file: memoryview) -> BloomFilter:
        """The filter of a file; all of it is read. Raises FileDamaged."""
        first_capacity, counts, words_sum = _read_header(file)
        found = cls(first_capacity)
        found._layers, offset, total = [], _HEADER_BYTES, 0
        for number, count in enumerate(counts):
            layer = _Layer(first_capacity * LAYER_GROWTH**number)
            data = file[offset : offset + layer.words.nbytes]
            if len(data) != layer.words.nbytes:
                raise FileDamaged("the filter is cut")
            layer.words[:] = np.frombuffer(data, PRINT_TYPE)
            layer.count = count
            offset, total = offset + len(data), zlib.crc32(data, total)
            found._layers.append(layer)
        if offset != len(file) or total != words_sum:
            raise FileDamaged("a checksum of the filter is not what was written")
        return found

    @property
    def count(self) -> int:
        """See the protocol."""
        return sum(layer.count for layer in self._layers)

    @property
    def size_bytes(self) -> int:
        """Memory of all layers."""
        return sum(layer.words.nbytes for layer in self._layers)

    def contains(self, prints: Prints) -> NDArray[np.bool_]:
        """See the protocol; True means probably."""
        found = self._layers[-1].contains(prints)
        for layer in self._layers[:-1]:
            found |= layer.contains(prints)
        return found

    def add(self, prints: Prints) -> None:
        """See the protocol."""
        while len(prints):
            newest = self._layers[-1]
            room = newest.capacity - newest.count
            if room <= 0 and len(self._layers) < LAYERS_MAX:
                self._layers.append(_Layer(newest.capacity * LAYER_GROWTH))
                continue
            now, prints = (prints[:room], prints[room:]) if room > 0 else (prints, prints[:0])
            newest.add(now)

    def take_in(self, prints: Prints) -> bool:
        """See the protocol: one file at the end is enough."""
        self.add(prints)
        return False

    def freeze(self) -> None:
        """See the protocol: all that was added is in the filter."""

    def rewrite(self) -> Rewrite:
        """See the protocol."""
        return Rewrite(0, _pieces([(layer.words, layer.count) for layer in self._layers], self._layers[0].capacity))

    def touch(self, bytes_max: int) -> Iterator[None]:
        """See the protocol. All of it is in memory."""
        del bytes_max
        yield from ()

    def drop_files(self) -> None:
        """See the protocol: bits are never taken back, and what they hold is known."""

    def settle(self, rewrite: Rewrite, file: memoryview) -> None:
        """See the protocol: the filter in memory holds more than the file."""


def _mixed(prints: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = prints
    for shift, factor in _MIXING:
        mixed = (mixed ^ (mixed >> shift)) * factor
    return mixed ^ (mixed >> _MIXED_LAST)


def _pieces(layers: list[tuple[NDArray[np.uint64], int]], first_capacity: int) -> Iterator[tuple[int, Bytes]]:
    offset, total = _HEADER_BYTES, 0
    for words, _ in layers:
        for start in range(0, len(words), STEP_WORDS):
            # Copied first: bits are set meanwhile, and the checksum is to be that of what is written.
            data = words[start : start + STEP_WORDS].tobytes()
            total = zlib.crc32(data, total)
            yield offset, data
            offset += len(data)
    counts = [count for _, count in layers] + [0] * (LAYERS_MAX - len(layers))
    header = _HEADER.pack(_MAGIC, len(layers), first_capacity, total, *counts)
    header += bytes(_HEADER_BYTES - _OWN_SUM.size - len(header))
    yield 0, header + _OWN_SUM.pack(zlib.crc32(header))


def _read_header(file: memoryview) -> tuple[int, list[int], int]:
    """First capacity, prints of each layer, checksum of the words."""
    head = bytes(file[:_HEADER_BYTES])
    if len(head) < _HEADER_BYTES or not head.startswith(_MAGIC):
        raise FileDamaged("this is no filter of prints")
    (wanted,) = _OWN_SUM.unpack_from(head, _HEADER_BYTES - _OWN_SUM.size)
    if zlib.crc32(head[: -_OWN_SUM.size]) != wanted:
        raise FileDamaged("the header of the filter is damaged")
    _, layers, first_capacity, words_sum, *counts = _HEADER.unpack_from(head)
    if not (0 < layers <= LAYERS_MAX and first_capacity > 0):
        raise FileDamaged("the header of the filter makes no sense")
    return first_capacity, counts[:layers], words_sum
