"""kill -9 at 30 random moments of one crawl, resumed each time: no page lost, no visit twice, every file sound.

After every recovery (the folder opened as a resumed crawl opens it, nothing fetched) the archive is read by warcio and
FastWARC and held against the index; in the end the pages are the walker's. Requests made again must belong to the last
moments before a kill. A second crawl, with a gap of a second, is killed too: its server's log shows the gap held.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from proofs import documentation
from tests import crawls, gaps, ledgers, readers

if TYPE_CHECKING:
    from tests.servers.nginx import Hit

SIMULATION_SEED = 20
KILLS, KILLS_QUICK = 30, 4
SITE, SITE_QUICK = "apache2-doc", "stl-manual"
POLITE = "haskell98-report"
POLITE_KILLS, POLITE_KILLS_QUICK = 15, 2
LIFE_SECONDS_MAX = 30.0
"""A life that asks for nothing any more is killed after this."""
LOST_SECONDS_MAX = 2.0
"""What a kill may cost: a commit interval (0.25 s) and a sync, on a machine that has other things to do."""

RECOVER = """
import asyncio, sys
from pathlib import Path
from gossamer.app.folder import open_folder
from gossamer.app.wiring import make_worker

async def recover():
    folder, settings = open_folder(Path(sys.argv[1]))
    with folder.hold():
        _, world, _ = make_worker(settings, folder, resume=True)
        await world.close()

asyncio.run(recover())
"""
"""Opens a crawl folder as `gossamer resume` does, and closes it again."""


@dataclass
class Story:
    """What happened to one crawl."""

    problems: list[str] = field(default_factory=list[str])
    killed: list[float] = field(default_factory=list[float])
    """Moments of the kills, seconds since the epoch."""
    idle: int = 0
    """Lives that ended by themselves before they could be killed."""


@dataclass(frozen=True)
class Plan:
    """When lives end: after so many requests that the crawl lasts for all of them, or while opening the folder."""

    chance: random.Random
    requests: int
    """What the whole crawl asks for."""
    kills: int

    def next_life(self) -> tuple[int, float, bool]:
        """(requests, seconds after them, whether it is killed while it opens)."""
        opening = self.chance.random() < 0.15
        requests = self.chance.randrange(1, max(2, round(1.6 * self.requests / self.kills)))
        return requests, self.chance.uniform(0.0, 0.9 if opening else 0.3), opening


def run(quick: bool) -> int:
    chance = random.Random(SIMULATION_SEED)
    with tempfile.TemporaryDirectory(prefix="gossamer-kill-") as name:
        first, lines = _lost_nothing(Path(name), chance, quick=quick)
        second, others = _kept_the_gap(Path(name), chance, quick=quick)
    problems = first.problems + second.problems
    print("\n".join(["", *problems[:40], *lines, *others]))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


def _lost_nothing(folder: Path, chance: random.Random, *, quick: bool) -> tuple[Story, list[str]]:
    site = documentation.site_of(SITE_QUICK if quick else SITE)
    crawl = crawls.Crawl(folder / "crawl")
    story = Story()
    with documentation.served({"killed.test": site}, folder / "server") as (server, [one]):
        command = documentation.flags([one], crawl.folder, "--copies", "always")
        kills = KILLS_QUICK if quick else KILLS
        plan = Plan(chance, len(site.truth.pages) + len(site.truth.dead), kills)
        for _ in range(kills):
            _live_and_die(command, crawl, server.log, plan, story)
            _recover(crawl, story)
        ended = crawls.run("resume", crawl.folder, "--json")
        hits = server.hits()
    if ended.code:
        story.problems.append(f"the last resume ended with {ended.code}: {ended.stderr[-300:]}")
    rows = crawl.pages()
    story.problems += documentation.complete(crawl, one, rows, killed=True)
    story.problems += documentation.sound(crawl, "in the end")
    story.problems += readers.warcio_problems(crawl.warcs()) + _fetched_twice(rows)
    again, latest, more = _asked_again(hits, story.killed)
    story.problems += more
    if story.idle:
        story.problems.append(f"{story.idle} lives ended before they could be killed: too few kills in one crawl")
    pages = len(documentation.paths(rows, one.host, "fetched"))
    return story, [
        f"{site.truth.name}: {len(story.killed)} kills, {pages} pages of {len(site.truth.pages)}, {len(hits)} requests",
        f"bodies stored again: {_stored_again(rows)}",
        f"requests made again: {again}, the earliest of them {latest:.2f} s before its kill",
    ]


def _live_and_die(command: list[str], crawl: crawls.Crawl, log: Path, plan: Plan, story: Story) -> None:
    """Begin or resume a crawl, let it live until a random request and a little longer, and kill it."""
    requests, seconds, opening = plan.next_life()
    made = (crawl.folder / "crawl.toml").exists()
    before, until = log.stat().st_size, time.monotonic() + LIFE_SECONDS_MAX
    process = crawls.start(*(["resume", str(crawl.folder), "--quiet"] if made else [*command, "--quiet"]))
    while not opening and _lines_since(log, before) < requests and time.monotonic() < until:
        time.sleep(0.002)
    try:
        process.wait(seconds)
        story.idle += 1
    except subprocess.TimeoutExpired:
        process.kill()
        story.killed.append(time.time())
        process.wait()


def _lines_since(log: Path, position: int) -> int:
    with log.open("rb") as file:
        file.seek(position)
        return file.read().count(b"\n")


def _recover(crawl: crawls.Crawl, story: Story) -> None:
    """Open the folder once, fetch nothing, and look at what recovery left."""
    if not (crawl.folder / "crawl.toml").exists():
        return
    done = subprocess.run(
        [sys.executable, "-c", RECOVER, str(crawl.folder)], capture_output=True, text=True, check=False
    )
    found = [] if done.returncode == 0 else [f"recovery failed: {done.stderr[-500:]}"]
    files = crawl.warcs()
    found += readers.warcio_problems(files) + readers.fastwarc_problems(files) + readers.index_problems(crawl)
    found += [f"{url} at {moment} stands twice in pages" for url, moment in ledgers.twice(crawl)]
    found += ledgers.problems(crawl)
    if list((crawl.folder / "aside").glob("*")):
        found.append("recovery put something aside that it could not explain")
    story.problems += [f"after kill {len(story.killed)}: {text}" for text in found]


def _fetched_twice(rows: list[dict[str, object]]) -> list[str]:
    fetched: defaultdict[object, int] = defaultdict(int)
    for row in rows:
        fetched[row["url"]] += row["outcome"] == "fetched"
    return [f"{url} stands {times} times in pages" for url, times in fetched.items() if times > 1]


def _stored_again(rows: list[dict[str, object]]) -> int:
    """How many pages with the bytes of another were taken for new."""
    new = [row["digest"] for row in rows if row["digest"] and not row["copy_of"] and row["outcome"] == "fetched"]
    return len(new) - len(set(new))


def _asked_again(hits: list[Hit], killed: list[float]) -> tuple[int, float, list[str]]:
    """How many requests were repeats, the longest time from an answer lost to its kill, and what is wrong."""
    answers: defaultdict[str, list[float]] = defaultdict(list)
    for hit in hits:
        answers[hit.uri].append(hit.ended)
    again, longest = 0, 0.0
    problems: list[str] = []
    for uri, moments in answers.items():
        for earlier in moments[:-1]:
            again += 1
            before = min((moment - earlier for moment in killed if moment >= earlier - 0.01), default=float("inf"))
            longest = max(longest, before)
            if before > LOST_SECONDS_MAX:
                problems.append(f"{uri} was answered {before:.2f} s before a kill and asked for again")
    return again, longest, problems


def _kept_the_gap(folder: Path, chance: random.Random, *, quick: bool) -> tuple[Story, list[str]]:
    """A polite crawl, killed: no request sooner than a second after the end of the last, restarts included."""
    site = documentation.site_of(POLITE)
    crawl = crawls.Crawl(folder / "polite")
    story = Story()
    with documentation.served({"polite.test": site}, folder / "polite-server") as (server, [one]):
        command = [*documentation.flags([one], crawl.folder), "--gap", "1"]
        kills = POLITE_KILLS_QUICK if quick else POLITE_KILLS
        plan = Plan(chance, kills * 4 if quick else len(site.truth.pages), kills)
        for _ in range(kills):
            _live_and_die(command, crawl, server.log, plan, story)
        ended = crawls.run("resume", crawl.folder, "--quiet", *(("--max-time", "5s") if quick else ()))
        hits = server.hits()
    story.problems += gaps.too_soon(hits, 1.0) + documentation.sound(crawl, "polite")
    if ended.code:
        story.problems.append(f"polite: the last resume ended with {ended.code}: {ended.stderr[-300:]}")
    if not quick:
        story.problems += documentation.complete(crawl, one, crawl.pages(), killed=True)
    text = f"gap of 1 s over {len(story.killed)} kills: {len(hits)} requests, shortest wait {gaps.least(hits):.3f} s"
    return story, [text]
