"""The bar: what the libraries alone need for a page that is fetched, read, compared, stored and archived.

Run: `./dev bench composite [--sets 10,55,220] [--ways plain-kept,...] [--rounds N] [--json]`.

One process on one core, nginx on the other. A page is fetched by libcurl's multi interface under uvloop, gunzipped,
decoded, parsed into a tree, its links resolved and keyed, asked of a Bloom filter, its text hashed for copies (sha-1)
and for likeness (simhash), its request and response written as WARC records, and its rows put into RocksDB. There is no
politeness, no robots.txt, no frontier, no scope, no redirects, no timeouts, no commits that are synced, no data sets,
and nothing survives a fault: it is no crawler, but every crawler must do what it does. `bench/cost.py` measures the
whole crawler against it in the same run. What it is made of changes only with a decision page (docs/decisions/0035).

A part's time is the thread's CPU between two looks at its clock, about 0.2 us each; the rest is network and loop.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import can_ada
import fastbloom_rs
import turbohtml
import xxhash
from isal import isal_zlib
from rocksdict import Options, Rdict, WriteBatch

from bench import web
from bench.fetching import REQUEST_FIELDS, Answer, fetch_all
from bench.page_sets import SETS
from bench.simhash import simhash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WAYS: Final = {
    "plain-kept": (False, True),
    "plain-new": (False, False),
    "tls-kept": (True, True),
    "tls-new": (True, False),
}
"""How pages are asked for -> (over TLS, over kept connections)."""
AT_ONCE: Final = 200
PAGES_OF_A_BATCH: Final = 100
KEYS_EXPECTED: Final = 10_000_000
FALSE_POSITIVES: Final = 0.001
ARCHIVE_BUFFER_BYTES: Final = 1 << 20
RECORD: Final = bytes(150)
"""Stands for what a store keeps of a URL; its size is what matters."""
DATE: Final = "2026-11-30T12:00:00Z"
NETWORK: Final = "network, loop"


class Way(NamedTuple):
    """One measurement: which pages, and how they are asked for."""

    pages: str
    tls: bool
    kept: bool


@dataclass(slots=True)
class Page:
    """What becomes of an answer, step by step."""

    answer: Answer
    body: bytes = b""
    html: str = ""
    tree: Any = None
    references: list[str] = field(default_factory=list[str])
    text: str = ""
    keys: list[bytes] = field(default_factory=list[bytes])
    new: list[bytes] = field(default_factory=list[bytes])
    digest: bytes = b""
    likeness: int = 0


class Composite:
    """The steps of a page, and what outlives a page: a filter, an archive file and a store."""

    def __init__(self, folder: Path) -> None:
        self.steps: dict[str, Callable[[Page], None]] = {
            "gunzip": self._gunzip,
            "decode": self._decode,
            "parse": self._parse,
            "links": self._links,
            "text": self._text,
            "URL keys": self._keys,
            "Bloom": self._seen,
            "digest": self._digest,
            "simhash": self._simhash,
            "WARC": self._archive,
            "store": self._store,
        }
        self.pages = self.links = self.new_keys = self.record_bytes = 0
        self._bloom = fastbloom_rs.FilterBuilder(KEYS_EXPECTED, FALSE_POSITIVES).build_bloom_filter()
        self._file = (folder / "composite.warc.gz").open("wb", buffering=ARCHIVE_BUFFER_BYTES)
        options = Options(raw_mode=True)
        options.create_if_missing(True)  # noqa: FBT003 - the library's
        self._database = Rdict(str(folder / "store"), options)
        self._batch = WriteBatch(raw_mode=True)

    def close(self) -> None:
        """Write what waits and close the files."""
        self._database.write(self._batch)
        self._database.close()
        self._file.close()

    def take(self, answer: Answer) -> Page:
        """Everything that is done with one answer."""
        page = Page(answer)
        for step in self.steps.values():
            step(page)
        return page

    def _gunzip(self, page: Page) -> None:
        page.body = isal_zlib.decompress(page.answer.body, isal_zlib.MAX_WBITS | 16)

    def _decode(self, page: Page) -> None:
        page.html = page.body.decode("utf-8")

    def _parse(self, page: Page) -> None:
        page.tree = turbohtml.parse(page.html, positions=False)

    def _links(self, page: Page) -> None:
        found = [element.attr("href") for element in page.tree.iter_elements(("a", "area"))]
        page.references = [reference for reference in found if reference]

    def _text(self, page: Page) -> None:
        page.text = page.tree.text

    def _keys(self, page: Page) -> None:
        """A key for each URL that a page links to, and last its own; each once."""
        base, hashed = can_ada.parse(page.answer.url), xxhash.xxh3_128_digest
        urls: dict[str, None] = {}
        for reference in dict.fromkeys(page.references):
            try:
                urls[(base + reference).href.partition("#")[0]] = None
            except ValueError:
                continue
        page.keys = [hashed(url.encode()) for url in urls]
        page.keys.append(hashed(page.answer.url.encode()))

    def _seen(self, page: Page) -> None:
        known = self._bloom.contains_bytes_batch(page.keys)
        page.new = [key for key, is_known in zip(page.keys, known, strict=True) if not is_known]
        if page.new:
            self._bloom.add_bytes_batch(page.new)

    def _digest(self, page: Page) -> None:
        page.digest = sha1(page.body, usedforsecurity=False).digest()

    def _simhash(self, page: Page) -> None:
        page.likeness = simhash(page.text.encode("utf-8", "replace"))

    def _archive(self, page: Page) -> None:
        answer = page.answer
        request = f"GET {can_ada.parse(answer.url).pathname} HTTP/1.1\r\n{REQUEST_FIELDS}\r\n".encode()
        payload = sha1(answer.body, usedforsecurity=False).hexdigest()
        asked, answered = f"{payload[:31]}0", f"{payload[:31]}1"
        records = (
            warc_record("request", answer.url, asked, request),
            warc_record(
                "response", answer.url, answered, answer.head + answer.body, f"WARC-Payload-Digest: sha1:{payload}\r\n"
            ),
        )
        for record in records:
            packed = isal_zlib.compress(record, 1, isal_zlib.MAX_WBITS | 16)
            self.record_bytes += self._file.write(packed)

    def _store(self, page: Page) -> None:
        put = self._batch.put
        for key in page.new:
            put(key, RECORD)
        put(page.keys[-1], RECORD[:-28] + page.digest + page.likeness.to_bytes(8, "big"))
        self.pages += 1
        self.links += len(page.references)
        self.new_keys += len(page.new)
        if self.pages % PAGES_OF_A_BATCH == 0:
            self._database.write(self._batch)
            self._batch = WriteBatch(raw_mode=True)


def warc_record(kind: str, url: str, number: str, block: bytes, more: str = "") -> bytes:
    """A WARC 1.1 record of an HTTP message; `number` are the 32 hexadecimal digits of its id."""
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {DATE}\r\n"
        f"WARC-Record-ID: <urn:uuid:{number[:8]}-{number[8:12]}-{number[12:16]}-{number[16:20]}-{number[20:]}>\r\n"
        f"Content-Type: application/http;msgtype={kind}\r\n{more}Content-Length: {len(block)}\r\n\r\n"
    )
    return b"%s%s\r\n\r\n" % (head.encode(), block)


class Timed:
    """A composite whose steps are timed, each by the thread's CPU."""

    def __init__(self, composite: Composite) -> None:
        self._composite = composite
        self.seconds: Counter[str] = Counter()

    def take(self, answer: Answer) -> None:
        """Everything that is done with one answer."""
        page, seconds, clock = Page(answer), self.seconds, time.thread_time
        before = clock()
        for name, step in self._composite.steps.items():
            step(page)
            after = clock()
            seconds[name] += after - before
            before = after
        page.tree = None  # taking a tree down again belongs to having one
        seconds["parse"] += clock() - before


def measure(served: web.Web) -> dict[str, Any]:
    """The composite over a web's pages, in a process of its own on the first core; the server's cost beside it."""
    task = {"urls": served.urls(), "ca_file": str(served.ca_file or ""), "kept": True}
    before = served.server_seconds()
    child = [sys.executable, "-m", "bench.composite", "--child"]
    done = subprocess.run(child, input=json.dumps(task), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the composite failed: {done.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout)
    figures["server_ms"] = (served.server_seconds() - before) / figures["pages"] * 1e3
    return figures


def work(task: dict[str, Any]) -> dict[str, Any]:
    """In the child: fetch and take every page; CPU milliseconds a page, whole and by part."""
    import uvloop

    web.pin(0, first=True)
    urls: Sequence[tuple[str, str]] = task["urls"]
    with tempfile.TemporaryDirectory(prefix="gossamer-composite-") as name:
        composite = Composite(Path(name))
        timed = Timed(composite)
        began, cpu = time.perf_counter(), time.process_time()
        uvloop.run(fetch_all(urls, timed.take, at_once=AT_ONCE, ca_file=task["ca_file"]))
        composite.close()
        cpu, seconds = time.process_time() - cpu, time.perf_counter() - began
    parts = dict(timed.seconds)
    parts[NETWORK] = cpu - sum(parts.values())
    return {
        "pages": composite.pages,
        "pages_a_second": composite.pages / seconds,
        "links": composite.links / composite.pages,
        "cpu_ms": cpu / composite.pages * 1e3,
        "parts": {part: value / composite.pages * 1e3 for part, value in parts.items()},
    }


def middle(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The round whose CPU is the median, the lower of two."""
    cpu = statistics.median_low(each["cpu_ms"] for each in rounds)
    return next(each for each in rounds if each["cpu_ms"] == cpu)


def lines(named: str, figures: dict[str, Any]) -> list[str]:
    """A measurement in words."""
    parts = sorted(figures["parts"].items(), key=lambda part: -part[1])
    first = (
        f"{named:17}{figures['pages_a_second']:8.0f}{figures['cpu_ms']:9.3f}{figures['server_ms']:9.3f}"
        f"{figures['links']:8.0f}{figures['decoded'] / 1000:9.1f}{figures['coded'] / 1000:8.1f}"
    )
    return [first, " " * 6 + ", ".join(f"{part} {value:.3f}" for part, value in parts)]


def main() -> int:
    """Measure and print; the exit code."""
    parser = argparse.ArgumentParser(description="CPU of what every crawler must do with a page, by library and part")
    parser.add_argument("--sets", default=",".join(SETS), help=f"sets of pages, of {', '.join(SETS)}; all by default")
    parser.add_argument("--ways", default=",".join(WAYS), help=f"of {', '.join(WAYS)}; all by default")
    parser.add_argument("--hosts", type=int, default=64)
    parser.add_argument("--pages", type=int, default=32, help="pages of a host")
    parser.add_argument("--rounds", type=int, default=1, help="the round of median CPU is told")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(work(json.load(sys.stdin))))
        return 0
    found: dict[str, dict[str, Any]] = {}
    if not options.json:
        print(f"{'pages, way':17}{'pages/s':>8}{'CPU ms':>9}{'server':>9}{'links':>8}{'KB':>9}{'sent':>8}")
    for name in options.sets.split(","):
        with web.written(web.Shape(name, options.hosts, options.pages)) as files:
            for way in options.ways.split(","):
                tls, kept = WAYS[way]
                with web.served(files, tls=tls, kept=kept) as served:
                    figures = middle([measure(served) for _ in range(options.rounds)])
                figures |= {"decoded": files.decoded, "coded": files.coded}
                found[f"{name}, {way}"] = figures
                if not options.json:
                    print("\n".join(lines(f"{name}, {way}", figures)), flush=True)
    if options.json:
        print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
