"""The sleeping hosts of a shard, listed in its store by level and by the moment they wake.

Hosts are taken from the front of each level, and each leaves a tombstone there that the store goes over whenever it is
read from the beginning. So the place where each level begins is remembered: reading it costs the same after a million
hosts have woken. It is not saved: after an opening it is found by the first read.
"""

from __future__ import annotations

from typing import Final

from gossamer.core.frontier.level_deck import LevelDeck
from gossamer.core.frontier.priority import LEVEL_WEIGHTS
from gossamer.core.frontier.records import LEVELS, ready_key
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

_WAKE_MS: Final = slice(1, 9)
_HOST_ID: Final = slice(9, None)


class Sleepers:
    """Who sleeps until when."""

    def __init__(self, rows: PendingStore) -> None:
        self._rows: Final = rows
        self._deck: Final = LevelDeck(LEVEL_WEIGHTS)
        self._starts: Final = [bytes((level,)) for level in range(LEVELS)]
        """Of each level, the lowest key that may be there."""

    def put(self, level: int, wake_ms: int, host_id: bytes) -> None:
        """A host sleeps until a moment."""
        key = ready_key(level, wake_ms, host_id)
        self._rows.put(Table.READY, key, b"")
        self._starts[level] = min(self._starts[level], key)

    def remove(self, level: int, wake_ms: int, host_id: bytes) -> None:
        """A host sleeps there no more."""
        self._rows.delete(Table.READY, ready_key(level, wake_ms, host_id))

    def first(self, count: int, until: float, chance: float) -> tuple[list[bytes], float | None]:
        """Up to `count` hosts that wake before `until`, and when the next one does after those.

        A level drawn by `chance` comes first, then those after it: see `LevelDeck`.
        """
        due: list[bytes] = []
        next_wakes: list[int] = []
        limit_ms = max(0, int(until * 1000)) + 1
        first_level = self._deck.draw(chance)
        for step in range(LEVELS):
            level = (first_level + step) % LEVELS
            for key in self._keys(level, count - len(due) + 1):
                wake_ms = int.from_bytes(key[_WAKE_MS], "big")
                if wake_ms < limit_ms and len(due) < count:
                    due.append(key[_HOST_ID])
                else:
                    next_wakes.append(wake_ms)
                    break
        return due, min(next_wakes) / 1000 if next_wakes else None

    def _keys(self, level: int, limit: int) -> list[bytes]:
        end = bytes((level + 1,))
        keys = [key for key, _ in self._rows.scan(Table.READY, self._starts[level], end, limit)]
        self._starts[level] = keys[0] if keys else end
        return keys
