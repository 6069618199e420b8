"""Several leases of a host at once, for its owner: what more is leased, and what still is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.host_rules import HostRule, ignored_robots, raised_connections
from gossamer.core.frontier.lease import LeaseKind
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.limits import HEAD_ENTRIES_MAX, HOST_CONNECTIONS_MAX
from gossamer.core.politeness.gap import GapPolicy
from tests.frontiers import Stage, urls_of

GAP = 0.5
"""Response times do not count below a second."""
OWN, OTHER = "own.test", "b.test"


def stage_of(connections: int = 3, *, count: int = 40, gap: float = GAP) -> Stage:
    """Two hosts with URLs, robots.txt read; one is the operator's own. All leases of a moment are out."""
    stage = Stage(hosts={OWN: HostRule(mine=True, connections=connections)}, gap=gap)
    stage.find(*urls_of(OWN, range(count)), *urls_of(OTHER, range(5)))
    stage.advance()
    stage.resolve_all()
    for lease in stage.advance():
        assert lease.kind is LeaseKind.ROBOTS, "a robots.txt is fetched alone"
        stage.robots(lease, b"")
    stage.run(stage.now + 2.0)
    return stage


def out(stage: Stage, host: str) -> int:
    return sum(lease.host == host for lease in stage.open.values())


@pytest.mark.parametrize("connections", [1, 2, HOST_CONNECTIONS_MAX])
def test_a_host_of_ones_own_has_as_many_leases_as_it_may_and_others_one(connections: int) -> None:
    stage = stage_of(connections)
    assert (out(stage, OWN), out(stage, OTHER)) == (connections, 1)
    assert stage.run(stage.now + 100.0) == [], "nothing more before one of them ends"
    stage.check()


def test_the_gap_holds_after_the_end_of_each() -> None:
    stage = stage_of(3)
    first, *_ = (lease for lease in stage.open.values() if lease.host == OWN)
    stage.finish(first)
    ended = stage.now
    assert stage.advance() == []
    lease = stage.lease(within=5.0)
    assert lease.granted == ended + GAP
    assert out(stage, OWN) == 3


def test_a_plea_to_wait_outlasts_what_ends_after_it() -> None:
    stage = stage_of(2)
    first, second = [lease for lease in stage.open.values() if lease.host == OWN]
    stage.finish(first, retry_after=30.0)
    asked = stage.now
    stage.finish(second)
    (other,) = stage.open.values()
    stage.finish(other)
    leases = [lease for lease in stage.run(asked + 31.0) if lease.host == OWN]
    assert leases[0].granted == asked + 30.0


def test_every_url_is_leased_once_through_refills() -> None:
    count = 3 * HEAD_ENTRIES_MAX
    stage = stage_of(HOST_CONNECTIONS_MAX, count=count, gap=0.0)
    for turn in range(10 * count):
        if not stage.open:
            break
        leases = list(stage.open.values())
        # Not in the order they began.
        kind = FateKind.BACK if turn % 7 == 3 else FateKind.DONE
        stage.finish(leases[turn % len(leases)], kind, seconds=0.0)
        stage.check()
        stage.run()
    assert stage.rows.ledger.done == count + 5


def test_a_crash_gives_all_of_them_back() -> None:
    stage = stage_of(3)
    leased = {lease.url for lease in stage.open.values() if lease.host == OWN}
    second = [lease for lease in stage.open.values() if lease.host == OWN][1]
    stage.finish(second)
    stage.commit()
    again = Stage(
        rows=stage.rows, reopened=True, now=stage.now, gap=GAP, hosts={OWN: HostRule(mine=True, connections=3)}
    )
    again.resolve_all()
    for host in ("own.test", "b.test"):
        again.names.add(host)
    for _ in range(4):
        again.run(again.now + 30.0)
        again.resolve_all()
    assert {lease.url for lease in again.open.values()} >= leased - {second.url}
    again.check()


def test_a_paused_host_keeps_the_leases_it_has_and_is_held_when_they_end() -> None:
    stage = stage_of(3)
    stage.close(OWN)
    stage.run(stage.now + 10.0)
    assert out(stage, OWN) == 3
    for lease in [lease for lease in stage.open.values() if lease.host == OWN]:
        stage.finish(lease)
        stage.run(stage.now + 10.0)
        stage.check()
    assert out(stage, OWN) == 0
    assert stage.state(OWN).held
    stage.close()
    stage.advance()
    stage.resolve_all()
    stage.run(stage.now + 5.0)
    assert out(stage, OWN) == 3


@pytest.mark.parametrize(("before", "after"), [(1, 4), (4, 1)])
def test_connections_follow_the_setting_while_the_crawl_runs(before: int, after: int) -> None:
    stage = stage_of(before)
    rules = {OWN: HostRule(mine=True, connections=after)}
    stage.adopt(replace(stage.frontier.policy, hosts=rules))
    stage.run(stage.now + 1.0)
    assert out(stage, OWN) == max(before, after)
    for lease in [lease for lease in stage.open.values() if lease.host == OWN]:
        stage.finish(lease)
    stage.run(stage.now + 5.0)
    assert out(stage, OWN) == after


def test_a_robots_txt_that_is_ignored_is_not_even_fetched() -> None:
    stage = Stage(hosts={OWN: HostRule(mine=True, robots_ignored=True)})
    stage.find(f"http://{OWN}/private/1", f"http://{OTHER}/private/1")
    stage.advance()
    stage.resolve_all()
    kinds = {lease.host: lease.kind for lease in stage.advance()}
    assert kinds == {OWN: LeaseKind.PAGE, OTHER: LeaseKind.ROBOTS}


def policy(**hosts: HostRule) -> FrontierPolicy:
    rules = {name.replace("_", "."): rule for name, rule in hosts.items()}
    return FrontierPolicy(
        gap=GapPolicy(1.0),
        gap_allowed=GapPolicy(0.25),
        is_allowed=lambda address: address.startswith("10."),
        product="gossamer",
        hosts_max=1,
        body_bytes_max=1,
        hosts=rules,
    )


@pytest.mark.parametrize(
    ("rule", "address", "seconds"),
    [
        (HostRule(), "192.0.2.1", 1.0),
        (HostRule(), "10.0.0.1", 0.25),
        (HostRule(minimum_seconds=7.0), "192.0.2.1", 7.0),
        (HostRule(minimum_seconds=7.0), "10.0.0.1", 7.0),
        (HostRule(minimum_seconds=0.1), "192.0.2.1", 1.0),
        (HostRule(minimum_seconds=0.1), "", 1.0),
        (HostRule(minimum_seconds=0.1), "10.0.0.1", 0.1),
        (HostRule(minimum_seconds=0.1, mine=True), "192.0.2.1", 0.1),
        (HostRule(minimum_seconds=0.1, mine=True), "", 0.1),
        (HostRule(mine=True), "192.0.2.1", 0.25),
    ],
)
def test_a_gap_under_a_second_is_for_ones_own_hosts_and_allowed_addresses(
    rule: HostRule, address: str, seconds: float
) -> None:
    found = policy(a_test=rule).gap_at(address, "a.test")
    assert found.minimum_seconds == seconds
    assert found.setting == ("" if rule.minimum_seconds is None else "hosts.a.test.gap")


def test_what_goes_further_is_named() -> None:
    rules = {"b": HostRule(connections=2, mine=True), "a": HostRule(robots_ignored=True, mine=True), "c": HostRule()}
    assert ignored_robots(rules) == ["a"]
    assert raised_connections(rules) == ["b: 2"]


def test_a_gap_that_is_lowered_for_one_host_wakes_it() -> None:
    stage = Stage(hosts={OWN: HostRule(minimum_seconds=4000.0)})
    stage.gap = 0.0
    stage.find(*urls_of(OWN, range(3)))
    stage.ready(OWN, b"")
    stage.run()
    assert OWN not in {host.state.name for host in stage.frontier.hosts.values()}, "it sleeps"
    stage.commit()
    stage.adopt(replace(stage.frontier.policy, hosts={}))
    assert stage.lease(within=2.0).host == OWN
