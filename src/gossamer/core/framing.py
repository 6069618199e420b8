"""Messages on a stream: each is four bytes of length, most significant first, and as many bytes.

What comes from the other end is not trusted: a length beyond the limit is refused before anything of it is kept.
"""

from __future__ import annotations

import struct
from typing import Final, TypeVar

import msgspec

_HEAD: Final = struct.Struct(">I")
_Message = TypeVar("_Message")


class FrameRefused(ValueError):  # noqa: N818 - what became of it
    """The other end sent what is no frame of ours."""


def framed(payload: bytes) -> bytes:
    """A message as it goes on the stream."""
    return _HEAD.pack(len(payload)) + payload


def message_in(decoder: msgspec.msgpack.Decoder[_Message], payload: bytes) -> _Message:
    """The message that a frame holds. Raises FrameRefused where it is none that the decoder knows."""
    try:
        return decoder.decode(payload)
    except (msgspec.DecodeError, ValueError) as error:
        raise FrameRefused(f"no message of ours: {error}") from error


class FrameReader:
    """Cuts a stream into messages, however it arrives."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max: Final = bytes_max
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that `data` completes. Raises FrameRefused."""
        self._waiting += data
        found: list[bytes] = []
        start = 0
        while len(self._waiting) - start >= _HEAD.size:
            (length,) = _HEAD.unpack_from(self._waiting, start)
            if length > self._bytes_max:
                raise FrameRefused(f"a frame of {length:,} bytes; {self._bytes_max:,} are allowed")
            end = start + _HEAD.size + length
            if len(self._waiting) < end:
                break
            found.append(bytes(self._waiting[start + _HEAD.size : end]))
            start = end
        del self._waiting[:start]
        return found

    @property
    def is_between(self) -> bool:
        """Whether nothing of a message waits for its rest."""
        return not self._waiting
