"""CPU per capture of archive and datasets, against compressing the same bytes: `python bench/archive.py [--json]`.

A capture is a request, a response and its index line; bodies are the standard library's own source files. `floor` is
isal on the finished records, which no archive can avoid; `ratio` says how many floors building, digesting, compressing,
indexing and writing cost together. Journal rows are pages with 20 links each. The best of several rounds counts.
"""

from __future__ import annotations

import argparse
import json
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isal import isal_zlib

from gossamer.adapters.archive_files import WarcFiles
from gossamer.adapters.clock_system import SystemClock
from gossamer.adapters.datasets_arrow import ArrowDatasets
from gossamer.adapters.disk_files import FolderDisk
from gossamer.adapters.entropy_system import SystemEntropy
from gossamer.core.datasets import DATASETS
from gossamer.core.warc import cdx, record
from gossamer.core.warc.digest import sha1_label
from gossamer.core.warc.record import Capture, WarcInfo, record_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BODIES_MAX = 400
COMMIT_EVERY = 50
LINKS = 20
ROUNDS = 5
HEAD = (
    b"HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 30 Nov 2026 13:47:00 GMT\r\nContent-Type: text/html\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\nLast-Modified: Mon, 30 Nov 2026 13:47:00 GMT\r\n\r\n"
)
REQUEST = b"GET / HTTP/1.1\r\nHost: site.test\r\nUser-Agent: gossamer\r\nAccept-Encoding: gzip\r\n\r\n"
SAMPLES: dict[str, Any] = {
    "string": "some text",
    "int32": 1,
    "int64": 1,
    "float64": 0.5,
    "bool": False,
    "timestamp": 1_700_000_000.25,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="CPU microseconds per capture of archive and datasets")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    figures = measure(list(_bodies()))
    if parser.parse_args().json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:22} {value:10.2f}")


def measure(bodies: Sequence[bytes]) -> dict[str, float]:
    """Microseconds of CPU per capture, by stage."""
    entropy = SystemEntropy()
    built = [_records(body, "<urn:uuid:x>", entropy) for body in bodies]
    floor = _microseconds(lambda: [isal_zlib.compress(one, 2, 31) for records in built for one in records], bodies)
    whole = _microseconds(lambda: _archive(bodies, entropy), bodies)
    return {
        "captures": len(bodies),
        "kilobytes_per_body": sum(map(len, bodies)) / len(bodies) / 1000,
        "floor_us": floor,
        "records_us": _microseconds(lambda: [_records(body, "<urn:uuid:x>", entropy) for body in bodies], bodies),
        "archive_us": whole,
        "ratio": whole / floor,
        "journal_us": _microseconds(lambda: _journal(len(bodies), convert=False), bodies),
        "journal_and_parquet_us": _microseconds(lambda: _journal(len(bodies), convert=True), bodies),
    }


def _records(body: bytes, warcinfo_id: str, entropy: SystemEntropy) -> list[bytes]:
    capture = Capture("http://site.test/a/page.html", 1_700_000_000.25, warcinfo_id, "127.0.0.1", ("http/1.1",))
    asked, answered = record_id(entropy.bytes(16)), record_id(entropy.bytes(16))
    return [
        record.request(capture, asked, REQUEST, (answered,)),
        record.response(capture, answered, HEAD, body, (asked,), payload_digest=sha1_label(body)),
    ]


def _archive(bodies: Sequence[bytes], entropy: SystemEntropy) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = WarcFiles(FolderDisk(Path(folder)), SystemClock(), entropy, WarcInfo("bench", "bench"))
        for number, body in enumerate(bodies):
            capture = Capture("http://site.test/a/page.html", 1_700_000_000.25, files.warcinfo_id)
            places = files.append(_records(body, files.warcinfo_id, entropy))
            files.index(cdx.response_line(capture, HEAD, sha1_label(body), places[1]), 0, 1)
            if number % COMMIT_EVERY == 0:
                _commit(files)
        files.finish()
        _commit(files)


def _journal(pages: int, *, convert: bool) -> None:
    page = {column.name: [SAMPLES[column.type]] for column in DATASETS["pages"]}
    links = {column.name: [SAMPLES[column.type]] * LINKS for column in DATASETS["links"]}
    with tempfile.TemporaryDirectory() as folder:
        datasets = ArrowDatasets(FolderDisk(Path(folder)), SystemClock())
        for number in range(pages):
            datasets.append("pages", page, 0, 1)
            datasets.append("links", links, 0, 1)
            if number % COMMIT_EVERY == 0:
                _commit(datasets)
        _commit(datasets)
        if convert:
            datasets.finish()
            _commit(datasets)


def _commit(files: WarcFiles | ArrowDatasets) -> None:
    files.marks()
    files.sync()
    files.acknowledge()


def _microseconds(run: Callable[[], object], bodies: Sequence[bytes]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best / len(bodies) * 1e6


def _bodies() -> list[bytes]:
    """An even sample of the standard library, in a fixed order."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    step = max(1, len(files) // BODIES_MAX)
    return [path.read_bytes() for path in files[::step]]


if __name__ == "__main__":
    main()
