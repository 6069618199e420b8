"""Where a process's CPU goes, by part of the product: a sampling profiler in the process itself.

A timer of consumed CPU (SIGPROF) interrupts the main thread every few milliseconds of CPU; the innermost function of
the product that is then on the stack is charged, native calls included, for the interruption waits for their end. The
work of other threads is charged by the kernel's figures: RocksDB's own threads are the store's. A sample costs about
3 us, 0.1 % at 5 ms.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import gossamer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType

SAMPLE_SECONDS: Final = 0.005
LOOP: Final = "loop"
"""What has no function of ours on its stack."""
REST: Final = "rest"
"""Our functions that no part names."""
OTHER_THREADS: Final = "other threads"
Parts = tuple[tuple[str, str], ...]
"""Beginning of "path in the package:qualified name" -> part; the first that fits."""
_ROOT: Final = str(Path(gossamer.__file__).parent) + os.sep


class Sampler:
    """The profiler of one process. Started and stopped in the main thread."""

    def __init__(self, parts: Parts, *, store: str) -> None:
        self._parts, self._store = parts, store
        self._counts: Counter[str] = Counter()
        self._part_of: dict[CodeType, str] = {}
        self._began: Sequence[float] = (0.0, 0.0, 0.0)

    def start(self) -> None:
        """Begin to count."""
        self._began = (time.process_time(), time.thread_time(), rocksdb_seconds())
        signal.signal(signal.SIGPROF, self._sample)
        signal.siginterrupt(signal.SIGPROF, False)  # noqa: FBT003 - the standard library's
        signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)

    def stop(self) -> dict[str, float]:
        """End; CPU seconds by part."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        process, main, rocksdb = self._began
        whole, main = time.process_time() - process, time.thread_time() - main
        rocksdb = rocksdb_seconds() - rocksdb
        samples = max(1, self._counts.total())
        parts = {part: main * number / samples for part, number in self._counts.most_common()}
        parts[self._store] = parts.get(self._store, 0.0) + rocksdb
        parts[OTHER_THREADS] = max(0.0, whole - main - rocksdb)
        return parts

    def _sample(self, _signal: int, frame: FrameType | None) -> None:
        while frame is not None:
            code = frame.f_code
            part = self._part_of.get(code)
            if part is None:
                part = self._part_of[code] = part_of(code.co_filename, code.co_qualname, self._parts)
            if part:
                self._counts[part] += 1
                return
            frame = frame.f_back
        self._counts[LOOP] += 1


def part_of(file: str, name: str, parts: Parts) -> str:
    """The part of a function of the product, by its file and qualified name; empty for others'."""
    if not file.startswith(_ROOT):
        return ""
    place = f"{file.removeprefix(_ROOT)}:{name}"
    return next((part for start, part in parts if place.startswith(start)), REST)


def rocksdb_seconds() -> float:
    """CPU seconds of the store's own threads so far; 0 where the system does not tell."""
    ticks = 0
    try:
        tasks = list(Path("/proc/self/task").iterdir())
    except OSError:
        return 0.0
    for task in tasks:
        try:
            name, _, rest = (task / "stat").read_text(encoding="utf-8").rpartition(")")
        except OSError:
            continue
        if "rocksdb" in name:
            fields = rest.split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
