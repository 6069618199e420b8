"""Crawlers broken on purpose, one for each checker: a simulation that passes them proves nothing.

Each is a `Rehearsal.sabotage`: called with the crawler and its worker once they are open, in every life.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from gossamer.core.frontier.priority import LEASES_BOUND
from gossamer.core.http.exchange import Exchange, FetchRequest
from gossamer.core.http.memory_body import MemoryBody
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.url.parse import host_of, target_of
from gossamer.simulation.clock import EPOCH, SimClock
from gossamer.simulation.faults import Faults
from gossamer.simulation.features import Feature
from gossamer.simulation.growth import WorldSize
from gossamer.simulation.run import Rehearsal
from gossamer.simulation.settings import CrawlSettings
from gossamer.simulation.world import Authority, Link, Page, Robots, RobotsKind, SimHost, World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.core.frontier.commands import Command
    from gossamer.core.frontier.frontier import Frontier
    from gossamer.core.frontier.leasing import Room
    from gossamer.core.page.document import Document
    from gossamer.flow.worker import Worker
    from gossamer.ports.fetcher import Fetcher
    from gossamer.ports.parser import Parser
    from gossamer.ports.store import WriteBatch
    from gossamer.simulation.crawler import Crawler
    from gossamer.simulation.store import MemoryDisk, MemoryStore


OPEN: Final = Robots(RobotsKind.MISSING)


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


def misplace(crawler: Crawler, _: Worker) -> None:
    """Every index line says that its record begins one byte later."""
    index = crawler.archive.index

    def one_byte_off(line: str, shard: int, commit: int) -> None:
        fields = json.loads(line.split(" ", 2)[2])
        fields["offset"] = str(int(fields["offset"]) + 1)
        index(f"{' '.join(line.split(' ', 2)[:2])} {json.dumps(fields)}", shard, commit)

    crawler.archive.index = one_byte_off  # type: ignore[method-assign]


def overspend(_: Crawler, worker: Worker) -> None:
    """The budget forgets what it has spent."""
    worker.budget.pages_max = None


def ignore_the_disk(_: Crawler, worker: Worker) -> None:
    """A full disk is noticed, and nobody pauses."""
    watch = worker.committer.disk
    if watch is not None:
        watch.changed = lambda _: None


def starve(_: Crawler, worker: Worker) -> None:
    """Draws among levels always fall on the best, and nobody counts how often the others were passed over."""
    for shard in worker.shards:
        _always_the_best(shard.frontier)


def _always_the_best(frontier: Frontier) -> None:
    advance = frontier.advance
    frontier._situation.chance = lambda: 0.0  # pyright: ignore[reportPrivateUsage]  # breaking in is its purpose

    def forgetfully(now: float, room: Room) -> list[Command]:
        for host in frontier.hosts.values():
            host.state.passed = []
        return advance(now, room)

    frontier.advance = forgetfully  # type: ignore[method-assign]


def crowded_world() -> World:
    """One host with so many seeds that what ranks last waits for long."""
    origin = "http://crowd.example"
    host = SimHost("crowd.example", "crowd.example", ("20.9.9.9",), (Authority(origin, OPEN),), 0.001, 0.001)
    seeds = [f"{origin}/{number}" for number in range(LEASES_BOUND + 60)]
    pages = [Page(url, words=url) for url in seeds]
    pages[0] = Page(seeds[0], words="First", links=(Link(f"{origin}/last"),))
    pages.append(Page(f"{origin}/last", words="Last"))
    return World(0, {host.name: host}, {page.url: page for page in pages}, seeds=seeds)


def forget_a_host(crawler: Crawler, worker: Worker) -> None:
    """The shard of the first seed gets no turns."""
    number = worker.rules.shard_of(host_of(crawler.world.seeds[0]))
    frontier = worker.shards[number].frontier
    frontier.advance = lambda now, room: []  # type: ignore[method-assign]  # noqa: ARG005 - the frontier's own names
    frontier.next_moment = lambda: None  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class Canary:
    """What is broken, and what a world needs besides for a checker to have something to see."""

    sabotage: Callable[[Crawler, Worker], None]
    features: frozenset[Feature] = frozenset()
    faults: Faults | None = None
    settings: CrawlSettings | None = None
    world: Callable[[], World] | None = None


CANARIES: Final[Mapping[str, Canary]] = {
    "gap": Canary(halve_the_gap),
    "one at a time": Canary(fetch_in_pairs),
    "permission": Canary(invent_robots),
    "nothing lost": Canary(overlook_links),
    "nothing twice": Canary(fetch_again),
    "fates": Canary(mistake_absence),
    "accounting": Canary(miscount),
    "captures": Canary(misplace),
    "budgets": Canary(overspend, frozenset({Feature.PAGES_CAP}), settings=CrawlSettings(pages_max=4)),
    "pauses": Canary(ignore_the_disk, faults=Faults(disk_low=(EPOCH + 1.0, EPOCH + 120.0))),
    "starvation": Canary(starve, world=crowded_world),
    "progress": Canary(forget_a_host),
}
"""The first words of a checker's problems -> what it must see."""


SIZE: Final = WorldSize(hosts=(3, 5), pages=(20, 40))
"""Of the worlds that canaries are tried in."""


def rehearsal_of(word: str, *, broken: bool = True) -> Rehearsal:
    """How a canary is run; unbroken it must pass."""
    canary = CANARIES[word]
    return Rehearsal(
        kills=1,
        size=SIZE,
        world=canary.world() if canary.world is not None else None,
        features=canary.features,
        faults=canary.faults,
        settings=canary.settings,
        sabotage=canary.sabotage if broken else None,
    )


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
