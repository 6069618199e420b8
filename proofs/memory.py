"""A crawl that knows all its URLs does not grow: live bytes over six simulated hours, RSS over twenty real minutes.

*Live bytes*: the crawl loop on virtual time, with the real store and files on a disk, so that what it keeps in memory
is all that is counted (tracemalloc, after a collection, every ten virtual minutes). Every URL is known within the first
minutes; what is fetched afterwards must leave nothing behind.

*RSS*: a crawl of loopback hosts as a user starts it, at a bounded rate (a gap of a second at each), read from /proc.
The hosts name all that they have on their first pages, so that all is known within seconds.

In both the growth is the slope of the line that fits the samples after the first quarter best (least squares). And in
both a crawl that leaks on purpose, some bytes a page, must be told: a proof that cannot fail proves nothing. The real
one runs at the same time, so that both are as long.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import subprocess
import sys
import tempfile
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.adapters.disk_files import FolderDisk
from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.simulation.clock import EPOCH, SimLoop
from gossamer.simulation.crawler import Crawler, SimDisk
from gossamer.simulation.entropy import SimEntropy
from gossamer.simulation.faults import LifeFaults
from gossamer.simulation.network import Contact, Network
from gossamer.simulation.settings import CrawlSettings
from gossamer.simulation.world import Authority, Link, Page, Robots, RobotsKind, SimHost, World, key_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from multiprocessing.connection import Connection

    from gossamer.flow.worker import Worker

HOURS = 6.0
LIVE_MAX, RSS_MAX = 1.0, 20.0
"""MB an hour."""
SAMPLE_SECONDS = 600.0
SIM_HOSTS, SIM_GAP, SIM_GAP_QUICK, SIM_GAP_LEAK = 20, 20.0, 480.0, 960.0
LINKS = 15
REAL_SECONDS, REAL_SECONDS_QUICK = 1_200.0, 20.0
REAL_HOSTS, REAL_PAGES = 16, 22_400
"""At a gap of a second 16 pages/s, and more pages than are fetched in twenty minutes."""
INDEX_LINKS = 500
LEAK_BYTES, LEAK_BYTES_REAL, LEAK_BYTES_QUICK = 50_000, 1_000, 50_000
"""Of each page, in the crawls that must be told: 57 MB/h of RSS at 16 pages/s. A quick one is all warm-up, in
which no leak of RSS can be told: that it runs is all that is shown."""
LEAKING = """
import sys
from gossamer.app.cli import main
from gossamer.flow import visit
kept, report = [], visit.report_page
def leak(*arguments):
    kept.append(b"x" * int(sys.argv[1]))
    return report(*arguments)
visit.report_page = leak
sys.exit(main(sys.argv[2:]))
"""
MB = 1_000_000
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@dataclass(frozen=True)
class Growth:
    """MB an hour, and what it was worked out from."""

    slope: float
    first: float
    last: float
    samples: int

    def line(self, what: str, most: float, *, judged: bool = True) -> str:
        said = "ok" if self.slope <= most else "TOO MUCH" if judged else "over, in a run too short to tell"
        return (
            f"{what:12} {self.slope:8.2f} MB/h (at most {most:g}), from {self.first:.2f} to {self.last:.2f} MB "
            f"in {self.samples} samples: {said}"
        )


def run(quick: bool) -> int:
    live, pages = live_bytes(SIM_GAP_QUICK if quick else SIM_GAP)
    leaked, _ = live_bytes(SIM_GAP_LEAK, leaks=True)
    seconds, leak = (REAL_SECONDS_QUICK, LEAK_BYTES_QUICK) if quick else (REAL_SECONDS, LEAK_BYTES_REAL)
    with ThreadPoolExecutor(2) as pool:
        (rss, fetched), (rss_leaked, _) = pool.map(resident, (seconds, seconds), (0, leak))
    unseen = (leaked.slope <= LIVE_MAX) + (rss_leaked.slope <= RSS_MAX)
    # A minute is too short to tell a slope of RSS from the noise of allocators: shown, not judged.
    problems = (live.slope > LIVE_MAX) + (rss.slope > RSS_MAX and not quick)
    print(f"simulated: {HOURS:g} hours, {pages} pages; real: {fetched} pages{', QUICK' if quick else ''}")
    print(live.line("live bytes", LIVE_MAX))
    print(rss.line("RSS", RSS_MAX, judged=not quick))
    print(f"told to leak: {leaked.slope:.2f} MB/h of live bytes, {rss_leaked.slope:.0f} MB/h of RSS", end=": ")
    print("NOT SEEN" if unseen else "both seen")
    return 1 if problems or unseen else 0


def growth(samples: list[tuple[float, float]]) -> Growth:
    """The slope of (seconds, bytes) after the first quarter."""
    start = samples[0][0] + (samples[-1][0] - samples[0][0]) / 4
    kept = [(moment / 3600, size / MB) for moment, size in samples if moment >= start]
    mean_x, mean_y = (sum(axis) / len(kept) for axis in zip(*kept, strict=True))
    square = sum((x - mean_x) ** 2 for x, _ in kept)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in kept) / square
    return Growth(slope, kept[0][1], kept[-1][1], len(kept))


# --- live bytes ----------------------------------------------------------------------------------------------------


class _Unlogged(list[Contact]):
    """The servers' log, of which nothing is kept: it is not the crawler's memory."""

    def append(self, contact: Contact) -> None:
        del contact


class _RealDisk(SimDisk):
    """Stores and files on a real disk, where their bytes are nobody's memory."""

    def __init__(self, folder: Path, shards: int) -> None:
        disk: Any = FolderDisk(folder)
        super().__init__([], disk)
        self._folder, self._shards = folder, shards

    def open_stores(self) -> list[Any]:
        resources, state = RocksResources(), self._folder / "state"
        state.mkdir()
        return [RocksStore(state / f"shard-{number:03}", resources=resources) for number in range(self._shards)]


def live_bytes(gap: float, *, leaks: bool = False) -> tuple[Growth, int]:
    """Growth of live bytes in a simulated crawl, and how many pages it had. `leaks`: it keeps something of each."""
    settings = CrawlSettings(gap_seconds=gap, shards=4, commit_interval=gap / 4, patience=3600.0)
    world = _world(int(HOURS * 3600 / gap) + 50)
    samples: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="gossamer-memory-", dir=FOLDER) as name:
        crawler = Crawler(
            world=world,
            network=Network(world, _Unlogged(), dict.fromkeys(world.pages, 0)),
            disk=_RealDisk(Path(name), settings.shards),
            settings=settings,
            entropy=SimEntropy(1, "memory"),
            hash_key=bytes(16),
            on_commit=lambda: None,
            life=LifeFaults(stop_after=HOURS * 3600),
            sabotage=_leak if leaks else None,
        )
        gc.collect()
        gc.freeze()
        tracemalloc.start()
        SimLoop(EPOCH, steps_max=1 << 62).run_until_complete(_sampled(crawler, samples))  # type: ignore[abstract]
        tracemalloc.stop()
        pages = len(crawler.datasets.rows("pages"))
    return growth(samples), pages


def _leak(_: Crawler, worker: Worker) -> None:
    kept: list[bytes] = []
    worker.listeners.append(lambda _: kept.append(bytes(LEAK_BYTES)))


async def _sampled(crawler: Crawler, samples: list[tuple[float, float]]) -> None:
    crawling = asyncio.ensure_future(crawler.run())
    for _ in range(int(HOURS * 3600 / SAMPLE_SECONDS) - 1):
        await asyncio.sleep(SAMPLE_SECONDS)
        if crawling.done():
            break
        gc.collect()
        samples.append((asyncio.get_running_loop().time(), tracemalloc.get_traced_memory()[0]))
    await crawling


def _world(each: int) -> World:
    """Hosts whose first pages name all that they have; every page names some that are known."""
    world = World(0)
    for number in range(SIM_HOSTS):
        name = f"h{number}.example"
        origin = f"http://{name}"
        authority = Authority(origin, Robots(RobotsKind.ALLOW))
        world.hosts[name] = SimHost(name, name, (f"20.1.{number}.1",), (authority,), 0.01, 0.02)
        links = [Link(f"{origin}/{page}") for page in range(each)]
        world.seeds.append(f"{origin}/")
        world.pages[key_of(f"{origin}/")] = Page(f"{origin}/", links=tuple(links), words=name)
        for page, link in enumerate(links):
            near = tuple(links[(page * 7 + step) % each] for step in range(LINKS))
            world.pages[key_of(link.url)] = Page(link.url, links=near, words=f"Page {page} of {name}")
    return world


# --- RSS -----------------------------------------------------------------------------------------------------------


def resident(seconds: float, leak: int) -> tuple[Growth, int]:
    """Growth of the RSS of a real crawl of so many seconds, which leaks so many bytes a page; its pages."""
    from tests import crawls

    samples: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="gossamer-memory-") as name, _served() as port:
        folder = Path(name) / "crawl"
        hosts = [f"m{number:02}.test" for number in range(REAL_HOSTS)]
        flags = [flag for host in hosts for flag in ("--resolve", f"{host}=127.0.0.1")]
        seeds = [f"http://{host}:{port}/" for host in hosts]
        command = crawls.command("crawl", *seeds, "-o", folder, "--gap", "1", "--quiet", *flags, *crawls.LOOPBACK)
        if leak:
            command = [sys.executable, "-P", "-c", LEAKING, str(leak), *command[command.index("crawl") :]]
        crawl = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=crawls.environment(),
        )
        try:
            end = time.monotonic() + seconds
            while time.monotonic() < end and crawl.poll() is None:
                time.sleep(seconds / 240)
                if (size := _rss(crawl.pid)) > 0:
                    samples.append((time.monotonic(), size))
        finally:
            crawl.terminate()
            crawl.wait(120)
        fetched = crawls.Crawl(folder).summary()["pages"]
    return growth(samples), fetched


def _rss(process: int) -> int:
    """Bytes of memory that a process holds; 0 when it has none."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found is not None else 0


@contextmanager
def _served() -> Generator[int]:
    """A server of its own process; its port."""
    ours, theirs = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=_serve, args=(theirs, REAL_PAGES // REAL_HOSTS), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(told: Connection, pages: int) -> None:
    asyncio.run(_serving(told, pages))


async def _serving(told: Connection, pages: int) -> None:
    server = await asyncio.start_server(lambda reader, writer: _answer(reader, writer, pages), "127.0.0.1", 0)
    told.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pages: int) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split(b" ", 2)[1].decode("ascii")
            host = head.lower().partition(b"host: ")[2].partition(b"\r\n")[0].decode("ascii")
            body = _body(host, path, pages).encode()
            status = b"200 OK" if body else b"404 Not Found"
            lines = b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
            writer.write(lines + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def _body(host: str, path: str, pages: int) -> str:
    if path == "/":
        links = [f"/index/{number}" for number in range(-(-pages // INDEX_LINKS))]
    elif path.startswith("/index/"):
        first = int(path.removeprefix("/index/")) * INDEX_LINKS
        links = [f"/p/{number}" for number in range(first, min(first + INDEX_LINKS, pages))]
    elif path.startswith("/p/"):
        number = int(path.removeprefix("/p/"))
        links = [f"/p/{(number * 7 + step) % pages}" for step in range(LINKS)]
    else:
        return ""
    anchors = "".join(f'<p><a href="{link}">To {link} of {host}</a></p>' for link in links)
    return f"<!doctype html><html><head><title>{path}</title></head><body><h1>{host}{path}</h1>{anchors}</body></html>"
