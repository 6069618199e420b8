"""Crawlers broken on purpose, one for each checker: a simulation that passes them proves nothing.

Each is a `Rehearsal.sabotage`: called with the crawler and its worker once they are open, in every life.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from gossamer.core.http.exchange import Exchange, FetchRequest
from gossamer.core.http.memory_body import MemoryBody
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.url.parse import target_of
from gossamer.simulation.clock import SimClock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.core.page.document import Document
    from gossamer.flow.worker import Worker
    from gossamer.ports.fetcher import Fetcher
    from gossamer.ports.parser import Parser
    from gossamer.ports.store import WriteBatch
    from gossamer.simulation.crawler import Crawler
    from gossamer.simulation.store import MemoryDisk, MemoryStore

    Sabotage = Callable[[Crawler, Worker], None]


def halve_the_gap(crawler: Crawler, worker: Worker) -> None:
    """The frontier waits half as long as it was told."""
    halved = GapPolicy(crawler.settings.gap_seconds / 2)
    for shard in worker.shards:
        shard.frontier.policy = replace(shard.frontier.policy, gap=halved, gap_allowed=halved)


def fetch_in_pairs(_: Crawler, worker: Worker) -> None:
    """The fetcher opens a second connection for luck."""
    worker.fetcher = _PairedFetcher(worker.fetcher)


def invent_robots(_: Crawler, worker: Worker) -> None:
    """The fetcher says that no robots.txt exists, without asking."""
    worker.fetcher = _RobotsInventor(worker.fetcher)


def overlook_links(_: Crawler, worker: Worker) -> None:
    """The parser misses the last link of every page."""
    worker.parser = _ShortSightedParser(worker.parser)


def fetch_again(_: Crawler, worker: Worker) -> None:
    """The fetcher has a second look at everything, a minute later."""
    worker.fetcher = _SecondLook(worker.fetcher)


def mistake_absence(_: Crawler, worker: Worker) -> None:
    """The fetcher reports 403 where the server said 404."""
    worker.fetcher = _Mistaken(worker.fetcher)


def miscount(_: Crawler, worker: Worker) -> None:
    """One ledger is off by one."""
    worker.shards[0].ledger.seen += 1


def lose_a_write(crawler: Crawler, worker: Worker) -> None:
    """The disk of each shard acknowledges its second batch and does not keep it."""
    for shard, store, disk in zip(worker.shards, crawler.stores, crawler.disk.stores, strict=True):
        shard.rows.store = _ForgetfulStore(store, disk)


CANARIES: Final[Mapping[str, Sabotage]] = {
    "gap": halve_the_gap,
    "one at a time": fetch_in_pairs,
    "permission": invent_robots,
    "nothing lost": overlook_links,
    "nothing twice": fetch_again,
    "fates": mistake_absence,
    "accounting": miscount,
}
"""The first words of a checker's problems -> what it must see."""


class _PairedFetcher:
    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def fetch(self, request: FetchRequest) -> Exchange:
        first, _ = await asyncio.gather(self._fetcher.fetch(request), self._fetcher.fetch(request))
        return first

    async def close(self) -> None:
        await self._fetcher.close()


class _SecondLook:
    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def fetch(self, request: FetchRequest) -> Exchange:
        await self._fetcher.fetch(request)
        await asyncio.sleep(60.0)
        return await self._fetcher.fetch(request)

    async def close(self) -> None:
        await self._fetcher.close()


class _Mistaken:
    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def fetch(self, request: FetchRequest) -> Exchange:
        exchange = await self._fetcher.fetch(request)
        exchange.status = 403 if exchange.status == 404 else exchange.status
        return exchange

    async def close(self) -> None:
        await self._fetcher.close()


class _RobotsInventor:
    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def fetch(self, request: FetchRequest) -> Exchange:
        if target_of(request.url) != "/robots.txt":
            return await self._fetcher.fetch(request)
        now = SimClock().now()
        head = b"HTTP/1.1 404 Not Found\r\n\r\n"
        return Exchange(request.url, now, now, status=404, head=head, request=b"GET /\r\n\r\n", body=MemoryBody())

    async def close(self) -> None:
        await self._fetcher.close()


class _ShortSightedParser:
    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def parse(self, body: bytes, url: str, content_type: str, robots_tags: tuple[str, ...]) -> Document:
        document = self._parser.parse(body, url, content_type, robots_tags)
        columns: tuple[Any, ...] = (
            document.links.urls,
            document.links.kinds,
            document.links.flags,
            document.links.texts,
        )
        for column in columns:
            del column[-1:]
        return document


class _ForgetfulStore:
    """A store whose second write never reaches the disk."""

    def __init__(self, store: MemoryStore, disk: MemoryDisk) -> None:
        self._store = store
        self._disk = disk
        self._writes = 0
        self.get, self.scan = store.get, store.scan
        self.sync, self.close = store.sync, store.close

    def write(self, batch: WriteBatch) -> None:
        self._writes += 1
        self._store.write(batch)
        if self._writes == 2:
            self._disk.written.pop()
