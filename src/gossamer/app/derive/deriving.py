"""The two passes over an archive: the index first, for revisits to find their bodies by; then the rows."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gossamer import warc
from gossamer.adapters.clock_system import SystemClock
from gossamer.adapters.datasets_arrow import ArrowDatasets
from gossamer.adapters.disk_files import FolderDisk
from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.adapters.text_turbohtml import page_text
from gossamer.app.derive.evidence import finished_of
from gossamer.app.derive.originals import Originals
from gossamer.app.derive.visits import visits
from gossamer.core.frontier.lease import LeaseKind
from gossamer.core.limits import URL_PARSED_LENGTH_MAX
from gossamer.core.page.links import Links
from gossamer.core.warc import cdx
from gossamer.core.warc.digest import sha1_label
from gossamer.core.warc.location import Location
from gossamer.core.warc.record import Capture
from gossamer.flow.listing import entries_of
from gossamer.flow.rows import link_rows, page_row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gossamer.core.url.site import SiteList
    from gossamer.flow.finished import Finished
    from gossamer.ports.datasets import Columns
    from gossamer.warc import Record

NOT_JUDGED: Final = "not judged"
"""The verdict on a derived link: which links a crawl wants, no archive says."""
ABSENT: Final = (
    "visits without an answer: refused by robots.txt, scope or filters, failed before any, or closed after its headers",
    "the verdicts of links, and the dataset refused",
)
"""What an archive cannot tell, as the command names it."""
KINDS: Final = frozenset(
    {"warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"}
)
"""WARC 1.1, section 5.5."""
OTHER_KIND: Final = "other"
"""What records of any other type are counted as: an archive may name as many types as it has records."""
_PROBLEMS_NAMED: Final = 100
_ROWS_A_BATCH: Final = 1_000


@dataclass
class Derived:
    """What came of it."""

    files: int = 0
    records: Counter[str] = field(default_factory=Counter[str])
    pages: int = 0
    """Rows of `pages`: one for each answer."""
    links: int = 0
    texts: int = 0
    unresolved: int = 0
    """Revisits whose body is not in the archive."""
    left_out: int = 0
    """Answers that no row was made of: no HTTP, no date, or a URL that cannot be crawled."""
    problems: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The first of what is wrong with the archive: file, offset, problem."""
    problem_count: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For --json and derive.json."""
        return {
            "files": self.files,
            "records": dict(sorted(self.records.items())),
            "pages": self.pages,
            "links": self.links,
            "texts": self.texts,
            "unresolved_revisits": self.unresolved,
            "left_out": self.left_out,
            "problem_count": self.problem_count,
            "problems": self.problems,
            "absent": list(ABSENT),
        }

    def note(self, file: str, offset: int, problem: str) -> None:
        """Something is wrong with the archive."""
        self.problem_count += 1
        if len(self.problems) < _PROBLEMS_NAMED:
            self.problems.append({"file": file, "offset": offset, "problem": problem})


def derive(files: Mapping[str, Path], out: Path, sites: SiteList) -> Derived:
    """Write index/, pages/, links/, texts/ and derive.json to `out`.

    `files`: the archive's files by the path that the rows shall name them by. Raises OSError where one cannot be read
    or the disk does not take more; nothing for what the files hold.
    """
    derived = Derived(files=len(files))
    named = {name.rpartition("/")[2]: path for name, path in files.items()}
    index = [_write_index(out, name, path, derived) for name, path in files.items()]
    originals = Originals(index, named)
    rows = _Rows(out, derived)
    parser = TurboParser()
    try:
        for name, path in files.items():
            with warc.open(path) as archive:
                for visit in visits(archive):
                    original = originals.of(visit.answer) if visit.answer.kind == "revisit" else None
                    derived.unresolved += visit.answer.kind == "revisit" and original is None
                    finished = finished_of(visit, original, name, sites, parser)
                    if finished is None:
                        derived.left_out += 1
                    else:
                        rows.add(finished)
    finally:
        originals.close()
    rows.finish()
    (out / "derive.json").write_text(json.dumps(derived.as_dict(), indent=2) + "\n", encoding="utf-8")
    return derived


def _write_index(out: Path, name: str, path: Path, derived: Derived) -> Path:
    """The sorted index of one archive file, and what is wrong with the file."""
    lines: list[bytes] = []
    with warc.open(path) as archive:
        for record in archive:
            derived.records[record.kind if record.kind in KINDS else OTHER_KIND] += 1
            for problem in record.problems:
                derived.note(name, record.offset, problem)
            line = index_line(record, name)
            if line:
                lines.append(line.encode("utf-8", "replace") + b"\n")
        for offset, problem in archive.problems:
            derived.note(name, offset, problem)
    bare = name.rpartition("/")[2].partition(".")[0]
    target = out / "index" / f"{bare}.cdxj"
    target.parent.mkdir(exist_ok=True)
    while target.exists():
        target = target.with_name(f"{target.stem}-.cdxj")
    target.write_bytes(b"".join(sorted(lines)))
    return target


def index_line(record: Record, file: str) -> str:
    """The CDXJ line of a capture; empty for other records, and for one that cannot be read by its offset."""
    started = record.at
    if started is None or not record.length or len(record.url) > URL_PARSED_LENGTH_MAX:
        return ""
    capture = Capture(record.url, started, "")
    place = Location(file, record.offset, record.length)
    if record.kind == "revisit":
        return cdx.revisit_line(capture, record.field("WARC-Payload-Digest"), place)
    if record.kind == "resource":
        return cdx.resource_line(capture, record.field("Content-Type"), sha1_label(record.block), place)
    if record.kind != "response" or record.head is None:
        return ""
    return cdx.response_line(capture, record.head_bytes, sha1_label(record.payload), place)


def _links_of(finished: Finished) -> Links:
    """What a page links to, or a sitemap or feed names."""
    reading = finished.reading
    if reading.listing is not None:
        return entries_of(reading.listing, is_feed=finished.kind is LeaseKind.FEED).links
    return reading.document.links if reading.document is not None else Links()


class _Rows:
    """The datasets being written."""

    def __init__(self, out: Path, derived: Derived) -> None:
        self._datasets = ArrowDatasets(FolderDisk(out), SystemClock())
        self._journal = out / "journal"
        self._derived = derived
        self._waiting = 0

    def add(self, finished: Finished) -> None:
        """The rows of one visit."""
        found = _links_of(finished)
        self._append("pages", page_row(finished, len(found)))
        self._derived.pages += 1
        if len(found):
            self._append("links", link_rows(finished.record, found, [NOT_JUDGED] * len(found)))
            self._derived.links += len(found)
        self._add_text(finished)
        self._waiting += 1 + len(found)
        if self._waiting >= _ROWS_A_BATCH:
            self._commit()

    def finish(self) -> None:
        """Turn the journals into Parquet files."""
        self._commit()
        self._datasets.finish()
        self._commit()
        if self._journal.is_dir() and not any(self._journal.iterdir()):
            self._journal.rmdir()  # rows pass through it on their way

    def _add_text(self, finished: Finished) -> None:
        exchange, reading, stored = finished.exchange, finished.reading, finished.stored
        if not reading.is_page or stored is None:
            return
        text = page_text(reading.decoded, exchange.url, exchange.header("content-type"), reading.media_type)
        if not text:
            return
        place = stored.location
        row: dict[str, Any] = {
            "url": exchange.url,
            "started": exchange.started,
            "text": text,
            "warc": place.file,
            "offset": place.offset,
        }
        self._append("texts", {name: [value] for name, value in row.items()})
        self._derived.texts += 1

    def _append(self, dataset: str, columns: Columns) -> None:
        self._datasets.append(dataset, columns, 0, 1)

    def _commit(self) -> None:
        self._waiting = 0
        self._datasets.marks()
        self._datasets.sync()
        self._datasets.acknowledge()
