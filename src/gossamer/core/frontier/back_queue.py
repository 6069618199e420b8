"""One host of the working set: its state, the heads of its front queues in memory, its phase."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

import msgspec

from gossamer.core.frontier.commands import Command, DropRobots, NameSitemaps, SaveRobots
from gossamer.core.frontier.lease import FILE_LEASES, Entry, Errand, Lease, LeaseKind
from gossamer.core.frontier.priority import LEVEL_WEIGHTS, draw_level, overdue_level
from gossamer.core.frontier.records import LEVELS, QUEUES, RETRY, HostState, PageRecord, retry_due
from gossamer.core.limits import HEAD_ENTRIES_MAX, ROBOTS_AUTHORITIES_PER_HOST_MAX
from gossamer.core.preference.tdm_file import TdmRules
from gossamer.core.robots.answer import RobotsKind, RobotsState
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.url.parse import authority_of

NONE_PASSED: Final = (0,) * LEVELS


class Phase(Enum):
    """What a host of the working set is doing."""

    RESOLVING = "resolving"
    LEASED = "leased"
    WAITING = "waiting"
    """In the heap, until its gap has passed."""
    ASKING = "asking"
    """Another host fetches a robots.txt for it."""
    QUEUEING = "queueing"
    """In line for a look-up or a fetch slot; see `Situation`."""


def _order_of(entry: Entry) -> int:
    return entry.order


class Head(msgspec.Struct):
    """The front of one queue in memory: the first entries in order, and whether the store holds more."""

    entries: list[Entry] = []
    complete: bool = False

    def put_back(self, entry: Entry) -> None:
        """Return an entry taken from this head; it precedes all that the store alone holds."""
        insort(self.entries, entry, key=_order_of)

    def drop(self, order: int) -> None:
        """Forget the entry at `order`, if it is in memory."""
        self.entries = [entry for entry in self.entries if entry.order != order]

    @property
    def has_more(self) -> bool:
        """Whether the store holds URLs of this queue behind those in memory."""
        return bool(self.entries) and not self.complete

    def add(self, entry: Entry) -> None:
        """Take a new entry into the head if it belongs there; otherwise the store keeps it for a refill."""
        if not self.complete and not (self.entries and entry.order < self.entries[-1].order):
            return
        insort(self.entries, entry, key=_order_of)
        if len(self.entries) > HEAD_ENTRIES_MAX:
            self.entries.pop()
            self.complete = False


def _no_heads() -> list[Head]:
    return [Head(), Head(), Head(), Head(), Head(), Head()]


class RobotsPending(msgspec.Struct):
    """A robots.txt or tdmrep.json on its way: for which authority, from which URL next, after how many redirects."""

    authority: str
    url: str
    hops: int = 0
    kind: LeaseKind = LeaseKind.ROBOTS


class BackQueue(msgspec.Struct):
    """A host in the working set."""

    host_id: bytes
    state: HostState
    robots: dict[str, RobotsState] = {}
    rules: dict[str, RobotsRules] = {}
    """Parsed lazily from `robots`, per authority."""
    tdm: dict[str, TdmRules] = {}
    """The same of their tdmrep.json."""
    heads: list[Head] = msgspec.field(default_factory=_no_heads)
    phase: Phase = Phase.WAITING
    at: float = -1.0
    """Its moment in the heap while WAITING; -1 when it is not there."""
    since: float = 0.0
    """Since when it is in its phase."""
    line: str = ""
    """What it stands in line for, while QUEUEING."""
    gaps_number: int = 0
    """Which of the gaps that were in force its moment follows; see `GapChanges`."""
    entered: float = 0.0
    """When it came into the working set."""
    addresses: tuple[str, ...] = ()
    addresses_expire: float = 0.0
    pending: RobotsPending | None = None
    cause: PageRecord | None = None
    """The URL for which a robots.txt was asked for last; it may have left the heads before the answer comes."""
    asking: str = ""
    """The authority whose robots.txt another host fetches for it; empty when none does."""
    errands: list[Errand] = []
    leases: int = 0
    """Leases since it entered the working set."""
    out: dict[int, LeaseKind] = {}
    """Its leases under way, by number."""
    ended: set[int] = set()
    """Those of them whose exchange is over and whose report is on its way: its gap runs, and is not known yet."""
    leased: list[tuple[int, int]] = []
    """Queue and order of each of its URLs that is leased; in the store they are queued still."""
    drawn: int = -1
    """The queue that was drawn last."""
    refused_address: bool = False
    """None of its addresses may be connected to."""

    @property
    def group(self) -> str:
        """The seed group of the URL it would be leased next, as far as it is in memory."""
        first = next((head.entries[0] for head in self.heads if head.entries), None)
        return first.record.group if first is not None else self.state.group

    def unleased(self, queue: int) -> int:
        """URLs of a queue that are not leased."""
        queued = self.state.queued[queue]
        return queued - sum(each == queue for each, _ in self.leased) if self.leased and queued else queued

    def unleased_each(self) -> list[int]:
        """The same of every queue; not to be changed."""
        if not self.leased:
            return self.state.queued
        left = list(self.state.queued)
        for queue, _ in self.leased:
            left[queue] -= 1
        return left

    def is_leased(self, queue: int, order: int) -> bool:
        """Whether the URL that stands there is leased."""
        return (queue, order) in self.leased

    def give_back(self, queue: int, entry: Entry) -> None:
        """A leased URL is in its place again. Into a head that is to be loaded anew, it comes from the store, together
        with what came before it while other leases were out.
        """
        head = self.heads[queue]
        if head.entries or head.complete or not self.out:
            head.put_back(entry)

    def may_lease(self, connections: int) -> bool:
        """Whether it may have one more lease now. A robots.txt or tdmrep.json is fetched alone: it decides the rest."""
        if not self.out:
            return True
        if len(self.out) >= connections or self.ended or not FILE_LEASES.isdisjoint(self.out.values()):
            return False
        return bool(self.errands) or any(self.unleased_each())

    def has_before(self, entry: Entry, level: int) -> bool:
        """Whether others go before `entry`: it is of `level`, better ones have URLs, and its own is not overdue."""
        queued = self.unleased_each()[:LEVELS]
        return entry.record.queue == level and any(queued[:level]) and overdue_level(self.state.passed, queued) != level

    def choose_queue(self, now: float, chance: float, levels: int = LEVELS) -> int:
        """The queue to take the next URL from: a level passed over for too long, a due retry, else a biased draw of the
        first `levels`; -1 when none is due.

        While the host fails, other URLs come before retries: one that always fails must not keep the host from
        showing that it answers.
        """
        self.drawn = self._choose(now, chance, levels)
        return self.drawn

    def _choose(self, now: float, chance: float, levels: int) -> int:
        queued = self.unleased_each()
        if queued.count(0) == QUEUES - 1 and (only := queued.index(max(queued))) < levels:
            return only  # most hosts have but one queue: whatever is drawn, it is that
        overdue = overdue_level(self.state.passed, queued)
        if overdue >= 0:
            return overdue
        drawn = draw_level([LEVEL_WEIGHTS[level] if queued[level] else 0 for level in range(levels)], chance)
        if drawn >= 0 and self.state.failures:
            return drawn
        head = self.heads[RETRY].entries
        if queued[RETRY] and (not head or retry_due(head[0].order) <= now):
            return RETRY
        return drawn

    def note_lease(self, queue: int) -> None:
        """A URL of this queue has been leased: levels that had URLs, and neither this lease nor the draw, were passed
        over once more. A level that was drawn had its chance, if none of its URLs may be leased for now.
        """
        state, drawn = self.state, self.drawn
        if state.queued[queue] == state.total:
            state.passed = list(NONE_PASSED)
            return
        state.passed = [
            0 if level in (queue, drawn) or not state.queued[level] or not self.unleased(level) else before + 1
            for level, before in enumerate(state.passed or NONE_PASSED)
        ]

    def is_blocked(self, entry: Entry, now: float) -> bool:
        """Whether the robots.txt of its authority is unreachable and not to be asked for yet.

        While the host fails it is asked for again only when nothing else is left: as with retries, one file that always
        fails must not keep the host from showing that it answers.
        """
        robots = self.robots.get(authority_of(entry.record.url)) if self.robots else None
        if robots is None or robots.kind is not RobotsKind.UNREACHABLE:
            return False
        return robots.expires_at > now or self.state.failures > 0

    def unread_queue(self) -> int:
        """A queue that has URLs, none of them in memory; -1 without one."""
        return next((each for each in range(QUEUES) if self.unleased(each) and not self.heads[each].entries), -1)

    def hiding_queue(self, now: float) -> int:
        """A queue whose URLs in memory are due and hide others, in the store, that may be; -1 without one."""
        level = next((each for each in range(LEVELS) if self.heads[each].has_more), -1)
        retries = self.heads[RETRY]
        if level < 0 and retries.has_more and retry_due(retries.entries[-1].order) <= now:
            return RETRY
        return level

    def first_open(self, now: float) -> Entry | None:
        """The first entry in memory that may be due and is not blocked."""
        return next((entry for entry in self._due(now) if not self.is_blocked(entry, now)), None)

    def first_blocked(self, now: float) -> Entry:
        """Of the blocked entries in memory, of which there is one, that whose robots.txt was asked for longest ago."""
        blocked = (entry for entry in self._due(now) if self.is_blocked(entry, now))
        return min(blocked, key=lambda entry: self.robots[authority_of(entry.record.url)].fetched_at)

    def is_overtaken(self, blocked: Entry, other: Entry, now: float) -> bool:
        """Whether `other` has failed since the robots.txt of `blocked` was asked for: of two that fail, each has its
        turn.
        """
        robots = self.robots[authority_of(blocked.record.url)]
        last = other.record.attempts[-1].at if other.record.attempts else 0.0
        return robots.expires_at <= now and last > robots.fetched_at

    def _due(self, now: float) -> Iterator[Entry]:
        for queue in range(QUEUES):
            for entry in self.heads[queue].entries:
                if queue != RETRY or retry_due(entry.order) <= now:
                    yield entry

    def next_due(self) -> float:
        """Earliest moment at which it has something to fetch, its gap apart: 0 now, or its first retry's moment."""
        if self.errands or any(self.unleased_each()[:LEVELS]):
            return 0.0
        retries = self.heads[RETRY].entries
        return retry_due(retries[0].order) if retries else 0.0

    def best_level(self) -> int:
        """The level of its best queued URL; a retry counts as the last level."""
        return next((level for level in range(LEVELS) if self.state.queued[level]), LEVELS - 1)

    def fill_heads(self, entries: list[Entry]) -> None:
        """All that the host has queued has just been found: its heads are complete without a look at the store."""
        for head in self.heads:
            head.complete = True
        for entry in entries:
            self.heads[entry.record.queue].add(entry)

    def forget_heads(self) -> None:
        """Read the levels again, the first apart; retries stay, for their moments are in their order."""
        for level in range(1, LEVELS):
            if self.state.queued[level]:
                self.heads[level] = Head()

    def keep_robots(self, authority: str, robots: RobotsState) -> list[Command]:
        """Keep what a robots.txt said; what is to be written down.

        Beyond a bound the file read longest ago is forgotten here and in the store, to be read when needed.
        """
        self.robots[authority] = robots
        self.rules.pop(authority, None)
        self.tdm.pop(authority, None)
        todo: list[Command] = [SaveRobots(self.host_id, authority, robots)]
        while len(self.robots) > ROBOTS_AUTHORITIES_PER_HOST_MAX:
            others = (each for each in self.robots if each != authority)
            oldest = min(others, key=lambda each: self.robots[each].fetched_at)
            for kept in (self.robots, self.rules, self.tdm):
                kept.pop(oldest, None)
            todo.append(DropRobots(self.host_id, oldest))
        return todo

    def keep_tdm(self, authority: str, body: bytes, now: float) -> list[Command]:
        """Keep what a tdmrep.json said, if its robots.txt is still known; what is to be written down."""
        robots = self.robots.get(authority)
        if robots is None:
            return []
        self.robots[authority] = robots = msgspec.structs.replace(robots, tdm=body, tdm_at=now)
        self.tdm.pop(authority, None)
        return [SaveRobots(self.host_id, authority, robots)]

    def tdm_of(self, authority: str) -> TdmRules | None:
        """The parsed tdmrep.json of an authority; None where there is none."""
        state = self.robots.get(authority)
        if state is None or not state.tdm:
            return None
        if authority not in self.tdm:
            self.tdm[authority] = TdmRules.parse(state.tdm)
        return self.tdm[authority]

    def sitemaps_named(self, authority: str, product: str, now: float) -> list[NameSitemaps]:
        """What to do about the sitemaps of a robots.txt that was read just now, if a queued URL was why it was read."""
        robots = self.robots.get(authority)
        if robots is None or robots.kind is RobotsKind.UNREACHABLE or robots.fetched_at < now:
            return []
        cause = self._cause_of(authority)
        if cause is None:
            return []
        rules = self.rules_of(authority, product)
        urls = rules.sitemaps if rules is not None and not robots.reason else ()
        return [NameSitemaps(self.host_id, authority, urls, cause)]

    def _cause_of(self, authority: str) -> PageRecord | None:
        """A queued URL for which the robots.txt of its authority may have been read."""
        if self.cause is not None and authority_of(self.cause.url) == authority:
            return self.cause
        records = (entry.record for head in self.heads for entry in head.entries)
        return next((each for each in records if authority_of(each.url) == authority), None)

    def crawl_delay(self, product: str) -> float:
        """The greatest Crawl-delay of its authorities in seconds, for they share the gap; 0 without one."""
        known = (self.rules_of(authority, product) for authority in self.robots)
        return max((rules.crawl_delay for rules in known if rules is not None), default=0.0)

    def rules_of(self, authority: str, product: str) -> RobotsRules | None:
        """The parsed rules of an authority whose robots.txt was read; None otherwise."""
        state = self.robots.get(authority)
        if state is None or not state.body:
            return None
        rules = self.rules.get(authority)
        if rules is None:
            rules = self.rules[authority] = RobotsRules.parse(state.body, product)
        return rules


def at_hand(host: BackQueue | None, leases: Iterable[Lease]) -> dict[bytes, PageRecord]:
    """The records of a host's URLs that are in memory, leased or at the head of a queue, by fingerprint."""
    if host is None:
        return {}
    entries = [entry for head in host.heads for entry in head.entries]
    entries += [lease.entry for lease in leases if lease.entry is not None and lease.host_id == host.host_id]
    return {entry.fingerprint: entry.record for entry in entries}
