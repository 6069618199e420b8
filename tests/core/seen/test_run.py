"""Runs: what was merged is found, nothing else is, and a damaged file is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.seen import run as run_module
from gossamer.core.seen.memory import FileDamaged
from gossamer.core.seen.prints import PRINT_TYPE, Prints
from gossamer.core.seen.run import Run, run_bytes

NUMBERS = st.integers(0, 2**64 - 1)
HEADER_BYTES = 64


def column(numbers: set[int] | list[int]) -> Prints:
    return np.array(sorted(numbers), PRINT_TYPE)


def written(*columns: Prints) -> bytes:
    """The bytes of the run of some columns."""
    file = bytearray()
    for offset, data in run_bytes(columns):
        file.extend(bytes(max(0, offset - len(file))))
        file[offset : offset + len(bytes(data))] = bytes(data)
    return bytes(file)


def uniform(count: int, seed: int = 1) -> Prints:
    return np.sort(np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64))


@given(st.lists(st.sets(NUMBERS), min_size=1, max_size=4).filter(any), st.lists(NUMBERS))
def test_holds_what_a_set_would_hold(parts: list[set[int]], others: list[int]) -> None:
    run = Run(memoryview(written(*map(column, parts))))
    known = set().union(*parts)
    asked = [*known, *others]
    assert run.contains(np.array(asked, PRINT_TYPE)).tolist() == [number in known for number in asked]
    assert run.prints.tolist() == sorted(known)
    assert run.count == len(known)


@given(st.lists(st.sets(st.integers(0, 300)), min_size=1, max_size=3).filter(any))
def test_prints_that_all_begin_alike_are_held_too(parts: list[set[int]]) -> None:
    run = Run(memoryview(written(*map(column, parts))))
    known = set().union(*parts)
    assert run.contains(np.arange(302, dtype=PRINT_TYPE)).tolist() == [number in known for number in range(302)]


@pytest.mark.parametrize("step", [1, 100, 5000])
def test_steps_are_bounded_and_make_the_same_bytes(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [uniform(3000, 1), uniform(500, 2), uniform(40, 3)]
    whole = written(*columns)
    monkeypatch.setattr(run_module, "STEP_PRINTS", step)
    pieces = [len(bytes(data)) // 8 for offset, data in run_bytes(columns)]
    # The last three are the padding, the index and the header.
    assert max(pieces[:-3]) <= max(2 * step, 60)
    assert written(*columns) == whole


def test_a_large_run_answers_batches() -> None:
    prints = uniform(50_000)
    run = Run(memoryview(written(prints)))
    assert run.contains(prints).all()
    assert not run.contains(uniform(1000, 2)).any()
    assert run.contains(prints[:0]).tolist() == []
    list(run.check())


@pytest.mark.parametrize("columns", [[], [column([])], [column([]), column([])]])
def test_an_empty_run_is_none(columns: list[Prints]) -> None:
    with pytest.raises(ValueError, match="a run has 1 to"):
        list(run_bytes(columns))


@pytest.mark.parametrize("length", [0, 10, HEADER_BYTES, HEADER_BYTES + 100, -1])
def test_a_cut_file_is_damaged(length: int) -> None:
    with pytest.raises(FileDamaged):
        Run(memoryview(written(uniform(100))[:length]))


def test_a_file_with_a_tail_is_damaged() -> None:
    with pytest.raises(FileDamaged):
        Run(memoryview(written(uniform(100)) + b"\0"))


@given(st.data())
def test_a_flipped_bit_is_found(data: st.DataObject) -> None:
    file = bytearray(written(uniform(100)))
    place = data.draw(st.integers(0, len(file) - 1))
    file[place] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(FileDamaged):
        list(Run(memoryview(bytes(file))).check())


def test_a_header_that_makes_no_sense_is_damaged() -> None:
    with pytest.raises(FileDamaged):
        Run(memoryview(b"GSMRUN01" + bytes(200)))


def test_a_touch_is_made_once_in_short_steps_and_not_of_long_runs() -> None:
    prints = uniform(3_000_000)
    file = written(prints)
    run, step_bytes = Run(memoryview(file)), run_module.TOUCHED_PAGES * run_module.PAGE_BYTES
    assert list(run.touch(1 << 20)) == []
    assert len(list(run.touch(1 << 30))) == -(-len(file) // step_bytes)
    assert list(run.touch(1 << 30)) == []
    assert run.contains(prints[:100]).all()
