"""The crawl loop in made-up worlds: two hundred of them, killed and reopened, judged from outside."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from gossamer.simulation.growth import WorldSize
from gossamer.simulation.many import run_many
from gossamer.simulation.run import Rehearsal, run

SEEDS = 200
PROCESSES = 2
KILLS_OF = (0, 1, 2, 3, 5)
"""Kills of each simulation, in turn."""


def verdict_lines(number, kills):
    verdict = run(number, Rehearsal(kills=kills))
    return [] if verdict.passed else verdict.lines()


@pytest.mark.slow
def test_two_hundred_worlds():
    numbers = range(SEEDS)
    kills = [KILLS_OF[number % len(KILLS_OF)] for number in numbers]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        failed = [line for lines in pool.map(verdict_lines, numbers, kills, chunksize=5) for line in lines]
    assert not failed, "\n".join(failed)


@pytest.mark.slow
def test_a_calm_world_is_done_in_one_life():
    verdict = run(7, Rehearsal(kills=0, size=WorldSize(calm=True)))
    assert verdict.passed
    assert verdict.lives == 1


@pytest.mark.slow
def test_a_number_is_a_run():
    """Equal in every process, whatever the hash seed: otherwise a replay replays nothing."""
    rehearsal = Rehearsal(kills=3)
    traces = {run(number, rehearsal).trace for number in (11, 12)}
    assert len(traces) == 2
    code = (
        "from gossamer.simulation.run import Rehearsal, run\n"
        "print(*(run(number, Rehearsal(kills=3)).trace for number in (11, 12)))"
    )
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert set(done.stdout.split()) == traces


def test_a_failed_verdict_says_how_to_replay_it():
    verdict = run(1, Rehearsal(kills=0, size=WorldSize(hosts=(3, 3), pages=(20, 20))))
    verdict.problems = [f"problem {number}" for number in range(20)]
    lines = verdict.lines()
    assert "FAILED" in lines[0]
    assert "and 12 more" in lines[-2]
    assert lines[-1].endswith("gossamer simulate 1 --kills 0")


@pytest.mark.slow
def test_processes_change_nothing_but_the_time():
    numbers = range(1, 5)
    alone, together = (list(run_many(numbers, Rehearsal(), jobs)) for jobs in (1, 2))
    assert alone == together
    assert [verdict.simulation_seed for verdict in together] == list(numbers)
