"""What a shard of this worker offers to the others (port `exchange`)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gossamer.core.frontier.events import ErrandCame, LoadedHost, RobotsCame
from gossamer.core.frontier.lease import Errand
from gossamer.core.frontier.records import HostState
from gossamer.core.limits import LINKS_AT_ONCE_MAX
from gossamer.core.page.found import FoundLinks, decode_batches
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind, RobotsState, robots_state
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import ROBOTS_TARGET
from gossamer.core.url.parse import host_of
from gossamer.flow.admission import admit_all
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker
from gossamer.ports.exchange import Claim, Parcel


@dataclass(slots=True)
class Inbox:
    """One shard, as the others see it."""

    worker: Worker
    shard: Shard
    _order: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while parcels are taken in, which takes several steps if they are many: numbers must not overtake."""

    async def receive(self, parcels: Sequence[Parcel]) -> None:
        """See the port. An entry taken in before is only confirmed."""
        durable = asyncio.Event()
        async with self._order:
            for step, links in _steps(parcels):
                await self.worker.pace.turn(is_long=links >= LINKS_AT_ONCE_MAX // 2)
                self._take_in(step)
        self.shard.after_commit.append(durable.set)
        await durable.wait()

    def _take_in(self, step: list[tuple[Parcel, list[FoundLinks]]]) -> None:
        """One step of the loop."""
        shard, fresh = self.shard, list[FoundLinks]()
        for (sender, number, _), batches in step:
            if number > shard.receipts.get(sender, 0):
                shard.receipts[sender] = number
                fresh += batches
        new, todo = admit_all(shard, fresh, self.worker.clock.now())
        links = sum(len(found.urls) for found in fresh)
        shard.ledger.received += links
        shard.ledger.received_new += new
        shard.ledger.received_seen += links - new
        self.worker.perform(shard, todo)

    async def earlier_copy(self, digest: bytes) -> Claim | None:
        """The first capture of a body, or None when it is new."""
        return await self.shard.content_seen.earlier_copy(digest)

    def claimed(self, digest: bytes, claim: Claim) -> None:
        """The capture of a body is durable."""
        self.shard.content_seen.claimed(digest, claim)

    def released(self, digest: bytes) -> None:
        """A body taken for new was not archived."""
        self.shard.content_seen.released(digest)

    async def fetch_robots(self, errand: Errand) -> RobotsAnswer:
        """Fetch a robots.txt from a host of this shard for another host's authority."""
        shard, host = self.shard, host_of(errand.url)
        under_way = shard.errands.get(errand)
        if under_way is not None:
            return await asyncio.shield(under_way)
        answer = shard.errands[errand] = asyncio.get_running_loop().create_future()
        host_id = shard.rules.ids.host_id(host)
        loaded = None
        if host_id not in shard.frontier.hosts:
            loaded = shard.load_hosts([host_id])[0]
            loaded = loaded or LoadedHost(host_id, HostState(host, shard.rules.sites.site_of(host)))
        event = ErrandCame(host_id, errand, loaded)
        self.worker.perform(shard, shard.frontier.handle(event, self.worker.clock.now()))
        # Whoever gives up waiting leaves the errand to run: another may wait for it.
        return await asyncio.shield(answer)

    async def sitemaps_of(self, authority: str) -> tuple[str, ...]:
        """The sitemaps that an authority's robots.txt names, as written; the file is fetched where it is not known."""
        shard, product = self.shard, self.shard.frontier.policy.product
        host = host_of(authority + "/")
        if shard.frontier.policy.rule_of(host).robots_ignored:
            return ()
        host_id = shard.rules.ids.host_id(host)
        robots = self._robots_of(host_id, authority)
        if robots is None or robots.expires_at <= self.worker.clock.now():
            answer = await self.fetch_robots(Errand(host_id, authority, authority + ROBOTS_TARGET, 0))
            now = self.worker.clock.now()
            # The host keeps it, as if it had asked for a page's sake.
            loaded = None if host_id in shard.frontier.hosts else shard.load_hosts([host_id])[0]
            self.worker.perform(shard, shard.frontier.handle(RobotsCame(host_id, authority, answer, loaded), now))
            robots = robots_state(answer, robots, now)
        if robots.kind is not RobotsKind.RULES:
            return ()
        return RobotsRules.parse(robots.body, product).sitemaps

    def _robots_of(self, host_id: bytes, authority: str) -> RobotsState | None:
        working = self.shard.frontier.hosts.get(host_id)
        known = working.robots if working is not None else self.shard.load_robots(host_id)
        return known.get(authority)


def _steps(parcels: Sequence[Parcel]) -> Iterator[tuple[list[tuple[Parcel, list[FoundLinks]]], int]]:
    """The parcels by steps of the loop, opened, and how many links each step has."""
    step: list[tuple[Parcel, list[FoundLinks]]] = []
    links = 0
    for parcel in parcels:
        batches = decode_batches(parcel.entry)
        size = sum(len(found.urls) for found in batches)
        if step and links + size > LINKS_AT_ONCE_MAX:
            yield step, links
            step, links = [], 0
        step.append((parcel, batches))
        links += size
    if step:
        yield step, links
