"""Hosts that the operator closes and opens, caps and gaps that change while hosts wait."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.core.frontier.lease import Errand, Lease, LeaseKind
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.http.exchange import FailureKind
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.scope.block_list import read_block_list
from gossamer.core.scope.reasons import Reason
from tests.frontiers import BEGIN, Stage, host_id, urls_of

HOST = "h.test"


def ready(stage: Stage, count: int = 3, host: str = HOST) -> Stage:
    stage.find(*urls_of(host, range(count)))
    stage.ready(host)
    return stage


def next_lease(stage: Stage, within: float) -> Lease:
    """The next lease; names are looked up on the way."""
    until = stage.now + within
    while not (made := stage.advance()):
        if stage.lookups:
            stage.resolve_all()
            continue
        moment = stage.frontier.next_moment()
        assert moment is not None
        assert moment <= until
        stage.now = max(stage.now, moment)
    return made[0]


def gap_of(policy: FrontierPolicy, seconds: float) -> FrontierPolicy:
    return replace(policy, gap=GapPolicy(seconds))


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("a.test", Reason.PAUSED),
        ("b.test", Reason.BLOCKED),
        ("x.c.test", Reason.BLOCKED),
        ("both.test", Reason.BLOCKED),
        ("192.0.2.7", Reason.BLOCKED),
        ("open.test", ""),
        ("c.test.example", ""),
    ],
)
def test_reasons(host: str, reason: str) -> None:
    blocked = read_block_list("b.test\n*.c.test\nboth.test\n192.0.2.0/24")[0]
    assert ClosedHosts(blocked, frozenset({"a.test", "both.test"})).reason(host) == reason


def test_a_paused_host_is_held_with_reason_and_date_and_goes_on() -> None:
    stage = ready(Stage())
    stage.close(HOST)
    assert stage.run(stage.now + 100) == []
    state = stage.state(HOST)
    assert (state.held, state.held_why, state.total) == (True, "paused", 3)
    assert BEGIN <= state.held_at < stage.now
    assert stage.rows.ledger.held == 3
    stage.close()
    assert stage.rows.ledger.held == 0
    assert next_lease(stage, 5).url == urls_of(HOST, [0])[0]
    stage.check()


def test_what_is_found_meanwhile_is_kept_and_not_leased() -> None:
    stage = ready(Stage())
    stage.close(blocked=(HOST,))
    stage.run(stage.now + 10)
    stage.find(*urls_of(HOST, range(10, 14)))
    assert stage.run(stage.now + 100) == []
    assert (stage.rows.ledger.queued, stage.rows.ledger.held) == (0, 7)
    stage.check()


def test_a_lease_out_ends_in_peace() -> None:
    stage = ready(Stage())
    lease = stage.lease(within=5)
    stage.close(HOST)
    stage.finish(lease)
    assert stage.run(stage.now + 100) == []
    assert stage.rows.ledger.done == 1
    assert stage.state(HOST).held_why == "paused"
    stage.check()


def test_other_hosts_go_on() -> None:
    stage = ready(Stage())
    ready(stage, host="i.test")
    stage.close(HOST)
    hosts = {lease.host for lease in stage.run(stage.now + 10)}
    assert hosts == {"i.test"}


def test_a_closed_host_does_no_errands() -> None:
    stage = ready(Stage())
    errand = Errand(host_id("other"), "http://other", f"http://{HOST}/robots.txt", 1)
    stage.errand(errand)
    stage.close(HOST)
    stage.run(stage.now + 10)
    stage.errand(replace(errand, hops=2))
    failures = [answer.failure for _, answer in stage.answered]
    assert failures == [FailureKind.CONNECT_FAILED] * 2
    stage.check()


def test_a_robots_txt_not_fetched_yet_is_asked_for_once_opened() -> None:
    stage = Stage()
    stage.find(*urls_of(HOST, range(2)))
    stage.advance()
    stage.resolve(HOST)
    stage.close(HOST)
    assert stage.run(stage.now + 10) == []
    stage.close()
    stage.advance()
    stage.resolve(HOST)
    assert [lease.kind for lease in stage.run(stage.now + 1)] == [LeaseKind.ROBOTS]


def test_a_reopened_crawl_keeps_the_hosts_closed() -> None:
    stage = ready(Stage())
    stage.close(HOST)
    stage.run(stage.now + 10)
    stage.commit()
    again = Stage(rows=stage.rows, reopened=True, now=stage.now, closed=ClosedHosts(paused=frozenset({HOST})))
    assert again.run(again.now + 100) == []
    assert again.rows.ledger.held == 3
    again.close()
    again.advance()
    again.resolve(HOST)
    assert again.lease(within=1.5).host == HOST
    again.check()


def test_a_host_blocked_while_over_its_cap_changes_its_reason() -> None:
    stage = ready(Stage(pages_per_host_max=1))
    stage.finish(stage.lease(within=5), page=True)
    stage.run(stage.now + 30)
    assert stage.state(HOST).held_why == "cap"
    stage.close(blocked=(HOST,))
    assert stage.state(HOST).held_why == "blocked"
    stage.close()
    assert stage.state(HOST).held_why == "cap"
    stage.adopt(replace(stage.frontier.policy, pages_per_host_max=None))
    assert next_lease(stage, 5).host == HOST


def test_more_hosts_are_released_than_the_working_set_has_room_for() -> None:
    stage = Stage(hosts_max=2)
    hosts = [f"h{number}.t" for number in range(6)]
    for host in hosts:
        stage.find(*urls_of(host, range(2)))
    stage.close(*hosts)
    stage.run(stage.now + 200)
    assert stage.rows.ledger.held == 12
    stage.close()
    stage.check()
    assert len(stage.frontier.hosts) == 2
    assert stage.rows.ledger.held == 0


@pytest.mark.parametrize(("before", "after"), [(10.0, 1.0), (1.0, 10.0), (5.0, 5.0)])
def test_the_next_moment_follows_a_changed_gap(before: float, after: float) -> None:
    stage = ready(Stage(gap=before))
    stage.finish(stage.lease(within=before + 1), seconds=0.01)
    ended = stage.now
    stage.not_before.clear()
    stage.adopt(gap_of(stage.frontier.policy, after))
    assert stage.frontier.next_moment() == pytest.approx(ended + after)


def test_a_lowered_gap_does_not_shorten_a_back_off() -> None:
    stage = ready(Stage(gap=2.0))
    stage.finish(stage.lease(within=3), retry_after=30.0, seconds=0.01)
    ended = stage.now
    stage.adopt(gap_of(stage.frontier.policy, 1.0))
    assert stage.frontier.next_moment() == pytest.approx(ended + 30)
    stage.adopt(gap_of(stage.frontier.policy, 60.0))
    assert stage.frontier.next_moment() == pytest.approx(ended + 60)


@pytest.mark.parametrize("retry_after", [None, 500.0])
def test_a_lowered_gap_wakes_a_host_that_sleeps_for_it_alone(retry_after: float | None) -> None:
    stage = ready(Stage(gap=300.0))
    stage.finish(next_lease(stage, 301), seconds=0.01, retry_after=retry_after)
    ended = stage.now
    assert not stage.frontier.hosts, "it sleeps"
    stage.not_before[host_id(HOST)] = ended + (retry_after or 1.0)
    stage.gap = 1.0
    stage.adopt(gap_of(stage.frontier.policy, 1.0))
    stage.check()
    assert next_lease(stage, 1000).granted == pytest.approx(ended + (retry_after or 1.0), abs=0.01)


def test_a_raised_gap_holds_for_a_host_that_slept_meanwhile() -> None:
    stage = ready(Stage(gap=100.0))
    stage.finish(next_lease(stage, 101), seconds=0.01)
    ended = stage.now
    assert not stage.frontier.hosts, "it sleeps"
    stage.adopt(gap_of(stage.frontier.policy, 300.0))
    stage.gap = 300.0
    stage.not_before[host_id(HOST)] = ended + 300
    assert next_lease(stage, 1000).granted >= ended + 300
