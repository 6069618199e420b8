"""Every parser of foreign bytes holds its invariant for what Hypothesis thinks of, and for damaged samples."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz_targets import TARGETS, Target

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@st.composite
def damaged(draw: st.DrawFn, target: Target) -> bytes:
    """A sample with some of it cut, doubled, overwritten; or any bytes at all."""
    if not target.seeds or draw(st.integers(0, 3)) == 0:
        return draw(st.binary(max_size=300))
    data = draw(st.sampled_from(target.seeds))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 40)))
        data = data[:start] + draw(st.sampled_from((b"", data[start:end] * 2, b"\0", b"\xff"))) + data[end:]
        data = data[:start] + draw(st.binary(max_size=6)) + data[start:]
    return data


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_whatever_the_bytes(target: Target) -> None:
    for seed in (*target.seeds, b"", b"\0", b"\n"):
        target.check(seed)

    @settings(max_examples=60, deadline=None, suppress_health_check=SLOW, database=None)
    @given(data=damaged(target))
    def holds(data: bytes) -> None:
        target.check(data)

    holds()


def test_every_row_says_what_holds() -> None:
    assert len({target.name for target in TARGETS}) == len(TARGETS)
    assert all(target.invariant.startswith("never raises") and target.seeds for target in TARGETS)
