"""URLs that a judge puts last: moved out of their level, leased once nothing else is left, and starved by nobody."""

from __future__ import annotations

from gossamer.core.frontier.holds import Ruling
from gossamer.core.frontier.priority import LEASES_BOUND
from gossamer.core.frontier.records import LEVELS, HostState, PageRecord
from gossamer.core.limits import HEAD_ENTRIES_MAX
from tests.frontiers import Stage

HOST = "a.test"


def judge(_: HostState, record: PageRecord, __: float) -> Ruling | None:
    return Ruling("", last=True) if "/dull/" in record.url else None


def stage(dull: int, good: int, level: int) -> Stage:
    """A host with dull URLs in front of good ones; leases follow each other at once."""
    made = Stage(gap=0.0)
    made.frontier.judges.urls.append(judge)
    made.find(*(f"http://{HOST}/dull/{number}" for number in range(dull)), level=level)
    made.find(*(f"http://{HOST}/good/{number}" for number in range(good)), level=level)
    made.advance()
    made.resolve(HOST)
    made.robots(made.lease(within=60.0))
    return made


def leased(made: Stage, count: int) -> list[str]:
    urls: list[str] = []
    for _ in range(count):
        lease = made.lease(within=60.0)
        urls.append(lease.url)
        made.finish(lease)
    made.check()
    return urls


def test_what_is_queued_already_goes_behind_all_else() -> None:
    urls = leased(stage(dull=30, good=30, level=2), 60)
    assert ["/good/" in url for url in urls] == [True] * 30 + [False] * 30


def test_they_come_at_last_and_each_once_though_the_store_holds_most_of_them() -> None:
    number = HEAD_ENTRIES_MAX * 2 + 3
    made = stage(dull=number, good=2, level=1)
    urls = leased(made, number + 2)
    assert len(set(urls)) == number + 2
    assert made.state(HOST).total == 0


def test_a_last_level_that_was_passed_over_for_too_long_has_its_turn() -> None:
    made = stage(dull=5, good=3 * LEASES_BOUND, level=2)
    urls = leased(made, 2 * LEASES_BOUND)
    assert 1 <= sum("/dull/" in url for url in urls) <= 2
    assert made.state(HOST).queued[LEVELS - 1] >= 3


def test_a_host_that_has_to_wait_does_so_as_it_is() -> None:
    made = stage(dull=0, good=40, level=2)
    opens_at = made.now + 5.0
    ruling = Ruling("", until=opens_at, host=True)
    made.frontier.judges.urls.append(lambda _, __, now: ruling if now < opens_at else None)
    lease = made.lease(within=60.0)
    assert lease.granted >= opens_at
    made.finish(lease)
    assert made.postponed == []
    assert len(set(leased(made, 39))) == 39
