"""Budgets of sites: how large they are, that they are exact with leases out, when what is held is looked at again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.budget.budgets import Budgets, Near, look_wait
from gossamer.core.budget.policy import BudgetPolicy, budget_of, share_of
from gossamer.core.budget.site_state import SitesInMemory, SiteState, decode_site, encode_site
from gossamer.core.facts import SiteHeld, SiteReleased
from gossamer.core.frontier.events import Visited
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.host_rules import HostRule
from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import HostState
from gossamer.core.limits import BUDGET_LOOK_FIRST_SECONDS, BUDGET_LOOK_MAX_SECONDS
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.scope.reasons import Reason

NOW = 1_700_000_000.0
SITE = "farm.test"


class Sites:
    """The budgets of one frontier, and hosts that fetch at once."""

    def __init__(self, *, body: int = 1000, caps: dict[str, Any] | None = None, **values: Any) -> None:
        self.policy = FrontierPolicy(
            gap=GapPolicy(1.0),
            product="gossamer",
            hosts_max=10,
            body_bytes_max=body,
            budget=BudgetPolicy(**values),
            **(caps or {}),
        )
        self.budgets = Budgets(SitesInMemory())
        self.state = self.budgets.sites.state(SITE)
        self.hosts: dict[str, HostState] = {}
        self.leases = 0
        self.now = NOW

    def host(self, name: str = "a.farm.test") -> HostState:
        return self.hosts.setdefault(name, HostState(name, SITE))

    def hold(self, name: str = "a.farm.test") -> Any:
        return self.budgets.hold_of(self.policy, self.host(name), self.now)

    def start(self, name: str = "a.farm.test", kind: LeaseKind = LeaseKind.PAGE) -> Lease:
        left = self.budgets.bytes_left(self.policy, self.host(name))
        size = min(self.policy.body_bytes_max, left if left is not None else self.policy.body_bytes_max)
        self.leases += 1
        lease = Lease(self.leases, kind, b"", name, SITE, f"http://{name}/", ("192.0.2.1",), "192.0.2.1", NOW, size)
        self.budgets.started(lease, self.host(name))
        return lease

    def end(self, lease: Lease, *, size: int = 10, page: bool = True, novel: bool = True) -> None:
        host = self.host(lease.host)
        host.fetches += 1
        host.pages += page
        host.bytes += size
        event = Visited(lease, Fate(FateKind.DONE), self.now + 2.0, self.now, answered=True, slows=False, failed=False)
        event.bytes, event.page, event.novel = size, page, novel
        self.budgets.ended(lease, event, host)

    def fetch(self, pages: int, *, novel: bool = True) -> None:
        for _ in range(pages):
            self.end(self.start(), novel=novel)

    def look(self, *, idle: bool = False) -> list[Any]:
        return list(self.budgets.look(self.policy.budget, SITE, self.now, idle=idle))

    def held(self) -> list[Any]:
        hold = self.hold()
        return list(self.budgets.held(hold, self.host(), self.now))


# --- how large -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "growth", "budget"),
    [
        ({}, 0.1, 1_000),
        ({"linking_sites": 30}, 0.1, 4_000),
        ({"linking_sites": 30, "mutual_sites": 30}, 0.1, 1_000),
        ({"linking_sites": 30, "mutual_sites": 10}, 0.1, 3_000),
        ({"linking_sites": 30, "allotments": 3}, 0.1, 12_000),
        ({"linking_sites": 30, "allotments": 3}, 0.0, 1_000),
        ({"pages": 20, "novel": 1}, 0.1, 250),
        ({"pages": 19, "novel": 0}, 0.1, 1_000),
    ],
)
def test_a_budget_grows_with_linking_sites_and_yield(values: dict[str, Any], growth: float, budget: int) -> None:
    assert budget_of(1_000, BudgetPolicy(growth=growth), SiteState(SITE, **values)) == budget


@pytest.mark.parametrize(("share", "fetches", "leases"), [(0.25, 64, 16), (0.25, 3, 1), (1.0, 64, None)])
def test_a_share_of_time_is_a_share_of_the_fetches_at_once(share: float, fetches: int, leases: int | None) -> None:
    assert share_of(share, fetches) == leases


def test_a_record_of_an_older_release_opens_with_defaults() -> None:
    state = SiteState(SITE, linking_sites=3)
    assert decode_site(encode_site(state)) == state
    assert decode_site(b"\x92\xa1a\x02") == SiteState("a", linking_sites=2)


# --- exact -----------------------------------------------------------------------------------------------------------


def test_a_cap_on_the_pages_of_a_site_counts_what_is_out_and_lets_go_what_was_no_page() -> None:
    sites = Sites(pages_per_site=3)
    leases = [sites.start(f"{name}.farm.test") for name in "abc"]
    waiting = sites.hold("d.farm.test")
    assert (waiting.reason, waiting.until) == ("", NOW + 1.0)
    sites.end(leases[0], page=False)
    assert sites.hold("d.farm.test") is None
    leases.append(sites.start("d.farm.test"))
    for lease in leases[1:]:
        sites.end(lease)
    assert sites.state.pages == 3
    hold = sites.hold("e.farm.test")
    assert (hold.reason, hold.until, hold.detail) == (Reason.CAP, 0.0, "3 of 3 pages of its site")


@pytest.mark.parametrize("caps", [{"bytes_per_site": 2500}, {"caps": {"bytes_per_host_max": 2500}}])
def test_a_cap_on_bytes_reserves_whole_bodies(caps: dict[str, Any]) -> None:
    sites = Sites(**caps)
    leases = [sites.start() for _ in range(3)]
    assert [lease.body_bytes_max for lease in leases] == [1000, 1000, 500]
    assert sites.hold().reason == ""
    for lease in leases:
        sites.end(lease, size=lease.body_bytes_max)
    assert sites.state.bytes == 2500
    assert sites.hold().reason == Reason.CAP


def test_a_cap_on_the_pages_of_a_host_counts_what_is_out() -> None:
    sites = Sites(caps={"pages_per_host_max": 2})
    sites.start()
    sites.start()
    assert sites.hold().reason == ""
    assert sites.hold("b.farm.test") is None


def test_new_hosts_of_a_site_over_its_budget_of_hosts_are_held_and_the_others_go_on() -> None:
    sites = Sites(first_hosts=2, growth=0.5)
    sites.end(sites.start("a.farm.test"))
    out = sites.start("b.farm.test", LeaseKind.ROBOTS)
    assert sites.hold("c.farm.test").reason == ""
    sites.end(out, page=False)
    assert sites.hold("c.farm.test").reason == Reason.BUDGET
    assert sites.hold("a.farm.test") is None
    assert sites.hold("b.farm.test") is None
    assert sites.state.hosts_open == 2
    sites.state.linking_sites = 1
    assert sites.hold("c.farm.test") is None


def test_slow_hosts_of_one_site_have_a_share_of_the_fetches_and_named_ones_all() -> None:
    sites = Sites(site_share=0.5, host_share=0.25, fetches_max=8)
    sites.start("a.farm.test")
    sites.start("a.farm.test")
    assert sites.hold("a.farm.test").reason == ""
    assert sites.hold("b.farm.test") is None
    sites.start("b.farm.test")
    sites.start("b.farm.test")
    assert sites.hold("c.farm.test").reason == ""
    sites.state.seeded = True
    assert sites.hold("c.farm.test") is None


def test_a_host_of_ones_own_has_no_share() -> None:
    rules = {"hosts": {"a.farm.test": HostRule(mine=True)}}
    sites = Sites(host_share=0.1, fetches_max=8, caps=rules)
    sites.start()
    assert sites.hold() is None


def test_a_host_of_ones_own_has_no_budget_and_has_its_caps() -> None:
    sites = Sites(first_pages=5, first_bytes=50, growth=0.1, caps={"hosts": {"mine.farm.test": HostRule(mine=True)}})
    sites.fetch(5)
    assert sites.hold().reason == Reason.BUDGET
    assert sites.hold("mine.farm.test") is None
    assert sites.budgets.bytes_left(sites.policy, sites.host("mine.farm.test")) is None
    sites.policy = replace(sites.policy, budget=replace(sites.policy.budget, pages_per_site=5))
    assert sites.hold("mine.farm.test").reason == Reason.CAP


# --- held, and looked at again ---------------------------------------------------------------------------------------


def test_a_site_over_its_budget_is_held_told_once_and_names_its_next_look() -> None:
    sites = Sites(first_pages=5, growth=0.1)
    sites.fetch(5)
    facts = sites.held()
    words = "5 of 5 pages in the budget of its site, farm.test: 0 linking sites, 100% new content"
    assert facts == [SiteHeld(SITE, words, 5, 0, NOW + BUDGET_LOOK_FIRST_SECONDS)]
    sites.now += 10
    assert sites.hold().until == NOW + BUDGET_LOOK_FIRST_SECONDS
    assert sites.held() == []


def test_a_site_of_copies_is_looked_at_exponentially_more_rarely_and_has_nothing_more() -> None:
    sites = Sites(first_pages=100, growth=0.1)
    sites.fetch(25, novel=False)
    assert sites.hold().detail.startswith("25 of 25 pages")
    assert sites.hold().detail.endswith("0% new content: a quarter is left of it")
    sites.held()
    waits: list[float] = []
    for _ in range(12):
        began, sites.now = sites.now, sites.state.next_look
        waits.append(sites.now - began)
        assert sites.look() == []
    assert waits[:5] == [60.0, 120.0, 240.0, 480.0, 960.0]
    assert max(waits) == BUDGET_LOOK_MAX_SECONDS == look_wait(99)
    assert sites.hold().reason == Reason.BUDGET


def test_new_content_is_worth_one_more_allotment_a_look_each_after_a_longer_wait() -> None:
    sites = Sites(first_pages=20, growth=0.1)
    moments: list[float] = []
    for allotment in range(1, 5):
        sites.fetch(20)
        sites.held()
        assert sites.state.allotments == allotment
        assert sites.look() == []
        moments.append(sites.state.next_look - sites.now)
        sites.now = sites.state.next_look
        assert [type(fact) for fact in sites.look()] == [SiteReleased]
        assert sites.hold() is None
    assert moments == [60.0, 120.0, 240.0, 480.0]


def test_a_grown_budget_releases_at_the_next_look_and_a_raised_setting_too() -> None:
    sites = Sites(first_pages=5, growth=0.1)
    sites.fetch(5)
    sites.held()
    sites.state.linking_sites = 10
    assert sites.hold() is None
    assert [type(fact) for fact in sites.look()] == [SiteReleased]
    assert (sites.state.held_at, sites.state.next_look) == (0.0, 0.0)


def test_with_nothing_else_left_what_is_worth_it_does_not_wait() -> None:
    sites = Sites(first_pages=20, growth=0.1)
    sites.fetch(20)
    sites.held()
    assert [type(fact) for fact in sites.look(idle=True)] == [SiteReleased]
    copies = Sites(first_pages=100, growth=0.1)
    copies.fetch(25, novel=False)
    copies.held()
    assert copies.look(idle=True) == []


def test_what_people_named_has_no_budget_but_caps_and_endless_hosts_without_anything_new() -> None:
    sites = Sites(first_pages=5, first_bytes=10, first_hosts=1, growth=0.1)
    sites.state.seeded = True
    sites.fetch(30)
    assert sites.hold() is None
    assert sites.hold("b.farm.test") is None
    sites.fetch(100, novel=False)
    assert sites.hold() is None
    assert sites.hold("b.farm.test").reason == Reason.BUDGET


@given(
    policy=st.fixed_dictionaries(
        {
            "first_pages": st.none() | st.integers(1, 400),
            "first_bytes": st.none() | st.integers(1, 4000),
            "first_hosts": st.none() | st.integers(1, 40),
            "site_share": st.sampled_from([0.1, 0.5, 1.0]),
            "host_share": st.sampled_from([0.1, 0.5, 1.0]),
            "fetches_max": st.integers(1, 20),
        }
    ),
    had=st.tuples(st.integers(0, 400), st.integers(0, 4000), st.integers(0, 40), st.integers(0, 400)),
    out=st.lists(st.sampled_from(["a.farm.test", "b.farm.test"]), max_size=12),
    caps=st.sampled_from([{}, {"pages_per_host_max": 5}, {"bytes_per_host_max": 900}]),
)
def test_no_closer_look_is_missed_where_no_bound_is_near(
    policy: dict[str, Any], had: tuple[int, int, int, int], out: list[str], caps: dict[str, Any]
) -> None:
    quick, thorough = Sites(body=100, caps=caps, **policy), Sites(body=100, caps=caps, **policy)
    thorough.budgets._near = thorough.policy, Near(0, 0, 0, 0)  # the bounds are always looked at
    answers = []
    for sites in (quick, thorough):
        sites.state.pages, sites.state.bytes, sites.state.hosts_open, sites.state.novel = had
        for name in out:
            sites.start(name)
        left = [sites.budgets.bytes_left(sites.policy, sites.host(name)) for name in ("a.farm.test", "c.farm.test")]
        holds = [sites.hold(name) for name in ("a.farm.test", "c.farm.test")]
        # Without a bound near, what is left of the first bytes is more than any body has.
        answers.append((holds, [min(100, each if each is not None else 100) for each in left]))
    assert answers[0] == answers[1]
