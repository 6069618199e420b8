"""A worker on stand-ins: virtual time, stores and files in memory, a web of a few scripted answers."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.core import limits
from gossamer.core.dns.answer import Answer
from gossamer.core.frontier import commands, events
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.frontier.leasing import Room
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import PageRecord
from gossamer.core.frontier.rejudging import refusal_of
from gossamer.core.http.exchange import Exchange, FailureKind, FetchRequest, Truncation
from gossamer.core.http.memory_body import MemoryBody
from gossamer.core.http.request import PRODUCT
from gossamer.core.page.found import FoundLinks
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.robots.answer import RobotsAnswer
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.parse import host_of, target_of
from gossamer.flow.admission import admit
from gossamer.flow.budget import Budget
from gossamer.flow.commit import Committer
from gossamer.flow.inbox import Inbox
from gossamer.flow.loop import attach
from gossamer.flow.opening import OpeningRules, commits_of, committed_files, open_shard
from gossamer.flow.own_shards import OwnShards
from gossamer.flow.restoring import restore_working_set
from gossamer.flow.seen_files import SeenRules
from gossamer.flow.shard import Shard, ShardRules
from gossamer.flow.worker import CrawlPolicy, Worker
from gossamer.simulation.archive import MemoryArchive
from gossamer.simulation.clock import EPOCH, SimClock, SimLoop
from gossamer.simulation.crawler import FETCH_LIMITS, WANTED_MEDIA, seen_folder, site_list
from gossamer.simulation.datasets import MemoryDatasets
from gossamer.simulation.disk import MemoryFolder
from gossamer.simulation.entropy import SimEntropy
from gossamer.simulation.exchange import SimExchange
from gossamer.simulation.parser import SimParser
from gossamer.simulation.store import MemoryDisk, MemoryStore
from gossamer.simulation.world import KEY_RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")

ADDRESS = "198.51.100.1"
STEPS_MAX = 100_000
"""A loop that turns without time passing fails within a second."""
HTML = (("Content-Type", "text/html"),)
RULES = Fingerprinter(b"a key of 16 byte")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, run on virtual time; whatever a task raised unseen fails the test."""
    loop = SimLoop(steps_max=STEPS_MAX)
    try:
        result: T = loop.run_until_complete(work)
        assert loop.failures == []
        return result
    finally:
        loop.abandon()


def page(*links: str, title: str = "A page", words: str = "") -> bytes:
    """An HTML page with these links."""
    anchors = "".join(f'<a href="{link}">link</a>' for link in links)
    return f"<!doctype html><title>{title}</title>{words}{anchors}".encode()


@dataclass
class Reply:
    """What a URL answers."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = HTML
    failure: FailureKind | None = None
    truncated: Truncation | None = None
    seconds: float = 0.1


@dataclass
class Web:
    """A fetcher and a resolver: URLs answer in turn what they are told, the last answer for ever; others 404."""

    replies: dict[str, list[Reply]] = field(default_factory=lambda: defaultdict[str, list[Reply]](list))
    asked: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    """Moment and URL of each request."""
    headers: dict[str, list[dict[str, str]]] = field(
        default_factory=lambda: defaultdict[str, list[dict[str, str]]](list)
    )
    """URL -> the header fields of each request."""

    def put(self, url: str, *replies: Reply | bytes) -> None:
        """Let a URL answer this."""
        self.replies[url] = [reply if isinstance(reply, Reply) else Reply(reply) for reply in replies]

    async def fetch(self, request: FetchRequest) -> Exchange:
        """See the port `fetcher`."""
        started = SimClock().now()
        self.asked.append((started, request.url))
        self.headers[request.url].append(dict(request.headers))
        waiting = self.replies.get(request.url) or [Reply(status=404)]
        reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if len(reply.body) > request.limits.body_bytes:
            reply = replace(reply, body=reply.body[: request.limits.body_bytes], truncated=Truncation.LENGTH)
        await asyncio.sleep(reply.seconds)
        media = dict(reply.headers).get("Content-Type", "")
        unwanted = request.wanted_media is not None and reply.status == 200 and media not in request.wanted_media
        return exchange(request.url, reply, started=started, request=request, unwanted=unwanted)

    async def resolve(self, host: str) -> Answer:
        """See the port `resolver`."""
        del host
        await asyncio.sleep(0.01)
        return Answer((ADDRESS,), SimClock().now() + 1e6)

    async def close(self) -> None:
        """Nothing to give back."""

    @property
    def urls(self) -> list[str]:
        """The URLs asked for, in order."""
        return [url for _, url in self.asked]


def exchange(
    url: str,
    reply: Reply | None = None,
    *,
    started: float = EPOCH,
    request: FetchRequest | None = None,
    unwanted: bool = False,
) -> Exchange:
    """What a fetcher hands over for a reply."""
    reply = reply or Reply()
    sent = request.headers if request is not None else ()
    lines = [f"GET {target_of(url)} HTTP/1.1", *(f"{name}: {value}" for name, value in sent)]
    made = Exchange(
        url,
        started,
        started + reply.seconds,
        address=ADDRESS,
        request=("\r\n".join(lines) + "\r\n\r\n").encode(),
        failure=reply.failure,
        truncated=reply.truncated,
        unwanted=unwanted,
    )
    if reply.failure is None:
        head = [f"HTTP/1.1 {reply.status} Said", *(f"{name}: {value}" for name, value in reply.headers)]
        made.status, made.headers = reply.status, reply.headers
        made.head = ("\r\n".join(head) + "\r\n\r\n").encode()
        made.body = MemoryBody(b"" if unwanted else reply.body)
    return made


class StillClock:
    """A clock that a test sets, for what runs in one step."""

    def __init__(self, moment: float = EPOCH) -> None:
        self.moment = moment

    def now(self) -> float:
        """See the port."""
        return self.moment

    async def sleep(self, seconds: float) -> None:
        """See the port."""
        self.moment += seconds


class DirectOffload:
    """Work done at once, with one turn of the loop before and after."""

    async def run(self, work: Callable[[], T]) -> T:
        """See the port."""
        await asyncio.sleep(0)
        result = work()
        await asyncio.sleep(0)
        return result


@dataclass
class Bench:
    """One worker, and what it stands on. `reopen` makes the next process on the same disks."""

    shards: int = 1
    seeds: tuple[str, ...] = ("http://a.test/",)
    scope: ScopeKind = ScopeKind.ANY
    gap: float = 1.0
    filters: FilterRules = field(default_factory=FilterRules)
    policy: dict[str, Any] = field(default_factory=dict[str, Any])
    budget: dict[str, Any] = field(default_factory=dict[str, Any])
    frontier: dict[str, Any] = field(default_factory=dict[str, Any])
    clock: SimClock | StillClock = field(default_factory=StillClock)
    web: Web = field(default_factory=Web)
    disks: list[MemoryDisk] = field(default_factory=list[MemoryDisk])
    folder: MemoryFolder = field(default_factory=MemoryFolder)
    stores: list[MemoryStore] = field(default_factory=list[MemoryStore])
    worker: Worker = field(init=False)
    archive: MemoryArchive = field(init=False)
    datasets: MemoryDatasets = field(init=False)

    def __post_init__(self) -> None:
        self.disks = self.disks or [MemoryDisk() for _ in range(self.shards)]
        self._open(reopened=False)

    @property
    def shard(self) -> Shard:
        """The first shard."""
        return self.worker.shards[0]

    def owner(self, url: str) -> Shard:
        """The shard that owns a URL."""
        return self.worker.shards[self.worker.rules.shard_of(host_of(url))]

    def reopen(self) -> None:
        """The process is killed, and another one opens what is durable."""
        for store in self.stores:
            store.crash()
        self.folder = self.folder.crash(SimEntropy(1))
        self._open(reopened=True)

    def found(self, *urls: str, source: str = "", depth: int = 0, **values: Any) -> FoundLinks:
        """Links on their way to a shard."""
        given: dict[str, Any] = {
            "hops": "",
            "group": "",
            "redirects": 0,
            "found_at": self.clock.now(),
            "letters": "L" * len(urls) if source else "",
            "levels": bytes(len(urls)),
            **values,
        }
        return FoundLinks(source=source, depth=depth, urls=list(urls), **given)

    def record(self, url: str) -> PageRecord | None:
        """The page record of a URL."""
        key = RULES.page_key(host_of(url), url)
        return self.owner(url).page(key[:8], key[8:])

    def problems(self) -> list[str]:
        """What is wrong in the books of all shards."""
        return [problem for shard in self.worker.shards for problem in shard.ledger.problems()]

    def lease(self, url: str) -> Lease:
        """A lease of a page found just now, made by its frontier; its robots.txt is not there. Time goes on."""
        shard = self.owner(url)
        new, todo = admit(shard, self.found(url), self.clock.now())
        shard.ledger.found += 1
        shard.ledger.new += new
        shard.ledger.seen += 1 - new
        self.worker.perform(shard, todo)
        return self.next_lease(shard)

    def next_lease(self, shard: Shard) -> Lease:
        """The next lease of a page. Time goes on until it comes."""
        assert isinstance(self.clock, StillClock)
        for _ in range(100):
            for command in shard.frontier.advance(self.clock.now(), Room(1)):
                if isinstance(command, commands.Visit) and command.lease.kind is LeaseKind.PAGE:
                    self.worker.budget.reserve(command.lease)
                    return command.lease
                self._answer(shard, command)
            self.clock.moment = max(self.clock.moment, shard.frontier.next_moment() or 0.0)
        raise AssertionError("no page is leased")

    def _answer(self, shard: Shard, command: commands.Command) -> None:
        now = self.clock.now()
        match command:
            case commands.Visit(lease):
                event = events.Visited(
                    lease,
                    Fate(FateKind.DONE),
                    ended=now,
                    started=now,
                    answered=True,
                    slows=False,
                    failed=False,
                    robots=RobotsAnswer(404),
                )
                self.worker.perform(shard, shard.frontier.handle(event, now))
            case commands.Resolve(host_id, _):
                resolved = events.Resolved(host_id, Answer((ADDRESS,), now + 1e6))
                self.worker.perform(shard, shard.frontier.handle(resolved, now))
            case _:
                self.worker.perform(shard, [command])

    def _open(self, *, reopened: bool) -> None:
        clock = self.clock
        now = clock.now() if isinstance(clock, StillClock) else EPOCH
        self.stores = [MemoryStore(disk) for disk in self.disks]
        self.archive = MemoryArchive(self.folder, clock, SimEntropy(1, "archive"))
        self.datasets = MemoryDatasets(self.folder)
        rules = ShardRules(RULES, KEY_RULES, site_list(), self.shards)
        opening = OpeningRules(
            rules,
            self._frontier_policy(),
            Ceilings(CeilingPolicy()),
            lambda: 0.0,
            SeenRules(self.folder, seen_folder),
            reopened=reopened,
            refusal=lambda record: refusal_of(self.worker.judge, record),
        )
        shards = [open_shard(number, store, opening, now) for number, store in enumerate(self.stores)]
        committed, commits = committed_files(shards), commits_of(shards)
        self.archive.recover(committed, commits)
        self.datasets.recover(committed, commits)
        self.worker, exchange = self._worker(rules, shards)
        for shard in shards:
            exchange.join(shard.number, Inbox(self.worker, shard))
            restore_working_set(shard, now, self.worker.note)

    def _frontier_policy(self) -> FrontierPolicy:
        values: dict[str, Any] = {"hosts_max": 100, "body_bytes_max": limits.BODY_BYTES_MAX, **self.frontier}
        return FrontierPolicy(gap=GapPolicy(self.gap), product=PRODUCT, **values)

    def _worker(self, rules: ShardRules, shards: list[Shard]) -> tuple[Worker, SimExchange]:
        among = SimExchange()
        scope = ScopeRules(Scope(self.scope, self.seeds), rules.sites.site_of)
        budget: dict[str, Any] = {"fetches_max": 50, **self.budget}
        committer = Committer(
            shards=shards,
            archive=self.archive,
            datasets=self.datasets,
            clock=self.clock,
            offload=DirectOffload(),
            next_number=max(shard.commit for shard in shards) + 1,
        )
        worker = Worker(
            policy=CrawlPolicy("gossamer test", FETCH_LIMITS, wanted_media=WANTED_MEDIA, **self.policy),
            rules=rules,
            judge=LinkJudge(scope, self.filters, rules.sites.site_of),
            budget=Budget(**budget),
            shards=OwnShards(shards),
            clock=self.clock,
            entropy=SimEntropy(1, "worker"),
            fetcher=self.web,
            resolver=self.web,
            parser=SimParser(),
            archive=self.archive,
            datasets=self.datasets,
            exchange=among,
            committer=committer,
        )
        return attach(worker), among
