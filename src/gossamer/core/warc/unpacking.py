"""The plain bytes of an archive file, whatever it is packed in: gzip or zstd members, one or many, or nothing at all.

Reads a source from its beginning to its end, once, and holds a bounded piece of it. Damage never raises: the bytes
before it are given out, then reading goes on at the next member that can be read, with a *break* between them, for
what follows is no continuation of what came before.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import zstandard
from isal import isal_zlib

from gossamer.core.limits import (
    ARCHIVE_DICTIONARY_BYTES_MAX,
    ARCHIVE_PROBLEMS_MAX,
    ARCHIVE_ZSTD_WINDOW_BYTES_MAX,
)

if TYPE_CHECKING:
    from collections.abc import Callable

READ_BYTES: Final = 64 * 1024
"""Asked of the source at a time."""
_SKIPPED_BYTES: Final = 4096
"""Looked at in one go, once more than a few bytes are skipped."""
_ROOM: Final = 256 * 1024
"""Plain bytes that one step may put out, where the library lets us say so."""
_ZSTD_SLICE: Final = 512
"""Bytes given to zstd at a time: a block of 4 bytes becomes 128 KiB, so a step stays under 16 MiB."""
_GZIP: Final = b"\x1f\x8b\x08"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE: Final = b"\x2a\x4d\x18"
"""Bytes 2 to 4 of a skippable frame (RFC 8878, section 3.1.2); the first is 0x50 to 0x5F."""
_DICTIONARY: Final = 0x5D
"""The skippable frame that holds a file's dictionary (IIPC, "Use of Zstandard in WARC files")."""
_LZ4: Final = b"\x04\x22\x4d\x18"
_FRAME_HEAD: Final = 8


class Source(Protocol):
    """Something to read from, such as a file opened in binary mode."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


class Start(NamedTuple):
    """Where a member begins: in the plain bytes, and in the file."""

    plain: int
    packed: int


class _Decoder(Protocol):
    finished: bool
    rest: bytes
    """Once finished: bytes given that lie behind the member's end."""

    def feed(self, data: bytes, /) -> tuple[bytes, bytes]:
        """What comes out, and what has to be given again. May raise any of `_ERRORS`."""
        ...


_ERRORS: Final[tuple[type[Exception], ...]] = (isal_zlib.error, zstandard.ZstdError, MemoryError)


class _GzipMember:
    def __init__(self) -> None:
        self._decoder = isal_zlib.decompressobj(31)
        self.finished = False
        self.rest = b""

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        out = self._decoder.decompress(data, _ROOM)
        if self._decoder.eof:
            self.finished, self.rest = True, self._decoder.unused_data
            return out, b""
        return out, self._decoder.unconsumed_tail


class _ZstdMember:
    def __init__(self, decompressor: zstandard.ZstdDecompressor) -> None:
        self._decoder = decompressor.decompressobj()
        self.finished = False
        self.rest = b""

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        given, later = data[:_ZSTD_SLICE], data[_ZSTD_SLICE:]
        out = self._decoder.decompress(given)
        if self._decoder.eof:
            self.finished, self.rest = True, self._decoder.unused_data + later
            return out, b""
        return out, later


def _decompressor(dictionary: bytes) -> zstandard.ZstdDecompressor:
    """Made once a file: digesting a dictionary for each of a million small members would take hours."""
    window = ARCHIVE_ZSTD_WINDOW_BYTES_MAX
    if not dictionary:
        return zstandard.ZstdDecompressor(max_window_size=window)
    return zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(dictionary), max_window_size=window)


class Unpacked:
    """The plain bytes of a source. `position` counts them; `starts` says where its members began.

    Never raises for what the source holds; `problems` names what was wrong, by the offset in the file.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._packed = b""
        """Read from the source and not used."""
        self._read = 0
        """Bytes read from the source."""
        self._plain = bytearray()
        self._decoder: _Decoder | None = None
        self._dictionary = b""
        self._decompressor: zstandard.ZstdDecompressor | None = None
        self._make: Callable[[], _Decoder] | None = None
        self._breaks: deque[int] = deque()
        """Plain positions behind which damage lies."""
        self.position = 0
        self.starts: deque[Start] = deque()
        self.problems: list[tuple[int, str]] = []
        self.packing = self._detect()

    @property
    def packed_position(self) -> int:
        """Where in the file the next unused byte lies."""
        return self._read - len(self._packed)

    def peek(self, size: int) -> bytes:
        """The next bytes, at most `size`, without taking them: fewer at a break or at the end."""
        while self._before_break() < size and not self._breaks and self._fill():
            pass
        return bytes(self._plain[: min(size, self._before_break())])

    def take(self, size: int) -> bytes:
        """The next bytes, at most `size`, and no more than are at hand: fewer at a break or at the end."""
        data = self.peek(size)
        del self._plain[: len(data)]
        self.position += len(data)
        return data

    def skip(self, characters: bytes) -> None:
        """Take all bytes ahead that are among `characters`, up to a break."""
        size = 16
        while data := self.peek(size):
            found = len(data) - len(data.lstrip(characters))
            self.take(found)
            if found < len(data):
                return
            size = _SKIPPED_BYTES

    def give_back(self, data: bytes) -> None:
        """Take the last bytes back."""
        self._plain[:0] = data
        self.position -= len(data)

    def at_break(self) -> bool:
        """Whether damage lies directly ahead."""
        return not self.peek(1) and bool(self._breaks)

    def cross(self) -> None:
        """Go on behind the damage ahead."""
        if self._breaks:
            self._breaks.popleft()

    def member_start(self, position: int) -> Start:
        """The start of the member that holds a plain position; older ones are forgotten."""
        while len(self.starts) > 1 and self.starts[1].plain <= position:
            self.starts.popleft()
        return self.starts[0] if self.starts else Start(0, 0)

    def _before_break(self) -> int:
        return min(len(self._plain), self._breaks[0] - self.position) if self._breaks else len(self._plain)

    def _more(self) -> bool:
        """Read on, always by whole blocks: what is found of damaged bytes must not depend on how they come."""
        size = 0
        while size < READ_BYTES and (data := self._source.read(READ_BYTES - size)):
            self._packed += data
            size += len(data)
        self._read += size
        return size > 0

    def _want(self, size: int) -> bool:
        while len(self._packed) < size:
            if not self._more():
                return False
        return True

    def _detect(self) -> str:
        self._want(_FRAME_HEAD)
        start = self._packed[:_FRAME_HEAD]
        if start.startswith(_GZIP[:2]):
            self._make = _GzipMember
            return "gzip"
        if start.startswith(_ZSTD) or _is_skippable(start):
            self._make = self._zstd_member
            return "zstd"
        if start.startswith(_LZ4):
            self.problems.append((0, "packed with LZ4, which is not read"))
            self._packed = b""
            self._source = _Nothing()
            return "lz4"
        self.starts.append(Start(0, 0))
        return ""

    def _fill(self) -> bool:
        """Add plain bytes, if there are any more; False at the end. May add none and say True."""
        if self._make is None:
            if not self._packed and not self._more():
                return False
            self._plain += self._packed
            self._packed = b""
            return True
        if self._decoder is None and not self._begin():
            return False
        if not self._packed and not self._more():
            self._note("the file ends inside a member")
            self._decoder = None
            return False
        return self._feed()

    def _feed(self) -> bool:
        decoder = self._decoder
        assert decoder is not None, "a member is open"
        before = self.packed_position
        try:
            out, self._packed = decoder.feed(self._packed)
        except _ERRORS:
            self._note("a damaged member", before)
            self._break()
            self._decoder = None
            return self._seek_member()
        self._plain += out
        if decoder.finished:
            self._packed = decoder.rest
            self._decoder = None
        return True

    def _begin(self) -> bool:
        """Open the next member; False where there is none."""
        while self._want(1):
            self._want(_FRAME_HEAD)
            if self.packing == "zstd" and len(self._packed) >= _FRAME_HEAD and _is_skippable(self._packed):
                self._skip_frame()
            elif self._packed.startswith((_GZIP[:2], _ZSTD)):
                self._open()
                return True
            elif self._packed.startswith(b"\0"):
                # Padding, as tapes and block devices leave it.
                self._packed = self._packed.lstrip(b"\0")
            else:
                self._note("bytes that belong to no member")
                self._break()
                if not self._seek_member():
                    return False
        return False

    def _open(self) -> None:
        assert self._make is not None, "only packed files have members"
        start = Start(self.position + len(self._plain), self.packed_position)
        if len(self.starts) > 1 and self.starts[-1].plain == self.starts[-2].plain == start.plain:
            # Of members without content the first and the last say all there is to know.
            self.starts.pop()
        self.starts.append(start)
        self._decoder = self._make()

    def _zstd_member(self) -> _Decoder:
        if self._decompressor is None:
            self._decompressor = _decompressor(self._dictionary)
        return _ZstdMember(self._decompressor)

    def _skip_frame(self) -> None:
        """A skippable frame: the dictionary of the file, or nothing for us."""
        kind, size = self._packed[0], int.from_bytes(self._packed[4:_FRAME_HEAD], "little")
        self._packed = self._packed[_FRAME_HEAD:]
        if kind == _DICTIONARY and not self._dictionary and size <= ARCHIVE_DICTIONARY_BYTES_MAX:
            if self._want(size):
                self._dictionary = self._unpacked_dictionary(self._packed[:size])
            self._packed = self._packed[size:]
            return
        while size > 0 and self._want(1):
            self._packed, size = self._packed[size:], size - len(self._packed)

    def _unpacked_dictionary(self, data: bytes) -> bytes:
        if not data.startswith(_ZSTD):
            return data
        try:
            limit = ARCHIVE_DICTIONARY_BYTES_MAX
            with zstandard.ZstdDecompressor(max_window_size=ARCHIVE_ZSTD_WINDOW_BYTES_MAX).stream_reader(
                data
            ) as reader:
                return reader.read(limit)
        except _ERRORS:
            self._note("a damaged dictionary")
            return b""

    def _seek_member(self) -> bool:
        """Skip to the next place where a member may begin."""
        magic = _ZSTD if self.packing == "zstd" else _GZIP
        self._packed = self._packed[1:]
        if len(self.problems) >= ARCHIVE_PROBLEMS_MAX:
            self._packed, self._source = b"", _Nothing()
        while True:
            found = self._packed.find(magic)
            if found >= 0:
                self._packed = self._packed[found:]
                return True
            self._packed = self._packed[-(len(magic) - 1) :]
            if not self._more():
                self._packed = b""
                return False

    def _break(self) -> None:
        end = self.position + len(self._plain)
        if not self._breaks or self._breaks[-1] != end:
            self._breaks.append(end)

    def _note(self, problem: str, at: int | None = None) -> None:
        if len(self.problems) < ARCHIVE_PROBLEMS_MAX:
            self.problems.append((self.packed_position if at is None else at, problem))


class _Nothing:
    def read(self, _size: int, /) -> bytes:
        return b""


def _is_skippable(start: bytes) -> bool:
    return start[1:4] == _SKIPPABLE and start[0] & 0xF0 == 0x50
