"""Mending the files of a crawl folder: what is not sound moves aside, and the commit vouches for what remains.

Nothing is deleted: of a file that is cut, what is cut off lies in aside/. A repair that is interrupted is begun again:
until the marks are written the files are found short.
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.app.doctor.files import WARC_END, FileCheck, FileFault
from gossamer.app.doctor.finding import Finding, mended
from gossamer.app.doctor.reindex import index_lines
from gossamer.core.warc.location import FileMark, FileState
from gossamer.core.warc.lookup import parse_line
from gossamer.flow.commit import encode_mark
from gossamer.ports.store import Table, WriteBatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from gossamer.ports.disk import Disk
    from gossamer.ports.store import Store

ROWS_LOST: Final = "its rows are lost to the data sets; page records, archive and index are not touched"


@dataclass(slots=True)
class FileMending:
    """What is needed to mend files, and what was done. `marks` is kept as it shall be."""

    root: Path
    disk: Disk
    check: FileCheck
    marks: dict[str, FileMark]
    changed: dict[str, FileMark | None] = field(default_factory=dict[str, "FileMark | None"])

    def mark(self, path: str, length: int, state: FileState) -> None:
        """The commit vouches for this from now on."""
        self.marks[path] = self.changed[path] = FileMark(path, length, state)

    def unmark(self, path: str) -> None:
        """The commit knows nothing of this file any more."""
        self.marks.pop(path, None)
        self.changed[path] = None


def mend_files(mending: FileMending, stores: Sequence[Store]) -> Iterator[Finding]:
    """Mend every file with a fault, WARC files first; then let the commit vouch for what is there."""
    faults = {fault.path: fault for fault in mending.check.faults}
    for path in sorted(path for path in faults if path.endswith(WARC_END)):
        yield _mend_warc(mending, faults.pop(path), faults)
    for fault in sorted(faults.values(), key=lambda fault: fault.path):
        if fault.path.endswith((".cdxj", ".lines")):
            yield _mend_index(mending, fault)
        elif fault.path.endswith(".arrows"):
            yield _mend_journal(mending, fault)
        else:
            words = _move_aside(mending, fault.path)
            yield mended("data set", f"{fault.path} {fault.words}{words}", ROWS_LOST)
    _write_marks(mending.changed, stores)


def _mend_warc(mending: FileMending, fault: FileFault, faults: dict[str, FileFault]) -> Finding:
    path = fault.path
    index_sound = not {_index_of(path), _lines_of(path)} & faults.keys()
    for index in (_index_of(path), _lines_of(path)):
        faults.pop(index, None)
    hint = "URLs whose capture was there wait again (see below)"
    if not fault.good:
        words = _move_aside(mending, path)
        for index in (_index_of(path), _lines_of(path)):
            _move_aside(mending, index)
        return mended("archive", f"{path} {fault.words}{words}", hint)
    _cut(mending, path, fault.good)
    mending.mark(path, fault.good, FileState.CLOSED)
    _write_index(mending, path, fault.good, keep=index_sound)
    return mended("archive", f"{path} {fault.words}; it ends there now, what lay behind it is in aside/", hint)


def _mend_index(mending: FileMending, fault: FileFault) -> Finding:
    """An index that is not what it should be is made anew from its WARC file, which is closed by that."""
    stem = fault.path.rpartition("/")[2].rpartition(".")[0]
    warc = f"archive/{stem}{WARC_END}"
    mark = mending.marks.get(warc)
    if mark is None or mark.state is FileState.REMOVED:
        words = _move_aside(mending, fault.path)
        return mended("index", f"{fault.path} {fault.words}{words}; its WARC file is not there")
    mending.mark(warc, mark.length, FileState.CLOSED)
    _write_index(mending, warc, mark.length, keep=False)
    return mended("index", f"{fault.path} {fault.words}; made anew from {warc}")


def _mend_journal(mending: FileMending, fault: FileFault) -> Finding:
    if not fault.good:
        words = _move_aside(mending, fault.path)
        return mended("data set", f"{fault.path} {fault.words}{words}", ROWS_LOST)
    _cut(mending, fault.path, fault.good)
    mending.mark(fault.path, fault.good, mending.marks[fault.path].state)
    return mended("data set", f"{fault.path} {fault.words}; it ends there now", f"behind it {ROWS_LOST}")


def _write_index(mending: FileMending, warc: str, good: int, *, keep: bool) -> None:
    """The sorted index of a WARC file that is closed: the lines it had, less those of lost records; or made anew."""
    with (mending.root / warc).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        whole = memoryview(content)
        part = whole[:good]
        lines = _kept_lines(mending, warc, good) if keep else list(index_lines(warc, part))
        part.release()
        whole.release()
    for index in (_index_of(warc), _lines_of(warc)):
        _move_aside(mending, index)
    draft = mending.disk.draft(_index_of(warc))
    draft.file.writelines(sorted(lines))
    mending.mark(_index_of(warc), draft.publish(), FileState.CLOSED)


def _kept_lines(mending: FileMending, warc: str, good: int) -> list[bytes]:
    """The lines of both forms of the index that name records before `good`."""
    kept: list[bytes] = []
    for index in (_index_of(warc), _lines_of(warc)):
        mark, path = mending.marks.get(index), mending.root / index
        if mark is None or mark.state is FileState.REMOVED or not path.exists():
            continue
        for line in path.read_bytes()[: mark.length].splitlines(keepends=True):
            bare = line.partition(b"\t")[2] if index.endswith(".lines") and not line.startswith(b"#") else line
            parsed = None if bare.startswith(b"#") else parse_line(bare.rstrip(b"\n"))
            if parsed is not None and parsed.place.offset + parsed.place.length <= good:
                kept.append(bare)
    return kept


def _cut(mending: FileMending, path: str, good: int) -> None:
    if (mending.root / path).stat().st_size > good:
        mending.disk.set_aside(path, good)
        mending.disk.cut(path, good)


def _move_aside(mending: FileMending, path: str) -> str:
    """Move a whole file aside, if it is there; where it lies now, in words."""
    known = path in mending.marks
    # Also a link to nowhere: a file of that name may be written again.
    there = os.path.lexists(mending.root / path)
    where = f"; it lies in {mending.disk.set_aside(path)} now" if there else ""
    if known:
        mending.unmark(path)
    return where


def _index_of(warc: str) -> str:
    return f"index/{warc.rpartition('/')[2].removesuffix(WARC_END)}.cdxj"


def _lines_of(warc: str) -> str:
    return f"journal/{warc.rpartition('/')[2].removesuffix(WARC_END)}.lines"


def _write_marks(changed: Mapping[str, FileMark | None], stores: Sequence[Store]) -> None:
    """A file's mark stands in the first shard alone: of several, the greatest would count."""
    for number, store in enumerate(stores):
        batch = WriteBatch()
        for path, mark in changed.items():
            if mark is not None and not number:
                batch.puts.append((Table.FILES, path.encode(), encode_mark(mark)))
            else:
                batch.deletes.append((Table.FILES, path.encode()))
        store.write(batch)
        store.sync()
