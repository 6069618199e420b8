"""What the stand-ins of archive and datasets share: journals of lines that follow the commit (port `files`).

A series of rows has one open journal; a long one closes and, a commit later, becomes a sorted product. Simpler than the
adapters in every format, equal to them in what is durable when.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.files.ledger import FileLedger
from gossamer.core.files.recovery import Plan, plan_recovery
from gossamer.core.warc.location import FileMark, FileState
from gossamer.ports.disk import Disk, GrowingFile, settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gossamer.ports.files import Recovery

_NAME: Final = re.compile(r"([a-z]+)-(\d+)\.[a-z]+$")
_DROPPED: Final = b"#"


class CommittedLines:
    """Journals journal/SERIES-SERIAL.ENDING, each closed once it is `journal_bytes` long."""

    def __init__(self, disk: Disk, ending: str, products: Mapping[str, str], journal_bytes: int) -> None:
        """`products`: series -> where its journals become final files, as "index/{}.cdxj"."""
        self._disk = disk
        self._ending = ending
        self._products = products
        self._journal_bytes = journal_bytes
        self._ledger = FileLedger()
        self._open: dict[str, GrowingFile] = {}
        self._serials: dict[str, int] = {}
        self._fixed: list[GrowingFile] = []
        self._closing: list[GrowingFile] = []
        self._vouched: dict[str, int] = {}
        """Open file -> its length at the last marks: most commits of an idle crawl find nothing new."""

    def add(self, series: str, shard: int, commit: int, row: bytes) -> None:
        """One row, a line without line end."""
        self.open(series).append(b"%d %d\t%b\n" % (shard, commit, row))

    def open(self, series: str) -> GrowingFile:
        """The series' open journal, begun if there is none."""
        if series not in self._open:
            serial = self._serials.get(series, 0)
            self._serials[series] = serial + 1
            self._open[series] = self._disk.grow(f"journal/{series}-{serial:05d}.{self._ending}")
        return self._open[series]

    def rows(self, series: str) -> Iterator[bytes]:
        """Every row that is on the disk and counts."""
        product = self._products[series].rpartition("/")[0]
        found = self._disk.lengths(["journal", product])
        products = {self._product_of(path) for path in found}
        for path in sorted(found):
            if path.startswith(product + "/") and path not in products:
                yield from bytes(self._disk.view(path)).splitlines()
            elif path.startswith(f"journal/{series}-") and path.endswith(self._ending):
                yield from self._kept(path)

    def marks(self) -> list[FileMark]:
        """See the port."""
        for series, file in list(self._open.items()):
            if self.is_long(file):
                self.close(series)
            else:
                self.note(file)
        return self._ledger.marks()

    def is_long(self, file: GrowingFile) -> bool:
        """Whether a file is to be closed."""
        return file.length >= self._journal_bytes

    def note(self, file: GrowingFile) -> None:
        """The coming commit vouches for what the file holds, where that is more than the last one did."""
        if self._vouched.get(file.path) == file.length:
            return
        self._vouched[file.path] = file.length
        self._ledger.note(file.path, file.fix(), FileState.OPEN)
        self._fixed.append(file)

    def note_closed(self, file: GrowingFile) -> None:
        """As `note`, for a file that has no journal's way before it; nothing is appended any more."""
        self._ledger.note(file.path, file.fix(), FileState.CLOSED)
        self._closing.append(file)

    def close(self, series: str) -> None:
        """No more rows for the open journal."""
        file = self._open.pop(series)
        self._ledger.close_journal(file.path, file.fix())
        self._closing.append(file)

    def sync(self) -> None:
        """See the port."""
        self._sync_files()
        if journal := self._ledger.next_conversion():
            self._convert(journal)

    def acknowledge(self) -> None:
        """See the port."""
        for path in self._ledger.acknowledge():
            self._disk.remove(path)

    def finish(self) -> None:
        """See the port."""
        for series in list(self._open):
            self.close(series)
        self._sync_files()
        self._ledger.release_all()
        while journal := self._ledger.next_conversion():
            self._convert(journal)

    def recover(
        self, committed: Mapping[str, FileMark], commits: Mapping[int, int], folders: tuple[str, ...]
    ) -> tuple[Recovery, Plan]:
        """See the port. `folders`: whose files these are, besides the journals of this ending."""
        found = self._disk.lengths(["journal", *folders])
        own = {path: length for path, length in found.items() if self._is_own(path, folders)}
        marks = [mark for path, mark in committed.items() if self._is_own(path, folders)]
        plan = plan_recovery(marks, own, self._product_of)
        recovery = settle(self._disk, plan)
        for path in (*own, *committed):
            name = _NAME.search(path)
            if name is not None and name[1] in self._products:
                self._serials[name[1]] = max(self._serials.get(name[1], 0), int(name[2]) + 1)
        for path, mark in sorted(plan.live.items()):
            if path.startswith("journal/"):
                recovery.rows_dropped += self._drop(path, commits)
                self._take_up(path, mark)
        return recovery, plan

    def _take_up(self, journal: str, mark: FileMark) -> None:
        """Go on in an open journal; of two, the older one closes."""
        series = journal.removeprefix("journal/").partition("-")[0]
        if mark.state is FileState.CLOSED:
            self._ledger.convertible(journal)
            return
        if series in self._open:
            self._ledger.convertible(self._open[series].path)
        self._open[series] = self._disk.grow(journal, mark.length)

    def _drop(self, journal: str, commits: Mapping[int, int]) -> int:
        changes: list[tuple[int, bytes]] = []
        offset = 0
        for line in bytes(self._disk.view(journal)).splitlines(keepends=True):
            if not line.startswith(_DROPPED):
                shard, commit = map(int, line.partition(b"\t")[0].split(b" "))
                if commit > commits.get(shard, 0):
                    changes.append((offset, _DROPPED))
            offset += len(line)
        if changes:
            self._disk.patch(journal, changes)
        return len(changes)

    def _convert(self, journal: str) -> None:
        product = self._product_of(journal)
        assert product is not None, "only journals are converted"
        rows = sorted(self._kept(journal))
        try:
            draft = self._disk.draft(product)
            draft.file.writelines(row + b"\n" for row in rows)
            length = draft.publish()
        except OSError:
            self._ledger.convertible(journal)
            raise
        self._ledger.superseded(journal, product, length)

    def _kept(self, journal: str) -> Iterator[bytes]:
        for line in bytes(self._disk.view(journal)).splitlines():
            if not line.startswith(_DROPPED):
                yield line.partition(b"\t")[2]

    def _sync_files(self) -> None:
        for file in (*self._closing, *self._fixed):
            file.sync()
        self._fixed = []
        while self._closing:
            self._closing.pop().close()

    def _product_of(self, path: str) -> str | None:
        series, _, serial = path.removeprefix("journal/").removesuffix("." + self._ending).partition("-")
        if not path.startswith("journal/") or series not in self._products:
            return None
        return self._products[series].format(f"{series}-{serial}")

    def _is_own(self, path: str, folders: tuple[str, ...]) -> bool:
        folder = path.partition("/")[0]
        return folder in folders or (folder == "journal" and path.endswith("." + self._ending))
