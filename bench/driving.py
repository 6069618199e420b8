"""A crawl of a filled shard without a network: the product's own worker, asked and answered step by step, and timed.

The worker is opened as `gossamer resume` opens it. What is timed is what the product does: turns of the frontier with
the look-ups they ask for, reports of visits, admission of links, commits. Archive and datasets are stand-ins that keep
nothing, for they do not depend on how many URLs are known; names resolve at once, and pages answer at once.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bench.traces import Trace, host_number
from gossamer.core.dns.answer import Answer
from gossamer.core.frontier import commands, events
from gossamer.core.http.exchange import Exchange
from gossamer.core.http.memory_body import MemoryBody
from gossamer.core.page.found import FoundLinks
from gossamer.core.warc.location import FileMark, Location
from gossamer.flow import admission
from gossamer.flow.finished import Finished
from gossamer.flow.follow import route
from gossamer.flow.loop import perform
from gossamer.flow.reading import read
from gossamer.flow.report import report_file, report_page
from gossamer.flow.restoring import restore_rest
from gossamer.flow.seen_files import SeenFiles
from gossamer.ports.files import Recovery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.frontier.lease import Lease
    from gossamer.flow.shard import Shard
    from gossamer.flow.worker import Worker

CYCLE_SECONDS: Final = 0.25
"""A commit interval."""
PAGES_A_CYCLE: Final = 25
"""A hundred pages a second, which is a tenth of what one machine is to do, on one shard of sixteen."""
WARM_CYCLES_MAX: Final = 40
BODY: Final = b"<!doctype html><title>A page</title>"


class NoFiles:
    """What archive and datasets have in common that keep nothing."""

    def marks(self) -> list[FileMark]:
        """See the port."""
        return []

    def sync(self) -> None:
        """See the port."""

    acknowledge = finish = sync

    def recover(self, committed: Mapping[str, FileMark], commits: Mapping[int, int]) -> Recovery:
        """See the port."""
        del committed, commits
        return Recovery()


class NoArchive(NoFiles):
    """An archive that keeps nothing."""

    warcinfo_id = "<urn:uuid:00000000-0000-4000-8000-000000000000>"

    def append(self, records: Sequence[bytes]) -> list[Location]:
        """See the port."""
        return [Location("none.warc.gz", 0, 0) for _ in records]

    def index(self, line: str, shard: int, commit: int) -> None:
        """See the port."""


class NoDatasets(NoFiles):
    """Datasets that keep nothing."""

    def append(self, dataset: str, columns: Mapping[str, Sequence[Any]], shard: int, commit: int) -> None:
        """See the port."""


@dataclass
class Samples:
    """Seconds that single steps took, by name."""

    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """CPU time of the thread: what others do on the machine does not count."""
    wall: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """By the clock on the wall."""

    def time(self, name: str, work: Callable[[], Any], share: int = 1) -> Any:
        """Do something and note what it took; `share`: of how many things it is made up."""
        began, wall = time.thread_time(), time.perf_counter()
        result = work()
        self.note(name, (time.thread_time() - began) / share, (time.perf_counter() - wall) / share)
        return result

    def note(self, name: str, seconds: float, wall: float) -> None:
        """One step."""
        self.seconds.setdefault(name, []).append(seconds)
        self.wall.setdefault(name, []).append(wall)

    def figures(self) -> dict[str, dict[str, float]]:
        """Of each name: mean, median, 99th percentile and greatest, in microseconds, and how many."""
        return {
            name: {
                "mean": float(np.mean(taken)) * 1e6,
                "p50": float(np.percentile(taken, 50)) * 1e6,
                "p99": float(np.percentile(taken, 99)) * 1e6,
                "max": float(np.max(taken)) * 1e6,
                "wall mean": float(np.mean(self.wall[name])) * 1e6,
                "wall p99": float(np.percentile(self.wall[name], 99)) * 1e6,
                "count": len(taken),
            }
            for name, taken in self.seconds.items()
            if taken
        }


@dataclass
class Drive:
    """A worker of one shard, and a trace of what its pages link to."""

    worker: Worker
    trace: Trace
    samples: Samples = field(default_factory=Samples)
    pages: int = 0
    dry: int = 0
    """Turns in which no host was ready although one was wanted."""
    resolved: int = 0
    """Names looked up: the first turns of hosts."""
    late: int = 0
    """Cycles that took longer than their interval."""

    def __post_init__(self) -> None:
        for owner in (self.worker, self.worker.committer):
            owner.archive, owner.datasets = NoArchive(), NoDatasets()
        self.worker.committer.disk = None

    @property
    def shard(self) -> Shard:
        """The shard."""
        return self.worker.shards[0]

    async def warm(self) -> None:
        """Crawl, as fast as it goes, until the files of URL seen are read as at every beginning, and the hosts of the
        working set have had their first turns.
        """
        for chore in self.worker.chores:
            files = getattr(chore, "__self__", None)
            if isinstance(files, SeenFiles):
                await files.check()
        for _ in range(WARM_CYCLES_MAX):
            before = self.resolved
            for _ in range(PAGES_A_CYCLE):
                self.visit_one()
            await self.worker.committer.commit()
            if self.resolved - before < PAGES_A_CYCLE:
                break

    async def crawl(self, seconds: float) -> None:
        """Crawl at the pace of a crawl for so many seconds."""
        chores = [asyncio.ensure_future(chore()) for chore in self.worker.chores]
        chores.append(asyncio.ensure_future(restore_rest(self.worker)))
        try:
            await self._cycles(time.monotonic() + seconds)
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)

    async def _cycles(self, until: float) -> None:
        while (began := time.monotonic()) < until:
            for _ in range(PAGES_A_CYCLE):
                self.visit_one()
            working, committing = time.thread_time(), time.perf_counter()
            await self.worker.committer.commit()
            latency = time.perf_counter() - committing
            self.samples.note("commit, loop's part", time.thread_time() - working, latency)
            # What waits for a commit waits for the disk, and for compactions: here the wall counts.
            self.samples.note("commit, latency", latency, latency)
            left = CYCLE_SECONDS - (time.monotonic() - began)
            self.late += left < 0
            await asyncio.sleep(max(0.0, left))

    def visit_one(self) -> None:
        """Lease a page, report it, take up its links; robots.txt files that come in between are answered too."""
        for _ in range(100):
            lease = self.samples.time("lease", self._lease)
            if lease is None:
                self.dry += 1
                return
            if lease.entry is not None:
                break
            self._report_file(lease)
        else:
            return
        finished = self._finished(lease, lease.url.encode())
        self.samples.time("report", lambda: report_page(self.worker, self.shard, finished))
        urls = self.trace.links(host_number(lease.host))
        found = self._found(lease, urls)
        self.shard.ledger.found += len(urls)
        self.samples.time("queue, per link", lambda: route(self.worker, self.shard, found), len(urls))
        self.pages += 1

    def _lease(self) -> Lease | None:
        """Give hosts their turns until one has a lease; None when none is ready."""
        shard, now = self.shard, self.worker.clock.now()
        for _ in range(100):
            room = self.worker.budget.room(now)
            room.leases = 1
            todo = shard.frontier.advance(now, room)
            if not todo:
                return None
            lease = self._do(todo)
            if lease is not None:
                return lease
        return None

    def _do(self, todo: list[commands.Command]) -> Lease | None:
        lease: Lease | None = None
        now = self.worker.clock.now()
        for command in todo:
            match command:
                case commands.Visit():
                    lease = command.lease
                    self.worker.budget.reserve(lease)
                case commands.Resolve(host_id, _):
                    # Every host has an address of its own: ceilings of shared ones are not what is measured.
                    address = f"93.{host_id[0]}.{host_id[1]}.{host_id[2]}"
                    self.resolved += 1
                    answer = events.Resolved(host_id, Answer((address,), now + 1e6))
                    self._do(self.shard.frontier.handle(answer, now))
                case _:
                    perform(self.worker, self.shard, [command])
        return lease

    def _report_file(self, lease: Lease) -> None:
        exchange = self._exchange(lease, b"", 404)
        report_file(self.worker, self.shard, Finished(lease, exchange, read(exchange, lease.url, None)))

    def _finished(self, lease: Lease, body: bytes) -> Finished:
        exchange = self._exchange(lease, BODY + body, 200)
        return Finished(lease, exchange, read(exchange, lease.url, None))

    def _exchange(self, lease: Lease, body: bytes, status: int) -> Exchange:
        self.shard.frontier.exchange_ended(lease)
        now = self.worker.clock.now()
        made = Exchange(lease.url, now - 0.1, now, address=lease.address, request=b"GET / HTTP/1.1\r\n\r\n")
        made.status, made.headers = status, (("Content-Type", "text/html"),)
        made.head = f"HTTP/1.1 {status} Said\r\nContent-Type: text/html\r\n\r\n".encode()
        made.body = MemoryBody(body)
        return made

    def _found(self, lease: Lease, urls: list[str]) -> FoundLinks:
        count = len(urls)
        return FoundLinks(
            source=lease.url,
            depth=3,
            hops="LL",
            group="",
            redirects=0,
            found_at=self.worker.clock.now(),
            urls=urls,
            letters="L" * count,
            levels=bytes((2,)) * count,
            link_kinds=bytes(count),
        )

    # --- URL seen ------------------------------------------------------------------------------------------------

    def ask_seen(self, rounds: int) -> None:
        """Ask of known and of unknown URLs, in the batches of a page and of a flood."""
        for size in (60, 2000):
            for _ in range(max(3, rounds * 60 // size)):
                self._ask(f"seen, hit, batch of {size}", self.trace.known(size), new=False)
                self._ask(f"seen, miss, batch of {size}", self.trace.absent(size), new=True)
        for _ in range(rounds):
            self._ask("seen, hit, one", self.trace.known(1), new=False)
            self._ask("seen, miss, one", self.trace.absent(1), new=True)

    def _ask(self, name: str, urls: Sequence[str], *, new: bool) -> None:
        rules = self.shard.rules.ids
        keys = list(dict.fromkeys(rules.page_keys([url.split("/")[2].partition(":")[0] for url in urls], urls)))
        rows = self.samples.time(name, lambda: new_rows(self.shard, keys, urls[0]), len(keys))
        if len(rows) != (len(keys) if new else 0):
            raise RuntimeError(f"{name}: {len(rows)} of {len(keys)} keys were called new")


def new_rows(shard: Shard, keys: list[bytes], source: str) -> list[int]:
    """The seen test of the product: which of these keys, named by a page of `source`, are not known."""
    return admission._new_rows(shard, keys, source)  # pyright: ignore[reportPrivateUsage]
