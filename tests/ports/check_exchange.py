"""What must hold of every adapter of the port `exchange`. Shards 0 and 1 are in two processes, or as if."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from gossamer.core.frontier.lease import Errand
from gossamer.core.http.exchange import FailureKind
from gossamer.core.robots.answer import RobotsAnswer
from gossamer.ports.exchange import Claim, Parcel, ShardExchange

CLAIM = Claim("http://a.test/", 1796083912.5, "<urn:uuid:1>", "sha1:AAAA")
ERRAND = Errand(b"8 bytes.", "https://a.test", "https://b.test/robots.txt", 2)
ROBOTS = RobotsAnswer(200, b"User-agent: *\nDisallow: /\n", FailureKind.TIMEOUT, cut=True)


@dataclass
class Inbox:
    """A shard's inbox that notes what comes; entries are durable once `durable` is set."""

    received: list[Parcel] = field(default_factory=list[Parcel])
    known: dict[bytes, Claim] = field(default_factory=dict[bytes, Claim])
    released_digests: list[bytes] = field(default_factory=list[bytes])
    durable: asyncio.Event = field(default_factory=asyncio.Event)
    order: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def receive(self, parcels: Sequence[Parcel]) -> None:
        async with self.order:
            await asyncio.sleep(0)
            self.received += parcels
        await self.durable.wait()

    async def earlier_copy(self, digest: bytes) -> Claim | None:
        return self.known.get(digest)

    def claimed(self, digest: bytes, claim: Claim) -> None:
        self.known[digest] = claim

    def released(self, digest: bytes) -> None:
        self.released_digests.append(digest)

    async def fetch_robots(self, errand: Errand) -> RobotsAnswer:
        assert errand == ERRAND
        return ROBOTS

    async def sitemaps_of(self, authority: str) -> tuple[str, ...]:
        return (authority + "/sitemap.xml",)


async def until(what: object, seconds: float = 20.0) -> None:
    """Wait for a condition."""
    assert callable(what)
    async with asyncio.timeout(seconds):
        while not what():  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.001)


class ExchangeChecks(ABC):
    """Subclasses give a way from shard 0's side to the inbox of shard 1."""

    @abstractmethod
    def way(self, inbox: Inbox) -> AbstractAsyncContextManager[ShardExchange]:
        """The exchange of shard 0's process while shard 1 has this inbox."""

    def test_entries_are_taken_in_and_answered_once_durable(self) -> None:
        async def check() -> None:
            inbox = Inbox()
            async with self.way(inbox) as exchange:
                parcels = [Parcel(0, number, bytes((number,))) for number in range(1, 4)]
                sending = asyncio.ensure_future(exchange.shard(1).receive(parcels))
                await until(lambda: inbox.received == parcels)
                await asyncio.sleep(0.01)
                assert not sending.done()
                inbox.durable.set()
                await sending

        asyncio.run(check())

    def test_entries_keep_their_order(self) -> None:
        async def check() -> None:
            inbox = Inbox()
            inbox.durable.set()
            async with self.way(inbox) as exchange:
                batches = [[Parcel(0, number, b"x" * 1000)] for number in range(1, 200)]
                await asyncio.gather(*(exchange.shard(1).receive(batch) for batch in batches))
            assert [parcel.number for parcel in inbox.received] == list(range(1, 200))

        asyncio.run(check())

    def test_bodies_are_known_once_claimed(self) -> None:
        async def check() -> None:
            inbox = Inbox()
            async with self.way(inbox) as exchange:
                shard = exchange.shard(1)
                assert await shard.earlier_copy(b"digest") is None
                shard.claimed(b"digest", CLAIM)
                await until(lambda: inbox.known)
                assert await shard.earlier_copy(b"digest") == CLAIM
                assert await shard.earlier_copy(b"other") is None
                shard.released(b"other")
                await until(lambda: inbox.released_digests == [b"other"])

        asyncio.run(check())

    def test_errands_and_sitemaps_are_answered(self) -> None:
        async def check() -> None:
            async with self.way(Inbox()) as exchange:
                assert await exchange.shard(1).fetch_robots(ERRAND) == ROBOTS
                assert await exchange.shard(1).sitemaps_of("https://a.test") == ("https://a.test/sitemap.xml",)

        asyncio.run(check())
