"""The budgets of a frontier's sites and hosts: what each has had, what is out on lease, whether it may have more.

Counted as reserved: a lease takes a page and its body's bytes until it is reported, so a cap holds to the last page and
byte however many leases of however many hosts are out.

A site over its budget is *held* and looked at again ever more rarely (BEAST, in the paper named in `policy`): each look
that changes nothing doubles the wait for the next. A look gives another allotment where the last one brought new
content, and the wait doubles then too: what is merely endless has its turn, ever more rarely. A grown budget, or a
setting that was raised, counts from the moment it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from gossamer.core.budget.policy import (
    BudgetPolicy,
    budget_of,
    deserves_more,
    growth_in_words,
    is_worth_it,
    share_of,
)
from gossamer.core.budget.site_state import SiteBooks, SiteState
from gossamer.core.facts import Fact, SiteHeld, SiteReleased
from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.limits import (
    BUDGET_ASK_AGAIN_SECONDS,
    BUDGET_LOOK_FIRST_SECONDS,
    BUDGET_LOOK_MAX_SECONDS,
    BUDGET_POOR_DIVISOR,
)
from gossamer.core.scope.reasons import Reason

if TYPE_CHECKING:
    from gossamer.core.frontier.events import Visited
    from gossamer.core.frontier.policy import FrontierPolicy
    from gossamer.core.frontier.records import HostState

_OUT_OF: Final = "{used:,} of {bound:,} {unit}"


class Out(msgspec.Struct):
    """What is out on lease of a site."""

    leases: int = 0
    pages: int = 0
    bytes: int = 0
    new_hosts: list[str] = []
    """Hosts being asked for the first time, one for each lease."""


NOTHING_OUT: Final = Out()
NO_LEASES: Final[Mapping[int, Lease]] = MappingProxyType({})


class Bound(NamedTuple):
    """One bound: how much was had and is out, and how much there may be."""

    used: int
    out: int
    most: int
    unit: str
    grows: bool

    @property
    def is_reached(self) -> bool:
        """Whether no more may be leased now."""
        return self.used + self.out >= self.most

    @property
    def words(self) -> str:
        """For people."""
        return _OUT_OF.format(used=self.used, bound=self.most, unit=self.unit)


class Near(NamedTuple):
    """From where on a bound may be near, for any site: what has less out and less used is not looked at closer."""

    leases: float
    pages: float
    bytes: float
    hosts: float


def near(policy: FrontierPolicy) -> Near:
    """What a policy comes to. A budget is never below its smallest; caps are looked at each time."""
    budget = policy.budget
    caps = (policy.pages_per_host_max, policy.bytes_per_host_max, budget.pages_per_site, budget.bytes_per_site)
    if any(cap is not None for cap in caps):
        return Near(0, 0, 0, 0)
    leases = share_of(min(budget.site_share, budget.host_share), budget.fetches_max) or budget.fetches_max
    firsts = (budget.first_pages, budget.first_bytes, budget.first_hosts)
    return Near(leases, *(inf if first is None else first / BUDGET_POOR_DIVISOR for first in firsts))


class Budgets:
    """One frontier's. Every question is about a host and its site; the policy in force comes with it."""

    def __init__(self, sites: SiteBooks) -> None:
        self.sites: Final = sites
        self._sites_out: dict[str, Out] = {}
        self._hosts_out: dict[str, dict[int, Lease]] = {}
        """Leases by number."""
        self._near: tuple[FrontierPolicy | None, Near] = (None, Near(0, 0, 0, 0))
        """For the policy asked about last."""

    # --- may it? -------------------------------------------------------------------------------------------------

    def hold_of(self, policy: FrontierPolicy, host: HostState, now: float) -> Hold | None:
        """Why nothing may be leased from a host now as far as caps, budgets and shares go; None when something may."""
        site = self.sites.state(host.site)
        if self._is_far_below(policy, site, 0):
            return None
        mine = policy.rule_of(host.name).mine
        for bound in (*self.host_bounds(policy, host), *self.site_bounds(policy.budget, site, host, mine=mine)):
            if bound.is_reached:
                return _hold(bound, site, now)
        if not (site.seeded or mine) and self._has_its_share(policy.budget, site, host):
            return Hold("", now + BUDGET_ASK_AGAIN_SECONDS)
        return None

    def host_bounds(self, policy: FrontierPolicy, host: HostState) -> list[Bound]:
        """The caps of a host."""
        pages, size = policy.pages_per_host_max, policy.bytes_per_host_max
        if pages is None and size is None:
            return []
        leases = self._hosts_out.get(host.name, NO_LEASES).values()
        bounds: list[Bound] = []
        if pages is not None:
            bounds.append(Bound(host.pages, sum(map(_is_page, leases)), pages, "pages of its host", grows=False))
        if size is not None:
            reserved = sum(lease.body_bytes_max for lease in leases)
            bounds.append(Bound(host.bytes, reserved, size, "bytes of its host", grows=False))
        return bounds

    def site_bounds(
        self, policy: BudgetPolicy, site: SiteState, host: HostState | None = None, *, mine: bool = False
    ) -> list[Bound]:
        """The caps of a site, and its budget; `host`: as far as they concern that one. One's own has caps alone."""
        out = self._sites_out.get(site.site, NOTHING_OUT)
        bounds: list[Bound] = []
        if policy.pages_per_site is not None:
            bounds.append(Bound(site.pages, out.pages, policy.pages_per_site, "pages of its site", grows=False))
        if policy.bytes_per_site is not None:
            bounds.append(Bound(site.bytes, out.bytes, policy.bytes_per_site, "bytes of its site", grows=False))
        if mine:
            return bounds
        if not site.seeded:
            bounds += _growing(policy, site, out)
        # What people named is bounded in its hosts only where they bring nothing new.
        is_new = host is None or (not host.fetches and host.name not in out.new_hosts)
        if policy.first_hosts is not None and is_new and not (site.seeded and is_worth_it(site)):
            most = budget_of(policy.first_hosts, policy, site)
            bounds.append(Bound(site.hosts_open, len(set(out.new_hosts)), most, "hosts of its site", grows=True))
        return bounds

    def bytes_left(self, policy: FrontierPolicy, host: HostState) -> int | None:
        """Body bytes that one more lease of a host may bring; None without a bound. At least 1."""
        site = self.sites.state(host.site)
        if self._is_far_below(policy, site, policy.body_bytes_max):
            return None
        mine = policy.rule_of(host.name).mine
        bounds = (*self.host_bounds(policy, host), *self.site_bounds(policy.budget, site, host, mine=mine))
        left = [bound.most - bound.used - bound.out for bound in bounds if bound.unit.startswith("bytes")]
        return max(1, min(left)) if left else None

    def _is_far_below(self, policy: FrontierPolicy, site: SiteState, more_bytes: int) -> bool:
        """Whether no bound can be near: the cheap answer for most sites, whose bounds cost ten times that."""
        asked, bound = self._near
        if asked is not policy:
            bound = near(policy)
            self._near = policy, bound
        out = self._sites_out.get(site.site, NOTHING_OUT)
        return (
            out.leases < bound.leases
            and site.pages + out.pages < bound.pages
            and site.bytes + out.bytes + more_bytes < bound.bytes
            and site.hosts_open + len(out.new_hosts) < bound.hosts
        )

    def _has_its_share(self, policy: BudgetPolicy, site: SiteState, host: HostState) -> bool:
        shares = (
            (self._sites_out.get(site.site, NOTHING_OUT).leases, share_of(policy.site_share, policy.fetches_max)),
            (len(self._hosts_out.get(host.name, NO_LEASES)), share_of(policy.host_share, policy.fetches_max)),
        )
        return any(most is not None and out >= most for out, most in shares)

    # --- the books -----------------------------------------------------------------------------------------------

    def started(self, lease: Lease, host: HostState) -> None:
        """A lease is out."""
        self._hosts_out.setdefault(lease.host, {})[lease.number] = lease
        out = self._sites_out.get(lease.site)
        if out is None:
            out = self._sites_out[lease.site] = Out()
        out.leases += 1
        out.pages += _is_page(lease)
        out.bytes += lease.body_bytes_max
        if not host.fetches:
            out.new_hosts.append(lease.host)

    def ended(self, lease: Lease, event: Visited, host: HostState) -> None:
        """A lease was reported, and is booked in the state of its host."""
        of_host, out = self._hosts_out[lease.host], self._sites_out[lease.site]
        del of_host[lease.number]
        if not of_host:
            del self._hosts_out[lease.host]
        out.leases -= 1
        if out.leases:
            out.pages -= _is_page(lease)
            out.bytes -= lease.body_bytes_max
            if lease.host in out.new_hosts:
                out.new_hosts.remove(lease.host)
        else:
            del self._sites_out[lease.site]
        site = self.sites.touch(lease.site)
        site.bytes += event.bytes
        site.fetches += 1
        site.fetch_seconds += max(0.0, event.ended - event.started)
        if event.page:
            site.pages += 1
            site.novel += event.novel
        site.hosts_open += host.fetches == 1

    def held(self, hold: Hold, host: HostState, now: float) -> Iterable[Fact]:
        """A host is held for `hold`; what there is to tell of its site."""
        if hold.reason != Reason.BUDGET:
            return ()
        site = self.sites.touch(host.site)
        site.next_look = max(site.next_look, hold.until)
        if site.held_at:
            return ()
        site.held_at, site.held_why = now, hold.detail
        return (SiteHeld(site.site, hold.detail, site.pages, site.linking_sites, round(site.next_look, 3)),)

    def look(self, policy: BudgetPolicy, name: str, now: float, *, idle: bool = False) -> Iterable[Fact]:
        """The moment to look at a held site again, if it has come; what there is to tell.

        `idle`: nothing else is left to do, so what is worth it has its next allotment at once.
        """
        site = self.sites.state(name)
        if not site.held_at:
            return ()
        was_due = now >= site.next_look
        is_over = self._is_over_budget(policy, site)
        if is_over and not was_due and not idle:
            return ()
        self.sites.touch(name)
        if not is_over:
            site.looks = 0
        else:
            site.looks += was_due
            if deserves_more(policy, site):
                site.allotments += 1
                site.looked_pages, site.looked_novel = site.pages, site.novel
                is_over = self._is_over_budget(policy, site)
        if is_over:
            site.next_look = now + look_wait(site.looks) if was_due else site.next_look
            return ()
        site.held_at, site.held_why, site.next_look = 0.0, "", 0.0
        return (SiteReleased(site.site, growth_in_words(site), site.pages, site.linking_sites),)

    def _is_over_budget(self, policy: BudgetPolicy, site: SiteState) -> bool:
        return any(bound.grows and bound.used >= bound.most for bound in self.site_bounds(policy, site))


def _is_page(lease: Lease) -> bool:
    return lease.kind is LeaseKind.PAGE


def look_wait(looks: int) -> float:
    """Seconds until the next look after so many that changed nothing."""
    return min(BUDGET_LOOK_MAX_SECONDS, BUDGET_LOOK_FIRST_SECONDS * 2.0 ** min(looks, 32))


def _growing(policy: BudgetPolicy, site: SiteState, out: Out) -> list[Bound]:
    bounds: list[Bound] = []
    if policy.first_pages is not None:
        most = budget_of(policy.first_pages, policy, site)
        bounds.append(Bound(site.pages, out.pages, most, "pages in the budget of its site", grows=True))
    if policy.first_bytes is not None:
        most = budget_of(policy.first_bytes, policy, site)
        bounds.append(Bound(site.bytes, out.bytes, most, "bytes in the budget of its site", grows=True))
    return bounds


def _hold(bound: Bound, site: SiteState, now: float) -> Hold:
    """What follows from a bound that is reached."""
    if bound.used < bound.most:
        # Only what is out keeps it: it may come to less than was reserved.
        return Hold("", now + BUDGET_ASK_AGAIN_SECONDS)
    if not bound.grows:
        return Hold(Reason.CAP, detail=bound.words)
    until = site.next_look if site.next_look > now else now + look_wait(site.looks)
    return Hold(Reason.BUDGET, until, f"{bound.words}, {site.site}: {growth_in_words(site)}")
