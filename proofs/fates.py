"""Twenty hosts with every kind of fate: `explain` names the right cause for each URL, running and stopped, in a second.

The scenario is that of `tests/fates.py`: refusals for every reason, failures, copies, redirects, budgets, orders of the
operator. Each URL is asked about while the crawl runs and after it has stopped; each command is a process of its own,
and its time is that of the whole command, the start of the interpreter included. Searches (`--search`) may take longer.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests import crawls, fates

SECONDS_MAX = 1.0
COMMANDS = 5
COMMANDS_QUICK = 1


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-fates-") as name, fates.crawling(Path(name)) as running:
        found = fates.problems(running, stopped=False, seconds=(live := dict[str, float]()))
        commands = _commands(running, COMMANDS_QUICK if quick else COMMANDS)
        running.stop()
        found += fates.problems(running, stopped=True, seconds=(still := dict[str, float]()))
        commands += _commands(running, COMMANDS_QUICK if quick else COMMANDS)
        known = fates.fates(running.site, running.dead_port)
        _print_table(known, live, still)
    plain = [fate.url for fate in known if not fate.search]
    slowest = {word: max(plain, key=times.__getitem__) for word, times in (("running", live), ("stopped", still))}
    for word, times in (("running", live), ("stopped", still)):
        print(f"slowest look-up, {word}: {times[slowest[word]] * 1000:.0f} ms ({slowest[word][:60]})")
        if times[slowest[word]] > SECONDS_MAX:
            found.append(f"{word}: {times[slowest[word]]:.2f} s for {slowest[word][:60]}")
    print(f"slowest whole command: {max(commands) * 1000:.0f} ms, of {len(commands)}")
    for finding in found:
        print(finding)
    causes = {fate.cause for fate in known}
    print(f"{fates.hosts()} hosts, {len(known)} fates, {len(causes)} causes, {len(found)} wrong")
    return 1 if found else 0


def _commands(running: fates.Running, count: int) -> list[float]:
    """The time of the command as people type it; the least of three, for other programs run here, too."""
    urls = [fate.url for fate in fates.fates(running.site, running.dead_port) if not fate.search][:count]
    return [min(_command(running, url) for _ in range(3)) for url in urls]


def _command(running: fates.Running, url: str) -> float:
    began = time.monotonic()
    crawls.run("explain", running.folder, url)
    return time.monotonic() - began


def _print_table(known: list[fates.Fate], live: dict[str, float], still: dict[str, float]) -> None:
    print(f"{'URL':44} {'running':28} {'stopped':28} {'ms':>5} {'ms':>5}")
    for fate in known:
        running = f"{fate.state}: {fate.cause}"
        stopped = ": ".join(fate.stopped) if fate.stopped else running
        shown = fate.url.removeprefix("http://")[:43]
        print(f"{shown:44} {running:28.28} {stopped:28.28} {live[fate.url] * 1000:5.0f} {still[fate.url] * 1000:5.0f}")
