"""From the plain bytes of an archive to its records, one after the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.limits import ARCHIVE_BLOCK_BYTES_MAX, ARCHIVE_HEAD_BYTES_MAX, ARCHIVE_PROBLEMS_MAX
from gossamer.core.warc import arc
from gossamer.core.warc.foreign import LONGER_THAN_KEPT, SHORTER, ForeignRecord
from gossamer.core.warc.unpacking import READ_BYTES, Source, Start, Unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION: Final = re.compile(rb"WARC/\d{1,3}\.\d{1,3}[ \t]*\r?\n")
_VERSION_START: Final = re.compile(rb"WARC/\d{1,3}\.\d{1,3}[ \t]*\r?(?:\n|$)")
_VERSION_LINE: Final = re.compile(rb"^WARC/\d{1,3}\.\d{1,3}[ \t]*\r?\n", re.MULTILINE)
_CUT_VERSION_LINE: Final = re.compile(rb"^WARC/\d{1,3}\.\d{1,3}[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_VERSION_BYTES: Final = 32
_HIDDEN: Final = re.compile(rb"(?:\r?\n){2,}(?=WARC/\d{1,3}\.\d{1,3}[ \t]*(?:\r?\n|$))")
"""The end of a record and the next one's version, inside a block that says it is longer."""
_HIDDEN_BYTES: Final = 4096
"""How far back from a block's end a record is looked for that its length has swallowed."""
_DIGITS: Final = re.compile(r"[0-9]{1,15}", re.ASCII)
_BLANKS: Final = b" \t\r\n"
KNOWN_VERSIONS: Final = frozenset({"WARC/1.0", "WARC/1.1"})


class _Begin(NamedTuple):
    """Where a record begins: its plain position, and its member."""

    plain: int
    member: Start


class ArchiveReader:
    """The records of one archive, from its beginning to its end, once. `problems` grows while it is read."""

    def __init__(self, source: Source, block_bytes_max: int = ARCHIVE_BLOCK_BYTES_MAX) -> None:
        """`source`: a file opened in binary mode; `block_bytes_max`: bytes of one block that are kept."""
        self._unpacked = Unpacked(source)
        self._block_bytes_max = block_bytes_max
        self._skipped: list[tuple[int, str]] = []
        self._arc_version = 0

    @property
    def packing(self) -> str:
        """What the file is packed in: "gzip", "zstd", "lz4" (which is not read), or empty for a plain file."""
        return self._unpacked.packing

    @property
    def problems(self) -> list[tuple[int, str]]:
        """Offset in the file and what is wrong there, of all that belongs to no record."""
        return sorted([*self._skipped, *self._unpacked.problems])

    def __iter__(self) -> Iterator[ForeignRecord]:
        while (record := self._next()) is not None:
            yield record

    def _next(self) -> ForeignRecord | None:
        unpacked = self._unpacked
        while True:
            start = unpacked.peek(_VERSION_BYTES)
            if not start:
                if not unpacked.at_break():
                    return None
                unpacked.cross()
            elif _VERSION.match(start):
                return self._warc_record()
            elif self._is_arc(start):
                record = self._arc_record()
                if record is not None:
                    return record
            elif start[:1] in (b"\r", b"\n"):
                unpacked.skip(b"\r\n")
            else:
                self._skip_line()

    # --- WARC ----------------------------------------------------------------------------------------------------

    def _warc_record(self) -> ForeignRecord:
        begin = self._begin()
        problems: list[str] = []
        lines = self._head_lines(problems)
        version = lines[0].decode("ascii", "replace").strip()
        fields = _fields(lines[1:])
        if version not in KNOWN_VERSIONS:
            problems.append("not a version of the standard")
        record = ForeignRecord(fields, b"")
        stated = record.field("Content-Length")
        if not _DIGITS.fullmatch(stated):
            problems.append("no usable Content-Length")
        block, size = self._block(int(stated) if _DIGITS.fullmatch(stated) else None, problems)
        return self._finished(begin, ForeignRecord(fields, block, version, size=size), problems)

    def _head_lines(self, problems: list[str]) -> list[bytes]:
        """The version and the fields, without the empty line behind them."""
        lines: list[bytes] = []
        room = ARCHIVE_HEAD_BYTES_MAX
        while room > 0:
            line = self._line(room)
            room -= len(line)
            if not line.endswith(b"\n"):
                problems.append("the header ends early" if room > 0 else "the header is too long")
                return [*lines, line] if line or not lines else lines
            if not line.strip(b"\r\n"):
                return lines
            if not line.endswith(b"\r\n") and _BARE not in problems:
                problems.append(_BARE)
            lines.append(line)
        problems.append("the header is too long")
        return lines

    def _line(self, room: int) -> bytes:
        """One line with its end; without one at a break, at the end, or beyond `room`."""
        unpacked = self._unpacked
        parts: list[bytes] = []
        while room > 0:
            data = unpacked.peek(min(room, 1024))
            end = data.find(b"\n") + 1
            parts.append(unpacked.take(end or len(data)))
            room -= len(parts[-1])
            if end or not data:
                break
        return b"".join(parts)

    def _block(self, stated: int | None, problems: list[str]) -> tuple[bytes, int]:
        """The block, as much as is kept, and its whole size. Without a length it ends where a record begins."""
        if stated is None:
            return self._unmeasured(problems)
        block, size = self._measured(stated, problems)
        if size < stated:
            problems.append(SHORTER)
        elif size == len(block) and not self._ends_here():
            block, size = self._without_swallowed(block, problems)
        return block, size

    def _measured(self, stated: int, problems: list[str]) -> tuple[bytes, int]:
        unpacked = self._unpacked
        kept = bytearray()
        size = 0
        while size < stated:
            start = unpacked.member_start(unpacked.position)
            if start.plain == unpacked.position and size and _VERSION_START.match(unpacked.peek(_VERSION_BYTES)):
                break  # the next member is the next record: this one was cut
            data = unpacked.take(min(stated - size, READ_BYTES, self._to_member_end()))
            if not data:
                break
            size += len(data)
            kept += data[: max(0, self._block_bytes_max - len(kept))]
        if len(kept) < size:
            problems.append(LONGER_THAN_KEPT)
        return bytes(kept), size

    def _to_member_end(self) -> int:
        """Plain bytes up to the start of the next member known of."""
        unpacked = self._unpacked
        unpacked.peek(READ_BYTES)
        following = (start.plain for start in unpacked.starts if start.plain > unpacked.position)
        return next(following, unpacked.position + READ_BYTES) - unpacked.position

    def _unmeasured(self, problems: list[str]) -> tuple[bytes, int]:
        kept = bytearray()
        size = 0
        for data in self._up_to(_CUT_VERSION_LINE):
            size += len(data)
            kept += data[: max(0, self._block_bytes_max - len(kept))]
        if len(kept) < size:
            problems.append(LONGER_THAN_KEPT)
        return bytes(kept), size

    def _ends_here(self) -> bool:
        ahead = self._unpacked.peek(1)
        return not ahead or ahead in (b"\r", b"\n") or bool(_VERSION.match(self._unpacked.peek(_VERSION_BYTES)))

    def _without_swallowed(self, block: bytes, problems: list[str]) -> tuple[bytes, int]:
        """The block without the beginning of the next record, where its length took that in."""
        tail = max(0, len(block) - _HIDDEN_BYTES)
        # Often it is off by a few bytes, and what it took in is but the beginning of the version.
        hidden = _HIDDEN.search(block + self._unpacked.peek(_VERSION_BYTES), tail)
        if hidden is None or hidden.end() > len(block):
            problems.append("followed by bytes of no record")
            return block, len(block)
        problems.append("longer than it is")
        self._unpacked.give_back(block[hidden.end() :])
        return block[: hidden.start()], hidden.start()

    # --- ARC -----------------------------------------------------------------------------------------------------

    def _is_arc(self, start: bytes) -> bool:
        return bool(self._arc_version) or start.startswith(arc.FILE_START)

    def _arc_record(self) -> ForeignRecord | None:
        begin = self._begin()
        line = self._line(ARCHIVE_HEAD_BYTES_MAX)
        head = arc.parse_line(line)
        if head is None:
            self._note("no ARC record begins here", begin.plain)
            return None
        self._arc_version = 1
        problems: list[str] = []
        size = max(head.length, 0)
        block, size = self._measured(size, problems)
        if size < head.length or not line.endswith(b"\n"):
            problems.append(SHORTER)
        record = arc.as_record(head, block, size)
        return self._finished(begin, record, problems)

    # --- both ----------------------------------------------------------------------------------------------------

    def _begin(self) -> _Begin:
        position = self._unpacked.position
        return _Begin(position, self._unpacked.member_start(position))

    def _finished(self, begin: _Begin, record: ForeignRecord, problems: list[str]) -> ForeignRecord:
        """The record with its place in the file, once the empty lines behind it are read."""
        unpacked = self._unpacked
        unpacked.skip(b"\r\n")
        offset, length = self._place(begin)
        return ForeignRecord(record.fields, record.block, record.version, offset, length, record.size, tuple(problems))

    def _place(self, begin: _Begin) -> tuple[int, int]:
        """Offset and packed length of what lies between `begin` and here; length 0 where it is no member of its own."""
        unpacked, start = self._unpacked, begin.member
        if not self.packing:
            return begin.plain, unpacked.position - begin.plain
        if start.plain != begin.plain:
            return start.packed, 0
        following = next((each for each in unpacked.starts if each.plain > begin.plain), None)
        if following is not None:
            return start.packed, following.packed - start.packed if following.plain == unpacked.position else 0
        return start.packed, 0 if unpacked.peek(1) else unpacked.packed_position - start.packed

    def _skip_line(self) -> None:
        unpacked = self._unpacked
        begin = unpacked.position
        self._note("bytes of no record", begin)
        for _ in self._up_to(_VERSION_LINE):
            pass

    def _up_to(self, version_line: re.Pattern[bytes]) -> Iterator[bytes]:
        """What lies before the next line that is a version, or before a break; by large pieces of whole lines."""
        unpacked = self._unpacked
        while data := unpacked.peek(READ_BYTES):
            found = version_line.search(data)
            if found is not None and found.start() == 0:
                return
            # The last line may go on: it is looked at again, with what follows it.
            yield unpacked.take(found.start() if found is not None else data.rfind(b"\n") + 1 or len(data))

    def _note(self, problem: str, begin: int) -> None:
        """Name what is wrong at a plain position, by its place in the file."""
        if len(self._skipped) < ARCHIVE_PROBLEMS_MAX:
            offset = self._unpacked.member_start(begin).packed if self.packing else begin
            self._skipped.append((offset, problem))


_BARE: Final = "lines end without CR"


def _fields(lines: list[bytes]) -> tuple[tuple[str, str], ...]:
    fields: list[tuple[str, list[str]]] = []
    for line in lines:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text[:1] in (" ", "\t") and fields:
            fields[-1][1].append(text.strip())
            continue
        name, colon, value = text.partition(":")
        if colon:
            fields.append((name.strip(), [value.strip()]))
    return tuple((name, " ".join(parts)) for name, parts in fields)
