"""A fuzzer that sees which lines its inputs reach finds no byte that breaks a parser.

Each row of `tests/fuzz_targets.py` has a process of its own and a share of the time, two at once. Atheris mutates the
row's samples and keeps what reaches new code; what breaks an invariant is printed as bytes and written to a file.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz_targets import TARGETS, Target

SECONDS = 24
SECONDS_QUICK = 3
AT_ONCE = 2
LONGEST = 4096
"""Bytes of an input."""
ROOT = Path(__file__).resolve().parent.parent
_RUNS = re.compile(r"Done (\d+) (?:runs|in)|stat::number_of_executed_units:\s*(\d+)")
_COVERED = re.compile(r"cov: (\d+)")


@dataclass(frozen=True)
class Ended:
    """How the fuzzing of one parser ended."""

    target: Target
    code: int
    runs: int
    covered: int
    """Edges reached."""
    words: str


def run(quick: bool) -> int:
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed (./dev setup installs it where there is a wheel for this Python)")
        return 1
    seconds = SECONDS_QUICK if quick else SECONDS
    found = Path(tempfile.mkdtemp(prefix="gossamer-fuzz-"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = list(pool.map(lambda target: _fuzz(target, seconds, found), TARGETS))
    for one in ended:
        verdict = "holds" if one.code == 0 else "BROKEN"
        print(f"{one.target.name:16} {one.runs:9,} runs {one.covered:6,} edges  {verdict}: {one.target.invariant}")
    broken = [one for one in ended if one.code or not one.runs]
    for one in broken:
        print(f"\n{one.target.name}: {one.words[-3000:]}")
    runs = sum(one.runs for one in ended)
    print(f"{len(TARGETS)} parsers, {runs:,} runs, {len(broken)} broken; inputs that broke one: {found}")
    return 1 if broken else 0


def _fuzz(target: Target, seconds: int, found: Path) -> Ended:
    """One parser, in a process of its own: a fuzzer ends its process."""
    with tempfile.TemporaryDirectory(prefix="gossamer-corpus-") as name:
        for number, seed in enumerate(target.seeds):
            (Path(name) / str(number)).write_bytes(seed)
        options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-print_final_stats=1", "-rss_limit_mb=1024"]
        options += ["-timeout=10", f"-artifact_prefix={found}/{target.name.replace(' ', '-')}-"]
        done = subprocess.run(
            [sys.executable, "-m", "proofs.fuzz_one", target.name, *options, name],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    words = done.stderr + done.stdout
    runs = [int(first or second) for first, second in _RUNS.findall(words)]
    covered = [int(number) for number in _COVERED.findall(words)]
    return Ended(target, done.returncode, max(runs, default=0), max(covered, default=0), words)
