"""kill -9 at twenty random moments of a crawl with ten million queued URLs, and twenty losses of power: nothing lost.

The crawl is a real one, against a loopback server that answers every URL, on a folder filled by bench/filled_shard.py.
After each kill the folder is opened as `gossamer resume` opens it: in seconds, at a commit no older than any that the
log calls durable, with books that balance, and with every URL of a sample still queued, or fetched since. Then the
crawl's system calls are traced with every byte written; at random points of the trace the folder is laid out anew
without what was not synced, and must open clean in the same way. In the end all rows are counted.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bench.filled_rows import host_name
from bench.filled_shard import Shape, filled_folder
from bench.traces import Trace
from gossamer.app.doctor.tables import stretches
from gossamer.core.facts import Committed, read_fact
from gossamer.core.frontier.records import HOST_ID_BYTES, PageState, queue_key
from gossamer.ports.store import Table
from proofs.disk_trace import TRACED, TracedFolder, copy_folder, steps
from tests import crawls
from tests.servers.nginx import Host, free_port, nginx
from tools import programs

if TYPE_CHECKING:
    from collections.abc import Generator

    from gossamer.flow.shard import Shard

SIMULATION_SEED: Final = 5
QUEUED, QUEUED_QUICK = 10_000_000, 200_000
KNOWN_SHARE: Final = 1.1
"""Known URLs to a queued one: some were fetched before."""
KILLS, KILLS_QUICK = 20, 3
LOSSES, LOSSES_QUICK = 20, 3
LIFE_SECONDS, LIFE_SECONDS_QUICK = (0.3, 6.0), (0.3, 2.0)
TRACED_SECONDS, TRACED_SECONDS_QUICK = 10, 3
SAMPLE: Final = 2000
OPENING_MAX_SECONDS: Final = 5.0
BODY: Final = (
    "<!doctype html><title>$host $uri</title><p>$request_id</p>"
    '<a href="/docs/00000000.html">first</a><a href="/docs/00000001.html">second</a>'
    '<a href="/docs/n$request_id.html">new</a><a href="/docs/m$request_id.html">new</a>'
)
"""Every page is one of its kind, and names two URLs that are known and two that are not."""

OPEN = """
import asyncio, json, sys, time
from pathlib import Path

async def look():
    from gossamer.app.folder import open_folder
    from gossamer.app.wiring import make_worker
    from proofs.kill_big import look_into
    folder, settings = open_folder(Path(sys.argv[1]))
    with folder.hold():
        began = time.perf_counter()
        worker, world, recovery = make_worker(settings, folder, resume=True)
        seconds = time.perf_counter() - began
        found = look_into(worker.shards[0], json.loads(Path(sys.argv[2]).read_bytes()), every=sys.argv[3] == "every")
        await world.close()
    print(json.dumps({**found, "seconds": seconds, "aside": recovery.aside}))

asyncio.run(look())
"""
"""Opens a crawl folder as `gossamer resume` does, looks into its shard and closes it again."""


@dataclass
class Story:
    """What happened to the folder."""

    sample: Path
    """The file that holds the URLs of the sample."""
    problems: list[str] = field(default_factory=list[str])
    openings: list[float] = field(default_factory=list[float])
    commit: int = 0
    known: int = 0
    ended: set[str] = field(default_factory=set[str])
    """URLs of the sample that were seen to have ended."""

    def look(self, folder: Path, when: str, acknowledged: int, *, every: bool = False) -> dict[str, Any]:
        """Open a folder and note what is wrong. `acknowledged`: the newest commit that it had called durable."""
        command = [sys.executable, "-c", OPEN, str(folder), str(self.sample), "every" if every else "some"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=crawls.environment())
        if done.returncode:
            self.problems.append(f"{when}: it does not open: {done.stderr[-500:]}")
            return {}
        found: dict[str, Any] = json.loads(done.stdout)
        self.openings.append(found["seconds"])
        problems = list(found["problems"])
        if found["seconds"] > OPENING_MAX_SECONDS:
            problems.append(f"opened in {found['seconds']:.1f} s")
        if found["commit"] < acknowledged:
            problems.append(f"it opens at commit {found['commit']}, and {acknowledged} was durable")
        if found["aside"]:
            problems.append(f"recovery could not explain {found['aside']}")
        self.problems += [f"{when}: {text}" for text in problems]
        return found

    def went_on(self, found: dict[str, Any], when: str) -> None:
        """The same folder was opened before: commits, known URLs and ends do not go back."""
        if not found:
            return
        ended = set(found["ended"])
        if found["commit"] < self.commit or found["known"] < self.known or not self.ended <= ended:
            self.problems.append(f"{when}: it went back to commit {found['commit']} of {self.commit}")
        self.commit, self.known, self.ended = found["commit"], found["known"], ended


def run(quick: bool) -> int:
    chance = random.Random(SIMULATION_SEED)
    queued, began = QUEUED_QUICK if quick else QUEUED, time.monotonic()
    kills = KILLS_QUICK if quick else KILLS
    with tempfile.TemporaryDirectory(prefix="gossamer-big-") as name:
        home = Path(name).resolve()
        port = free_port()
        now = time.time()
        urls = round(queued * KNOWN_SHARE)
        shape = Shape(urls, now - 86_400.0, now, port=port, archived=False, queued_share=queued / urls)
        folder = home / "crawl"
        sets = write_names(home, shape)
        filled_folder(folder, shape, sets)
        filled = time.monotonic() - began
        story = Story(write_sample(home, shape, chance))
        story.went_on(story.look(folder, "before the first kill", 0), "before the first kill")
        with serving(home, port) as log:
            pages = killed(folder, log, chance, story, quick=quick)
            lost, points = powerless(home, folder, chance, story, quick=quick)
        found = story.look(folder, "in the end", acknowledged(folder), every=True)
    openings = f"{np.median(story.openings):.2f} s, at most {max(story.openings):.2f} s"
    lines = [
        f"{queued:,} queued URLs of {shape.host_count:,} hosts, filled in {filled:.0f} s",
        f"{kills} kills, {pages:,} requests; of {SAMPLE} sampled URLs {len(story.ended)} were fetched, all others wait",
        f"{points} losses of power, which took {lost:,} writes and names",
        f"openings: {openings}",
        f"in the end {found.get('known', 0):,} known, {found.get('queued', 0):,} queued, counted row by row",
    ]
    print("\n".join(["", *story.problems[:40], *lines, f"{len(story.problems)} problems"]))
    return 1 if story.problems else 0


def write_names(home: Path, shape: Shape) -> list[str]:
    """A file in which every host is on loopback; the settings of the crawl."""
    lines = (f"127.0.0.1 {host_name(number, number - (number % 4 == 3))}\n" for number in range(shape.host_count))
    (home / "names").write_text("".join(lines), encoding="ascii")
    return [
        "politeness.gap=0s",
        "network.allow_address=127.0.0.0/8",
        f"dns.resolve_file={home / 'names'}",
        "log.level=debug",
    ]


def write_sample(home: Path, shape: Shape, chance: random.Random) -> Path:
    """URLs that are queued, in a file."""
    trace = Trace(shape, "uniform", np.random.default_rng(chance.randrange(1 << 30)))
    fetched = np.floor(trace.sizes * (1.0 - shape.queued_share)).astype(np.int64)
    urls: dict[str, None] = {}
    while len(urls) < SAMPLE:
        host = int(np.searchsorted(trace.ends, chance.randrange(shape.urls), side="right"))
        urls[trace.url(host, chance.randrange(int(fetched[host]), int(trace.sizes[host])))] = None
    path = home / "sample.json"
    path.write_text(json.dumps(list(urls)), encoding="utf-8")
    return path


@contextmanager
def serving(home: Path, port: int) -> Generator[Path]:
    """A server that answers every URL with a page; its log."""
    pages = f"location / {{ default_type text/html; return 200 '{BODY}'; }} location = /robots.txt {{ return 404; }}"
    home.joinpath("root").mkdir()
    with nginx([Host(("_",), home / "root", (("127.0.0.1", port),), pages)], home / "server") as server:
        yield server.log


def killed(folder: Path, log: Path, chance: random.Random, story: Story, *, quick: bool) -> int:
    """Let the crawl live for a while and kill it, again and again; the number of requests."""
    kills, life = (KILLS_QUICK, LIFE_SECONDS_QUICK) if quick else (KILLS, LIFE_SECONDS)
    for number in range(1, kills + 1):
        process = crawls.start("resume", folder, "--quiet")
        opening = chance.random() < 0.15
        before = log.stat().st_size
        while not opening and log.stat().st_size == before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 1.5) if opening else chance.uniform(*life))
        if process.poll() is not None:
            story.problems.append(f"kill {number}: the crawl had ended by itself with {process.returncode}")
        process.kill()
        process.wait()
        when = f"after kill {number}"
        story.went_on(story.look(folder, when, acknowledged(folder)), when)
    return log.read_bytes().count(b"\n")


def powerless(home: Path, folder: Path, chance: random.Random, story: Story, *, quick: bool) -> tuple[int, int]:
    """Trace the crawl, and open the folder as it would be after losses of power; what was lost, and how often."""
    strace = programs.find("strace")
    if strace is None:
        story.problems.append("strace is not here (./dev setup installs it where it may): no loss of power was shown")
        return 0, 0
    copy_folder(folder, home / "before")
    seconds = TRACED_SECONDS_QUICK if quick else TRACED_SECONDS
    command = crawls.command("resume", folder, "--quiet", "--max-time", f"{seconds}s")
    trace = home / "trace"
    done = subprocess.run(
        [strace, *TRACED, "-o", str(trace), *command],
        capture_output=True,
        text=True,
        check=False,
        env=crawls.environment(),
    )
    if done.returncode:
        story.problems.append(f"the traced crawl ended with {done.returncode}: {done.stderr[-300:]}")
    calls = list(steps(trace))
    losses = LOSSES_QUICK if quick else LOSSES
    points = set(chance.sample(range(len(calls) // 20, len(calls)), losses))
    traced, blind = (TracedFolder(str(folder), home / "before") for _ in range(2))
    lost = 0
    for number, call in enumerate(calls):
        traced.step(call)
        if not (call.name.endswith("sync") and f"<{folder}/state/shard" in call.arguments):
            blind.step(call)
        if number in points:
            with tempfile.TemporaryDirectory(prefix="powerless-", dir=home) as name:
                lost += traced.lay_out(Path(name))
                newest = newest_commit(traced.seen_now("logs/facts.jsonl"))
                story.look(Path(name), f"power lost after call {number} of {len(calls)}", newest)
    see_canary(home, blind, story)
    return lost, losses


def see_canary(home: Path, blind: TracedFolder, story: Story) -> None:
    """Without the syncs of the store the folder opens at an older commit, if at all: that must be noticed."""
    canary = Story(story.sample)
    with tempfile.TemporaryDirectory(prefix="canary-", dir=home) as name:
        blind.lay_out(Path(name))
        canary.look(Path(name), "canary", newest_commit(blind.seen_now("logs/facts.jsonl")))
    if not canary.problems:
        story.problems.append("the judge is blind: a store that was never synced passes")


def acknowledged(folder: Path) -> int:
    """The newest commit that the log calls durable."""
    log = folder / "logs" / "facts.jsonl"
    return newest_commit(log.read_bytes()) if log.exists() else 0


def newest_commit(log: bytes) -> int:
    """The newest commit that a log calls durable; its last line may be cut."""
    newest = 0
    for line in log.split(b"\n")[:-1]:
        if b"ommitted" in line:
            fact = read_fact(line)
            newest = max(newest, fact.number if isinstance(fact, Committed) else 0)
    return newest


def look_into(shard: Shard, urls: list[str], *, every: bool) -> dict[str, Any]:
    """What a shard holds, and what is wrong with it. `every`: all rows are counted too."""
    ledger = shard.ledger
    problems = ledger.problems()
    ended: list[str] = []
    for url in urls:
        _, [key] = shard.rules.page_keys([url])
        record = shard.page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:])
        if record is None:
            problems.append(f"{url} is lost")
        elif record.state != PageState.QUEUED:
            ended.append(url)
        else:
            place = queue_key(key[:HOST_ID_BYTES], record.queue, record.order)
            if shard.rows.get(Table.QUEUE, [place]) != [key[HOST_ID_BYTES:]]:
                problems.append(f"{url} waits and stands in no queue")
    if every:
        for table, wanted in ((Table.PAGE, ledger.known), (Table.QUEUE, ledger.queued + ledger.held)):
            found = sum(len(stretch) for stretch in stretches(shard.rows.store, table))
            if found != wanted:
                problems.append(f"{found:,} rows in {table.value}, {wanted:,} in the books")
    return {
        "commit": shard.commit,
        "known": ledger.known,
        "queued": ledger.queued + ledger.held,
        "ended": ended,
        "problems": problems[:20],
    }
