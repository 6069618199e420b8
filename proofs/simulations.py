"""Ten thousand crawls of made-up webs with made-up trouble pass every checker; a crawler broken on purpose passes none.

Each simulation is a function of its number. All verdicts stand in one log, with the line that replays each; the figures
say how often each feature was drawn. A canary is one crawler broken on purpose for each checker: it must be told by the
checker that watches for it, in worlds that pass unbroken, wherever they give its mistake an occasion.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from gossamer.simulation.canary import CANARIES, rehearsal_of
from gossamer.simulation.many import run_many
from gossamer.simulation.run import Rehearsal
from gossamer.simulation.run import run as simulate

SEEDS, SEEDS_QUICK = 10_000, 30
CANARY_NUMBERS, CANARY_NUMBERS_QUICK = range(1, 6), range(1, 2)
RED_SHARE_MIN = 0.8
"""Of the worlds of a canary, those in which it must be told."""
LOG = Path(__file__).resolve().parents[1] / "build" / "simulations.log"
SHOWN = 20


def run(quick: bool) -> int:
    jobs = os.cpu_count() or 1
    began = time.monotonic()
    colourless = canaries(CANARY_NUMBERS_QUICK if quick else CANARY_NUMBERS, jobs)
    failed = worlds(SEEDS_QUICK if quick else SEEDS, jobs)
    print(f"{time.monotonic() - began:.0f} s on {jobs} processes{', QUICK' if quick else ''}; log: {LOG}")
    return 1 if failed or colourless else 0


def worlds(count: int, jobs: int) -> int:
    """Run so many simulations into the log; how many failed."""
    features: Counter[str] = Counter()
    figures: Counter[str] = Counter()
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("w", encoding="utf-8") as log:
        for verdict in run_many(range(1, count + 1), Rehearsal(), jobs):
            log.write("\n".join(verdict.lines()) + "\n")
            features.update(verdict.features or ["none of them"])
            figures.update(
                failed=not verdict.passed,
                contacts=verdict.contacts,
                lives=verdict.lives,
                orphaned=verdict.orphaned,
                steps=verdict.steps,
                seconds=round(verdict.seconds),
            )
            if not verdict.passed and figures["failed"] <= SHOWN:
                print("\n".join(verdict.lines()), flush=True)
        shown = (
            f"{count} simulations, {figures['failed']} failed: {figures['contacts']:,} contacts in "
            f"{figures['lives']:,} lives, {figures['seconds'] // 3600:,} hours of crawl, {figures['steps']:,} steps, "
            f"{figures['orphaned']:,} orphaned records"
        )
        log.write(shown + "\n")
    print("drawn: " + ", ".join(f"{feature} {number}" for feature, number in sorted(features.items())))
    print(shown)
    return figures["failed"]


def canaries(numbers: range, jobs: int) -> int:
    """Run every canary; how many of them are told in too few worlds, or in one where nothing is broken.

    A world may give a mistake no occasion: one in which nothing is missing tells nothing of a fate "gone" got wrong.
    """
    tries = [(word, number) for word in CANARIES for number in numbers]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        outcomes = list(zip(tries, pool.map(_canary, tries), strict=True))
    red = Counter(word for (word, _), (told, _) in outcomes if told)
    wrong = [problem for _, (_, problem) in outcomes if problem]
    least = math.ceil(RED_SHARE_MIN * len(numbers))
    wrong += [
        f"canary {word!r} is red in {red[word]} of {len(numbers)} worlds" for word in CANARIES if red[word] < least
    ]
    print("\n".join(wrong[:SHOWN]) or f"{len(CANARIES)} canaries: each red in {least} or more of {len(numbers)} worlds")
    print(f"{red.total()} of {len(tries)} red, the same worlds unbroken {'not all' if wrong else 'all'} green")
    return len(wrong)


def _canary(chosen: tuple[str, int]) -> tuple[bool, str]:
    """Whether a canary is told in that world, and what is wrong there while nothing is broken."""
    word, number = chosen
    broken = simulate(number, rehearsal_of(word))
    whole = simulate(number, rehearsal_of(word, broken=False))
    told = any(problem.startswith(f"{word}:") for problem in broken.problems)
    return told, f"world {number} of canary {word!r} fails unbroken: {whole.problems[:2]}" if whole.problems else ""
