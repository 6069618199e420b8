"""Exchange between shards of one process: they meet directly."""

from __future__ import annotations

from gossamer.ports.exchange import ShardInbox


class LocalExchange:
    """Holds the shards of this process."""

    def __init__(self) -> None:
        self._shards: dict[int, ShardInbox] = {}

    def join(self, number: int, inbox: ShardInbox) -> None:
        """Make a shard known to the others."""
        self._shards[number] = inbox

    def shard(self, number: int) -> ShardInbox:
        """The shard of that number; KeyError when it has not joined."""
        return self._shards[number]
