"""CPU time of the stages of a crawl, measured from outside by putting meters around functions of the product.

A meter counts its own time only: what a metered function inside it takes is that one's. Times are of threads, so a
stage that runs beside the loop counts as well. A meter costs about half a microsecond a call, and sits on nothing that
is called for every link.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

STAGES: dict[str, tuple[str, ...]] = {
    "network": (
        "gossamer.adapters.fetcher_curl.multi:CurlMulti._act",
        "gossamer.adapters.fetcher_curl.multi:CurlMulti._time_out",
        "gossamer.adapters.fetcher_curl.multi:CurlMulti.add",
        "gossamer.adapters.fetcher_curl.transfer:Transfer._reset",
        "gossamer.adapters.fetcher_curl.transfer:Transfer._set_options",
        "gossamer.adapters.fetcher_curl.transfer:Transfer._conclude",
    ),
    "decode, digest": ("gossamer.flow.reading:read",),
    "charset": ("gossamer.adapters.parser_turbohtml:decode",),
    "parse": ("gossamer.adapters.parser_turbohtml:TurboParser.parse",),
    "links": (
        "gossamer.adapters.parser_turbohtml:_read",
        "gossamer.core.scope.judge:LinkJudge.judge",
        "gossamer.flow.follow:follow_links",
    ),
    "keys, URL seen": (
        "gossamer.flow.follow:admit",
        "gossamer.flow.admission:url_keys",
        "gossamer.core.seen.fingerprint:Fingerprinter.page_keys",
        "gossamer.core.seen.url_seen:UrlSeen.sort",
        "gossamer.core.seen.url_seen:UrlSeen.add",
    ),
    "frontier": (
        "gossamer.core.frontier.frontier:Frontier.handle",
        "gossamer.core.frontier.frontier:Frontier.advance",
        "gossamer.flow.shard:Shard.head",
        "gossamer.flow.shard:Shard.load_hosts",
    ),
    "archive": (
        "gossamer.flow.report:store",
        "gossamer.adapters.archive_files:WarcFiles.append",
        "gossamer.adapters.archive_files:WarcFiles.index",
        "gossamer.adapters.archive_files:WarcFiles.marks",
        "gossamer.adapters.archive_files:WarcFiles.sync",
        "gossamer.adapters.archive_files:WarcFiles.finish",
    ),
    "datasets": (
        "gossamer.flow.follow:link_rows",
        "gossamer.flow.follow:refused_rows",
        "gossamer.flow.report:page_row",
        "gossamer.adapters.datasets_arrow:ArrowDatasets.append",
        "gossamer.adapters.datasets_arrow:ArrowDatasets.marks",
        "gossamer.adapters.datasets_arrow:ArrowDatasets.sync",
        "gossamer.adapters.datasets_arrow:ArrowDatasets.finish",
    ),
    "store, commit": (
        "gossamer.flow.shard:Shard.begin_commit",
        "gossamer.flow.shard:Shard.end_commit",
        "gossamer.adapters.store_rocksdb:RocksStore.write",
        "gossamer.adapters.store_rocksdb:RocksStore.sync",
        "gossamer.adapters.store_rocksdb:RocksStore.get",
        "gossamer.adapters.store_rocksdb:RocksStore.scan",
    ),
    "start, stop": (
        "gossamer.app.wiring:_make_world",
        "gossamer.app.running:make_worker",
        "gossamer.adapters.store_rocksdb:RocksStore.close",
    ),
    "report": ("gossamer.flow.visit:report_page", "gossamer.flow.loop:perform"),
}
"""Stage -> the functions that make it up, each where it is called from: "module:name" or "module:class.name"."""


class Meters:
    """The meters of one process."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._of_thread = threading.local()

    def install(self) -> None:
        """Put a meter around every function named. A name that is no longer there raises AttributeError."""
        for stage, names in STAGES.items():
            for name in names:
                module, _, path = name.partition(":")
                owner: Any = import_module(module)
                *holders, last = path.split(".")
                for holder in holders:
                    owner = getattr(owner, holder)
                setattr(owner, last, self._metered(getattr(owner, last), stage))

    def _metered(self, function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        clock = time.thread_time

        @functools.wraps(function)
        def metered(*args: Any, **kwargs: Any) -> Any:
            stack = self._stack()
            stack.append(0.0)
            began = clock()
            try:
                return function(*args, **kwargs)
            finally:
                whole = clock() - began
                inner = stack.pop()
                if stack:
                    stack[-1] += whole
                with self._lock:
                    self.seconds[stage] += whole - inner
                    self.calls[stage] += 1

        return metered

    def _stack(self) -> list[float]:
        """Seconds spent in inner meters, one number for each meter open in this thread."""
        stack: list[float] | None = getattr(self._of_thread, "stack", None)
        if stack is None:
            stack = self._of_thread.stack = []
        return stack
