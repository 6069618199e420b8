"""A body that is simply there."""

from __future__ import annotations


class MemoryBody:
    """A `Body` over bytes, for what is short or made up."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    @property
    def size(self) -> int:
        """Bytes received."""
        return len(self._data)

    def read(self) -> bytes:
        """The whole body."""
        return self._data

    def close(self) -> None:
        """Nothing to give back."""
