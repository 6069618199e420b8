"""Columns of dataset rows that are stored smaller than a value for each row: few different values in many rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, overload


class Coded(Sequence[Any]):
    """A column whose value in each row is one of a few."""

    __slots__ = ("codes", "values")

    def __init__(self, codes: bytes | bytearray, values: Sequence[Any]) -> None:
        """`codes`: for each row, the place of its value in `values`. Neither may change afterwards."""
        self.codes = codes
        self.values = values

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self.values[code] for code in self.codes[index]]
        return self.values[self.codes[index]]

    def __iter__(self) -> Iterator[Any]:
        return map(self.values.__getitem__, self.codes)


class Repeated(Sequence[Any]):
    """A column with the same value in every row."""

    __slots__ = ("size", "value")

    def __init__(self, value: object, size: int) -> None:
        self.value: Any = value
        self.size = size

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        rows = range(self.size)[index]
        return [self.value] * len(rows) if isinstance(rows, range) else self.value

    def __iter__(self) -> Iterator[Any]:
        return repeat(self.value, self.size)
