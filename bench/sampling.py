"""Where a crawl's CPU goes, with the frontier as a whole: the product's own profiler (app/bench/sampler.py), a table.

Beside them, what other threads spend in the store's calls is the frontier's too.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.bench import sampler

if TYPE_CHECKING:
    from collections.abc import Callable

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
_STORE_CALLS: Final = ("write", "sync")


class Sampler(sampler.Sampler):
    """The profiler of one process. Started and stopped in the main thread."""

    def __init__(self) -> None:
        super().__init__(PARTS, store=FRONTIER)
        self._store_seconds = self._store_before = 0.0

    def meter_store(self) -> None:
        """Put a meter around what another thread asks of the store; before the crawl begins."""
        from gossamer.adapters.store_rocksdb import RocksStore

        for name in _STORE_CALLS:
            setattr(RocksStore, name, self._metered(getattr(RocksStore, name)))

    def start(self) -> None:
        """Begin to count."""
        self._store_before = self._store_seconds
        super().start()

    def stop(self) -> dict[str, float]:
        """End; CPU seconds by part."""
        parts = super().stop()
        store = self._store_seconds - self._store_before
        parts[FRONTIER] += store
        parts[sampler.OTHER_THREADS] = max(0.0, parts[sampler.OTHER_THREADS] - store)
        return parts

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
    return sampler.part_of(file, "", PARTS)
