from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.seen.bloom import BITS_PER_KEY, LAYER_GROWTH, SHAPE_NAME, BloomFilter


def some(count: int, salt: str = "") -> bytes:
    """That many uniform fingerprints, the same each time; other salts give others."""
    return np.random.default_rng(list(salt.encode())).bytes(16 * count)


def test_an_empty_filter_knows_nothing() -> None:
    bloom = BloomFilter()
    assert not bloom.contains(some(1000)).any()
    assert len(bloom.contains(b"")) == 0
    bloom.add(b"")
    assert (bloom.count, bloom.fill, bloom.changed_count) == (0, 0.0, 0)


def test_false_positives_at_design_fill() -> None:
    # 16 bits a key exactly: the size is a whole number of segments.
    keys = 64 * 1024 * 8 // BITS_PER_KEY * 4
    bloom = BloomFilter(first_capacity=keys)
    bloom.add(some(keys))
    assert bloom.fill == 1.0
    assert bloom.size_bytes == keys * BITS_PER_KEY // 8
    assert bloom.contains(some(keys)).all()
    # Theory for blocks of 512 bits: 0.084 %. 400,000 questions: the bound is seven standard deviations away.
    assert bloom.contains(some(400_000, salt="others")).mean() < 0.00118


def test_a_full_filter_grows_and_forgets_nothing() -> None:
    bloom = BloomFilter(first_capacity=1000, segment_bytes=1024)
    first, more = some(900, "first"), some(8000, "more")
    bloom.add(first)
    bloom.add(more)
    assert bloom.contains(first).all()
    assert bloom.contains(more).all()
    assert bloom.count == 8900
    assert bloom.fill == (8900 - 1000 - 1000 * LAYER_GROWTH) / (1000 * LAYER_GROWTH**2)
    assert bloom.contains(some(20_000, "others")).mean() < 0.003


@given(st.lists(st.binary(min_size=16, max_size=16), max_size=60), st.integers(1, 7), st.integers(0, 60))
def test_never_a_false_negative_in_any_batching_and_after_any_saving(
    keys: list[bytes], batch: int, saved_after: int
) -> None:
    bloom = BloomFilter(first_capacity=16, segment_bytes=64)
    rows: dict[bytes, bytes] = {}
    later: list[bytes] = []
    for start in range(0, len(keys), batch):
        part = keys[start : start + batch]
        bloom.add(b"".join(part))
        if start <= saved_after:
            rows.update(bloom.take_changed_segments())
        else:
            later += part
    loaded = BloomFilter(first_capacity=16, segment_bytes=64)
    for name in sorted(rows, reverse=True):
        loaded.load_segment(name, rows[name])
    loaded.add(b"".join(later))
    for one in (bloom, loaded):
        assert one.contains(b"".join(keys)).all()
        assert one.count == len(keys)


def test_only_changed_segments_are_taken() -> None:
    bloom = BloomFilter(first_capacity=100_000, segment_bytes=4096)
    bloom.add(some(3))
    rows = bloom.take_changed_segments()
    assert 1 <= len(rows) - 1 <= 3
    assert rows[-1][0] == SHAPE_NAME
    assert {len(data) for name, data in rows[:-1]} == {4096}
    assert bloom.take_changed_segments()[:-1] == []


def test_taking_a_few_at_a_time_takes_all() -> None:
    bloom = BloomFilter(first_capacity=5000, segment_bytes=1024)
    bloom.add(some(5000))
    loaded = BloomFilter(first_capacity=5000, segment_bytes=1024)
    total = bloom.changed_count
    taken = 0
    while bloom.changed_count:
        rows = bloom.take_changed_segments(limit=3)
        taken += len(rows) - 1
        for name, data in rows:
            loaded.load_segment(name, data)
    assert taken == total
    assert loaded.contains(some(5000)).all()


def test_rows_of_another_filter_are_refused() -> None:
    bloom = BloomFilter(first_capacity=1000, segment_bytes=1024)
    bloom.add(some(5))
    rows = bloom.take_changed_segments()
    with pytest.raises(ValueError, match="does not fit"):
        BloomFilter(first_capacity=1000, segment_bytes=2048).load_segment(*rows[0])
    with pytest.raises(ValueError, match="room for 1000 keys"):
        BloomFilter(first_capacity=999, segment_bytes=1024).load_segment(*rows[-1])


def test_misuse() -> None:
    with pytest.raises(ValueError, match="multiple of 16"):
        BloomFilter().add(b"short")
    with pytest.raises(ValueError, match="multiple of 64"):
        BloomFilter(segment_bytes=100)
