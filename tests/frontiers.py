"""A frontier driven by hand: its store is a few dicts, its world is what the test says, its time stands still.

`Stage` carries out commands as the crawl loop does, in order and at once, and judges every lease on the way: one at a
time for a host, never before its moment, never without a robots verdict. `check` holds the books against the rows.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from gossamer.core.dns.answer import Answer
from gossamer.core.frontier import commands, events
from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.frontier import Frontier
from gossamer.core.frontier.host_rules import HostRule
from gossamer.core.frontier.lease import Entry, Errand, Lease, LeaseKind
from gossamer.core.frontier.leasing import Room
from gossamer.core.frontier.ledger import Ledger, count
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import (
    LEVELS,
    QUEUES,
    RETRY,
    HostState,
    PageRecord,
    PageState,
    decode_host,
    decode_page,
    encode,
    retry_order,
)
from gossamer.core.limits import BACKOFF_FIRST_SECONDS, HEAD_ENTRIES_MAX
from gossamer.core.politeness.backoff import backoff
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind, RobotsState
from gossamer.core.scope.block_list import BlockList
from gossamer.core.url.parse import authority_of, host_of, target_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gossamer.core.facts import Fact
    from gossamer.core.frontier.commands import Command
    from gossamer.core.http.exchange import FailureKind

FactKind = TypeVar("FactKind", bound="Fact")
BEGIN = 1_700_000_000.0
DAY = 86_400.0
FORBIDDEN = "/private"
RULES = b"User-agent: *\nDisallow: /private\n"
DELAY = re.compile(rb"Crawl-delay: (\d+)")
ADDRESS = "192.0.2.1"
EPSILON = 1e-6


def host_id(host: str) -> bytes:
    """Eight bytes of a short host name."""
    return host.encode().ljust(8, b".")[:8]


def fingerprint(url: str) -> bytes:
    """Sixteen bytes of a URL."""
    return hashlib.blake2b(url.encode(), digest_size=16).digest()


@dataclass
class Rows:
    """What the store holds."""

    pages: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    queues: dict[tuple[bytes, int], dict[int, bytes]] = field(default_factory=dict[tuple[bytes, int], dict[int, bytes]])
    """(host, queue) -> order -> fingerprint."""
    hosts: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    robots: dict[bytes, dict[str, RobotsState]] = field(default_factory=dict[bytes, dict[str, RobotsState]])
    ready: set[tuple[int, int, bytes]] = field(default_factory=set[tuple[int, int, bytes]])
    active: set[bytes] = field(default_factory=set[bytes])
    held: set[bytes] = field(default_factory=set[bytes])
    order: int = 0
    ledger: Ledger = field(default_factory=Ledger)

    def queue(self, host: bytes, number: int) -> dict[int, bytes]:
        return self.queues.setdefault((host, number), {})

    def record(self, host: bytes, mark: bytes) -> PageRecord:
        return decode_page(self.pages[host + mark])

    def queued(self, host: bytes) -> int:
        return sum(len(self.queues.get((host, number), ())) for number in range(QUEUES))


class Stage:
    """A frontier, its store and its clock."""

    def __init__(
        self,
        *,
        gap: float = 1.0,
        hosts_max: int = 100,
        pages_per_host_max: int | None = None,
        bytes_per_host_max: int | None = None,
        body_bytes_max: int = 1000,
        ceilings: CeilingPolicy | None = None,
        chance: Callable[[], float] = lambda: 0.0,
        rows: Rows | None = None,
        reopened: bool = False,
        closed: ClosedHosts | None = None,
        hosts: dict[str, HostRule] | None = None,
        now: float = BEGIN,
    ) -> None:
        self.now = now
        self.rows = rows or Rows()
        self.gap = gap
        policy = FrontierPolicy(
            gap=GapPolicy(gap),
            product="gossamer",
            hosts_max=hosts_max,
            body_bytes_max=body_bytes_max,
            pages_per_host_max=pages_per_host_max,
            bytes_per_host_max=bytes_per_host_max,
            closed=closed or ClosedHosts(),
            hosts=hosts or {},
        )
        self.ceilings = Ceilings(ceilings or CeilingPolicy(address_connections=10_000, address_requests_per_second=1e6))
        self.frontier = Frontier(policy, self.ceilings, self.rows.ledger, chance, reopened_at=now if reopened else None)
        self.open: dict[int, Lease] = {}
        """Leases out."""
        self.leased: list[Lease] = []
        """All leases ever made, in order."""
        self.lookups: list[str] = []
        """Hosts whose addresses are asked for."""
        self.sent: list[commands.SendErrand] = []
        self.answered: list[tuple[Errand, RobotsAnswer]] = []
        self.errands: int = 0
        """Errands this frontier was given."""
        self.refused: list[commands.Refuse] = []
        self.postponed: list[commands.Postpone] = []
        self.facts: list[Fact] = []
        self.not_before: dict[bytes, float] = {}
        """Host -> the moment before which nobody may contact it, as worked out here."""
        self.names: set[str] = set()
        """Hosts that were resolved before."""
        self._last_end: dict[bytes, float] = {}
        self._failures: Counter[bytes] = Counter()
        self._failing_since: dict[bytes, float] = {}
        self.opened_at = now if reopened else None
        if reopened:
            self._restore()

    # --- what a test does ----------------------------------------------------------------------------------------

    def find(self, *urls: str, level: int = 0) -> None:
        """New URLs, admitted as the flow does: the rows first, then one event a host."""
        by_host: dict[str, list[Entry]] = {}
        for url in urls:
            record = PageRecord(url, level=level, queue=level)
            entry = self._enqueue(host_id(host_of(url)), fingerprint(url), record, self._next_order())
            by_host.setdefault(host_of(url), []).append(entry)
        for host, entries in by_host.items():
            self.rows.ledger.known += len(entries)
            self.rows.ledger.new += len(entries)
            self.rows.ledger.found += len(entries)
            self.handle(events.Found(host_id(host), entries, self._loaded(host)))

    def advance(self, leases: int = 1000, size: int | None = None) -> list[Lease]:
        """One turn of every host whose moment has come; the leases made."""
        before = len(self.leased)
        self.perform(self.frontier.advance(self.now, Room(leases, size)))
        return self.leased[before:]

    def run(self, until: float | None = None) -> list[Lease]:
        """Advance through the frontier's own moments, without an answer to anything, up to `until` (None: now)."""
        made = self.advance()
        while (moment := self.frontier.next_moment()) is not None and moment <= (until or self.now):
            self.now = max(self.now, moment)
            made += self.advance()
        self.now = max(self.now, until or self.now)
        return made

    def lease(self, within: float = 0.0) -> Lease:
        """The next lease, at most `within` seconds away; time stands at it. No other comes at the same moment.

        Names that were resolved before are resolved again when asked for.
        """
        end = self.now + within
        made = self.advance()
        while not made:
            if known := [host for host in self.lookups if host in self.names]:
                self.resolve(known[0])
                made = self.advance()
                continue
            moment = self.frontier.next_moment()
            assert moment is not None, "nothing to lease without an event"
            assert moment <= end, f"nothing to lease for {moment - self.now} s"
            self.now = max(self.now, moment)
            made = self.advance()
        (lease,) = made
        return lease

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds

    def resolve(
        self,
        host: str,
        *addresses: str,
        failure: FailureKind | None = None,
        seconds: float = DAY,
    ) -> None:
        """The answer to a look-up; ADDRESS without addresses and failure."""
        self.lookups.remove(host)
        if failure is None:
            self.names.add(host)
        found = addresses or (() if failure else (ADDRESS,))
        self.handle(events.Resolved(host_id(host), Answer(found, self.now + seconds, failure)))

    def resolve_all(self) -> None:
        """Every look-up succeeds."""
        for host in list(self.lookups):
            self.resolve(host)

    def finish(
        self,
        lease: Lease,
        kind: FateKind = FateKind.DONE,
        *,
        seconds: float = 0.1,
        slows: bool = False,
        failed: bool = False,
        retry_after: float | None = None,
        size: int = 0,
        page: bool = True,
        due: float = 0.0,
    ) -> None:
        """A page's visit ends `seconds` after its lease (or now), with this fate."""
        self.now = max(self.now, lease.granted + seconds)
        entry = lease.entry
        assert entry is not None
        queue, requeued = entry.record.queue, self._settle(lease.host_id, entry, kind, due)
        self._visited(
            events.Visited(
                lease=lease,
                fate=Fate(kind, due=due),
                ended=self.now,
                started=lease.granted,
                answered=not failed,
                slows=slows,
                failed=failed,
                retry_after=retry_after,
                bytes=size,
                page=page and kind is FateKind.DONE,
                lease_queue=queue,
                requeued=requeued,
            )
        )

    def robots(
        self,
        lease: Lease,
        body: bytes = RULES,
        *,
        status: int = 200,
        failure: FailureKind | None = None,
        redirect: str = "",
        seconds: float = 0.1,
    ) -> None:
        """A robots.txt's visit ends."""
        self.now = max(self.now, lease.granted + seconds)
        answer = None if redirect else RobotsAnswer(status, body, failure)
        self._visited(
            events.Visited(
                lease=lease,
                fate=Fate(FateKind.DONE),
                ended=self.now,
                started=lease.granted,
                answered=failure is None,
                slows=status >= 500 or failure is not None,
                failed=failure is not None,
                robots=answer,
                redirect=redirect,
                redirect_host=host_of(redirect) if redirect else "",
            )
        )

    def errand(self, errand: Errand) -> None:
        """Another host's robots.txt shall be fetched here."""
        self.errands += 1
        self.handle(events.ErrandCame(host_id(host_of(errand.url)), errand, self._loaded(host_of(errand.url))))

    def came(self, command: commands.SendErrand, answer: RobotsAnswer) -> None:
        """The answer to an errand that was sent."""
        self.sent.remove(command)
        if command.origin is None:
            self.handle(events.RobotsCame(command.errand.asker, command.errand.authority, answer))

    def ready(self, host: str, body: bytes = RULES) -> None:
        """Bring a host that was found to where its next lease is a page's: its name looked up, its robots.txt read."""
        self.advance()
        self.resolve(host)
        (lease,) = self.advance()
        assert lease.kind is LeaseKind.ROBOTS
        self.robots(lease, body)

    def close(self, *hosts: str, blocked: tuple[str, ...] = ()) -> None:
        """These hosts are paused or blocked from now on, and no others."""
        closed = ClosedHosts(BlockList(frozenset(blocked)), frozenset(hosts))
        self.adopt(replace(self.frontier.policy, closed=closed))

    def adopt(self, policy: FrontierPolicy) -> None:
        """As `flow.operations.adopt`."""
        self.perform(self.frontier.adopt(policy, self.now))
        self.handle(events.HeldLoaded([self._load_host(key) for key in sorted(self.rows.held)]))
        if self.frontier.may_oversleep():
            self.handle(events.SleepersLoaded([self._load_host(key) for _, _, key in sorted(self.rows.ready)]))

    def commit(self) -> None:
        """Keep the host states changed since the last commit."""
        for key, state in self.frontier.take_touched().items():
            self.rows.hosts[key] = encode(state)

    @property
    def urls(self) -> list[str]:
        """The URLs of the pages leased so far, in order."""
        return [lease.url for lease in self.leased if lease.kind is LeaseKind.PAGE]

    def state(self, host: str) -> HostState:
        """A host's state, wherever it stands."""
        loaded = self._loaded(host) or events.LoadedHost(b"", self.frontier.hosts[host_id(host)].state)
        return loaded.state

    def told(self, kind: type[FactKind]) -> list[FactKind]:
        """The facts of a kind that were told, in order."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    # --- what the loop does --------------------------------------------------------------------------------------

    def handle(self, event: events.Event) -> None:
        """Give the frontier an event and do what it asks."""
        self.perform(self.frontier.handle(event, self.now))

    def _hear(self, todo: Iterable[Command]) -> list[Command]:
        heard = list(todo)
        self.facts += [command.fact for command in heard if isinstance(command, commands.Tell)]
        return heard

    def perform(self, todo: Iterable[Command]) -> None:
        """As `flow.loop.perform`."""
        queue = self._hear(todo)
        for command in queue:
            match command:
                case commands.Visit(lease):
                    self._judge(lease)
                case commands.Resolve(_, host):
                    self.lookups.append(host)
                case commands.Refill() | commands.Wake() | commands.Postpone() | commands.PutLast():
                    queue += self.frontier.handle(self._load(command), self.now)
                case commands.SendErrand():
                    self.sent.append(command)
                    self.errands -= command.origin is not None
                case commands.AnswerErrand(errand, answer):
                    self.errands -= 1
                    self.answered.append((errand, answer))
                case commands.SaveRobots(key, authority, robots):
                    self.rows.robots.setdefault(key, {})[authority] = robots
                case commands.Refuse():
                    self._refuse(command)
                case commands.Move():
                    self._move(command)

    def _load(self, command: commands.Refill | commands.Wake | commands.Postpone | commands.PutLast) -> events.Event:
        match command:
            case commands.Refill(key, queue, order):
                found = sorted(item for item in self.rows.queue(key, queue).items() if item[0] >= order)
                entries = [Entry(each, mark, self.rows.record(key, mark)) for each, mark in found[:HEAD_ENTRIES_MAX]]
                return events.HeadLoaded(key, queue, entries, len(found) < HEAD_ENTRIES_MAX)
            case commands.Wake(most, until):
                due = sorted(item for item in self.rows.ready if item[1] <= int(until * 1000))[:most]
                rest = self.rows.ready.difference(due)
                hosts = [self._load_host(key) for _, _, key in due]
                return events.Woken(hosts, min((item[1] / 1000 for item in rest), default=None))
            case commands.Postpone(key, queue, entries, due):
                self.postponed.append(command)
                moved: list[tuple[Entry, Entry]] = []
                for entry in entries:
                    del self.rows.queue(key, queue)[entry.order]
                    moved.append((entry, self._requeue(key, entry, due)))
                return events.Postponed(key, queue, moved)
            case commands.PutLast(key, queue, entries):
                last: list[tuple[Entry, Entry]] = []
                for entry in entries:
                    del self.rows.queue(key, queue)[entry.order]
                    entry.record.queue = entry.record.level = LEVELS - 1
                    after = self._enqueue(key, entry.fingerprint, entry.record, self._next_order())
                    last.append((entry, after))
                return events.Postponed(key, queue, last, pause=False)

    def _refuse(self, command: commands.Refuse) -> None:
        record = command.entry.record
        del self.rows.queue(command.host_id, record.queue)[command.entry.order]
        self._close(command.host_id, command.entry, PageState.FAILED if command.failed else PageState.REFUSED)
        count(self.rows.ledger.failed if command.failed else self.rows.ledger.refused, command.reason)
        self.refused.append(command)

    def _move(self, move: commands.Move) -> None:
        if move.left_ready_level >= 0:
            self.rows.ready.remove((move.left_ready_level, move.left_ready_wake_ms, move.host_id))
        if move.ready_level >= 0:
            self.rows.ready.add((move.ready_level, move.ready_wake_ms, move.host_id))
        if move.left_active:
            self.rows.active.remove(move.host_id)
        if move.active:
            self.rows.active.add(move.host_id)
        if move.left_held:
            self.rows.held.remove(move.host_id)
        if move.held:
            self.rows.held.add(move.host_id)

    def _visited(self, event: events.Visited) -> None:
        key = event.lease.host_id
        del self.open[event.lease.number]
        if event.failed or event.slows:
            self._failures[key] += 1
            self._failing_since.setdefault(key, event.ended)
        elif event.answered:
            self._failures[key] = 0
            self._failing_since.pop(key, None)
        pause = backoff(self._failures[key], 0.0).seconds
        left = self._failing_since.get(key, event.ended) + self.frontier.policy.host_patience - event.ended
        if left > 0.0:
            pause = min(pause, max(left, BACKOFF_FIRST_SECONDS))
        waits = (self.gap, event.retry_after or 0.0, pause)
        self.not_before[key] = max(self.not_before.get(key, 0.0), event.ended + max(waits))
        self._last_end[key] = event.ended
        self.handle(event)

    def _settle(self, key: bytes, entry: Entry, kind: FateKind, due: float) -> Entry | None:
        """Move the rows of a leased URL where its fate says; its new entry if it is queued again."""
        ledger = self.rows.ledger
        if kind is FateKind.BACK:
            return None
        del self.rows.queue(key, entry.record.queue)[entry.order]
        if kind in (FateKind.RETRY, FateKind.AGAIN):
            return self._requeue(key, entry, due)
        self._close(key, entry, PageState.DONE)
        match kind:
            case FateKind.DONE:
                ledger.done += 1
            case FateKind.GONE:
                ledger.gone += 1
            case FateKind.FAILED:
                count(ledger.failed, "failed")
            case _:
                count(ledger.refused, "refused")
        return None

    def _requeue(self, key: bytes, entry: Entry, due: float) -> Entry:
        entry.record.queue = RETRY
        return self._enqueue(key, entry.fingerprint, entry.record, retry_order(due, self._next_order()))

    def _enqueue(self, key: bytes, mark: bytes, record: PageRecord, order: int) -> Entry:
        record.order = order
        self.rows.queue(key, record.queue)[order] = mark
        self.rows.pages[key + mark] = encode(record)
        return Entry(order, mark, record)

    def _close(self, key: bytes, entry: Entry, state: PageState) -> None:
        entry.record.state = state
        self.rows.pages[key + entry.fingerprint] = encode(entry.record)

    def _next_order(self) -> int:
        self.rows.order += 1
        return self.rows.order

    def _loaded(self, host: str) -> events.LoadedHost | None:
        """A host that the frontier does not hold, new or from the store."""
        key = host_id(host)
        if key in self.frontier.hosts:
            return None
        state = self.frontier.state_of(key)
        if state is None and key not in self.rows.hosts:
            return events.LoadedHost(key, HostState(host, host))
        return self._load_host(key)

    def _load_host(self, key: bytes) -> events.LoadedHost:
        state = self.frontier.state_of(key) or decode_host(self.rows.hosts[key])
        return events.LoadedHost(key, state, dict(self.rows.robots.get(key, {})))

    def _restore(self) -> None:
        """As `flow.opening.restore_working_set`."""
        hosts = [self._load_host(key) for key in sorted(self.rows.active)]
        held = [self._load_host(key) for key in sorted(self.rows.held)]
        self.handle(events.Woken(hosts, 0.0))
        self.handle(events.HeldLoaded(held))

    # --- judging -------------------------------------------------------------------------------------------------

    def _judge(self, lease: Lease) -> None:
        """A lease: alone at its host, not too soon, for a queued URL that robots.txt allows."""
        key = lease.host_id
        assert key == host_id(host_of(lease.url))
        assert lease.granted == self.now
        assert not self.frontier.policy.closed.reason(lease.host), "a lease of a closed host"
        at_once = sum(other.host_id == key for other in self.open.values())
        assert at_once < self.frontier.policy.rule_of(lease.host).connections, f"too many leases of {lease.host}"
        assert all(other.url != lease.url for other in self.open.values()), f"{lease.url} leased twice"
        due = max(self.not_before.get(key, 0.0), self._last_end.get(key, 0.0) + self._crawl_delay(key))
        if self.opened_at is not None:
            due = max(due, self.opened_at + self.gap)
        assert self.now >= due - EPSILON, f"{lease.host} contacted {due - self.now} s too soon"
        if lease.kind is LeaseKind.PAGE:
            self._judge_page(lease)
        self.open[lease.number] = lease
        self.leased.append(lease)

    def _crawl_delay(self, key: bytes) -> float:
        """The greatest Crawl-delay that the host's files name now."""
        bodies = [robots.body for robots in self.rows.robots.get(key, {}).values()]
        return max((float(found[1]) for body in bodies if (found := DELAY.search(body))), default=0.0)

    def _judge_page(self, lease: Lease) -> None:
        entry = lease.entry
        assert entry is not None
        assert self.rows.queue(lease.host_id, entry.record.queue)[entry.order] == entry.fingerprint
        if entry.record.queue == RETRY:
            assert entry.order <= retry_order(self.now, -1), "a retry before its moment"
        if self.frontier.policy.rule_of(lease.host).robots_ignored:
            return
        robots = self.rows.robots[lease.host_id][authority_of(lease.url)]
        assert robots.expires_at > self.now, "leased under an expired robots.txt"
        assert robots.kind is not RobotsKind.UNREACHABLE, "leased under an unreachable robots.txt"
        if robots.kind is RobotsKind.RULES and FORBIDDEN.encode() in robots.body:
            assert not target_of(lease.url).startswith(FORBIDDEN)

    def check(self) -> None:
        """The books against the rows, and every host in exactly one place."""
        rows, ledger, hosts = self.rows, self.rows.ledger, self.frontier.hosts
        assert ledger.problems() == []
        assert ledger.queued + ledger.held == sum(len(queue) for queue in rows.queues.values())
        assert ledger.held == sum(rows.queued(key) for key in rows.held)
        assert rows.active == set(hosts)
        asleep = Counter(key for _, _, key in rows.ready)
        places = Counter(rows.active) + asleep + Counter(rows.held)
        wanted = {key for key, queue in rows.queues if rows.queued(key)}
        assert all(places[key] == 1 for key in wanted), "a host with queued URLs is in one place"
        assert all(times == 1 for times in places.values())
        assert len(hosts) <= self.frontier.policy.hosts_max + self.errands
        for key, host in hosts.items():
            self._check_host(key, host.state)
        for _, wake_ms, _ in rows.ready:
            wake = self.frontier.working.next_wake
            assert wake is not None, "somebody sleeps whom nobody will wake"
            assert wake <= wake_ms / 1000 + EPSILON

    def _check_host(self, key: bytes, state: HostState) -> None:
        heads = self.frontier.hosts[key].heads
        out = {lease.entry.order for lease in self.open.values() if lease.host_id == key and lease.entry is not None}
        for queue in range(QUEUES):
            stored = sorted(self.rows.queue(key, queue))
            assert state.queued[queue] == len(stored)
            assert not stored or state.heads[queue] <= stored[0], "a scan would begin behind a queued URL"
            waiting = [order for order in stored if order not in out]
            memory = [entry.order for entry in heads[queue].entries]
            assert len(memory) <= HEAD_ENTRIES_MAX + 1
            assert memory == (waiting if heads[queue].complete else waiting[: len(memory)])


def urls_of(host: str, numbers: Iterable[int], *, scheme: str = "http", folder: str = "") -> list[str]:
    """Some URLs of a host."""
    return [f"{scheme}://{host}{folder}/{number}" for number in numbers]
