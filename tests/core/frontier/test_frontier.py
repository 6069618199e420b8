"""What a frontier does, case by case. `Stage` judges every lease; `test_frontier_machine` shuffles all this."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from gossamer.core.frontier import commands, events
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.lease import Errand, Lease, LeaseKind
from gossamer.core.frontier.leasing import Room
from gossamer.core.frontier.turn import REFUSALS_PER_TURN
from gossamer.core.frontier.working_set import LEASES_BEFORE_YIELD, SLEEP_SECONDS
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import (
    BACKOFF_FIRST_SECONDS,
    HEAD_ENTRIES_MAX,
    HOST_FAILURES_PARKED,
)
from gossamer.core.politeness.ceiling import CeilingPolicy
from tests.frontiers import BEGIN, Stage, host_id, urls_of

ROBOTS, PAGE = LeaseKind.ROBOTS, LeaseKind.PAGE
A, B, C = "http://a.test", "http://b.test", "http://c.test"
HOUR = 3600.0


def at_page(**options: Any) -> tuple[Stage, Lease]:
    """A stage with one host, its robots.txt read, five URLs found and the first one leased."""
    stage = Stage(**options)
    stage.find(*urls_of("a.test", range(5)))
    stage.ready("a.test")
    return stage, stage.lease(within=60.0)


# --- the way to a page -----------------------------------------------------------------------------------------------


def test_the_way_to_the_first_page() -> None:
    stage = Stage()
    stage.find(f"{A}/1")
    assert stage.advance() == []
    assert stage.lookups == ["a.test"]
    stage.resolve("a.test", "192.0.2.7", "192.0.2.8")
    (robots,) = stage.advance()
    assert (robots.kind, robots.url, robots.authority) == (ROBOTS, f"{A}/robots.txt", A)
    assert robots.addresses == ("192.0.2.7", "192.0.2.8")
    assert (robots.host, robots.site, robots.address) == ("a.test", "a.test", "192.0.2.7")
    stage.robots(robots)
    assert stage.advance() == [], "the gap"
    page = stage.lease(within=1.0)
    assert (page.kind, page.url, page.granted) == (PAGE, f"{A}/1", robots.granted + 0.1 + 1.0)
    stage.check()
    stage.finish(page)
    assert stage.rows.ledger.done == 1
    assert stage.frontier.hosts == {}, "a host without URLs leaves"
    assert stage.frontier.next_moment() is None
    assert not stage.frontier.is_busy()
    stage.check()


@pytest.mark.parametrize(
    ("options", "visit", "wait"),
    [
        ({}, {}, 1.0),
        ({"gap": 2.5}, {}, 2.5),
        ({"gap": 0.0}, {}, 0.0),
        ({}, {"seconds": 4.0}, 5 * 2.05),  # five times the median of 0.1 (robots.txt) and 4 s
        ({"gap": 0.5}, {"seconds": 4.0}, 0.5),
        ({}, {"retry_after": 77.0}, 77.0),
        ({}, {"slows": True}, BACKOFF_FIRST_SECONDS),
        ({}, {"failed": True, "kind": FateKind.BACK}, BACKOFF_FIRST_SECONDS),
        ({"gap": 9.0}, {"failed": True, "kind": FateKind.BACK}, 9.0),
    ],
)
def test_the_next_lease_comes_when_the_gap_has_passed(
    options: dict[str, Any], visit: dict[str, Any], wait: float
) -> None:
    stage, first = at_page(**options)
    stage.finish(first, **visit)
    ended = stage.now
    if wait:
        assert stage.run(ended + wait - 0.01) == []
    assert stage.lease(within=2.0).granted == pytest.approx(ended + wait)


def test_crawl_delay_counts_from_the_end_of_the_file_itself() -> None:
    stage = Stage(gap=0.0)
    stage.find(f"{A}/1")
    stage.ready("a.test", b"User-agent: *\nCrawl-delay: 7")
    read = stage.now
    assert stage.lease(within=60).granted == read + 7.0


def test_a_host_has_one_lease_at_a_time_and_hosts_do_not_wait_for_each_other() -> None:
    stage = Stage(gap=0.0)
    stage.find(*urls_of("a.test", range(3)), *urls_of("b.test", range(3)))
    stage.advance()
    stage.resolve_all()
    first = stage.advance()
    assert Counter(lease.host for lease in first) == {"a.test": 1, "b.test": 1}
    stage.robots(first[0])
    assert [lease.host for lease in stage.run(stage.now + 99)] == [first[0].host]


def test_urls_of_one_queue_go_in_the_order_they_were_found_through_refills() -> None:
    urls = urls_of("a.test", range(3 * HEAD_ENTRIES_MAX))
    stage = Stage(gap=0.0)
    stage.find(*urls[:20])
    stage.ready("a.test")
    for number, url in enumerate(urls):
        lease = stage.lease()
        assert lease.url == url
        stage.finish(lease)
        if number == 5:
            stage.find(*urls[20:])
        stage.check()


def test_an_expired_address_is_asked_for_again() -> None:
    stage = Stage()
    stage.find(*urls_of("a.test", range(2)))
    stage.advance()
    stage.resolve("a.test", seconds=60.0)
    stage.robots(stage.lease())
    stage.wait(61.0)
    assert stage.advance() == []
    assert stage.lookups == ["a.test"]
    stage.resolve("a.test", "192.0.2.99")
    assert stage.lease().address == "192.0.2.99"


# --- failures of a host ----------------------------------------------------------------------------------------------


def test_a_name_that_does_not_resolve_is_asked_for_ever_more_rarely() -> None:
    stage = Stage()
    stage.find(f"{A}/1")
    stage.advance()
    waits: list[float] = []
    for _ in range(HOST_FAILURES_PARKED):
        asked_at = stage.now
        stage.resolve("a.test", failure=FailureKind.NAME_FAILED, seconds=1.0)
        while not stage.lookups:
            moment = stage.frontier.next_moment()
            assert moment is not None
            stage.run(max(moment, stage.now))
        waits.append(stage.now - asked_at)
    assert waits == pytest.approx([5.0, 10.0, 20.0, 40.0, 900.0], abs=0.01)
    assert stage.state("a.test").parked
    assert stage.rows.ledger.queued == 1


def test_while_a_host_fails_other_urls_go_before_the_one_that_failed() -> None:
    stage, first = at_page(gap=0.0)
    stage.finish(first, FateKind.RETRY, due=stage.now, slows=True)
    assert stage.lease(within=10).url == f"{A}/1"


def test_a_retry_waits_for_its_moment_and_then_goes_first() -> None:
    stage, first = at_page(gap=0.0)
    due = stage.now + 10.0
    stage.finish(first, FateKind.RETRY, due=due)
    second = stage.lease()
    assert second.url == f"{A}/1"
    stage.finish(second, seconds=20.0)
    assert stage.lease().url == f"{A}/0"
    stage.check()


def test_a_url_that_is_kept_back_stays_first() -> None:
    stage, first = at_page(gap=0.0)
    stage.finish(first, FateKind.BACK, failed=True)
    assert stage.lease(within=10).url == first.url
    stage.check()


def test_a_host_that_only_has_retries_sleeps_until_the_first_is_due() -> None:
    stage = Stage()
    stage.find(f"{A}/1")
    stage.ready("a.test")
    due = stage.now + HOUR
    stage.finish(stage.lease(within=2), FateKind.RETRY, due=due)
    stage.commit()
    assert stage.frontier.hosts == {}
    assert [wake for _, wake, _ in stage.rows.ready] == [int(due * 1000)]
    assert stage.run(due - 2) == []
    again = stage.lease(within=2.1)
    assert again.granted == pytest.approx(due, abs=0.002)


# --- addresses that may not be connected to --------------------------------------------------------------------------


def test_all_urls_of_a_refused_address_are_refused() -> None:
    stage = Stage()
    stage.find(*urls_of("a.test", range(5 * REFUSALS_PER_TURN)))
    stage.find(*urls_of("a.test", range(1000, 1003)), level=4)
    stage.advance()
    stage.resolve("a.test", failure=FailureKind.ADDRESS_REFUSED)
    assert stage.run() == []
    assert stage.rows.ledger.refused == {"address": 5 * REFUSALS_PER_TURN + 3}
    assert stage.frontier.hosts == {}
    stage.check()


def test_a_name_that_turns_to_a_refused_address_under_way_ends_all_the_same() -> None:
    """A robots.txt redirects on its own host, and before the next request the name resolves to a private address."""
    stage = Stage()
    stage.find(*urls_of("a.test", range(3)))
    stage.advance()
    stage.resolve("a.test", seconds=60.0)
    stage.robots(stage.lease(), status=301, redirect=f"{A}/rules.txt", seconds=61.0)
    stage.run(stage.now + 60)
    stage.resolve("a.test", failure=FailureKind.ADDRESS_REFUSED)
    stage.run(stage.now + 60)
    assert stage.rows.ledger.refused == {"address": 3}
    assert stage.frontier.hosts == {}
    stage.check()


# --- caps and ceilings -----------------------------------------------------------------------------------------------


def crawl_all(stage: Stage, hours: float = 10.0, **visit: Any) -> None:
    """Answer everything until nothing more comes."""
    end = stage.now + hours * HOUR
    while (moment := stage.frontier.next_moment()) is not None and moment < end:
        made = stage.run(max(moment, stage.now))
        stage.resolve_all()
        for lease in made:
            if lease.kind is ROBOTS:
                stage.robots(lease)
            else:
                stage.finish(lease, **{**visit, "size": min(visit.get("size", 0), lease.body_bytes_max)})
        stage.check()


@pytest.mark.parametrize("cap", [1, 3])
def test_pages_of_a_host_are_capped_exactly_and_the_rest_is_held(cap: int) -> None:
    stage = Stage(pages_per_host_max=cap)
    stage.find(*urls_of("a.test", range(5)), *urls_of("b.test", range(cap)))
    crawl_all(stage)
    assert Counter(lease.host for lease in stage.leased if lease.kind is PAGE) == {"a.test": cap, "b.test": cap}
    assert (stage.rows.ledger.held, stage.rows.ledger.queued) == (5 - cap, 0)
    assert stage.rows.held == {host_id("a.test")}


def test_what_is_no_page_does_not_count_against_the_cap() -> None:
    stage = Stage(pages_per_host_max=1)
    stage.find(*urls_of("a.test", range(5)))
    crawl_all(stage, page=False)
    assert len(stage.urls) == 5


def test_urls_found_for_a_held_host_are_held() -> None:
    stage = Stage(pages_per_host_max=1)
    stage.find(*urls_of("a.test", range(3)))
    crawl_all(stage)
    stage.find(f"{A}/new")
    stage.check()
    assert stage.rows.ledger.held == 3
    assert stage.frontier.next_moment() is None


def test_bytes_of_a_host_are_capped_exactly() -> None:
    stage = Stage(bytes_per_host_max=2500, body_bytes_max=1000)
    stage.find(*urls_of("a.test", range(9)))
    crawl_all(stage, size=1000)
    assert [lease.body_bytes_max for lease in stage.leased if lease.kind is PAGE] == [1000, 1000, 500]
    assert stage.state("a.test").bytes == 2500
    assert stage.rows.ledger.held == 6


def test_a_raised_cap_releases_what_was_held() -> None:
    stage = Stage(pages_per_host_max=2)
    stage.find(*urls_of("a.test", range(5)))
    crawl_all(stage)
    stage.commit()
    again = Stage(pages_per_host_max=4, rows=stage.rows, reopened=True, now=stage.now + 5)
    assert (again.rows.ledger.held, again.rows.ledger.queued) == (0, 3)
    crawl_all(again)
    assert (again.rows.ledger.held, len(again.urls)) == (1, 2)


def test_a_cap_that_stays_keeps_a_host_held_through_a_reopening() -> None:
    stage = Stage(pages_per_host_max=2)
    stage.find(*urls_of("a.test", range(5)))
    crawl_all(stage)
    stage.commit()
    again = Stage(pages_per_host_max=2, rows=stage.rows, reopened=True, now=stage.now + 5)
    again.check()
    assert again.frontier.next_moment() is None or again.run(again.now + HOUR) == []
    assert again.rows.ledger.held == 3


@pytest.mark.parametrize(
    ("leases", "size", "made"), [(0, None, 0), (3, None, 3), (99, None, 5), (99, 2500, 3), (99, 1, 1), (99, 0, 0)]
)
def test_no_more_is_leased_than_there_is_room_for(leases: int, size: int | None, made: int) -> None:
    stage = Stage(body_bytes_max=1000)
    stage.find(*(f"http://h{number}.test/" for number in range(5)))
    stage.advance()
    stage.resolve_all()
    for lease in stage.advance():
        stage.robots(lease, status=404)
    stage.wait(2.0)
    given = stage.advance(leases, size)
    assert len(given) == made
    if size is not None:
        assert sum(lease.body_bytes_max for lease in given) <= size


def test_hosts_at_one_address_share_its_ceilings() -> None:
    stage = Stage(ceilings=CeilingPolicy(address_connections=2, address_requests_per_second=1000.0))
    stage.find(*(f"http://h{number}.test/" for number in range(5)))
    stage.advance()
    stage.resolve_all()
    first = stage.advance()
    assert len(first) == 2
    assert stage.run(stage.now + 5) == []
    stage.robots(first[0])
    assert len(stage.run(stage.now + 1)) == 1
    stage.check()


# --- places ----------------------------------------------------------------------------------------------------------


def test_many_hosts_share_a_small_working_set() -> None:
    hosts = [f"h{number}.test" for number in range(40)]
    stage = Stage(hosts_max=3, gap=1.0)
    for host in hosts:
        stage.find(*urls_of(host, range(2)))
    crawl_all(stage)
    assert len(stage.urls) == 80
    assert stage.rows.ledger.queued == 0


def test_a_long_host_lets_others_have_their_turn() -> None:
    stage = Stage(hosts_max=1)
    stage.find(*urls_of("a.test", range(10 * LEASES_BEFORE_YIELD)))
    stage.find(f"{B}/1")
    crawl_all(stage, hours=0.1)
    assert stage.urls.index(f"{B}/1") <= LEASES_BEFORE_YIELD


def test_a_host_that_goes_to_sleep_while_others_are_woken_is_not_forgotten() -> None:
    """The order of one step: asked to wake sleepers, then a host sleeps, then the sleepers come."""
    stage = Stage(hosts_max=2)
    stage.find(*urls_of("a.test", range(2)))
    stage.ready("a.test")
    lease = stage.lease(within=2)
    stage.frontier.working.next_wake = stage.now
    asked_to_wake = stage.frontier.advance(stage.now, Room(100))
    assert [type(command) for command in asked_to_wake] == [commands.Wake]
    stage.finish(lease, retry_after=HOUR)
    assert stage.frontier.hosts == {}
    stage.handle(events.Woken([], None))
    stage.check()
    assert stage.lease(within=HOUR + 10).url == f"{A}/1"


@pytest.mark.parametrize(("wait", "asleep"), [(SLEEP_SECONDS - 1, False), (SLEEP_SECONDS + 1, True)])
def test_a_host_that_waits_long_makes_room(wait: float, asleep: bool) -> None:
    stage, lease = at_page()
    stage.finish(lease, retry_after=wait)
    assert (host_id("a.test") in stage.rows.active) is not asleep
    assert bool(stage.rows.ready) is asleep
    assert stage.lease(within=wait + 1).granted == pytest.approx(stage.not_before[host_id("a.test")], abs=0.002)


# --- reopening -------------------------------------------------------------------------------------------------------


def reopened(stage: Stage, after: float) -> Stage:
    stage.commit()
    again = Stage(gap=stage.gap, rows=stage.rows, reopened=True, now=stage.now + after)
    again.names = stage.names
    return again


@pytest.mark.parametrize(
    ("gap", "delay", "seconds", "wait"),
    [
        (1.0, 0, 0.1, 1.0),
        (30.0, 0, 0.1, 30.0),
        (1.0, 9, 0.1, 9.0),
        (1.0, 0, 4.0, 20.0),  # five times the median response time
        (0.0, 0, 4.0, 0.0),
    ],
)
def test_after_a_reopening_nobody_is_contacted_before_the_gap(
    gap: float, delay: int, seconds: float, wait: float
) -> None:
    """A crash may have taken the last contact's end, so the gap counts from the opening."""
    stage = Stage(gap=gap)
    stage.find(*urls_of("a.test", range(5)))
    stage.advance()
    stage.resolve_all()
    stage.robots(stage.lease(), b"User-agent: *\nCrawl-delay: %d" % delay, seconds=seconds)
    again = reopened(stage, 3000.0)
    opened = again.now
    assert again.lease(within=wait + 1).granted == pytest.approx(opened + wait, abs=0.01)


def test_a_wait_from_before_outlasts_a_reopening() -> None:
    stage, lease = at_page()
    stage.finish(lease, retry_after=50.0)
    due = stage.now + 50.0
    again = reopened(stage, 10.0)
    assert again.lease(within=41).granted == pytest.approx(due, abs=0.01)


def test_a_new_crawl_waits_for_nothing() -> None:
    stage = Stage(gap=60.0)
    stage.find(f"{A}/1")
    stage.advance()
    stage.resolve_all()
    assert stage.lease().granted == BEGIN


def test_leases_are_given_back_by_a_crash() -> None:
    stage, lease = at_page()
    again = reopened(stage, 3000.0)
    again.check()
    assert again.rows.ledger.queued == 5
    crawl_all(again)
    assert lease.url in again.urls


# --- the draw --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chance", "order"),
    [(0.0, [0, 1, 2, 3, 4]), (0.999, [4, 3, 2, 1, 0]), (0.6, [1, 0, 3, 2, 4])],
)
def test_chance_alone_decides_the_level(chance: float, order: list[int]) -> None:
    stage = Stage(gap=0.0, chance=lambda: chance)
    for level in (3, 1, 4, 0, 2):
        stage.find(f"{A}/{level}", level=level)
    crawl_all(stage)
    assert stage.urls == [f"{A}/{level}" for level in order]


# --- misuse ----------------------------------------------------------------------------------------------------------


def test_misuse_is_told() -> None:
    stage = Stage()
    with pytest.raises(ValueError, match="must bring the host"):
        stage.handle(events.Found(b"x" * 8, []))
    with pytest.raises(ValueError, match="must bring the host"):
        stage.handle(events.ErrandCame(b"x" * 8, Errand(b"", A, f"{B}/", 1)))
    stage.find(*urls_of("a.test", range(2)))
    with pytest.raises(ValueError, match="counts entries that the store does not hold"):
        stage.handle(events.HeadLoaded(host_id("a.test"), 0, [], complete=True))


def test_a_lease_is_reported_once() -> None:
    stage, lease = at_page()
    event = events.Visited(
        lease,
        Fate(FateKind.BACK),
        ended=stage.now,
        started=stage.now,
        answered=False,
        slows=False,
        failed=False,
    )
    stage.frontier.handle(event, stage.now)
    with pytest.raises(KeyError):
        stage.frontier.handle(event, stage.now)
