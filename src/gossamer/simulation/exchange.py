"""The exchange's stand-in: the shards of one process meet after a small virtual delay, and now and then not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.ports.exchange import ShardInbox


class SimExchange:
    """The port `exchange` within one process."""

    def __init__(self) -> None:
        self._shards: dict[int, ShardInbox] = {}

    def join(self, number: int, inbox: ShardInbox) -> None:
        """Make a shard known to the others."""
        self._shards[number] = inbox

    def shard(self, number: int) -> ShardInbox:
        """The shard of that number; KeyError when it has not joined."""
        return self._shards[number]
