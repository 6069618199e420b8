"""The filter never denies what was added, errs as rarely as `seen.loss` says, and survives in its file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.seen.bloom import BloomFilter
from gossamer.core.seen.loss import false_positives
from gossamer.core.seen.memory import FileDamaged
from gossamer.core.seen.prints import PRINT_TYPE, Prints


def uniform(count: int, seed: int = 1) -> Prints:
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


def file_of(bloom: BloomFilter) -> bytes:
    file = bytearray(128 + bloom.size_bytes)
    for offset, data in bloom.rewrite().pieces:
        file[offset : offset + len(data)] = bytes(data)
    return bytes(file)


@given(st.lists(st.lists(st.integers(0, 2**64 - 1))))
def test_never_denies_what_was_added(batches: list[list[int]]) -> None:
    bloom = BloomFilter(20)
    for batch in batches:
        bloom.add(np.array(batch, PRINT_TYPE))
    read = BloomFilter.read(memoryview(file_of(bloom)))
    for batch in batches:
        assert bloom.contains(np.array(batch, PRINT_TYPE)).all()
        assert read.contains(np.array(batch, PRINT_TYPE)).all()
    assert bloom.count == read.count == sum(map(len, batches))


@pytest.mark.parametrize("fill", [1.0, 1.5])
def test_errs_as_rarely_as_stated(fill: float) -> None:
    capacity = 100_000
    bloom = BloomFilter(capacity)
    bloom.add(uniform(int(capacity * fill)))
    rate = float(bloom.contains(uniform(400_000, 2)).mean())
    in_second_layer = max(0.0, fill - 1) / 2
    stated = false_positives(1.0) + false_positives(in_second_layer)
    assert rate == pytest.approx(stated, rel=0.2)


def test_two_bytes_a_print_as_long_as_no_more_come_than_expected() -> None:
    bloom = BloomFilter(64_000)
    bloom.add(uniform(64_000))
    assert bloom.size_bytes == 2 * 64_000
    bloom.add(uniform(1, 2))
    assert bloom.size_bytes == 2 * 3 * 64_000


def test_a_file_written_while_prints_are_added_holds_those_before() -> None:
    bloom = BloomFilter(1_000_000)
    before = uniform(1000)
    bloom.add(before)
    file = bytearray(128 + bloom.size_bytes)
    for number, (offset, data) in enumerate(bloom.rewrite().pieces):
        bloom.add(uniform(1000, 2 + number))
        file[offset : offset + len(data)] = bytes(data)
    assert BloomFilter.read(memoryview(bytes(file))).contains(before).all()


@pytest.mark.parametrize("length", [0, 100, 128, 300, -1])
def test_a_cut_file_is_damaged(length: int) -> None:
    with pytest.raises(FileDamaged):
        BloomFilter.read(memoryview(file_of(BloomFilter(1000))[:length]))


@given(st.data())
def test_a_flipped_bit_is_found(data: st.DataObject) -> None:
    bloom = BloomFilter(50)
    bloom.add(uniform(50))
    file = bytearray(file_of(bloom))
    place = data.draw(st.integers(0, len(file) - 1))
    file[place] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(FileDamaged):
        BloomFilter.read(memoryview(bytes(file)))


def test_a_filter_has_room() -> None:
    with pytest.raises(ValueError, match="room"):
        BloomFilter(0)
