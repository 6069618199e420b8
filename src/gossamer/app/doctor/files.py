"""The files of a crawl folder against what the last commit vouches for: there, long enough, and readable.

Nothing is changed here. A file's sound beginning is what all further checks and every repair count with.
"""

from __future__ import annotations

import mmap
from array import array
from bisect import bisect_left
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyarrow.parquet import ParquetFile

from gossamer.app.doctor.warc_walk import walk
from gossamer.core.warc.location import FileMark, FileState
from gossamer.core.warc.lookup import parse_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

FOLDERS: Final = ("archive", "index", "journal", "pages", "links", "refused")
"""Where committed files lie."""
WARC_END: Final = ".warc.gz"
DRAFT: Final = "."
"""Begins the name of a file that is being written aside."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """What is wrong with a committed file."""

    path: str
    words: str
    good: int
    """Bytes from its start that are sound; 0 where nothing is, or where it is not there."""
    missing: bool = False


@dataclass(slots=True)
class FileCheck:
    """What was found of all files."""

    faults: list[FileFault] = field(default_factory=list[FileFault])
    strangers: list[str] = field(default_factory=list[str])
    """Files that no commit names; recovery moves them to aside/."""
    tails: dict[str, int] = field(default_factory=dict[str, int])
    """path -> bytes beyond the commit; recovery cuts them."""
    sound: dict[str, int] = field(default_factory=dict[str, int])
    """path -> bytes of it that count, of every WARC file that is there."""
    records: int = 0
    """WARC records read."""
    rows: int = 0
    """Rows of data sets and index lines read."""


@dataclass(slots=True)
class Walked:
    """A WARC file read through."""

    good: int
    problem: str
    starts: array[int]
    """Offsets of its records, in order."""


def check_files(root: Path, marks: Mapping[str, FileMark], *, quick: bool, say: Callable[[str], None]) -> FileCheck:
    """Look at every file that `marks` name. `quick`: only at their lengths. `say` is told what is read just now."""
    check = FileCheck()
    found = _lengths(root)
    live = {path: mark for path, mark in marks.items() if mark.state is not FileState.REMOVED}
    starts: dict[str, array[int]] = {}
    for path, mark in sorted(live.items()):
        length = found.get(path)
        good = min(length or 0, mark.length)
        fault = _fault_of_length(mark, length)
        if length is not None and not quick:
            say(f"reading {path}")
            with _mapped(root / path, good) as content:
                fault = _both(fault, _read(path, content, starts, check))
        if fault is not None:
            check.faults.append(fault)
        if path.endswith(WARC_END):
            check.sound[path] = good if fault is None else fault.good
        if length is not None and length > mark.length:
            check.tails[path] = length - mark.length
    check.strangers = sorted(path for path in found if path not in marks)
    return check


def _lengths(root: Path) -> dict[str, int]:
    return {
        f"{folder}/{item.name}": item.stat().st_size
        for folder in FOLDERS
        if (root / folder).is_dir()
        for item in (root / folder).iterdir()
        if item.is_file() and not item.name.startswith(DRAFT)
    }


def _both(length: FileFault | None, content: FileFault | None) -> FileFault | None:
    """What is wrong with a file that was looked at twice; what can be read of it counts."""
    if length is None or content is None:
        return content or length
    return FileFault(length.path, f"{length.words}, and {content.words}", content.good)


def _fault_of_length(mark: FileMark, length: int | None) -> FileFault | None:
    if length is None:
        words = f"is missing; the last commit vouches for its {mark.length:,} bytes"
        return FileFault(mark.path, words, 0, missing=True)
    if length < mark.length:
        return FileFault(mark.path, f"has {length:,} bytes; the last commit vouches for {mark.length:,}", length)
    return None


def _read(path: str, content: memoryview, starts: dict[str, array[int]], check: FileCheck) -> FileFault | None:
    """Read one file through. WARC files come first in the order of paths, so their records are known to their index."""
    if path.endswith(WARC_END):
        walked = _walk_warc(content, check)
        starts[path.rpartition("/")[2]] = walked.starts
        return FileFault(path, f"{walked.problem} at byte {walked.good:,}", walked.good) if walked.problem else None
    if path.endswith(".cdxj"):
        return _index_fault(path, content, starts, check)
    if path.endswith(".lines"):
        return _lines_fault(path, content, starts, check)
    if path.endswith(".arrows"):
        return _journal_fault(path, content, check)
    return _parquet_fault(path, content, check)


def _walk_warc(content: memoryview, check: FileCheck) -> Walked:
    walked = Walked(0, "", array("q"))
    for member in walk(content, len(content)):
        if member.problem:
            walked.problem = member.problem
            return walked
        walked.starts.append(member.offset)
        walked.good = member.offset + member.length
        check.records += 1
    return walked


def _index_fault(path: str, content: memoryview, starts: dict[str, array[int]], check: FileCheck) -> FileFault | None:
    before, offset = b"", 0
    for line in bytes(content).splitlines(keepends=True):
        if line < before:
            return FileFault(path, f"is not sorted at byte {offset:,}", offset)
        if not line.endswith(b"\n") or not _names_record(line.rstrip(b"\n"), starts):
            return FileFault(path, f"names no record at byte {offset:,}", offset)
        before, offset = line, offset + len(line)
        check.rows += 1
    return None


def _lines_fault(path: str, content: memoryview, starts: dict[str, array[int]], check: FileCheck) -> FileFault | None:
    offset = 0
    for line in bytes(content).splitlines(keepends=True):
        place, tab, rest = line.rstrip(b"\n").partition(b"\t")
        sound = bool(tab) and line.endswith(b"\n") and len(place.lstrip(b"#0123456789").split()) <= 1
        if not sound or not (line.startswith(b"#") or _names_record(rest, starts)):
            return FileFault(path, f"holds no index line of a record at byte {offset:,}", offset)
        offset += len(line)
        check.rows += 1
    return None


def _names_record(line: bytes, starts: dict[str, array[int]]) -> bool:
    """Whether an index line names the start of a record that is there."""
    parsed = parse_line(line, "")
    if parsed is None:
        return False
    offsets = starts.get(parsed.place.file)
    if offsets is None:
        return False
    low = bisect_left(offsets, parsed.place.offset)
    return low < len(offsets) and offsets[low] == parsed.place.offset


def _journal_fault(path: str, content: memoryview, check: FileCheck) -> FileFault | None:
    """A journal of rows: an Arrow stream without an end mark, whole up to the commit."""
    source = pa.BufferReader(pa.py_buffer(content))
    good = 0
    try:
        reader = pa.ipc.open_stream(source)
        good = source.tell()
        while True:
            batch = reader.read_next_batch()
            batch.validate(full=True)
            good = source.tell()
            check.rows += batch.num_rows
    except (StopIteration, pa.ArrowInvalid, OSError):
        if good == len(content):
            return None
    return FileFault(path, f"holds no rows that can be read from byte {good:,} on", good)


def _parquet_fault(path: str, content: memoryview, check: FileCheck) -> FileFault | None:
    try:
        file = ParquetFile(pa.BufferReader(pa.py_buffer(content)), page_checksum_verification=True)
        for batch in file.iter_batches(batch_size=10_000):
            check.rows += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        return FileFault(path, f"is no Parquet file that can be read ({' '.join(str(error).split())[:120]})", 0)
    return None


@contextmanager
def _mapped(path: Path, length: int) -> Generator[memoryview]:
    """The first bytes of a file, read where they lie."""
    if not length:
        yield memoryview(b"")
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        # Arrow keeps views of it for as long as it likes; a private copy of a data set file costs little.
        whole = memoryview(content)[:length]
        part = whole if path.name.endswith(WARC_END) else memoryview(whole.tobytes())
        try:
            yield part
        finally:
            part.release()
            whole.release()
