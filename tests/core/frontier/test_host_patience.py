"""Slow, failing and dead hosts: tried ever more rarely, given up when patience ends, and never in the way of others."""

from __future__ import annotations

import pytest

from gossamer.core.facts import HostDied
from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.host_status import HostStatus, standing_of
from gossamer.core.frontier.lease import Errand, Lease, LeaseKind
from gossamer.core.frontier.leasing import Room
from gossamer.core.frontier.robots_errands import UNANSWERED
from gossamer.core.frontier.turn import REFUSALS_PER_TURN
from gossamer.core.frontier.working_set import SLEEP_SECONDS
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import SLOW_HOST_SECONDS
from gossamer.core.politeness.ceiling import CeilingPolicy
from tests.frontiers import DAY, Stage, host_id, urls_of

A, B = "http://a.test", "http://b.test"
MINUTE, HOUR = 60.0, 3600.0
PATIENCE = 7 * DAY
TRIES_OF_PATIENCE = [
    # 5 s, doubled; the fifth failure parks for 15 minutes, doubled up to a day; the last one ends with patience.
    *(5.0, 10.0, 20.0, 40.0),
    *(15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 16 * HOUR),
    *(DAY, DAY, DAY, DAY, DAY),
]


def failing(stage: Stage, lease: Lease) -> float:
    """The host of a lease fails; when it is asked again."""
    if lease.kind is LeaseKind.ROBOTS:
        stage.robots(lease, failure=FailureKind.CONNECT_FAILED, seconds=0.0)
    else:
        stage.finish(lease, FateKind.BACK, failed=True, seconds=0.0)
    return stage.now


def answering(stage: Stage, lease: Lease) -> None:
    """The host of a lease answers."""
    stage.robots(lease) if lease.kind is LeaseKind.ROBOTS else stage.finish(lease)


def status(stage: Stage, host: str) -> HostStatus:
    working = stage.frontier.hosts.get(host_id(host))
    state = working.state if working is not None else stage.state(host)
    return standing_of(state, working, None, stage.now).status


def dead(stage: Stage) -> list[float]:
    """Fail until the host is given up; the waits before each try."""
    lease, waits = stage.lease(within=DAY), list[float]()
    while True:
        failed_at = failing(stage, lease)
        if stage.told(HostDied):
            return waits
        lease = stage.lease(within=2 * DAY)
        waits.append(round(lease.granted - failed_at, 3))


def ready(*urls: str, **options: object) -> Stage:
    stage = Stage(**options)  # type: ignore[arg-type]
    stage.find(*urls)
    stage.ready("a.test")
    return stage


def test_a_host_that_fails_is_tried_ever_more_rarely_until_patience_ends() -> None:
    stage = ready(*urls_of("a.test", range(3)))
    waits = dead(stage)
    assert waits[:-1] == TRIES_OF_PATIENCE[: len(waits) - 1]
    assert sum(waits) == pytest.approx(PATIENCE)
    (died,) = stage.told(HostDied)
    assert (died.host, died.urls, died.failures) == ("a.test", 3, len(waits) + 1)
    assert status(stage, "a.test") is HostStatus.DEAD


def test_what_a_dead_host_has_queued_ends_as_failed_a_part_in_each_turn() -> None:
    number = 3 * REFUSALS_PER_TURN + 5
    stage = ready(*urls_of("a.test", range(number)))
    dead(stage)
    while stage.rows.ledger.queued:
        before = stage.rows.ledger.queued
        assert stage.advance() == []
        assert 0 < before - stage.rows.ledger.queued <= 2 * REFUSALS_PER_TURN
        stage.check()
    assert sum(stage.rows.ledger.failed.values()) == number
    assert stage.frontier.hosts == {}, "nothing is left of it"
    assert all(command.failed and "host_patience" in command.detail for command in stage.refused)


def test_urls_found_on_a_dead_host_fail_at_once_and_one_is_tried_when_patience_has_passed_again() -> None:
    stage = ready(f"{A}/1")
    dead(stage)
    stage.run()
    stage.find(f"{A}/2")
    assert stage.run() == []
    assert sum(stage.rows.ledger.failed.values()) == 2
    stage.wait(PATIENCE)
    stage.find(f"{A}/3", f"{A}/4")
    lease = stage.lease(within=DAY)
    assert stage.rows.ledger.queued == 2
    failing(stage, lease)
    stage.run()
    assert sum(stage.rows.ledger.failed.values()) == 4, "one try is all that it has"
    assert len(stage.told(HostDied)) == 1, "it did not die twice"
    stage.check()


def test_a_dead_host_that_answers_lives() -> None:
    stage = ready(f"{A}/1")
    dead(stage)
    stage.run()
    stage.wait(PATIENCE)
    stage.find(f"{A}/2", f"{A}/3")
    answering(stage, stage.lease(within=DAY))
    assert status(stage, "a.test") is HostStatus.WAITING
    assert stage.lease(within=MINUTE).host == "a.test"
    stage.check()


def test_one_answer_gives_all_patience_back() -> None:
    stage = ready(*urls_of("a.test", range(9)))
    for _ in range(12):
        failing(stage, stage.lease(within=2 * DAY))
    answering(stage, stage.lease(within=2 * DAY))
    assert sum(dead(stage)) == pytest.approx(PATIENCE)


def test_a_name_that_does_not_exist_is_parked_by_its_second_look_up() -> None:
    stage = Stage()
    stage.find(f"{A}/1")
    waits: list[float] = []
    while len(waits) < 5:
        stage.run(stage.now + 2 * DAY) if not stage.lookups else None
        assert stage.lookups == ["a.test"]
        asked = stage.now
        stage.resolve("a.test", failure=FailureKind.NAME_NOT_FOUND, seconds=HOUR)
        waits.append(round(_next(stage) - asked, 3))
        stage.now = _next(stage)
        stage.advance()
    assert waits == [MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR]
    assert status(stage, "a.test") is HostStatus.DEAD


def _next(stage: Stage) -> float:
    return stage.state("a.test").next_at


# --- slow hosts ------------------------------------------------------------------------------------------------------


def test_a_thousand_dripping_hosts_do_not_stop_one_that_answers() -> None:
    slots = 16
    stage = Stage(gap=1.0, hosts_max=5000, ceilings=CeilingPolicy(10_000, 1e6, slots))
    stage.find(*urls_of("a.test", range(200)))
    stage.ready("a.test")
    stage.finish(stage.lease(within=MINUTE))
    stage.find(*(f"http://{number:04}.t/" for number in range(1000)))
    dripping: list[Lease] = []
    answered = 0
    for _ in range(120):
        stage.wait(1.0)
        made = stage.advance(slots - len(dripping))
        while stage.lookups:
            stage.resolve_all()
            made += stage.advance(slots - len(dripping) - len(made))
        for lease in made:
            if lease.host == "a.test":
                stage.finish(lease)
                answered += 1
            else:
                dripping.append(lease)
        while dripping and stage.now - dripping[0].granted > 3 * SLOW_HOST_SECONDS:
            stage.robots(dripping.pop(0), b"")
    assert answered >= 50, "it is asked about as often as its gap permits"
    assert len(stage.frontier.hosts) > 900
    stage.check()


def test_a_host_in_line_says_so() -> None:
    stage = Stage(hosts_max=50, ceilings=CeilingPolicy(10_000, 1e6, 4))
    stage.find(*(f"http://{number:04}.t/" for number in range(5)))
    stage.advance()
    stage.resolve_all()
    out = stage.advance()
    assert len(out) == 3, "unproven hosts leave a quarter"
    waiting = [host for host in stage.frontier.hosts.values() if not host.out]
    standings = [standing_of(host.state, host, None, stage.now) for host in waiting]
    assert [standing.status for standing in standings] == [HostStatus.WAITING] * 2
    assert all("fetch slot" in standing.reason for standing in standings)
    stage.robots(out[0])
    assert len(stage.advance()) == 1, "the first in line is called"
    stage.check()


def test_a_dead_host_does_no_errands_however_near_its_end_is() -> None:
    stage = ready(*urls_of("a.test", range(3)))
    dead(stage)
    while stage.rows.ledger.queued:
        stage.advance()
    stage.now = stage.state("a.test").dead_until - SLEEP_SECONDS / 2
    stage.errand(Errand(host_id("b.test"), B, f"{A}/robots.txt", 1))
    assert [answer for _, answer in stage.answered] == [UNANSWERED]
    stage.perform(stage.frontier.advance(stage.now, Room(5)))
    moment = stage.frontier.next_moment()
    assert moment is None or moment > stage.now, "nothing is to be done at once, for ever"
