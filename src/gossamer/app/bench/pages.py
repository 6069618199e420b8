"""Distinct gzip-coded pages for the price of a checksum: real text deflated once, that each answer ends in its own way.

piece = deflate(led(html, lambda number: b"/page-%d.html" % number))
body = b"".join(gzipped(piece, b"<p>Page 17</p>"))
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

FOOT_BYTES_MAX: Final = 65_535
"""A stored block's length has 16 bits (RFC 1951 section 3.2.4)."""
_HEAD: Final = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
_HREF: Final = re.compile(
    rb"""(<(?:(?:a|area)\s[^>]*?|link\s(?![^>]*(?:stylesheet|icon|\.css))[^>]*?)href\s*=\s*["'])"""
    rb"""(?!#|[A-Za-z][A-Za-z0-9+.-]*:|//)([^"'#>]*)([^"'>]*["'])""",
    re.IGNORECASE,
)
"""What leads to another document: anchors, and links such as "next"; not style sheets and the like."""


@dataclass(frozen=True, slots=True)
class Deflated:
    """The part that answers have in common, and what a gzip trailer needs of it."""

    packed: bytes
    checksum: int
    length: int


def deflate(text: bytes, level: int = 6) -> Deflated:
    """`text`, ready for a foot; the level is zlib's."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    packed = packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)
    return Deflated(packed, zlib.crc32(text), len(text))


def gzipped(piece: Deflated, foot: bytes) -> list[bytes]:
    """The parts of one gzip member: the piece, then the foot (at most FOOT_BYTES_MAX) as a stored block."""
    trailer = struct.pack("<II", zlib.crc32(foot, piece.checksum), piece.length + len(foot))
    return [_HEAD, piece.packed, struct.pack("<BHH", 1, len(foot), len(foot) ^ 0xFFFF), foot, trailer]


def led(text: bytes, path_of: Callable[[int], bytes]) -> bytes:
    """`text` with its n-th distinct relative link turned to `path_of(n)`; fragments and links elsewhere stay."""
    numbers: dict[bytes, int] = {}

    def turned(link: re.Match[bytes]) -> bytes:
        number = numbers.setdefault(link[2], len(numbers))
        return link[1] + path_of(number) + link[3]

    return _HREF.sub(turned, text)
