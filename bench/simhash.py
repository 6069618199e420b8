"""A 64-bit similarity hash of a text (Charikar 2002) in numpy, over bytes: what one costs beside the rest of a page.

Words are runs of letters, digits and bytes beyond ASCII, in lower case. A word's hash is a polynomial over its bytes,
taken for all words at once as differences of one running sum; shingles of three words vote for each bit of the result.
"""

from __future__ import annotations

from typing import Final

import numpy as np

_WORD: Final = np.array([byte >= 128 or chr(byte).isalnum() for byte in range(256)])
_LOWER: Final = np.array([byte | 32 if 65 <= byte <= 90 else byte for byte in range(256)], dtype=np.uint64)
_BASE: Final = 0x9E3779B97F4A7C15
_BASE_INVERSE: Final = pow(_BASE, -1, 1 << 64)
_STEP: Final = 1 << 16
"""Bytes whose powers are made at a time."""
_LANES: Final = np.uint64(0x0101010101010101)
_LANE_MAX: Final = 255
"""Votes that a lane of eight bits holds."""


def simhash(text: bytes) -> int:
    """The hash of a text in UTF-8; 0 of one without words."""
    data = np.frombuffer(text, dtype=np.uint8)
    words = _word_hashes(data)
    if words.size == 0:
        return 0
    shingles = _shingles(words)
    bits = _votes(_mixed(shingles)) * 2 > shingles.size
    return int(np.packbits(bits[::-1]).view(">u8")[0])


def _word_hashes(data: np.ndarray) -> np.ndarray:
    """A hash for each word."""
    inside = np.zeros(data.size + 2, dtype=np.bool_)
    np.take(_WORD, data, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[::2], edges[1::2]
    powers, inverses = _powers(data.size + 1)
    sums = np.zeros(data.size + 1, dtype=np.uint64)
    np.cumsum(_LOWER[data] * powers[: data.size], out=sums[1:])
    return (sums[ends] - sums[starts]) * inverses[starts]


def _shingles(words: np.ndarray) -> np.ndarray:
    """A hash for each three words that follow each other; of fewer, one for each word."""
    if words.size < 3:
        return words
    return words[:-2] * np.uint64(3) + words[1:-1] * np.uint64(0xC2B2AE3D27D4EB4F) + words[2:] * np.uint64(_BASE)


def _mixed(hashes: np.ndarray) -> np.ndarray:
    """Every bit of a hash in every bit (the finaliser of MurmurHash3)."""
    hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return hashes ^ (hashes >> np.uint64(33))


def _votes(hashes: np.ndarray) -> np.ndarray:
    """How many hashes have each bit set: eight lanes of eight bits are counted with one addition, 255 times each."""
    padded = np.zeros(-(-hashes.size // _LANE_MAX) * _LANE_MAX, dtype=np.uint64)
    padded[: hashes.size] = hashes
    groups = padded.reshape(-1, _LANE_MAX)
    counts = np.empty((8, 8), dtype=np.int64)
    for bit in range(8):
        lanes = ((groups >> np.uint64(bit)) & _LANES).sum(axis=1, dtype=np.uint64)
        counts[:, bit] = lanes.astype("<u8").view(np.uint8).reshape(-1, 8).sum(axis=0)
    return counts.reshape(64)


_made: tuple[np.ndarray, np.ndarray] = (np.ones(0, dtype=np.uint64), np.ones(0, dtype=np.uint64))


def _powers(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Powers of the base and of its inverse, modulo 2^64, at least so many; kept between calls."""
    global _made  # noqa: PLW0603 - a table that only grows
    if _made[0].size < count:
        size = -(-count // _STEP) * _STEP
        made: list[np.ndarray] = []
        for base in (_BASE, _BASE_INVERSE):
            table = np.full(size, base, dtype=np.uint64)
            table[0] = 1
            made.append(np.cumprod(table, dtype=np.uint64))
        _made = (made[0], made[1])
    return _made
