"""A disk that another process fills during a crawl: it pauses, damages nothing, and goes on by itself.

On a small file system in memory (tmpfs; needs the rights to mount one). Four ways a disk is full: before the first
fetch; filled until little room is left; filled to the last byte at once; and so, with the crawl killed meanwhile. After
each: while it was full nothing was asked for, afterwards every page was, none of them twice but for those that the kill
took; archive, index and books hold, as other programs read them.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests import crawls, ledgers, readers
from tests.servers import small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MIB = 1 << 20
ROOM = 384 * MIB
PAUSE_BELOW, RESUME_ABOVE = 96 * MIB, 160 * MIB
WAIT_SECONDS = 120.0
QUIET_SECONDS = 2.0
"""For so long a paused crawl is watched asking for nothing."""


@dataclass
class Case:
    """One way to fill the disk. `left`: bytes that stay free."""

    name: str
    left: int
    begins_full: bool = False
    killed: bool = False
    problems: list[str] = field(default_factory=list)

    def expect(self, holds: bool, words: str) -> None:
        if not holds:
            self.problems.append(words)


CASES = (
    Case("full before the first fetch", 40 * MIB, begins_full=True),
    Case("filled until little is left", 40 * MIB),
    Case("filled to the last byte", 0),
    Case("filled to the last byte, and killed", 0, killed=True),
)


def pages(number: int) -> dict[str, small_site.Behaviour]:
    """A site of so many pages of 20 KB that compress badly, each naming the next ten."""
    chance = random.Random(7)
    table: dict[str, small_site.Behaviour] = {}
    for page in range(number):
        links = "".join(f'<a href="/{each}">x</a>' for each in range(page + 1, min(page + 11, number)))
        noise = chance.randbytes(10_000).hex()
        body = f"<!doctype html><title>{page}</title>{links}<p>{noise}</p>"
        table[f"/{page}"] = small_site.Answer(body.encode(), seconds=0.005)
    return table


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A file system of ROOM bytes. Raises OSError where none may be mounted."""
    with tempfile.TemporaryDirectory(prefix="gossamer-disk-") as name:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", name], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise OSError(done.stderr.strip())
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "-l", name], check=False)


def free(disk: Path) -> int:
    told = os.statvfs(disk)
    return told.f_bavail * told.f_frsize


def fill(disk: Path, left: int) -> None:
    """Another program's file: in one step it takes everything but `left` bytes."""
    with (disk / "other.bin").open("wb") as other:
        while (more := free(disk) - left) > 0:
            # Refused when the crawl has taken some of it since we looked: then we look again.
            with contextlib.suppress(OSError):
                os.posix_fallocate(other.fileno(), 0, more)
                return


def wait_for(holds: Callable[[], bool], seconds: float = WAIT_SECONDS) -> bool:
    until = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.05)
    return held


def status(folder: Path) -> dict[str, Any]:
    done = crawls.run("status", folder, "--json")
    return json.loads(done.stdout) if done.code == 0 else {}


def logged(folder: Path) -> list[str]:
    """The classes of the facts in the log."""
    text = (folder / "logs" / "facts.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["fact"] for line in text.splitlines()]


def flags(site: small_site.Site, folder: Path) -> list[str]:
    sets = (
        f"disk.pause_below={PAUSE_BELOW}",
        f"disk.resume_above={RESUME_ABOVE}",
        "scope.max_depth=none",
        *crawls.FEW_SHARDS[1:],
    )
    return [
        "crawl",
        site.url("/0"),
        "-o",
        str(folder),
        "--gap",
        "0",
        *crawls.LOOPBACK,
        *(part for each in sets for part in ("--set", each)),
    ]


def full(case: Case, site: small_site.Site, folder: Path, began: int) -> None:
    """The crawl is said to be paused, and asks for nothing."""
    case.expect(wait_for(lambda: status(folder).get("paused") == ["disk"]), "it does not say that it is paused")
    # What was in flight has ended; from here on there must be silence.
    before = len(site.begun)
    time.sleep(QUIET_SECONDS)
    case.expect(len(site.begun) == before, f"{len(site.begun) - before} requests while paused")
    case.expect(not case.begins_full or before == began == 0, f"{before} requests before there was room")


def play(case: Case, number: int, disk: Path) -> dict[str, Any]:
    """One crawl from its start to its end; figures for people."""
    folder = disk / "crawl"
    with small_site.serve(pages(number)) as site, tempfile.TemporaryFile() as said:
        if case.begins_full:
            fill(disk, case.left)
        crawl = crawls.start(*flags(site, folder), stderr=said)
        if not case.begins_full:
            case.expect(wait_for(lambda: len(site.begun) > number // 4), "the crawl does not begin")
            fill(disk, case.left)
        full(case, site, folder, 0)
        least = free(disk)
        if case.killed:
            crawl.send_signal(signal.SIGKILL)
            crawl.wait(WAIT_SECONDS)
        (disk / "other.bin").unlink()
        if case.killed:
            crawl = crawls.start("resume", folder, stderr=said)
        code = crawl.wait(300)
        said.seek(0)
        words = said.read().decode(errors="replace")
        judge(case, site, folder, number, code)
    case.expect(("paused" in words and "going on" in words) or case.killed, "it does not say so on standard error")
    if case.problems:
        print(words[-2000:])
    return {"pages": number, "free while full": least, "exit": code, "requests": len(site.begun)}


def judge(case: Case, site: small_site.Site, folder: Path, number: int, code: int) -> None:
    """What is left in the folder, by the site's own log and other people's readers."""
    crawl = crawls.Crawl(folder)
    case.expect(code == 0, f"exit code {code}")
    case.expect(crawl.summary().get("end_state") == "complete", f"it ended as {crawl.summary().get('end_state')}")
    asked = Counter(target for each in site.begun if (target := each.target) != "/robots.txt")
    case.expect(len(asked) == number, f"{len(asked)} of {number} pages were asked for")
    again = sum(count - 1 for count in asked.values())
    # What a kill costs: the fetches of the last interval and one sync. With one host that is a handful.
    case.expect(again <= (40 if case.killed else 0), f"{again} pages were asked for twice")
    case.expect(len(crawl.fetched()) == number, f"{len(crawl.fetched())} of {number} pages have a row")
    case.problems += readers.warcio_problems(crawl.warcs())[:3] + readers.fastwarc_problems(crawl.warcs())[:3]
    case.problems += readers.index_problems(crawl)[:3] + ledgers.problems(crawl)[:3]
    told = logged(folder)
    case.expect("DiskPaused" in told or case.left == 0, "the log does not tell of the pause")
    case.expect(case.killed or "DiskResumed" in told, "the log does not tell of going on")
    case.expect(not (folder / "state" / "reserve").exists(), "the reserve was left behind")


def run(quick: bool) -> int:
    number = 400 if quick else 2_500
    failed = 0
    for case in CASES:
        try:
            with small_disk() as disk:
                figures = play(case, number, disk)
        except OSError as error:
            if not isinstance(error, PermissionError) and "mount" not in str(error) and "permission" not in str(error):
                raise
            print(f"skipped: no file system may be mounted here ({error})")
            return 0
        failed += bool(case.problems)
        shown = ", ".join(f"{name} {value:,}" for name, value in figures.items())
        print(f"{'FAILS' if case.problems else 'ok':6} {case.name}: {shown}")
        print("".join(f"       {problem}\n" for problem in case.problems), end="", flush=True)
    return 1 if failed else 0
