"""kill -9 of one worker, of the supervisor, of all, at 20 random moments of one crawl: nothing lost, books hold.

A lost worker is started again by its supervisor, and the crawl goes on. After the supervisor's death its workers go as
well, and the folder is resumed at once, on another number of workers each time. In the end the pages are those that the
web has, no visit has two rows, the books hold, and every file is sound. What was asked for twice was asked for the
first time in the last moments before a kill.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests import crawls, ledgers, readers
from tests.app import supervisor_web as web
from tests.servers import small_site

SIMULATION_SEED = 6
KILLS, KILLS_QUICK = 20, 4
PAGES, PAGES_QUICK = 240, 40
ANSWER_SECONDS = 0.1
"""What the server takes over a page: twelve hosts, one request each at a time."""
REQUESTS = range(20, 110)
"""Between two kills."""
LOST_SECONDS_MAX = 3.0
"""What a kill may cost: a commit interval and a commit, of several workers, on a busy machine."""
LIFE_SECONDS_MAX = 120.0
ONE, SUPERVISOR, ALL = "one worker", "the supervisor", "all"


@dataclass
class Story:
    """What happened to the crawl."""

    kills: int
    chance: random.Random
    problems: list[str] = field(default_factory=list[str])
    killed: list[float] = field(default_factory=list[float])
    victims: Counter[str] = field(default_factory=Counter[str])
    workers: list[int] = field(default_factory=list[int])
    """How many there were in each life of the supervisor."""


def run(quick: bool) -> int:
    story = Story(KILLS_QUICK if quick else KILLS, random.Random(SIMULATION_SEED))
    pages = PAGES_QUICK if quick else PAGES
    with tempfile.TemporaryDirectory(prefix="gossamer-kill-workers-") as name, small_site.serve({}) as site:
        crawl = crawls.Crawl(Path(name) / "crawl")
        site.table.update(web.table(site.port, ANSWER_SECONDS, pages))
        while len(story.killed) < story.kills and not story.problems:
            _live(site, crawl, story)
        ended = crawls.run("resume", crawl.folder, "--json", "--workers", "2")
        if ended.code:
            story.problems.append(f"the last resume ended with {ended.code}: {ended.stderr[-600:]}")
        lines = _judge(site, crawl, story, pages)
    print("\n".join(["", *story.problems[:40], *lines]))
    print(f"{len(story.problems)} problems")
    return 1 if story.problems else 0


def _live(site: small_site.Site, crawl: crawls.Crawl, story: Story) -> None:
    """One life of the supervisor: workers are killed in it until it is killed itself."""
    workers = story.chance.choice((2, 3))
    story.workers.append(workers)
    begun = (crawl.folder / "crawl.toml").exists()
    flags = ["--quiet", "--workers", str(workers)]
    made = [*web.flags(site.port), "-o", str(crawl.folder), "--gap", "0", *crawls.LOOPBACK, *crawls.FEW_SHARDS]
    process = crawls.start(*(["resume", str(crawl.folder)] if begun else ["crawl", *made]), *flags)
    try:
        for _ in range(5):
            _await_requests(site, process, story.chance.choice(REQUESTS))
            if process.poll() is not None:
                story.problems.append(f"a life ended by itself with {process.returncode}, after {story.victims}")
                return
            victim = story.chance.choice((ONE, ONE, SUPERVISOR, ALL))
            _kill(process, victim, story)
            if victim != ONE or len(story.killed) == story.kills:
                return
    finally:
        process.kill()
        process.wait()


def _await_requests(site: small_site.Site, process: subprocess.Popen[bytes], requests: int) -> None:
    goal, until = len(site.log) + requests, time.monotonic() + LIFE_SECONDS_MAX
    while len(site.log) < goal and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)


def _kill(process: subprocess.Popen[bytes], victim: str, story: Story) -> None:
    workers = _workers(process.pid)
    named = {ONE: [story.chance.choice(workers)], SUPERVISOR: [process.pid], ALL: [*workers, process.pid]}
    for number in named[victim]:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    if victim != ONE:
        # Its workers die when it is gone, which takes a busy machine a while.
        process.wait()
    story.killed.append(time.time())
    story.victims[victim] += 1


def _workers(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _judge(site: small_site.Site, crawl: crawls.Crawl, story: Story, pages: int) -> list[str]:
    fetched = crawl.fetched()
    missing, strange = web.urls(site.port, pages) - set(fetched), set(fetched) - web.urls(site.port, pages)
    story.problems += [f"{url} is not fetched" for url in sorted(missing)]
    story.problems += [f"{url} is no page of the web" for url in sorted(strange)]
    story.problems += [f"{url} at {moment} stands twice in pages" for url, moment in ledgers.twice(crawl)]
    story.problems += ledgers.problems(crawl)
    files = crawl.warcs()
    story.problems += readers.warcio_problems(files) + readers.fastwarc_problems(files) + readers.index_problems(crawl)
    rows = Counter(row["url"] for row in crawl.pages() if row["outcome"] == "fetched")
    story.problems += [f"{url} stands {times} times in pages" for url, times in rows.items() if times > 1]
    again, longest = _asked_again(site, story)
    lost = [json.loads(line) for line in crawls.lines_of(crawl.folder / "logs" / "facts.jsonl")]
    return [
        f"{len(fetched):,} pages of {len(web.urls(site.port, pages)):,}; {len(story.killed)} kills: "
        + ", ".join(f"{victim} {times}" for victim, times in sorted(story.victims.items())),
        f"workers in each life: {story.workers}; started again: {sum(each['fact'] == 'WorkerLost' for each in lost)}",
        f"requests made again: {again} of {len(site.log):,}, the earliest {longest:.2f} s before a kill",
    ]


def _asked_again(site: small_site.Site, story: Story) -> tuple[int, float]:
    """How many requests for pages were repeats, and the longest time from a request whose answer was lost to its kill.

    The server goes on with an answer whose asker is dead, so that its end says nothing.
    """
    answers: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for hit in site.hits():
        if hit.uri != "/robots.txt":
            answers[hit.host, hit.uri].append(hit.started)
    again, longest = 0, 0.0
    for (host, uri), moments in answers.items():
        for earlier in moments[:-1]:
            again += 1
            before = min((moment - earlier for moment in story.killed if moment >= earlier - 0.2), default=float("inf"))
            longest = max(longest, before)
            if before > LOST_SECONDS_MAX:
                story.problems.append(f"{host}{uri} was asked for {before:.2f} s before a kill and asked for again")
    return again, longest
