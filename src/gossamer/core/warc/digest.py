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
    return SHA1_LABEL + base64.b32encode(digest.digest()).decode("ascii")


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data`, lower-case hexadecimal: the digest we compare decoded bodies by."""
    return hashlib.sha256(data).hexdigest()
