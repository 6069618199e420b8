"""Random bytes come in the number asked for, and none comes twice."""

from __future__ import annotations

from gossamer.adapters.entropy_system import SystemEntropy


def test_bytes_have_the_length_asked_for_and_differ() -> None:
    entropy = SystemEntropy()
    drawn = [entropy.bytes(16) for _ in range(2_000)]
    assert {len(data) for data in drawn} == {16}
    assert len(set(drawn)) == len(drawn)
    assert len(entropy.bytes(10_000)) == 10_000
    assert entropy.bytes(0) == b""


def test_units_lie_in_the_unit_interval() -> None:
    entropy = SystemEntropy()
    assert all(0 <= entropy.unit() < 1 for _ in range(100))
