"""A crawl run as people run it, and what it left in its folder as other people's tools read it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet

LOOPBACK = ("--allow-address", "127.0.0.0/8")
FEW_SHARDS = ("--set", "crawl.shards=4")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def numbers(self) -> dict[str, Any]:
        """What --json printed."""
        return json.loads(self.stdout)


def environment() -> dict[str, str]:
    """The caller's, without settings of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GOSSAMER_")}


def command(*arguments: str | Path) -> list[str]:
    """A command line of this tree's crawler."""
    return [sys.executable, "-P", "-m", "gossamer", *map(str, arguments)]


def run(*arguments: str | Path, seconds: float = 600.0, cwd: Path | None = None, stdin: str = "") -> Ended:
    """Run a command to its end."""
    began = time.monotonic()
    done = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
        cwd=cwd,
        env=environment(),
    )
    return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - began)


def crawl(folder: Path, *arguments: str | Path) -> tuple[int, Crawl]:
    """Crawl loopback without a gap, in this process: the exit code and the folder."""
    loud = ["crawl", *map(str, arguments), "-o", str(folder), "--gap", "0", "--quiet", *LOOPBACK, *FEW_SHARDS]
    return silently(loud), Crawl(folder)


def resume(folder: Path, *arguments: str | Path) -> tuple[int, Crawl]:
    """Go on in this process: the exit code and the folder."""
    return silently(["resume", str(folder), "--quiet", *map(str, arguments)]), Crawl(folder)


def silently(arguments: list[str]) -> int:
    """A command in this process, without what it says on standard output."""
    from gossamer.app.cli import main

    with contextlib.redirect_stdout(io.StringIO()):
        return main(arguments)


def start(*arguments: str | Path, stderr: IO[bytes] | int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start a command. The caller ends it."""
    return subprocess.Popen(
        command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, env=environment()
    )


@dataclass(frozen=True)
class Crawl:
    """A crawl folder, read with standard tools only."""

    folder: Path

    def summary(self) -> dict[str, Any]:
        """summary.json."""
        return json.loads((self.folder / "summary.json").read_bytes())

    def table(self, name: str) -> pa.Table:
        """A dataset: its Parquet files, and the journals that are not in one yet."""
        parts = [pa.parquet.ParquetFile(path).read() for path in sorted((self.folder / name).glob("*.parquet"))]
        parts += map(journal, sorted((self.folder / "journal").glob(f"{name}-*.arrows")))
        return pa.concat_tables(parts, promote_options="default") if parts else pa.table({})

    def rows(self, name: str) -> list[dict[str, Any]]:
        """A dataset's rows."""
        return self.table(name).to_pylist()

    def pages(self) -> list[dict[str, Any]]:
        """Visits of pages, robots.txt left out."""
        return [row for row in self.rows("pages") if row["kind"] == "page"]

    def fetched(self) -> dict[str, dict[str, Any]]:
        """URL -> its visit, of those that brought a page."""
        return {row["url"]: row for row in self.pages() if row["outcome"] == "fetched"}

    def refused(self) -> dict[str, str]:
        """URL -> the reason it was refused or failed."""
        return {row["url"]: row["reason"] for row in self.rows("refused")}

    def reasons(self) -> Counter[str]:
        """How often each reason was met."""
        return Counter(row["reason"] for row in self.rows("refused"))

    def warcs(self) -> list[Path]:
        """The archive's files."""
        return sorted((self.folder / "archive").glob("*.warc.gz"))

    def index(self) -> list[str]:
        """All index lines, those of the journals too, sorted."""
        closed = [line for path in (self.folder / "index").glob("*.cdxj") for line in lines_of(path)]
        # A journal's line is "shard commit<TAB>line"; recovery marks those it drops with "#".
        waiting = [line for path in (self.folder / "journal").glob("*.lines") for line in lines_of(path)]
        kept = [line.partition("\t")[2] for line in waiting if not line.startswith("#")]
        return sorted([*closed, *kept])


def lines_of(path: Path) -> list[str]:
    """A file's whole lines."""
    text = path.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1].splitlines()


def journal(path: Path) -> pa.Table:
    """The whole record batches of an Arrow stream; it has no end mark while it is open."""
    batches: list[pa.RecordBatch] = []
    with path.open("rb") as file:
        try:
            reader = pa.ipc.open_stream(file)
        except pa.ArrowInvalid:
            return pa.table({})
        while True:
            try:
                batches.append(reader.read_next_batch())
            except (StopIteration, pa.ArrowInvalid, OSError):
                break
        table = pa.Table.from_batches(batches, reader.schema)
    # Rows that recovery dropped stand in commit -1.
    return table.filter(pc.not_equal(table["_commit"], -1)).drop_columns(["_shard", "_commit"])
