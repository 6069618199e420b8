"""On a fresh clone `./gossamer demo` makes its environment, crawls 200 pages and more, and shows them to every reader.

The clone is of what is committed. Its pages are counted in `status`, in the WARC files (FastWARC) and in Parquet. It
runs on a terminal, so that the live line shows. Quick: in this tree, with the environment that is here.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import tempfile
import time
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from proofs.terminal import read_terminal
from tests import crawls, ledgers, readers
from tools.environment import ROOT

PAGES_MIN = 200
SECONDS_MAX = 90.0
LIVE = "received"
"""A label of the live view."""
"""The demo's own time, the installation not counted."""


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-demo-") as name:
        tree, installing = ROOT, 0.0
        if not quick:
            tree = Path(name) / "clone"
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tree)], check=True)
            began = time.monotonic()
            subprocess.run([str(tree / "gossamer"), "--version"], check=True, env=_environment())
            installing = time.monotonic() - began
        folder = Path(name) / "crawl"
        began = time.monotonic()
        code, shown = _on_a_terminal([str(tree / "gossamer"), "demo", "-o", str(folder)], Path(name))
        seconds = time.monotonic() - began
        problems, lines = _judge(tree, folder, code, shown, seconds)
    if installing:
        lines.insert(0, f"installed in {installing:.0f} s")
    print("\n".join(["", *problems, *lines]))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


def _environment() -> dict[str, str]:
    return {**crawls.environment(), "TERM": "xterm", "COLUMNS": "100"}


def _on_a_terminal(command: list[str], cwd: Path) -> tuple[int, str]:
    """Run with standard error on a terminal of its own; the exit code, and what the terminal got."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=theirs, env=_environment()) as process:
        os.close(theirs)
        shown = read_terminal(ours)
    return process.returncode, shown.decode("utf-8", "replace")


def _judge(tree: Path, folder: Path, code: int, shown: str, seconds: float) -> tuple[list[str], list[str]]:
    if code:
        return [f"the demo ended with {code}: {shown[-800:]}"], []
    crawl = crawls.Crawl(folder)
    status = subprocess.run(
        [str(tree / "gossamer"), "status", str(folder), "--json"], capture_output=True, check=True, env=_environment()
    )
    in_status = json.loads(status.stdout)["pages"]
    in_parquet = len(crawl.fetched())
    in_warc = _pages_in_warc(crawl)
    problems = ledgers.problems(crawl) + readers.warcio_problems(crawl.warcs()) + readers.index_problems(crawl)
    if not in_status == in_parquet == in_warc:
        problems.append(f"{in_status} pages in status, {in_parquet} in Parquet, {in_warc} in WARC")
    if in_status < PAGES_MIN:
        problems.append(f"only {in_status} pages")
    if seconds > SECONDS_MAX:
        problems.append(f"it took {seconds:.0f} s")
    problems += [f"not shown: {words!r}" for words in (LIVE, "Kept out", "Try next") if words not in shown]
    lines = shown.count(LIVE)
    said = f"{in_status} pages in status, {in_parquet} in Parquet, {in_warc} in WARC"
    return problems, [f"{said}; {seconds:.0f} s; the live view was drawn {lines} times"]


def _pages_in_warc(crawl: crawls.Crawl) -> int:
    """Captures of pages: 2xx responses and revisits that are no robots.txt."""
    count = 0
    for path in crawl.warcs():
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response | WarcRecordType.revisit):
                url = record.headers["WARC-Target-URI"]
                good = record.http_headers is not None and 200 <= (record.http_headers.status_code or 0) < 300
                count += good and not url.endswith("/robots.txt")
    return count
