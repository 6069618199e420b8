"""Port `archive` on files: archive/*.warc.gz, their index lines in journal/*.lines, at the end index/*.cdxj.

Every record is one gzip member, compressed as it is appended. A line of the journal is "shard commit<TAB>CDXJ line";
a line that begins with "#" was dropped by recovery: its shard did not reach that commit. The mark is put in place,
so the journal keeps the length that the commit vouches for, and a crash during recovery harms nothing.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.files.ledger import FileLedger
from gossamer.core.files.recovery import Plan, plan_recovery
from gossamer.core.limits import INDEX_JOURNAL_BYTES_MAX, WARC_BYTES_TARGET
from gossamer.core.warc.date import timestamp
from gossamer.core.warc.location import FileMark, FileState, Location
from gossamer.core.warc.member import MemberPacker
from gossamer.core.warc.record import WarcInfo, record_id, warcinfo, warcinfo_block
from gossamer.ports.disk import Disk, GrowingFile, settle
from gossamer.ports.files import CrawlDamaged, Recovery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.ports.clock import Clock
    from gossamer.ports.entropy import Entropy

_ARCHIVE: Final = "archive/"
_INDEX: Final = "index/"
_JOURNAL: Final = "journal/"
_WARC_END: Final = ".warc.gz"
_LINES_END: Final = ".lines"
_GZIP_BITS: Final = 31
"""Window bits of zlib that ask for a gzip member (RFC 1952) instead of a zlib stream."""
_DROPPED: Final = b"#"
_START_BYTES: Final = 64 * 1024
"""Of a file, in which its first record lies: the settings of hosts in it may be many."""
_SERIAL: Final = re.compile(r"-(\d+)-w\d+\.warc\.gz$")
_RECORD_ID: Final = re.compile(rb"\r\nWARC-Record-ID: (<urn:uuid:[0-9a-f-]{36}>)\r\n")


@dataclass(frozen=True, slots=True)
class WarcNaming:
    """How files are called, and when the next begins: PREFIX-MOMENT-SERIAL-wWORKER.warc.gz."""

    prefix: str = "gossamer"
    worker: int = 0
    """Stands where the guidelines put the host: the archive is given away, the machine's name is nobody's business."""
    bytes_target: int = WARC_BYTES_TARGET
    index_bytes_max: int = INDEX_JOURNAL_BYTES_MAX
    owns: Callable[[str], bool] = lambda _: True
    """Which files of the folder are this worker's to recover, by path; others are left alone."""


@dataclass(frozen=True, slots=True)
class _OpenWarc:
    """The file that is appended to, and the journal of its index lines."""

    warc: GrowingFile
    lines: GrowingFile
    warcinfo_id: str


class WarcFiles:
    """The archive of one worker. `info` goes into the warcinfo record that begins every file."""

    def __init__(
        self, disk: Disk, clock: Clock, entropy: Entropy, info: WarcInfo, naming: WarcNaming | None = None
    ) -> None:
        self._disk = disk
        self._clock = clock
        self._entropy = entropy
        self._info = info
        self._naming = naming or WarcNaming()
        self._ledger = FileLedger()
        self._serial = 0
        self._packer = MemberPacker()
        self._open: _OpenWarc | None = None
        self._fixed: list[GrowingFile] = []
        self._closing: list[GrowingFile] = []

    @property
    def warcinfo_id(self) -> str:
        """The id of the warcinfo record of the file that the next `append` writes to."""
        return self._present().warcinfo_id

    def append(self, records: Sequence[bytes]) -> list[Location]:
        """Compress and append, a member a record; where they lie."""
        warc, pack = self._present().warc, self._packer.pack
        locations: list[Location] = []
        for record in records:
            member = pack(record)
            locations.append(Location(warc.path, warc.append(member), len(member)))
        return locations

    def index(self, line: str, shard: int, commit: int) -> None:
        """Add a CDXJ line for a capture in the present file."""
        if "\n" in line or "\r" in line:
            raise ValueError("a CDXJ line holds no line end; core/warc/cdx.py makes such lines")
        self._present().lines.append(f"{shard} {commit}\t{line}\n".encode())

    def marks(self) -> list[FileMark]:
        """The open file and its journal as they stand; here a long file closes, and the next append opens another."""
        present = self._open
        if present is not None:
            naming = self._naming
            full = present.warc.length >= naming.bytes_target or present.lines.length >= naming.index_bytes_max
            if full:
                self._close_present(present)
            else:
                self._ledger.note(present.warc.path, present.warc.fix(), FileState.OPEN)
                self._ledger.note(present.lines.path, present.lines.fix(), FileState.OPEN)
                self._fixed = [present.warc, present.lines]
        return self._ledger.marks()

    def sync(self) -> None:
        """Write and sync what `marks` named, WARC bytes before their lines; then sort one waiting index."""
        self._sync_files()
        if journal := self._ledger.next_conversion():
            self._convert(journal)

    def acknowledge(self) -> None:
        """Journals whose index is committed go."""
        for path in self._ledger.acknowledge():
            self._disk.remove(path)

    def finish(self) -> None:
        """Close the open file and write every index. Commit what was appended before calling this."""
        if self._open is not None:
            self._close_present(self._open)
        self._sync_files()
        self._ledger.release_all()
        while journal := self._ledger.next_conversion():
            self._convert(journal)

    def recover(self, committed: Mapping[str, FileMark], commits: Mapping[int, int]) -> Recovery:
        """Cut back to the commit, drop lines of commits not reached, and go on in the file that was open.

        Raises CrawlDamaged when committed bytes are missing (nothing was changed then) or not what we write.
        """
        found = self._disk.lengths(("archive", "index", "journal"))
        own = {path: length for path, length in found.items() if self._is_own(path)}
        plan = plan_recovery((mark for path, mark in committed.items() if self._is_own(path)), own, _index_of)
        recovery = settle(self._disk, plan)
        for path in plan.live:
            if path.startswith(_JOURNAL):
                dropped = self._drop_lines(path, commits)
                recovery.rows_dropped += len(dropped)
                recovery.orphaned += len(dropped)
                recovery.dropped_commits.update(dropped)
        named = (_SERIAL.search(path) for path in (*own, *committed))
        self._serial = 1 + max((int(serial[1]) for serial in named if serial), default=-1)
        self._resume(plan)
        return recovery

    def _is_own(self, path: str) -> bool:
        return _is_own(path) and self._naming.owns(path)

    def _resume(self, plan: Plan) -> None:
        """Go on in our newest open file; other open ones close, journals of closed ones wait to be sorted."""
        opened = sorted(path for path, mark in plan.live.items() if mark.state is FileState.OPEN and _is_warc(path))
        ours = [path for path in opened if path.endswith(f"-w{self._naming.worker}{_WARC_END}")]
        # What the file says of the crawl must stay true: with other settings, another file begins.
        ours = [path for path in ours if self._says_the_same(path)]
        for path in opened:
            if path not in ours[-1:]:
                self._ledger.note(path, plan.live[path].length, FileState.CLOSED)
        for path in plan.live:
            if path.startswith(_JOURNAL) and _warc_of(path) not in ours[-1:]:
                self._ledger.convertible(path)
        for path in ours[-1:]:
            lines = plan.live.get(_lines_of(path))
            self._open = _OpenWarc(
                self._disk.grow(path, plan.live[path].length),
                self._disk.grow(_lines_of(path), lines.length if lines else None),
                self._read_warcinfo_id(path),
            )

    def _present(self) -> _OpenWarc:
        if self._open is None:
            now = self._clock.now()
            naming = self._naming
            name = f"{naming.prefix}-{timestamp(now)}-{self._serial:05d}-w{naming.worker}{_WARC_END}"
            self._serial += 1
            identity = record_id(self._entropy.bytes(16))
            path = _ARCHIVE + name
            self._open = _OpenWarc(self._disk.grow(path), self._disk.grow(_lines_of(path)), identity)
            self.append([warcinfo(identity, now, name, self._info)])
        return self._open

    def _close_present(self, present: _OpenWarc) -> None:
        self._ledger.note(present.warc.path, present.warc.fix(), FileState.CLOSED)
        self._ledger.close_journal(present.lines.path, present.lines.fix())
        self._closing += (present.warc, present.lines)
        self._open = None

    def _sync_files(self) -> None:
        """WARC bytes first, then the lines that tell of them."""
        for file in (*self._closing, *self._fixed):
            file.sync()
        self._fixed = []
        while self._closing:
            self._closing.pop().close()

    def _convert(self, journal: str) -> None:
        """Let the sorted index stand for its journal; a journal that could not be sorted waits for another turn."""
        product = _index_of(journal)
        assert product is not None, "only journals are converted"
        try:
            length = self._write_index(journal, product)
        except OSError:
            self._ledger.convertible(journal)
            raise
        self._ledger.superseded(journal, product, length)

    def _write_index(self, journal: str, product: str) -> int:
        lines = bytes(self._disk.view(journal)).splitlines(keepends=True)
        kept = sorted(line.partition(b"\t")[2] for line in lines if not line.startswith(_DROPPED))
        draft = self._disk.draft(product)
        try:
            draft.file.writelines(kept)
            return draft.publish()
        except OSError:
            draft.discard()
            raise

    def _drop_lines(self, journal: str, commits: Mapping[int, int]) -> list[tuple[int, int]]:
        """Mark the lines of commits not reached; shard and commit of each."""
        changes: list[tuple[int, bytes]] = []
        dropped: list[tuple[int, int]] = []
        offset = 0
        for line in bytes(self._disk.view(journal)).splitlines(keepends=True):
            if not line.startswith(_DROPPED):
                try:
                    shard, commit = map(int, line.partition(b"\t")[0].split(b" "))
                except ValueError as error:
                    raise CrawlDamaged({journal: f"holds no index line at byte {offset}"}) from error
                if commit > commits.get(shard, 0):
                    changes.append((offset, _DROPPED))
                    dropped.append((shard, commit))
            offset += len(line)
        if changes:
            self._disk.patch(journal, changes)
        return dropped

    def _says_the_same(self, path: str) -> bool:
        return warcinfo_block(self._info) in self._read_start(path)

    def _read_start(self, path: str) -> bytes:
        """The first record of a file of ours."""
        try:
            return zlib.decompressobj(_GZIP_BITS).decompress(self._disk.view(path)[:_START_BYTES], _START_BYTES)
        except zlib.error as error:
            raise CrawlDamaged({path: "does not begin with a gzip member"}) from error

    def _read_warcinfo_id(self, path: str) -> str:
        """The record id of the first record of a file of ours."""
        found = _RECORD_ID.search(self._read_start(path))
        if found is None:
            raise CrawlDamaged({path: "does not begin with a WARC record"})
        return found[1].decode("ascii")


def _is_own(path: str) -> bool:
    return path.startswith((_ARCHIVE, _INDEX)) or (path.startswith(_JOURNAL) and path.endswith(_LINES_END))


def _is_warc(path: str) -> bool:
    return path.startswith(_ARCHIVE)


def _lines_of(warc: str) -> str:
    return _JOURNAL + warc.removeprefix(_ARCHIVE).removesuffix(_WARC_END) + _LINES_END


def _warc_of(journal: str) -> str:
    return _ARCHIVE + journal.removeprefix(_JOURNAL).removesuffix(_LINES_END) + _WARC_END


def _index_of(path: str) -> str | None:
    """The index file that a journal becomes; None for any other file."""
    if not (path.startswith(_JOURNAL) and path.endswith(_LINES_END)):
        return None
    return _INDEX + path.removeprefix(_JOURNAL).removesuffix(_LINES_END) + ".cdxj"
