"""Content codings undone: gzip, deflate, br, zstd, stacked (RFC 9110 section 8.4.1, RFC 8878), never trusted.

Decoding keeps whatever came out before a fault, stops at a size and at a ratio, and returns a body that was never
encoded as it is: browsers show such pages, and a link in half a page is still a link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import brotli
import zstandard
from isal import isal_zlib

from gossamer.core import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body after content decoding."""

    data: bytes
    problem: str = ""
    """What was wrong, in fixed words such as "gzip: ends early"; empty when nothing was."""
    truncated: bool = False
    """`data` is not all that the sender meant: the input ended early or is damaged, or a limit cut the output."""


class _Decoder(Protocol):
    """One coded stream. `feed` may raise any of `_ERRORS`."""

    finished: bool
    rest: bytes
    """Once finished: the input after the stream's end that `feed` was given."""

    def feed(self, data: bytes, room: int, /) -> bytes: ...


_ERRORS: Final[tuple[type[Exception], ...]] = (
    isal_zlib.error,
    brotli.error,
    zstandard.ZstdError,
    MemoryError,
)
_ZSTD_WINDOW_MAX: Final = 8 * 1024 * 1024
"""Bytes; RFC 9659 section 3 allows no larger window in the zstd content coding."""


class _Deflated:
    """gzip (wbits 31), zlib (15) or raw (-15), by ISA-L: twice as fast as zlib."""

    __slots__ = ("_decoder", "finished", "rest")

    def __init__(self, wbits: int) -> None:
        self._decoder = isal_zlib.decompressobj(wbits)
        self.finished = False
        self.rest = b""

    def feed(self, data: bytes, room: int) -> bytes:
        out = self._decoder.decompress(data, max(room, 1))
        if self._decoder.eof:
            self.finished = True
            self.rest = self._decoder.unused_data
        return out


class _Brotli:
    __slots__ = ("_decoder", "finished", "rest")

    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()
        self.finished = False
        self.rest = b""

    def feed(self, data: bytes, room: int) -> bytes:
        out = self._decoder.process(data, output_buffer_limit=max(room, 1))
        parts = [out]
        room -= len(out)
        while room > 0 and not self._decoder.can_accept_more_data():
            parts.append(self._decoder.process(b"", output_buffer_limit=room))
            room -= len(parts[-1])
        self.finished = self._decoder.is_finished()
        return b"".join(parts)


class _Zstd:
    __slots__ = ("_decoder", "finished", "rest")

    def __init__(self) -> None:
        self._decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_MAX).decompressobj()
        self.finished = False
        self.rest = b""

    def feed(self, data: bytes, _room: int) -> bytes:
        out = self._decoder.decompress(data)
        if self._decoder.eof:
            self.finished = True
            self.rest = self._decoder.unused_data
        return out


@dataclass(frozen=True, slots=True)
class _Coding:
    """How one coding is undone."""

    make: Callable[[bytes], _Decoder]
    """A decoder for a stream that begins with these bytes."""
    slice_bytes: int
    """Input given at a time. Bounds what one step may put out where the library cannot: a zstd block of 4 bytes
    becomes 128 KiB, so 512 bytes stay under 16 MiB."""
    continues: Callable[[bytes], bool]
    """Whether bytes after the end of a stream begin another one (gzip members, zstd frames)."""


def _make_deflate(body: bytes) -> _Decoder:
    """RFC 9110 says zlib; some servers send raw deflate. The zlib header (RFC 1950 section 2.2) tells them apart."""
    is_zlib = len(body) >= 2 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _Deflated(15 if is_zlib else -15)


_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


def _is_zstd(data: bytes) -> bool:
    # A frame, or a skippable one: 0x184D2A50 to 0x184D2A5F, little-endian (RFC 8878 section 3.1.2).
    return data[:4] == _ZSTD_MAGIC or (data[1:4] == b"\x2a\x4d\x18" and data[0] & 0xF0 == 0x50)


_GZIP: Final = _Coding(lambda _: _Deflated(31), 65_536, lambda rest: rest[:2] == b"\x1f\x8b")
_CODINGS: Final = {
    "gzip": _GZIP,
    "x-gzip": _GZIP,
    "deflate": _Coding(_make_deflate, 65_536, lambda _: False),
    "br": _Coding(lambda _: _Brotli(), 65_536, lambda _: False),
    "zstd": _Coding(lambda _: _Zstd(), 512, _is_zstd),
}


def codings_of(values: Sequence[str]) -> list[str]:
    """The codings that Content-Encoding fields name, in the order applied; "identity" and empty parts left out."""
    names = [part.strip(" \t").lower() for value in values for part in value.split(",")]
    return [name for name in names if name and name != "identity"]


def decode(
    body: bytes,
    codings: Sequence[str],
    max_bytes: int = limits.DECODED_BYTES_MAX,
    max_ratio: int = limits.DECODED_RATIO_MAX,
) -> Decoded:
    """Undo `codings` (as `codings_of` returns them, first applied first). Never raises.

    `max_bytes` bounds the output of every layer; so does `max_ratio` times the received bytes, beyond 1 MiB.
    """
    if not codings or not body:
        return Decoded(body)
    if len(codings) > limits.CONTENT_CODINGS_MAX:
        return Decoded(body, "too many content codings")
    ratio_bytes = max(limits.DECODED_RATIO_FROM_BYTES, max_ratio * len(body))
    room, bound = (max_bytes, "decoded size") if max_bytes <= ratio_bytes else (ratio_bytes, "decoded ratio")
    data, problem, truncated = body, "", False
    for name in reversed(codings):
        coding = _CODINGS.get(name)
        if coding is None:
            return Decoded(data, problem or "unknown content coding", truncated)
        layer = _undo(data, name, coding, room)
        data = layer.data
        truncated = truncated or layer.truncated
        problem = problem or (f"{name}: over the {bound} limit" if layer.problem == _OVER else layer.problem)
    return Decoded(data, problem, truncated)


_OVER: Final = "over"
_START_BYTES: Final = 8
"""Enough of a stream's beginning to tell what it is."""


def _undo(body: bytes, name: str, coding: _Coding, room: int) -> Decoded:
    """Undo one coding, member by member."""
    if len(body) <= coding.slice_bytes and (whole := _whole(body, coding, room)) is not None:
        return Decoded(whole)
    out = bytearray()
    at = 0
    for _ in range(limits.CONTENT_MEMBERS_MAX):
        member = _member(body, at, coding, room - len(out))
        out += member.data
        if len(out) > room:
            return Decoded(bytes(out[:room]), _OVER, truncated=True)
        if member.fault:
            if not out:
                return Decoded(body, f"{name}: not {name}")
            return Decoded(bytes(out), f"{name}: damaged", truncated=True)
        if not member.finished:
            return Decoded(bytes(out), f"{name}: ends early", truncated=True)
        at = member.end
        if not coding.continues(body[at : at + _START_BYTES]):
            return Decoded(bytes(out), f"{name}: bytes after the end" if body[at:].strip(b"\0") else "")
    # Members that put nothing out would cost time without end, and no bound on the output would see them.
    return Decoded(bytes(out), f"{name}: too many members", truncated=True)


def _whole(body: bytes, coding: _Coding, room: int) -> bytes | None:
    """What a body of one stream without fault says, which nearly every short one is; None for any other."""
    decoder = coding.make(body[:_START_BYTES])
    try:
        data = decoder.feed(body, room + 1)
    except _ERRORS:
        return None
    return data if decoder.finished and not decoder.rest and len(data) <= room else None


@dataclass(slots=True)
class _Member:
    data: bytes
    end: int = 0
    """Once finished: where in the body the next one would begin."""
    finished: bool = False
    fault: bool = False


def _member(body: bytes, at: int, coding: _Coding, room: int) -> _Member:
    """Decode one stream from `at` in `body` until it ends, fails, or puts out more than `room`."""
    decoder = coding.make(body[at : at + _START_BYTES])
    out = bytearray()
    step = coding.slice_bytes
    for start in range(at, len(body), step):
        given = body[start : start + step]
        try:
            out += decoder.feed(given, room - len(out) + 1)
        except _ERRORS:
            return _Member(_salvaged(body[at:], start - at, coding, room), fault=True)
        if decoder.finished:
            return _Member(bytes(out), start + len(given) - len(decoder.rest), finished=True)
        if len(out) > room:
            break
    return _Member(bytes(out))


def _salvaged(body: bytes, faulty: int, coding: _Coding, room: int) -> bytes:
    """What comes out before the fault in the slice at `faulty`: that slice again, byte by byte."""
    decoder = coding.make(body)
    out = bytearray()
    step = coding.slice_bytes
    try:
        for start in range(0, faulty, step):
            out += decoder.feed(body[start : start + step], room - len(out) + 1)
        for position in range(faulty, min(faulty + step, len(body))):
            out += decoder.feed(body[position : position + 1], room - len(out) + 1)
            if len(out) > room:
                break
    except _ERRORS:
        pass
    return bytes(out)
