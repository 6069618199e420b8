"""gzip files within gzip answers, undone piece by piece, until one is a bomb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from isal import isal_zlib

from gossamer.core.http.content_coding import decode
from gossamer.core.limits import DECODED_RATIO_FROM_BYTES, DECODED_RATIO_MAX, SITEMAP_BYTES_MAX

_MAGIC: Final = b"\x1f\x8b"
_BLOCK_BYTES: Final = 4096
"""Input taken at a time, whatever the pieces: the bounds are then met at the same place. A block becomes 4 MiB at
most (RFC 1951 tops at 1032 to 1)."""
_PROBE_BYTES: Final = 64 * 1024
"""Beginning of an answer that is looked at: with the ratio allowed it becomes less than a page may."""


class Unpacker:
    """Undoes one layer of gzip, members one after another; what is no gzip passes unchanged."""

    def __init__(self) -> None:
        self.is_bomb = False
        self.is_broken = False
        """It ends early, is damaged, or bytes follow its end; what came out before stands."""
        self._waiting = b""
        self._packed: bool | None = None
        self._decoder: isal_zlib.Decompress | None = None
        self._taken = 0
        self._given = 0

    def feed(self, data: bytes) -> bytes:
        """What one more piece brings."""
        self._waiting += data
        if self._packed is None:
            if len(self._waiting) < len(_MAGIC):
                return b""
            self._packed = self._waiting.startswith(_MAGIC)
        if not self._packed:
            out, self._waiting = self._waiting, b""
            return out
        parts: list[bytes] = []
        while len(self._waiting) >= _BLOCK_BYTES and not self._is_over:
            block, self._waiting = self._waiting[:_BLOCK_BYTES], self._waiting[_BLOCK_BYTES:]
            parts.append(self._block(block))
        return b"".join(parts)

    def close(self) -> bytes:
        """There is no more; what is left."""
        out, self._waiting = self._waiting, b""
        if not self._packed:
            return out
        out = self._block(out) if out and not self._is_over else b""
        self.is_broken = self.is_broken or self._decoder is not None
        return out

    @property
    def _is_over(self) -> bool:
        return self.is_bomb or self.is_broken or self._given > SITEMAP_BYTES_MAX

    def _block(self, block: bytes) -> bytes:
        self._taken += len(block)
        out = bytearray()
        while block and not self.is_broken:
            if self._decoder is None:
                if not block.startswith(_MAGIC[: len(block)]):
                    # Padding, or something else's bytes, after the end.
                    self.is_broken = bool(block.strip(b"\0"))
                    break
                self._decoder = isal_zlib.decompressobj(31)
            try:
                out += self._decoder.decompress(block)
            except isal_zlib.error:
                self.is_broken = True
                break
            block = self._decoder.unused_data if self._decoder.eof else b""
            if self._decoder.eof:
                self._decoder = None
        self._given += len(out)
        self.is_bomb = self._given > max(DECODED_RATIO_FROM_BYTES, DECODED_RATIO_MAX * self._taken)
        return bytes(out)


def unpacks_like_a_bomb(body: bytes, codings: Sequence[str]) -> bool:
    """Whether the beginning of an answer grows out of all proportion when its content codings are undone."""
    if not codings:
        return False
    start = body[:_PROBE_BYTES]
    room = max(DECODED_RATIO_FROM_BYTES, DECODED_RATIO_MAX * len(start))
    return len(decode(start, codings, max_bytes=room + 1, max_ratio=room + 1).data) > room
