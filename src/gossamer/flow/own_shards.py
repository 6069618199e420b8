"""The shards of a worker, by number: all of the crawl's where it is alone, else those that were dealt to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gossamer.flow.shard import Shard


class OwnShards:
    """Walked in the order of their numbers. At least one."""

    def __init__(self, shards: Iterable[Shard]) -> None:
        self._by_number = {shard.number: shard for shard in shards}
        self._listed = list(self._by_number.values())
        self._first = 0

    @property
    def first(self) -> Shard:
        """Any of them, for what is the same in all."""
        return self._listed[0]

    def __getitem__(self, number: int) -> Shard:
        """The shard of that number; KeyError for another worker's."""
        return self._by_number[number]

    def __contains__(self, number: int) -> bool:
        """Whether the shard of that number is here."""
        return number in self._by_number

    def __iter__(self) -> Iterator[Shard]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def in_turn(self) -> Iterator[Shard]:
        """All shards, each time beginning with another, so that none is always last to find room."""
        self._first = (self._first + 1) % len(self._listed)
        yield from self._listed[self._first :]
        yield from self._listed[: self._first]
