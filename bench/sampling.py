"""Where a crawl's CPU goes, by part of the product, without touching it: a sampling profiler in the process itself.

A timer of consumed CPU (SIGPROF) interrupts the main thread every few milliseconds of CPU; the innermost function of
the product that is then on the stack is charged, native calls included, for the interruption waits for their end. The
work of other threads is charged by the kernel's figures: RocksDB's own threads, and what a thread spends in the store's
calls, are the store's; the rest are commits of archive and datasets. A sample costs about 3 us, 0.1 % at 5 ms.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import gossamer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

FRONTIER: Final = "frontier"
PARTS: Final = (
    ("core/frontier/", FRONTIER),
    ("core/budget/", FRONTIER),
    ("core/trap/", FRONTIER),
    ("core/seen/", FRONTIER),
    ("core/politeness/", FRONTIER),
    ("adapters/store_", FRONTIER),
    ("adapters/runs_", FRONTIER),
    ("flow/admission", FRONTIER),
    ("flow/shard", FRONTIER),
    ("flow/pending", FRONTIER),
    ("flow/sites", FRONTIER),
    ("flow/templates", FRONTIER),
    ("flow/aliases", FRONTIER),
    ("flow/inbox", FRONTIER),
    ("flow/outbox", FRONTIER),
    ("flow/delivery", FRONTIER),
    ("flow/commit", FRONTIER),
    ("adapters/fetcher_", "network"),
    ("core/http/", "network"),
    ("adapters/resolver_", "names"),
    ("core/dns/", "names"),
    ("core/robots/", "robots"),
    ("adapters/parser_", "parse, links"),
    ("core/page/", "parse, links"),
    ("core/url/", "URLs"),
    ("core/scope/", "scope"),
    ("flow/reading", "decode, digest"),
    ("adapters/archive_", "archive"),
    ("core/warc/", "archive"),
    ("flow/capture", "archive"),
    ("adapters/datasets_", "datasets"),
    ("flow/rows", "datasets"),
    ("flow/", "flow"),
    ("app/running", "loop"),
)
"""Beginning of a file's path in the package -> part; the first that fits."""
SAMPLE_SECONDS: Final = 0.005
_ROOT: Final = str(Path(gossamer.__file__).parent) + os.sep
_STORE_CALLS: Final = ("write", "sync")


class Sampler:
    """The profiler of one process. Started and stopped in the main thread."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._part_of: dict[CodeType, str] = {}
        self._store_seconds = 0.0
        self._began = (0.0, 0.0, 0.0, 0.0)

    def meter_store(self) -> None:
        """Put a meter around what another thread asks of the store; before the crawl begins."""
        from gossamer.adapters.store_rocksdb import RocksStore

        for name in _STORE_CALLS:
            setattr(RocksStore, name, self._metered(getattr(RocksStore, name)))

    def start(self) -> None:
        """Begin to count."""
        self._began = (time.process_time(), time.thread_time(), _rocksdb_seconds(), self._store_seconds)
        signal.signal(signal.SIGPROF, self._sample)
        signal.siginterrupt(signal.SIGPROF, False)  # noqa: FBT003 - the standard library's
        signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)

    def stop(self) -> dict[str, float]:
        """End; CPU seconds by part."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        process, main, rocksdb, store = self._began
        whole, main = time.process_time() - process, time.thread_time() - main
        rocksdb, store = _rocksdb_seconds() - rocksdb, self._store_seconds - store
        samples = max(1, self._counts.total())
        parts = {part: main * number / samples for part, number in self._counts.most_common()}
        parts[FRONTIER] = parts.get(FRONTIER, 0.0) + rocksdb + store
        parts["other threads"] = max(0.0, whole - main - rocksdb - store)
        return parts

    def _sample(self, _signal: int, frame: FrameType | None) -> None:
        while frame is not None:
            code = frame.f_code
            part = self._part_of.get(code)
            if part is None:
                part = self._part_of[code] = _part_of(code.co_filename)
            if part:
                self._counts[part] += 1
                return
            frame = frame.f_back
        self._counts["loop"] += 1

    def _metered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        main = threading.main_thread()

        def metered(*args: Any, **kwargs: Any) -> Any:
            if threading.current_thread() is main:
                return function(*args, **kwargs)
            began = time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                self._store_seconds += time.thread_time() - began

        return metered


def _part_of(file: str) -> str:
    """The part of a file of the product; empty for others'."""
    if not file.startswith(_ROOT):
        return ""
    path = file.removeprefix(_ROOT)
    return next((part for start, part in PARTS if path.startswith(start)), "rest")


def _rocksdb_seconds() -> float:
    """CPU seconds of the store's own threads so far."""
    ticks = 0
    for task in Path("/proc/self/task").iterdir():
        try:
            name, _, rest = (task / "stat").read_text().rpartition(")")
        except OSError:
            continue
        if "rocksdb" in name:
            fields = rest.split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
