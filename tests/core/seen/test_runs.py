"""The exact memory: few runs, whatever order additions, freezings and merges come in."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gossamer.core.seen.prints import PRINT_TYPE, Prints
from gossamer.core.seen.runs import RUN_RATIO, SeenRuns


def uniform(count: int, seed: int) -> Prints:
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


def flush(runs: SeenRuns) -> None:
    """Write what was frozen and taken in."""
    rewrite = runs.rewrite()
    if rewrite is None:
        return
    file = bytearray()
    for offset, data in rewrite.pieces:
        file.extend(bytes(max(0, offset - len(file))))
        file[offset : offset + len(bytes(data))] = bytes(data)
    runs.settle(rewrite, memoryview(bytes(file)))


def test_runs_stay_few_and_each_print_is_rewritten_seldom() -> None:
    runs, written = SeenRuns(), 0
    for step in range(500):
        runs.add(uniform(100, step))
        runs.freeze()
        before = list(runs.run_counts)
        flush(runs)
        written += sum(set(runs.run_counts) - set(before))
        counts = runs.run_counts
        assert all(longer >= RUN_RATIO * shorter for longer, shorter in pairwise(counts))
    assert len(runs.run_counts) <= 4
    assert runs.count == 50_000
    assert written / 50_000 < 15


def test_nothing_to_write_is_no_file() -> None:
    assert SeenRuns().rewrite() is None


class AgainstASet(RuleBasedStateMachine):
    """Whatever happens, the memory knows what a set knows."""

    def __init__(self) -> None:
        super().__init__()
        self.runs = SeenRuns()
        self.known: set[int] = set()
        self.frozen = False

    @rule(count=st.integers(1, 30), seed=st.integers(0, 1000))
    def add(self, count: int, seed: int) -> None:
        prints = uniform(count, seed)
        self.runs.add(prints)
        self.known.update(prints.tolist())

    @rule(count=st.integers(1, 30), seed=st.integers(0, 1000))
    @precondition(lambda self: not self.frozen)
    def take_in(self, count: int, seed: int) -> None:
        prints = uniform(count, seed)
        self.runs.take_in(prints)
        flush(self.runs)
        self.known.update(prints.tolist())

    @rule()
    @precondition(lambda self: not self.frozen)
    def freeze(self) -> None:
        self.runs.freeze()
        self.frozen = True

    @rule()
    def write(self) -> None:
        flush(self.runs)
        self.frozen = False

    @invariant()
    def same(self) -> None:
        asked = np.concatenate((np.array(sorted(self.known), PRINT_TYPE), uniform(20, 5000)))
        assert self.runs.contains(asked).tolist() == [number in self.known for number in asked.tolist()]


AgainstASet.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestAgainstASet = AgainstASet.TestCase
