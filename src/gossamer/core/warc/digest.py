"""Digests as the archive's readers expect them, and as we compare bodies ourselves."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

SHA1_LABEL: Final = "sha1:"
"""Lower-case label; the value is base32 in upper case, as every WARC tool writes and reads it (WARC 1.1, 5.8)."""


def sha1_label(*parts: bytes) -> str:
    """`sha1:` and the base32 SHA-1 of the parts laid end to end; the form of WARC-Block-Digest and -Payload-Digest."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return SHA1_LABEL + _base32(digest.digest())


_DIGITS: Final = bytes.maketrans(bytes(range(32)), b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
"""RFC 4648, section 6."""


def _spreading() -> tuple[tuple[int, int, int], ...]:
    """How 32 digits of five bits, side by side, are moved a byte apart: halves, then quarters, down to single digits.

    Of each step the digits that stay, those that move, and by how many bits.
    """
    steps: list[tuple[int, int, int]] = []
    for half in (16, 8, 4, 2, 1):
        digits = (1 << 5 * half) - 1
        staying = sum(digits << start for start in range(0, 256, 16 * half))
        steps.append((staying, staying << 5 * half, 3 * half))
    return tuple(steps)


_SPREADING: Final = _spreading()


def _base32(sha1: bytes) -> str:
    """A SHA-1 in base32, as `base64.b32encode` writes it in four times the time."""
    number = int.from_bytes(sha1, "big")
    for staying, moving, bits in _SPREADING:
        number = number & staying | (number & moving) << bits
    return number.to_bytes(32, "big").translate(_DIGITS).decode("ascii")


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data`, lower-case hexadecimal: the digest we compare decoded bodies by."""
    return hashlib.sha256(data).hexdigest()


_ALGORITHMS: Final = {"sha1": 20, "sha-1": 20, "md5": 16, "sha256": 32, "sha-256": 32, "sha384": 48, "sha512": 64}
"""Labels of digests in archives, and the bytes of each."""


def digest_matches(labelled: str, data: bytes) -> bool | None:
    """Whether `data` has the digest that a WARC field names; None for a digest that is no digest or not known.

    WARC 1.1, section 5.8 prescribes no encoding: base32 and hexadecimal, with and without padding, either case.
    """
    label, colon, value = labelled.strip().partition(":")
    name = label.strip().lower()
    size = _ALGORITHMS.get(name)
    if not colon or size is None:
        return None
    wanted = _digest_bytes(value.strip(), size)
    if wanted is None:
        return None
    return hashlib.new(name.replace("-", ""), data, usedforsecurity=False).digest() == wanted


def _digest_bytes(text: str, size: int) -> bytes | None:
    bare = text.rstrip("=")
    try:
        if len(bare) == size * 2:
            return bytes.fromhex(bare)
        found = base64.b32decode(bare.upper() + "=" * (-len(bare) % 8))
    except ValueError:
        return None
    return found if len(found) == size else None
