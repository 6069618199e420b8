"""Other people's readers over archive files: warcio, FastWARC and pywb's indexer. Each says what it does not like."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

from fastwarc.warc import ArchiveIterator, WarcRecordType

from tools import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.crawls import Crawl


def warcio_problems(paths: Sequence[Path]) -> list[str]:
    """What `warcio check` says against the files: broken members, wrong digests."""
    if not paths:
        return []
    # warcio 1.7 cannot use brotli from 1.2 on; without it, such bodies are checked as they lie in the file.
    script = "import sys; sys.modules['brotli'] = None; from warcio.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "check", *map(str, paths)], capture_output=True, text=True, check=False
    )
    return [] if done.returncode == 0 else [f"warcio: {line}" for line in (done.stdout + done.stderr).splitlines()[:20]]


def fastwarc_problems(paths: Sequence[Path]) -> list[str]:
    """What FastWARC does not like: members it cannot read, records whose digests do not hold."""
    found: list[str] = []
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.any_type, parse_http=False):
                name = f"fastwarc: {path.name} at {record.stream_pos}"
                if "WARC-Block-Digest" in record.headers and not record.verify_block_digest(consume=False):
                    found.append(f"{name}: block digest")
                is_response = record.record_type == WarcRecordType.response
                if is_response and "WARC-Payload-Digest" in record.headers:
                    record.parse_http()
                    if not record.verify_payload_digest(consume=False):
                        found.append(f"{name}: payload digest")
                record.reader.consume()
    return found


def fastwarc_records(paths: Sequence[Path]) -> Counter[str]:
    """How many records of each type FastWARC finds."""
    counts: Counter[str] = Counter()
    for path in paths:
        with path.open("rb") as file:
            records = ArchiveIterator(file, record_types=WarcRecordType.any_type, parse_http=False)
            counts.update(record.headers["WARC-Type"] for record in records)
    return counts


def index_problems(crawl: Crawl) -> list[str]:
    """Index lines that name no record, and captures that no line names."""
    named = {(part["filename"], int(part["offset"])): part for part in map(fields, crawl.index())}
    there: dict[tuple[str, int], str] = {}
    for path in crawl.warcs():
        with path.open("rb") as file:
            kinds = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource
            for record in ArchiveIterator(file, record_types=kinds, parse_http=False):
                there[path.name, record.stream_pos] = record.headers["WARC-Target-URI"]
    found = [f"the index names {place}, where no capture is" for place in named.keys() - there.keys()]
    found += [f"no index line names the capture at {place}" for place in there.keys() - named.keys()]
    wrong = [place for place, url in there.items() if place in named and named[place]["url"] != url]
    return found + [f"the index names another URL at {place}" for place in wrong]


def pywb_lines(paths: Sequence[Path]) -> list[str]:
    """The index lines that pywb's own indexer writes for the files. Exits where pywb cannot be installed."""
    indexer = environment.ensure("pywb").with_name("cdx-indexer")
    done = subprocess.run([str(indexer), "-j", *map(str, paths)], capture_output=True, text=True, check=True)
    return sorted(line for line in done.stdout.splitlines() if line and not line.startswith((" CDX", "!meta")))


def fields(line: str) -> dict[str, str]:
    """The JSON part of an index line."""
    return json.loads(line.split(" ", 2)[2])
