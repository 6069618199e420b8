"""The exchange's stand-in: the shards of one process meet over a virtual distance, each way in order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.frontier.lease import Errand
    from gossamer.core.robots.answer import RobotsAnswer
    from gossamer.ports.exchange import Claim, Parcel, ShardInbox


class SimExchange:
    """The port `exchange` within one process. A message takes `delay_seconds`; one sent later arrives later.

    `stall`: what is sent in this span (seconds since the epoch) arrives at its end.
    """

    def __init__(self, delay_seconds: float = 0.0, stall: tuple[float, float] | None = None) -> None:
        self._delay_seconds = delay_seconds
        self._stall = stall
        self._shards: dict[int, ShardInbox] = {}

    def join(self, number: int, inbox: ShardInbox) -> None:
        """Make a shard known to the others."""
        distant = self._delay_seconds > 0 or self._stall is not None
        self._shards[number] = DistantInbox(inbox, self._delay_seconds, self._stall) if distant else inbox

    def shard(self, number: int) -> ShardInbox:
        """The shard of that number; KeyError when it has not joined."""
        return self._shards[number]


class DistantInbox:
    """A shard's inbox at the end of a line: what is asked takes a while to arrive. Answers come at once."""

    def __init__(self, inbox: ShardInbox, delay_seconds: float, stall: tuple[float, float] | None = None) -> None:
        self._inbox = inbox
        self._delay_seconds = delay_seconds
        self._stall = stall

    async def _travel(self) -> None:
        await asyncio.sleep(self._delay_seconds)
        if self._stall is not None:
            now = asyncio.get_running_loop().time()
            if self._stall[0] <= now < self._stall[1]:
                await asyncio.sleep(self._stall[1] - now)

    async def receive(self, parcels: Sequence[Parcel]) -> None:
        """See the port."""
        await self._travel()
        await self._inbox.receive(parcels)

    async def earlier_copy(self, digest: bytes) -> Claim | None:
        """See the port."""
        await self._travel()
        return await self._inbox.earlier_copy(digest)

    def claimed(self, digest: bytes, claim: Claim) -> None:
        """See the port."""
        self._inbox.claimed(digest, claim)

    def released(self, digest: bytes) -> None:
        """See the port."""
        self._inbox.released(digest)

    async def fetch_robots(self, errand: Errand) -> RobotsAnswer:
        """See the port."""
        await self._travel()
        return await self._inbox.fetch_robots(errand)

    async def sitemaps_of(self, authority: str) -> tuple[str, ...]:
        """See the port."""
        await self._travel()
        return await self._inbox.sitemaps_of(authority)
