"""The archive's stand-in: records as they are, one after the other, their index lines in journals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.warc.location import FileMark, FileState, Location
from gossamer.core.warc.record import WarcInfo, record_id, warcinfo
from gossamer.simulation.committed import CommittedLines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.ports.clock import Clock
    from gossamer.ports.disk import Disk, GrowingFile
    from gossamer.ports.entropy import Entropy
    from gossamer.ports.files import Recovery

_SERIES: Final = "sim"
_INFO: Final = WarcInfo("gossamer simulation", "gossamer")
_ID_END: Final = b"\r\n"
_ID: Final = b"WARC-Record-ID: "


class MemoryArchive:
    """The port `archive` on a folder in memory; files are archive/sim-SERIAL.warc, closed at `bytes_target`."""

    def __init__(self, disk: Disk, clock: Clock, entropy: Entropy, *, bytes_target: int = 1 << 20) -> None:
        self._disk = disk
        self._clock = clock
        self._entropy = entropy
        self._bytes_target = bytes_target
        self._lines = CommittedLines(disk, "lines", {_SERIES: "index/{}.cdxj"}, bytes_target)
        self._warc: GrowingFile | None = None
        self._warcinfo_id = ""

    @property
    def warcinfo_id(self) -> str:
        """See the port."""
        self._present()
        return self._warcinfo_id

    def append(self, records: Sequence[bytes]) -> list[Location]:
        """See the port."""
        warc = self._present()
        return [Location(warc.path, warc.append(record), len(record)) for record in records]

    def index(self, line: str, shard: int, commit: int) -> None:
        """See the port."""
        if "\n" in line or "\r" in line:
            raise ValueError("a CDXJ line holds no line end")
        self._present()
        self._lines.add(_SERIES, shard, commit, line.encode())

    def captures(self) -> list[str]:
        """The index lines that are on the disk and count, for checkers."""
        return [row.decode() for row in self._lines.rows(_SERIES)]

    def record(self, location: Location) -> bytes:
        """The bytes of a record on the disk, for checkers."""
        return bytes(self._disk.view(location.file)[location.offset : location.offset + location.length])

    def files(self) -> dict[str, bytes]:
        """The archive's files on the disk, for checkers."""
        return {path: bytes(self._disk.view(path)) for path in sorted(self._disk.lengths(["archive"]))}

    def marks(self) -> list[FileMark]:
        """See the port."""
        if self._warc is not None:
            if self._warc.length >= self._bytes_target or self._lines.is_long(self._lines.open(_SERIES)):
                self._close(self._warc)
            else:
                self._lines.note(self._warc)
        return self._lines.marks()

    def sync(self) -> None:
        """See the port."""
        self._lines.sync()

    def acknowledge(self) -> None:
        """See the port."""
        self._lines.acknowledge()

    def finish(self) -> None:
        """See the port."""
        if self._warc is not None:
            self._close(self._warc)
        self._lines.finish()

    def recover(self, committed: Mapping[str, FileMark], commits: Mapping[int, int]) -> Recovery:
        """See the port."""
        recovery, plan = self._lines.recover(committed, commits, ("archive", "index"))
        recovery.orphaned += recovery.rows_dropped
        for path, mark in sorted(plan.live.items()):
            if path.startswith("archive/") and mark.state is FileState.OPEN:
                self._warc = self._disk.grow(path, mark.length)
                start = bytes(self._disk.view(path)[:1024])
                self._warcinfo_id = start.partition(_ID)[2].partition(_ID_END)[0].decode("ascii")
        return recovery

    def _present(self) -> GrowingFile:
        if self._warc is None:
            name = self._lines.open(_SERIES).path.removeprefix("journal/").removesuffix(".lines") + ".warc"
            self._warcinfo_id = record_id(self._entropy.bytes(16))
            self._warc = self._disk.grow("archive/" + name)
            self._warc.append(warcinfo(self._warcinfo_id, self._clock.now(), name, _INFO))
        return self._warc

    def _close(self, warc: GrowingFile) -> None:
        self._lines.note_closed(warc)
        self._lines.close(_SERIES)
        self._warc = None
