"""Prints: the first 64 bits of fingerprints, as columns of numbers. URL seen compares nothing else.

What 64 bits cost: two of n URLs have the same print with a chance of n * n / 2**65, so among the 100 million of a very
large shard 0.0003 URLs are taken for another, and never fetched. Nobody can aim at it, for the hash has a key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from gossamer.core.seen.fingerprint import HOST_ID_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

Prints = NDArray[np.uint64]
PRINT_BYTES: Final = 8
PRINT_TYPE: Final = np.dtype("<u8")

_PRINT: Final = slice(HOST_ID_BYTES, HOST_ID_BYTES + PRINT_BYTES)


def print_bytes(page_keys: Sequence[bytes]) -> bytes:
    """The prints of page keys, concatenated: their stored form."""
    return b"".join([page_key[_PRINT] for page_key in page_keys])


def prints_of(page_keys: Sequence[bytes]) -> Prints:
    """The prints of page keys, in their order."""
    return np.frombuffer(print_bytes(page_keys), dtype=PRINT_TYPE)
