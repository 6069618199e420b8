"""The demo on a fresh clone: it exits 0, and its pages are in `status`, in the WARC files and in Parquet.

The clone is of the last commit, with nothing installed: `./gossamer demo` makes its environment first. With --quick
the environment of this checkout serves, so that nothing is installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from tests import crawls, readers
from tools.environment import ROOT

PAGES_LEAST = 200
SECONDS_MAX = 90.0
"""Of the demo itself, once installed."""


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-demo-") as name:
        clone = Path(name) / "a clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        if quick:
            (clone / ".venv").symlink_to(ROOT / ".venv")
        installing = _timed([str(clone / "gossamer"), "--version"], clone)
        demo = _timed([str(clone / "gossamer"), "demo"], clone)
        found = [f"exit {demo.code}: {demo.stderr[-500:]}"] if demo.code else _looked_at(clone)
        if demo.seconds > SECONDS_MAX:
            found.append(f"the demo took {demo.seconds:.0f} s; {SECONDS_MAX:.0f} s are allowed")
        if quick:
            (clone / ".venv").unlink()
        else:
            shutil.rmtree(clone / ".venv", ignore_errors=True)
    print("\n".join(["", *found]))
    print(f"installation {installing.seconds:.0f} s, demo {demo.seconds:.0f} s, {len(found)} problems")
    return 1 if found else 0


def _timed(command: list[str], folder: Path) -> crawls.Ended:
    began = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=900, env=crawls.environment()
    )
    return crawls.Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - began)


def _looked_at(clone: Path) -> list[str]:
    """What is wrong with what the demo left, by status and by other people's readers."""
    folders = [path.parent for path in clone.glob("*/crawl.toml")]
    if len(folders) != 1:
        return [f"the demo left {len(folders)} crawl folders"]
    crawl = crawls.Crawl(folders[0])
    status = _timed([str(clone / "gossamer"), "status", str(crawl.folder), "--json"], clone)
    pages = json.loads(status.stdout)["pages"] if status.code == 0 else 0
    stored = readers.fastwarc_records(crawl.warcs())
    counts = {
        "status": pages,
        "parquet": len(crawl.fetched()),
        "warc": stored["response"] + stored["revisit"],
    }
    print(f"pages by status {counts['status']}, Parquet {counts['parquet']}; captures in WARC {counts['warc']}")
    found = [f"{place} has {number} pages" for place, number in counts.items() if number < PAGES_LEAST]
    if counts["status"] != counts["parquet"]:
        found.append("status and Parquet do not agree")
    return found + readers.warcio_problems(crawl.warcs()) + readers.index_problems(crawl)
