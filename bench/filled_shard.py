"""A crawl folder whose one shard is as full as asked, made in minutes: `./dev bench filled_shard FOLDER URLS`.

It is a folder like any other: made by the product's own functions, its rows in the tables, keys and encodings of the
product, opened by the normal opening. What a crawl would write in weeks goes in as sorted files of rows that the store
takes in whole, so a hundred million URLs take minutes. Sites are unequal by Zipf's law. A part of each host's pages is
fetched, from the first on, and the rest is queued in the order found; hosts with queued URLs sleep, most of them with
their time come, and some are in the working set.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import time
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec
import numpy as np
import rocksdict

from bench.filled_rows import (
    Bytes,
    Numbers,
    PageForms,
    UrlForm,
    as_bytes,
    check_rows,
    common_columns,
    fingerprint_rows,
    host_name,
    id_rows,
    levels_of,
    page_keys,
    queue_keys,
)
from gossamer.adapters import store_rocksdb
from gossamer.adapters.disk_files import FolderDisk
from gossamer.adapters.store_rocksdb import TABLES, RocksResources, RocksStore
from gossamer.app.folder import CrawlFolder, FixedFacts, make_folder
from gossamer.app.seeds import Seed
from gossamer.app.settings import Settings, load
from gossamer.app.settings.layers import Given
from gossamer.core.frontier.ledger import Ledger, encode_ledger
from gossamer.core.frontier.records import LEVELS, QUEUES, HostState, encode, ready_key
from gossamer.core.robots.answer import RobotsKind, RobotsState, encode_robots
from gossamer.core.seen.fingerprint import FINGERPRINT_BYTES, Fingerprinter
from gossamer.core.seen.prints import PRINT_BYTES, PRINT_TYPE
from gossamer.flow.seeding import SEEDED_KEY
from gossamer.flow.seen_files import SeenRules, bulk_run
from gossamer.flow.shard import COMMIT_KEY, LEDGER_KEY, ORDER_KEY
from gossamer.ports.store import Table, WriteBatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOST_BITS: Final = 20
"""Enough for the hosts of a chunk."""
CHUNK: Final = 500_000
"""URLs made at once: some 600 MB of columns and rows."""
FILE_ROWS: Final = 1_500_000
"""Rows of one sorted file: about 100 MB."""
PAGE_BYTES: Final = 55_000
HOSTS_MAX: Final = 1_000_000
URLS_PER_HOST: Final = 100
LARGEST_MAX: Final = 400_000
"""URLs of the largest host, at most: enough queued for 100,000 deletions at its head."""
ZIPF_OFFSET: Final = 20
ROBOTS: Final = b"User-agent: *\nDisallow: /private/\nDisallow: /search\nCrawl-delay: 1\n"
ROBOTS_AGE: Final = 86_400.0
JOBS: Final = 2
"""Processes that make rows."""
FILLED: Final = (Table.PAGE, Table.QUEUE, Table.HOST, Table.READY, Table.ACTIVE, Table.ROBOTS)
"""The tables that come in as sorted files."""


@dataclass(frozen=True)
class Shape:
    """What a folder shall hold."""

    urls: int
    begun: float
    """When the first URL was found; seconds since the epoch."""
    now: float
    """When the last commit was made."""
    hosts: int = 0
    """0: one for every hundred URLs, at most a million."""
    queued_share: float = 0.5
    port: int = 0
    """0: https on its usual port; else http on that one."""
    archived: bool = True
    """Whether fetched pages name captures; there is no archive, so the books of files do not hold then."""
    working: int = 2000
    """Hosts in the working set."""
    draw: int = 1

    @property
    def host_count(self) -> int:
        """How many hosts there are."""
        return self.hosts or max(4, min(HOSTS_MAX, self.urls // URLS_PER_HOST))


@dataclass
class Hosts:
    """The hosts of a shard, in the order of their ids."""

    number: Numbers
    """Which host it is: 0 is the largest."""
    site: Numbers
    size: Numbers
    """Its known URLs."""
    fetched: Numbers
    """How many of them were fetched, from the first on."""
    order: Numbers
    """The place in the queues before that of its first page."""
    ids: list[bytes]

    def name(self, at: int) -> str:
        """The name of the host at a place."""
        return host_name(int(self.number[at]), int(self.site[at]))


def sizes_of(urls: int, hosts: int) -> Numbers:
    """URLs of each host, the largest first: Zipf's law with its head cut, each host at least one, `urls` in all."""
    largest = min(LARGEST_MAX, urls // 4)
    weights = 1.0 / (np.arange(hosts - 1) + ZIPF_OFFSET)
    rest = urls - largest - (hosts - 1)
    sizes = 1 + np.floor(weights / weights.sum() * rest).astype(np.int64)
    sizes[: urls - largest - int(sizes.sum())] += 1
    return np.concatenate(([urls - int(sizes.sum())], sizes))


def make_hosts(shape: Shape, ids: Fingerprinter) -> Hosts:
    """The hosts; of four neighbours two share a site."""
    number = np.arange(shape.host_count, dtype=np.int64)
    site = number - (number % 4 == 3)
    size = sizes_of(shape.urls, shape.host_count)
    fetched = np.floor(size * (1.0 - shape.queued_share)).astype(np.int64)
    host_ids = [ids.host_id(host_name(host, at)) for host, at in zip(number.tolist(), site.tolist(), strict=True)]
    order = np.argsort(np.frombuffer(b"".join(host_ids), dtype=">u8"), kind="stable")
    size = size[order]
    places = 1 + np.cumsum(size) - size
    return Hosts(number[order], site[order], size, fetched[order], places, [host_ids[at] for at in order.tolist()])


class SortedFiles:
    """Rows of one table in the order of their keys, gathered in files that the store takes in whole."""

    def __init__(self, table: Table, folder: Path, name: str) -> None:
        self._start = f"{table.value}-{name}"
        self._folder = folder
        # Of the block cache that the options name a writer uses nothing.
        self._options = store_rocksdb._table_options(TABLES[table], RocksResources())  # pyright: ignore[reportPrivateUsage]
        # As the levels above the last one are: a fifth larger than that, and half as dear to write.
        self._options.set_bottommost_compression_type(rocksdict.DBCompressionType.lz4())
        self._writer: rocksdict.SstFileWriter | None = None
        self._rows = 0
        self._files = 0

    def add(self, keys: Sequence[bytes], values: Iterable[bytes]) -> None:
        """More rows, behind those there are."""
        if not keys:
            return
        if self._writer is None:
            self._writer = rocksdict.SstFileWriter(self._options)
            self._writer.open(str(self._folder / f"{self._start}-{self._files:05}.sst"))
            self._files += 1
        deque(map(self._writer.__setitem__, keys, values), maxlen=0)
        self._rows += len(keys)
        if self._rows >= FILE_ROWS:
            self.finish()

    def finish(self) -> None:
        """End the file being written."""
        if self._writer is not None:
            self._writer.finish()
        self._writer, self._rows = None, 0


@dataclass
class Share:
    """What one process makes: the URLs of a stretch of hosts."""

    shape: Shape
    ids: Fingerprinter
    hosts: Hosts
    aside: Path
    """The folder that the files go to, those with all fingerprints too."""
    part: int
    files: dict[Table, SortedFiles] = field(default_factory=dict[Table, SortedFiles])

    def fill(self, first: int, last: int) -> None:
        """Rows of pages and queues of the hosts from `first` to before `last`."""
        self.files = {table: SortedFiles(table, self.aside, f"{self.part}") for table in (Table.PAGE, Table.QUEUE)}
        chance = _chance(self.shape, first)
        forms = PageForms(UrlForm(self.shape.port), chance, archived=self.shape.archived)
        ends = np.cumsum(self.hosts.size)
        with self.aside.joinpath(f"prints-{self.part}").open("wb") as prints:
            while first < last:
                before = int(ends[first - 1]) if first else 0
                following = max(first + 1, int(np.searchsorted(ends, before + CHUNK, side="right")))
                self._fill_hosts(forms, chance, range(first, min(following, last)), prints)
                first = following
        for rows in self.files.values():
            rows.finish()

    def _fill_hosts(self, forms: PageForms, chance: np.random.Generator, places: range, prints_file: BinaryIO) -> None:
        hosts, form = self.hosts, UrlForm(self.shape.port)
        sizes = hosts.size[places.start : places.stop]
        at = np.repeat(np.arange(places.start, places.stop), sizes)
        orders = hosts.order[places.start] + 1 + np.arange(len(at))
        pages = orders - 1 - hosts.order[at]
        urls = form.urls(hosts.number[at], hosts.site[at], pages)
        prints = self._fingerprints(urls)
        prints_file.write(prints.tobytes())
        waiting = pages >= hosts.fetched[at]
        ids = id_rows(hosts.ids[places.start : places.stop])[at - places.start]
        self._queue_rows(at[waiting], pages[waiting], ids[waiting], prints[waiting], orders[waiting])
        by_key = _order_of_keys(at - places.start, prints)
        pages, orders, waiting = pages[by_key], orders[by_key], waiting[by_key]
        common = common_columns(form, urls[by_key], pages, self.shape.begun)
        values = np.empty(len(at), dtype=object)
        values[waiting] = forms.waiting({name: column[waiting] for name, column in common.items()}, orders[waiting])
        done = ~waiting
        values[done] = forms.done({name: column[done] for name, column in common.items()}, orders[done], chance)
        check_rows(values[:10].tolist(), [bytes(row) for row in common["url"][:10]])
        self.files[Table.PAGE].add(page_keys(ids[by_key], prints[by_key]), values.tolist())

    def _fingerprints(self, urls: Bytes) -> Bytes:
        """Of URLs that are their own keys."""
        fingerprint, text, width = self.ids.fingerprint, urls.tobytes().decode("ascii"), urls.shape[1]
        starts = range(0, len(text), width)
        return fingerprint_rows(b"".join([fingerprint(text[start : start + width]) for start in starts]))

    def _queue_rows(self, at: Numbers, pages: Numbers, ids: Bytes, prints: Bytes, orders: Numbers) -> None:
        levels = levels_of(pages)
        # The orders are ascending already.
        by_key = np.argsort(at * LEVELS + levels, kind="stable")
        keys = queue_keys(ids[by_key], levels[by_key], orders[by_key])
        self.files[Table.QUEUE].add(keys, as_bytes(prints[by_key]))


@dataclass
class Places:
    """States, places and robots.txt files of the hosts."""

    shape: Shape
    hosts: Hosts
    files: dict[Table, SortedFiles]

    def fill(self) -> None:
        """Every row that a host has."""
        hosts, shape, chance = self.hosts, self.shape, _chance(self.shape, len(self.hosts.ids))
        with_urls = np.flatnonzero(hosts.size - hosts.fetched)
        working: set[int] = set(chance.choice(with_urls, min(shape.working, len(with_urls)), replace=False).tolist())
        # Half of them may be asked at once, the others within ten minutes.
        wakes = np.round((shape.now + chance.uniform(-600.0, 600.0, len(hosts.ids))) * 1000).astype(np.int64).tolist()
        ready: list[bytes] = []
        states: list[bytes] = []
        for at, host_id in enumerate(hosts.ids):
            state = self._state(at)
            state.next_at = wakes[at] / 1000
            if state.total and at not in working:
                state.ready_level, state.ready_wake_ms = _best_level(state), wakes[at]
                ready.append(ready_key(state.ready_level, wakes[at], host_id))
            states.append(encode(state))
        self.files[Table.HOST].add(hosts.ids, states)
        ready.sort()
        self.files[Table.READY].add(ready, [b""] * len(ready))
        self.files[Table.ACTIVE].add([hosts.ids[at] for at in sorted(working)], [b""] * len(working))
        age = shape.now - 60.0
        robots = encode_robots(RobotsState(RobotsKind.RULES, age, shape.now + ROBOTS_AGE, ROBOTS, age))
        fetched = np.flatnonzero(hosts.fetched).tolist()
        self.files[Table.ROBOTS].add([hosts.ids[at] + self._authority(at) for at in fetched], [robots] * len(fetched))

    def _authority(self, at: int) -> bytes:
        name, port = self.hosts.name(at), self.shape.port
        return f"http://{name}:{port}".encode() if port else f"https://{name}".encode()

    def _state(self, at: int) -> HostState:
        hosts, shape = self.hosts, self.shape
        name = hosts.name(at)
        state = HostState(name, name.partition(".")[2])
        fetched, order = int(hosts.fetched[at]), int(hosts.order[at])
        queued, first = _queues(fetched, int(hosts.size[at]))
        state.queued = list(queued)
        state.heads = [order + 1 + page if count else 0 for page, count in zip(first, queued, strict=True)]
        state.pages = state.fetches = fetched
        state.bytes = fetched * PAGE_BYTES
        if fetched:
            state.last_end = state.answered_at = shape.now - 60.0
            state.response_seconds = [0.2] * min(10, fetched)
        return state


def small_rows(shape: Shape, hosts: Hosts) -> WriteBatch:
    """The books, the last order, the number of the commit."""
    known, done = shape.urls, int(hosts.fetched.sum())
    ledger = Ledger(found=known * 8, seen=known * 7, new=known, known=known, queued=known - done, done=done)
    ledger.pages = ledger.public_pages = ledger.fetches = done
    ledger.bytes, ledger.statuses, ledger.group_pages = done * PAGE_BYTES, {"200": done}, {"": done}
    puts = [
        (Table.META, LEDGER_KEY, encode_ledger(ledger)),
        (Table.META, ORDER_KEY, (known + 1).to_bytes(8, "big")),
        (Table.META, COMMIT_KEY, max(1, round((shape.now - shape.begun) * 4)).to_bytes(8, "big")),
        (Table.META, SEEDED_KEY, b""),
    ]
    return WriteBatch(puts)


def _order_of_keys(hosts: Numbers, prints: Bytes) -> Numbers:
    """The places of page keys in their order: by host, then by fingerprint. `hosts`: small numbers in order."""
    halves = prints.view(">u8").astype(np.uint64)
    first = halves[:, 0] >> np.uint64(HOST_BITS)
    order = np.argsort((hosts.astype(np.uint64) << np.uint64(64 - HOST_BITS)) | first)
    same = (hosts[order][1:] == hosts[order][:-1]) & (first[order][1:] == first[order][:-1])
    return np.lexsort((halves[:, 1], halves[:, 0], hosts)) if same.any() else order


def _best_level(state: HostState) -> int:
    return next(level for level in range(LEVELS) if state.queued[level])


def _chance(shape: Shape, part: int) -> np.random.Generator:
    return np.random.default_rng((shape.draw, part))


@lru_cache(maxsize=100_000)
def _queues(fetched: int, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of a host with so many URLs, the first of them fetched: URLs in each queue, and the first page of each."""
    levels = levels_of(np.arange(fetched, size))
    counts = np.bincount(levels, minlength=QUEUES).tolist()
    first = [fetched + int(np.argmax(levels == level)) if counts[level] else 0 for level in range(QUEUES)]
    return tuple(counts), tuple(first)


def settings_of(sets: Sequence[str] = ()) -> Settings:
    """The settings of a crawl of one shard."""
    flags = {"crawl.shards": "1", "scope.kind": "any", "politeness.contact": "https://crawler.example/"}
    return load(Given(values=[(key, value, "bench") for key, value in flags.items()], sets=sets))


def make_filled_folder(path: Path, shape: Shape, sets: Sequence[str] = ()) -> CrawlFolder:
    """A crawl folder of one shard of that shape. `sets`: settings as "KEY=VALUE"."""
    settings = settings_of(sets)
    form = UrlForm(shape.port)
    folder, lock = make_folder(path, settings, [Seed(form.example.decode(), "given")], FixedFacts.new(settings.keys))
    try:
        fill_store(folder, shape)
    finally:
        lock.release()
    return folder


def filled_folder(path: Path, shape: Shape, sets: Sequence[str] = ()) -> CrawlFolder:
    """The same, and its shape beside it, for whoever measures it later. What was left half made is made anew."""
    shutil.rmtree(path, ignore_errors=True)
    folder = make_filled_folder(path, shape, sets)
    _shape_file(path).write_bytes(msgspec.json.encode(shape))
    return folder


def read_shape(path: Path) -> Shape:
    """The shape of a folder that `filled_folder` made."""
    return msgspec.json.decode(_shape_file(path).read_bytes(), type=Shape)


def _shape_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.shape.json")


def fill_store(folder: CrawlFolder, shape: Shape) -> None:
    """Make the store of the shard. Processes share the work, each with a stretch of the host ids."""
    path, ids = folder.shard(0), Fingerprinter(folder.read_facts().hash_key)
    aside = path.with_name(f"{path.name}-rows")
    aside.mkdir(parents=True)
    resources = RocksResources()
    hosts = make_hosts(shape, ids)
    ends = np.cumsum(hosts.size)
    cuts = [0, *(int(np.searchsorted(ends, shape.urls * part // JOBS)) for part in range(1, JOBS)), len(hosts.ids)]
    context = multiprocessing.get_context("fork")
    shares = [Share(shape, ids, hosts, aside, part) for part in range(JOBS)]
    jobs = [context.Process(target=share.fill, args=cuts[share.part : share.part + 2]) for share in shares]
    for job in jobs:
        job.start()
    others = {table: SortedFiles(table, aside, "hosts") for table in FILLED}
    Places(shape, hosts, others).fill()
    for rows in others.values():
        rows.finish()
    for job in jobs:
        job.join()
        if job.exitcode:
            raise RuntimeError(f"a process that made rows ended with {job.exitcode}")
    with RocksStore(path, resources=resources) as store:
        for table in FILLED:
            take_in(store, table, sorted(aside.glob(f"{table.value}-*.sst")))
        batch = small_rows(shape, hosts)
        batch.puts.append(seen_row(folder, sorted(aside.glob("prints-*"))))
        store.write(batch)
        store.sync()
    shutil.rmtree(aside)


def take_in(store: RocksStore, table: Table, paths: Sequence[Path]) -> None:
    """Let a store have files of sorted rows; none may overlap another or what is there."""
    if paths:
        options = rocksdict.IngestExternalFileOptions()
        options.set_move_files(True)
        tables = store._live().tables  # pyright: ignore[reportPrivateUsage]
        tables[table].ingest_external_file([str(path) for path in paths], options)


def seen_row(folder: CrawlFolder, prints: Sequence[Path]) -> tuple[Table, bytes, bytes]:
    """Write the run that URL seen rests on; the row that names it. `prints`: files of fingerprints."""
    rules = SeenRules(FolderDisk(folder.path), folder.seen)
    columns = [np.fromfile(path, PRINT_TYPE).reshape(-1, FINGERPRINT_BYTES // PRINT_BYTES)[:, 0] for path in prints]
    return Table.SEEN, *bulk_run(rules, 0, [np.sort(np.concatenate(columns))])


def main() -> None:
    """Make one folder and say what it cost."""
    parser = argparse.ArgumentParser(description="Make a crawl folder whose one shard knows that many URLs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("urls", type=int)
    parser.add_argument("--hosts", type=int, default=0)
    parser.add_argument("--queued", type=float, default=0.5, help="the share of URLs that are queued")
    arguments = parser.parse_args()
    began, now = time.monotonic(), time.time()
    shape = Shape(arguments.urls, now - 90 * 86_400.0, now, hosts=arguments.hosts, queued_share=arguments.queued)
    folder = filled_folder(arguments.folder, shape)
    size = sum(file.stat().st_size for file in folder.shard(0).iterdir())
    print(f"{shape.urls:,} URLs of {shape.host_count:,} hosts: {time.monotonic() - began:.0f} s, {size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
