"""Short columns are the sequences that they stand for."""

from __future__ import annotations

from gossamer.core.dataset_columns import Coded, Repeated


def test_coded() -> None:
    column = Coded(bytearray((1, 0, 1)), ["no", "yes"])
    assert list(column) == ["yes", "no", "yes"]
    assert (len(column), column[0], column[-1], column[1:]) == (3, "yes", "yes", ["no", "yes"])


def test_repeated() -> None:
    column = Repeated("x", 3)
    assert list(column) == ["x", "x", "x"]
    assert (len(column), column[2], column[1:]) == (3, "x", ["x", "x"])
    assert list(Repeated(value=None, size=0)) == []
