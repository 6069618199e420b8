"""What the store of a shard costs: us per get, scan, put and commit, and what an idle shard weighs.

Run: `python bench/store.py [URLS]`. The floor beside it is a dictionary and a file that is written and flushed.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.ports.store import Table, WriteBatch

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES_A_COMMIT = 300
LINKS_A_PAGE = 5
SHARDS = 16


class Figure(NamedTuple):
    """One measured figure."""

    name: str
    value: float
    unit: str


def resident() -> int:
    """Anonymous memory of this process in KiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("RssAnon:")[1].split()[0])


def timed(work: Callable[[], object], count: int) -> float:
    """Microseconds a unit of `count` units."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) / count * 1e6


def key(index: int) -> bytes:
    """A page key: one of 500 hosts, then a spread-out fingerprint."""
    return (index % 500).to_bytes(8, "big") + (index * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8, "big") * 2


def batches(urls: int) -> list[WriteBatch]:
    """Commits of 300 pages, each with its links as queue entries, like a crawl's."""
    size = PAGES_A_COMMIT * LINKS_A_PAGE
    made: list[WriteBatch] = []
    for first in range(0, urls, size):
        puts: list[tuple[Table, bytes, bytes]] = []
        for index in range(first, first + size):
            puts.append((Table.PAGE, key(index), b"p" * 100))
            puts.append((Table.QUEUE, key(index)[:8] + b"\x03" + index.to_bytes(8, "big"), b"q" * 40))
        puts.append((Table.META, b"commit", first.to_bytes(8, "big")))
        made.append(WriteBatch(puts))
    return made


def measure(store: RocksStore, urls: int) -> list[Figure]:
    """The figures of one store filled with `urls` URLs."""
    made = batches(urls)
    rows = sum(len(batch.puts) for batch in made)
    commits: list[float] = []

    def fill() -> None:
        for batch in made:
            started = time.perf_counter()
            store.write(batch)
            store.sync()
            commits.append((time.perf_counter() - started) * 1e3)

    chance = random.Random(1)
    asked = [[key(chance.randrange(urls)) for _ in range(60)] for _ in range(300)]
    absent = [[key(urls + 2_000 + chance.randrange(urls)) for _ in range(60)] for _ in range(300)]
    heads = [chance.randrange(500).to_bytes(8, "big") for _ in range(3_000)]
    after = [(int.from_bytes(head, "big") + 1).to_bytes(8, "big") for head in heads]
    put = timed(fill, rows)
    return [
        Figure("put, commit and sync in it", put, "us"),
        Figure("commit of 1,500 URLs, median", sorted(commits)[len(commits) // 2], "ms"),
        Figure("get, there, batch of 60", timed(lambda: [store.get(Table.PAGE, keys) for keys in asked], 18_000), "us"),
        Figure(
            "get, absent, batch of 60", timed(lambda: [store.get(Table.PAGE, keys) for keys in absent], 18_000), "us"
        ),
        Figure(
            "scan, first 4 of a host",
            timed(lambda: [store.scan(Table.QUEUE, *pair, 4) for pair in zip(heads, after, strict=True)], 3_000),
            "us",
        ),
    ]


def floor(folder: Path, urls: int) -> list[Figure]:
    """The same rows into a dictionary and one flushed file."""
    made = batches(urls)
    rows = sum(len(batch.puts) for batch in made)
    table: dict[tuple[Table, bytes], bytes] = {}

    def fill() -> None:
        with (folder / "floor").open("wb", buffering=0) as log:
            for batch in made:
                table.update({(name, row): value for name, row, value in batch.puts})
                log.write(b"".join(row + value for _, row, value in batch.puts))
                os.fdatasync(log.fileno())

    return [Figure("floor: dictionary and flushed file, put", timed(fill, rows), "us")]


def idle(folder: Path) -> list[Figure]:
    """What a shard costs that has one small row and nothing to do."""
    resources = RocksResources()
    with RocksStore(folder / "first", resources=resources) as first:
        first.write(WriteBatch([(Table.META, b"n", b"1")]))
        before = resident()
        started = time.perf_counter()
        stores = [RocksStore(folder / f"shard-{index:03}", resources=resources) for index in range(SHARDS)]
        opened = (time.perf_counter() - started) / SHARDS * 1e3
        for store in stores:
            store.write(WriteBatch([(Table.META, b"n", b"1")]))
            store.sync()
        weight = (resident() - before) / 1024 / SHARDS
        for store in stores:
            store.close()
    return [Figure("idle shard, memory", weight, "MiB"), Figure("making a shard's store", opened, "ms")]


def main() -> None:
    """Print every figure, one a line."""
    urls = int(sys.argv[1]) if len(sys.argv) > 1 else 150_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = idle(folder)
        with RocksStore(folder / "store", resources=RocksResources()) as store:
            figures += measure(store, urls)
        figures += floor(folder, urls)
    for figure in figures:
        print(f"{figure.name:45} {figure.value:10.2f} {figure.unit}")


if __name__ == "__main__":
    main()
