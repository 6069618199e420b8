"""Port `facts` as files: one JSON object a line, rotated, compressed, the oldest removed.

`note` only appends to a list; a thread writes (`flush`, with the commit), another compresses. A line is written whole
or, after a crash, cut away at the next open. A disk that takes nothing keeps lines waiting up to a limit; what is above
it is dropped and counted, and the log says so as soon as it can. No error of the disk leaves this file.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from isal import isal_zlib

from gossamer.core.facts import Fact, FactsLost, Level, Topic, fact_line
from gossamer.core.limits import FACT_LINE_BYTES_MAX, FACTS_WAITING_BYTES_MAX

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "facts"
CHUNK: Final = 1 << 20
GZIP_BITS: Final = 31
"""wbits of a gzip member (zlib's manual, deflateInit2)."""
_MODE: Final = 0o644


@dataclass(frozen=True, slots=True)
class LogRules:
    """What is kept. `bytes_max`: length at which a file is rotated; `kept`: rotated files that stay."""

    level: Level = Level.INFO
    topics: frozenset[Topic] = frozenset(Topic)
    bytes_max: int = 100_000_000
    kept: int = 10

    def wants(self, fact: Fact) -> bool:
        """Whether a fact is written."""
        return fact.level >= self.level and fact.topic in self.topics


class JsonlFacts:
    """The log in `folder` (made if need be): `facts.jsonl`, and `facts-000001.jsonl.gz` and so on, older first.

    `name`: of another log that lies in the same folder.
    """

    def __init__(self, folder: Path, rules: LogRules, name: str = NAME) -> None:
        self._name = name
        self.rules = rules
        """May be replaced at any moment."""
        self._folder = folder
        self._path = folder / f"{self._name}.jsonl"
        self._lines: list[bytes] = []
        self._line_bytes = 0
        self._lost = 0
        self._last_at = 0.0
        self._swap = threading.Lock()
        self._unwritten = b""
        self._compressing: threading.Thread | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
        self._length = whole_lines(self._descriptor)
        os.ftruncate(self._descriptor, self._length)

    @property
    def waiting(self) -> bool:
        """Whether there are lines to write."""
        return bool(self._lines or self._unwritten or self._lost)

    def note(self, fact: Fact, at: float) -> None:
        """Append to the lines that wait."""
        if not self.rules.wants(fact):
            return
        line = fact_line(fact, at)
        with self._swap:
            if self._line_bytes + len(self._unwritten) + len(line) > FACTS_WAITING_BYTES_MAX:
                self._lost += 1
            else:
                self._lines.append(line)
                self._line_bytes += len(line)
            self._last_at = at

    def flush(self) -> None:
        """Write what waits, and rotate a file that is long enough."""
        with contextlib.suppress(OSError):
            self._write()
            if self._length >= self.rules.bytes_max:
                self._rotate()

    def close(self) -> None:
        """Write the rest and give the file back; waits for a file being compressed. Calling it twice is harmless."""
        if self._descriptor < 0:
            return
        self.flush()
        os.close(self._descriptor)
        self._descriptor = -1
        if self._compressing is not None:
            self._compressing.join()

    def _write(self) -> None:
        """Write all that waits. After a failure the same bytes go to the same place again."""
        self._unwritten += self._take()
        data = memoryview(self._unwritten)
        written = 0
        # A line written in part when the disk fills stays behind `_length`: written over, or cut at the next open.
        while written < len(data):
            written += os.pwrite(self._descriptor, data[written:], self._length + written)
        self._length += written
        self._unwritten = b""

    def _take(self) -> bytes:
        with self._swap:
            lines, self._lines, self._line_bytes = self._lines, [], 0
            lost, self._lost = self._lost, 0
        if lost:
            lines.append(fact_line(FactsLost(lost), self._last_at))
        return b"".join(lines)

    def _rotate(self) -> None:
        number = max([*self._numbers(), 0]) + 1
        os.fsync(self._descriptor)
        self._path.rename(self._folder / f"{self._name}-{number:06}.jsonl")
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
        os.close(self._descriptor)
        self._descriptor, self._length = descriptor, 0
        if self._compressing is None or not self._compressing.is_alive():
            self._compressing = threading.Thread(target=self._tidy, name="gossamer-log", daemon=True)
            self._compressing.start()

    def _tidy(self) -> None:
        """Compress every rotated file that is not yet, one left by a crash too, and remove the oldest."""
        with contextlib.suppress(OSError):
            for path in sorted(self._folder.glob(f"{self._name}-*.jsonl")):
                _compress(path)
            rotated = sorted(self._folder.glob(f"{self._name}-*.jsonl.gz"))
            for path in rotated[: max(0, len(rotated) - self.rules.kept)]:
                path.unlink(missing_ok=True)

    def _numbers(self) -> list[int]:
        names = [
            path.name.removeprefix(f"{self._name}-").partition(".")[0] for path in self._folder.glob(f"{self._name}-*")
        ]
        return [int(name) for name in names if name.isdigit()]


def whole_lines(descriptor: int) -> int:
    """The length of a log up to its last whole line: a crash may leave a part of one, or blocks never written."""
    end = os.fstat(descriptor).st_size
    while end:
        start = max(0, end - 2 * FACT_LINE_BYTES_MAX)
        tail = os.pread(descriptor, end - start, start)
        after = tail.rfind(b"\n") + 1
        if after and _is_object(tail[tail.rfind(b"\n", 0, after - 1) + 1 : after]):
            return start + after
        end = start + after - 1 if after else start
    return 0


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _compress(path: Path) -> None:
    """Replace a file by its gzip, whole: an unfinished one has another name."""
    draft = path.with_name(f".{path.name}.gz.draft")
    packer = isal_zlib.compressobj(level=isal_zlib.ISAL_DEFAULT_COMPRESSION, wbits=GZIP_BITS)
    with path.open("rb") as plain, draft.open("wb") as packed:
        while piece := plain.read(CHUNK):
            packed.write(packer.compress(piece))
        packed.write(packer.flush())
        packed.flush()
        os.fsync(packed.fileno())
    draft.rename(path.with_name(path.name + ".gz"))
    path.unlink()
