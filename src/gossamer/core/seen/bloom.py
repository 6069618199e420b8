"""A Bloom filter of fingerprints: "not seen" without asking the store.

*Blocked*: all bits of a key lie in one block of 512 bits, one cache line, so an answer costs one memory access. With 16
bits a key and 9 probes the rate of false positives is 0.084 % at design fill (0.046 % for the classic filter).

*In layers*: a filter filled beyond its design answers wrongly ever more often (twice: 16 %), and it cannot grow. So
when a layer is full a new one, four times as large, takes the new keys, and an answer asks all. Their rates add up:
three layers hold 21 times the first one's keys at 0.25 %. A false positive costs one look-up in the store, no more.

*In segments*: a filter in memory must survive a crash without being written whole at every commit. Its bytes are cut
into segments of one size; an addition marks its segment dirty. The store saves some dirty segments now and then, each
with the number of the commit up to which it holds, and adds at open the keys of later commits again. Adding twice is
harmless, and a key's bits lie in one segment, so what was saved is never half a key.

A fingerprint is uniform already: its bits are used as they are, without further hashing.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gossamer.core.seen.fingerprint import FINGERPRINT_BYTES

Words = NDArray[np.uint64]

BITS_PER_KEY: Final = 16
LAYER_GROWTH: Final = 4
BLOCK_BYTES: Final = 64
FIRST_CAPACITY: Final = 1 << 17
"""Keys of the first layer: 256 KiB, so that sixteen shards of a small crawl cost 4 MiB."""
SEGMENT_BYTES: Final = 64 * 1024
SHAPE_NAME: Final = b"shape"
"""Name of the row that holds the first layer's capacity and every layer's count."""

_SEGMENT_NAME: Final = struct.Struct(">BI")
"""A segment's name: layer, index."""
_BLOCK_WORDS: Final = BLOCK_BYTES // 8
_WORD: Final = np.dtype("<u8")
_HIGH: Final = np.uint64(32)
_BIT_IN_BLOCK: Final = np.uint64(511)
_BIT_IN_WORD: Final = np.uint64(63)
_WORD_OF_BIT: Final = np.uint64(6)
_ONE: Final = np.uint64(1)
# Nine probes of nine bits each: seven from the second half of a fingerprint, two from the low end of the first,
# whose high end chooses the block.
_SHIFTS_SECOND: Final = np.arange(0, 63, 9, dtype=np.uint64)
_SHIFTS_FIRST: Final = np.arange(0, 18, 9, dtype=np.uint64)


class _Layer:
    """One blocked filter of fixed size."""

    def __init__(self, capacity: int, segment_bytes: int) -> None:
        self.capacity: Final = capacity
        self.count = 0
        self._segment_words: Final = segment_bytes // 8
        segments = max(1, -(-capacity * BITS_PER_KEY // (8 * segment_bytes)))
        self._blocks: Final = np.uint64(segments * segment_bytes // BLOCK_BYTES)
        self._words: Final[Words] = np.zeros(segments * self._segment_words, dtype=_WORD)
        self.dirty: Final[NDArray[np.bool_]] = np.zeros(segments, dtype=np.bool_)

    @property
    def room(self) -> int:
        return max(0, self.capacity - self.count)

    def add(self, halves: Words) -> None:
        words, masks = self._places(halves)
        np.bitwise_or.at(self._words, words, masks)
        self.dirty[words[:, 0] // np.int64(self._segment_words)] = True
        self.count += len(halves)

    def contains(self, halves: Words) -> NDArray[np.bool_]:
        words, masks = self._places(halves)
        return np.asarray(((self._words[words] & masks) == masks).all(axis=1), dtype=np.bool_)

    def export(self, index: int) -> bytes:
        self.dirty[index] = False
        start = index * self._segment_words
        return self._words[start : start + self._segment_words].tobytes()

    def load(self, index: int, data: bytes) -> None:
        start = index * self._segment_words
        if len(data) != self._segment_words * 8 or not 0 <= start < len(self._words):
            raise ValueError(f"segment {index} of {len(data)} bytes does not fit this layer; was it made otherwise?")
        self._words[start : start + self._segment_words] |= np.frombuffer(data, dtype=_WORD)

    def _places(self, halves: Words) -> tuple[NDArray[np.int64], Words]:
        """For each key the nine words its bits lie in, and the masks of those bits. Shapes (n, 9)."""
        first, second = halves[:, :1], halves[:, 1:]
        block = ((first >> _HIGH) * self._blocks) >> _HIGH
        bits = np.concatenate((second >> _SHIFTS_SECOND, first >> _SHIFTS_FIRST), axis=1) & _BIT_IN_BLOCK
        words = block * np.uint64(_BLOCK_WORDS) + (bits >> _WORD_OF_BIT)
        return words.astype(np.int64), _ONE << (bits & _BIT_IN_WORD)


class BloomFilter:
    """Which fingerprints may have been added. Never denies one that was."""

    def __init__(self, first_capacity: int = FIRST_CAPACITY, segment_bytes: int = SEGMENT_BYTES) -> None:
        """`segment_bytes` must be a multiple of `BLOCK_BYTES`; it and `first_capacity` shape the stored form."""
        if segment_bytes <= 0 or segment_bytes % BLOCK_BYTES or first_capacity <= 0:
            raise ValueError(f"a Bloom filter needs room for a key and segments of a multiple of {BLOCK_BYTES} bytes")
        self._segment_bytes: Final = segment_bytes
        self._layers: Final = [_Layer(first_capacity, segment_bytes)]

    def add(self, fingerprints: bytes) -> None:
        """Add a batch: 16-byte fingerprints, concatenated."""
        halves = _halves(fingerprints)
        while len(halves):
            newest = self._layers[-1]
            if not newest.room:
                self._layer(len(self._layers))
                continue
            now, halves = halves[: newest.room], halves[newest.room :]
            newest.add(now)

    def contains(self, fingerprints: bytes) -> NDArray[np.bool_]:
        """For each fingerprint of a batch: False means never added, True means probably added."""
        halves = _halves(fingerprints)
        found = self._layers[-1].contains(halves)
        for layer in self._layers[:-1]:
            found |= layer.contains(halves)
        return found

    @property
    def count(self) -> int:
        """Keys added."""
        return sum(layer.count for layer in self._layers)

    @property
    def fill(self) -> float:
        """How full the newest layer is, 0 to 1."""
        return min(1.0, self._layers[-1].count / self._layers[-1].capacity)

    @property
    def size_bytes(self) -> int:
        """Memory of all layers."""
        return sum(len(layer.dirty) for layer in self._layers) * self._segment_bytes

    @property
    def changed_count(self) -> int:
        """Segments changed since they were last taken."""
        return sum(int(np.count_nonzero(layer.dirty)) for layer in self._layers)

    def take_changed_segments(self, limit: int | None = None) -> list[tuple[bytes, bytes]]:
        """Changed segments as they are now, at most `limit` (None: all), as rows of name and data for a store.

        They count as unchanged from here on. One more row tells the shape of the filter; save all rows together.
        """
        rows: list[tuple[bytes, bytes]] = []
        for number, layer in enumerate(self._layers):
            left = None if limit is None else limit - len(rows)
            changed = np.flatnonzero(layer.dirty)[:left].tolist()
            rows += [(_SEGMENT_NAME.pack(number, index), layer.export(index)) for index in changed]
        counts = [layer.count for layer in self._layers]
        rows.append((SHAPE_NAME, struct.pack(f">{len(counts) + 1}Q", self._layers[0].capacity, *counts)))
        return rows

    def load_segment(self, name: bytes, data: bytes) -> None:
        """Take in one saved row, in any order. Segments never saved are empty.

        The filter is complete once the keys added after the saving are added again. Raises ValueError for rows of a
        filter made with another first capacity or another segment size.
        """
        if name == SHAPE_NAME:
            first_capacity, *counts = struct.unpack(f">{len(data) // 8}Q", data)
            if first_capacity != self._layers[0].capacity:
                raise ValueError(f"the saved Bloom filter began with room for {first_capacity} keys; make it so again")
            for number, count in enumerate(counts):
                self._layer(number).count = count
            return
        number, index = _SEGMENT_NAME.unpack(name)
        self._layer(number).load(index, data)

    def _layer(self, number: int) -> _Layer:
        """The layer of that number; those up to it are made. Each is `LAYER_GROWTH` times the one before."""
        while len(self._layers) <= number:
            self._layers.append(_Layer(self._layers[-1].capacity * LAYER_GROWTH, self._segment_bytes))
        return self._layers[number]


def _halves(fingerprints: bytes) -> Words:
    if len(fingerprints) % FINGERPRINT_BYTES:
        raise ValueError(f"a batch of fingerprints is a multiple of {FINGERPRINT_BYTES} bytes, not {len(fingerprints)}")
    return np.frombuffer(fingerprints, dtype=_WORD).reshape(-1, 2)
