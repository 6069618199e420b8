"""Shares of the crawl: under contention each seed group has its part of the leases, and what is idle goes to others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.core.dns.answer import Answer
from gossamer.core.frontier import commands, events
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.frontier import Frontier
from gossamer.core.frontier.lease import Entry, LeaseKind
from gossamer.core.frontier.leasing import Room
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import HostState, PageRecord
from gossamer.core.frontier.shares import Shares
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.robots.answer import RobotsAnswer

BEGIN = 1_000_000.0
CEILINGS = CeilingPolicy(address_connections=10_000, address_requests_per_second=1e9)


@dataclass
class Crawl:
    """Frontiers that share the room of one worker; hosts never run out of URLs, every visit takes `seconds`."""

    shares: Shares
    frontiers: int = 1
    gap: float = 0.0
    seconds: float = 0.1
    now: float = BEGIN
    made: list[Frontier] = field(default_factory=list[Frontier])
    counted: Counter[str] = field(default_factory=Counter[str])
    order: int = 0
    out: list[tuple[float, Frontier, commands.Visit]] = field(
        default_factory=list[tuple[float, Frontier, commands.Visit]]
    )

    def __post_init__(self) -> None:
        policy = FrontierPolicy(GapPolicy(self.gap), "gossamer", hosts_max=1000, body_bytes_max=1000)
        self.made = [
            Frontier(policy, Ceilings(CEILINGS), Ledger(), lambda: 0.0, shares=self.shares)
            for _ in range(self.frontiers)
        ]

    def host(self, name: str, *groups: str, frontier: int = 0, urls: int = 1) -> None:
        """A host with URLs of these groups by turns."""
        entries = [self._entry(name, groups[number % len(groups)]) for number in range(urls * len(groups))]
        key = name.encode().ljust(8)[:8]
        loaded = events.LoadedHost(key, HostState(name, name, group=groups[0]))
        found = self.made[frontier].handle(events.Found(key, entries, loaded), self.now)
        self.perform(self.made[frontier], found)

    def run(self, rounds: int, room: int) -> None:
        """Rounds of the crawl loop, `room` fetches at once."""
        for turn in range(rounds):
            for step in range(len(self.made)):
                frontier = self.made[(turn + step) % len(self.made)]
                self.perform(frontier, frontier.advance(self.now, Room(room - len(self.out))))
            self.answer_next()

    def _entry(self, host: str, group: str) -> Entry:
        self.order += 1
        record = PageRecord(f"http://{host}/{self.order}", group=group)
        return Entry(self.order, self.order.to_bytes(16, "big"), record)

    def perform(self, frontier: Frontier, todo: list[commands.Command]) -> None:
        for command in todo:
            if isinstance(command, commands.Visit):
                self.out.append((self.now + self.seconds, frontier, command))
                if command.lease.entry is not None:
                    self.counted[command.lease.entry.record.group] += 1
            elif isinstance(command, commands.Resolve):
                answer = Answer(("192.0.2.1",), self.now + 1e9)
                self.perform(frontier, frontier.handle(events.Resolved(command.host_id, answer), self.now))

    def answer_next(self) -> None:
        moments = [each.next_moment() for each in self.made]
        waiting = min((moment for moment in moments if moment is not None), default=None)
        if not self.out:
            self.now = max(self.now, waiting if waiting is not None else self.now)
            return
        self.out.sort(key=lambda item: item[0])
        ended, frontier, visit = self.out.pop(0)
        self.now = max(self.now, ended)
        lease = visit.lease
        robots = RobotsAnswer(404) if lease.kind is LeaseKind.ROBOTS else None
        if lease.entry is not None:
            # The page leads to another of its group.
            entry = self._entry(lease.host, lease.entry.record.group)
            self.perform(frontier, frontier.handle(events.Found(lease.host_id, [entry]), self.now))
        event = events.Visited(
            lease, Fate(FateKind.DONE), self.now, self.now, answered=True, slows=False, failed=False, robots=robots
        )
        self.perform(frontier, frontier.handle(event, self.now))


def parts(crawl: Crawl) -> dict[str, float]:
    leases = sum(crawl.counted.values())
    return {group: number / leases for group, number in crawl.counted.items()}


@pytest.mark.parametrize("frontiers", [1, 4])
@settings(max_examples=12, deadline=None)
@given(
    weights=st.dictionaries(st.sampled_from("abcd"), st.sampled_from([0.5, 1.0, 2.0, 5.0]), min_size=2),
    room=st.integers(1, 3),
    data=st.data(),
)
def test_each_group_has_its_share_under_contention(
    frontiers: int, weights: dict[str, float], room: int, data: st.DataObject
) -> None:
    crawl = Crawl(Shares(weights), frontiers)
    for group in weights:
        # As many hosts as there is room: each group could use all of it alone, wherever its hosts are.
        for number in range(data.draw(st.integers(room + 1, 8), label=f"hosts of {group}")):
            crawl.host(f"{group}{number}.test", group, frontier=data.draw(st.integers(0, frontiers - 1)))
    crawl.run(200, room)
    crawl.counted.clear()
    crawl.run(500, room)
    total = sum(weights.values())
    assert parts(crawl) == pytest.approx({group: each / total for group, each in weights.items()}, abs=0.06)


def test_what_a_group_does_not_use_goes_to_the_others_in_proportion() -> None:
    crawl = Crawl(Shares({"a": 8.0, "b": 2.0, "c": 1.0}), gap=4.0)
    crawl.host("a0.test", "a")
    for number in range(60):
        crawl.host(f"b{number}.test", "b")
        crawl.host(f"c{number}.test", "c")
    crawl.run(400, 2)
    crawl.counted.clear()
    began = crawl.now
    crawl.run(1000, 2)
    # One host gives a page in four seconds, whatever its group may have.
    assert crawl.counted["a"] == pytest.approx((crawl.now - began) / 4.1, abs=3)
    assert crawl.counted["b"] / crawl.counted["c"] == pytest.approx(2.0, abs=0.1)


def test_nobody_saves_up() -> None:
    crawl = Crawl(Shares({"a": 1.0, "b": 1.0}))
    for number in range(4):
        crawl.host(f"a{number}.test", "a")
    crawl.run(1000, 1)
    for number in range(4):
        crawl.host(f"b{number}.test", "b")
    crawl.counted.clear()
    crawl.run(200, 1)
    assert parts(crawl) == pytest.approx({"a": 0.5, "b": 0.5}, abs=0.05)


def test_groups_on_one_host_share_it() -> None:
    crawl = Crawl(Shares({"a": 3.0, "b": 1.0}))
    crawl.host("one.test", "a", "b", urls=4)
    crawl.run(1000, 5)
    assert parts(crawl) == pytest.approx({"a": 0.75, "b": 0.25}, abs=0.05)


def test_no_room_is_left_for_a_frontier_that_stands_back() -> None:
    shares = Shares({"a": 1.0, "b": 1000.0})
    crawl = Crawl(shares, 2)
    crawl.host("a0.test", "a")
    crawl.host("b0.test", "b", frontier=1)
    crawl.run(50, 1)
    first, second = crawl.made
    crawl.counted.clear()
    second.advance(crawl.now, Room(0))
    for _ in range(20):
        second.stand_back()
        crawl.perform(first, first.advance(crawl.now, Room(1 - len(crawl.out))))
        crawl.answer_next()
    assert crawl.counted["a"] >= 9


def test_a_group_without_a_weight_has_one() -> None:
    crawl = Crawl(Shares({"a": 4.0}))
    for number in range(4):
        crawl.host(f"a{number}.test", "a")
        crawl.host(f"b{number}.test", "given")
    crawl.run(1000, 1)
    assert parts(crawl) == pytest.approx({"a": 0.8, "given": 0.2}, abs=0.05)
