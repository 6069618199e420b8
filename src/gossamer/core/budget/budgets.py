"""The budgets of a frontier's sites and hosts: what each has had, what is out on lease, whether it may have more.

Counted as reserved: a lease takes a page and its body's bytes until it is reported, so a cap holds to the last page and
byte however many leases of however many hosts are out.

A site over its budget is *held* and looked at again ever more rarely (BEAST, in the paper named in `policy`): each look
that changes nothing doubles the wait for the next. A look gives another allotment where the last one brought new
content, and the wait doubles then too: what is merely endless has its turn, ever more rarely. A grown budget, or a
setting that was raised, counts from the moment it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

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


@dataclass(slots=True)
class Out:
    """What is out on lease of a site or of a host."""

    leases: int = 0
    pages: int = 0
    bytes: int = 0
    new_hosts: list[str] = field(default_factory=list[str])
    """Hosts being asked for the first time, one for each lease."""


NOTHING_OUT: Final = Out()


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


class Budgets:
    """One frontier's. Every question is about a host and its site; the policy in force comes with it."""

    def __init__(self, sites: SiteBooks) -> None:
        self.sites: Final = sites
        self._sites_out: dict[str, Out] = {}
        self._hosts_out: dict[str, Out] = {}

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
        out = self._hosts_out.get(host.name, NOTHING_OUT)
        bounds: list[Bound] = []
        if pages is not None:
            bounds.append(Bound(host.pages, out.pages, pages, "pages of its host", grows=False))
        if size is not None:
            bounds.append(Bound(host.bytes, out.bytes, size, "bytes of its host", grows=False))
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
        """Whether no bound can be near: the cheap answer for most sites, whose budget is never below its smallest.

        A few comparisons; the bounds themselves cost ten times that, for each lease.
        """
        budget = policy.budget
        caps = (policy.pages_per_host_max, policy.bytes_per_host_max, budget.pages_per_site, budget.bytes_per_site)
        if any(cap is not None for cap in caps):
            return False
        out = self._sites_out.get(site.site, NOTHING_OUT)
        if out.leases >= (
            share_of(min(budget.site_share, budget.host_share), budget.fetches_max) or budget.fetches_max
        ):
            return False
        used = (
            (site.pages + out.pages, budget.first_pages),
            (site.bytes + out.bytes + more_bytes, budget.first_bytes),
            (site.hosts_open + len(out.new_hosts), budget.first_hosts),
        )
        return all(first is None or have * BUDGET_POOR_DIVISOR < first for have, first in used)

    def _has_its_share(self, policy: BudgetPolicy, site: SiteState, host: HostState) -> bool:
        shares = (
            (self._sites_out.get(site.site), share_of(policy.site_share, policy.fetches_max)),
            (self._hosts_out.get(host.name), share_of(policy.host_share, policy.fetches_max)),
        )
        return any(out is not None and most is not None and out.leases >= most for out, most in shares)

    # --- the books -----------------------------------------------------------------------------------------------

    def started(self, lease: Lease, host: HostState) -> None:
        """A lease is out."""
        is_page = lease.kind is LeaseKind.PAGE
        of_site = self._sites_out.setdefault(lease.site, Out())
        if not host.fetches:
            of_site.new_hosts.append(lease.host)
        for out in (of_site, self._hosts_out.setdefault(lease.host, Out())):
            out.leases += 1
            out.pages += is_page
            out.bytes += lease.body_bytes_max

    def ended(self, lease: Lease, event: Visited, host: HostState) -> None:
        """A lease was reported, and is booked in the state of its host."""
        for table, name in ((self._sites_out, lease.site), (self._hosts_out, lease.host)):
            out = table[name]
            out.leases -= 1
            out.pages -= lease.kind is LeaseKind.PAGE
            out.bytes -= lease.body_bytes_max
            if lease.host in out.new_hosts:
                out.new_hosts.remove(lease.host)
            if not out.leases:
                del table[name]
        site = self.sites.touch(lease.site)
        site.pages += event.page
        site.bytes += event.bytes
        site.fetches += 1
        site.fetch_seconds += max(0.0, event.ended - event.started)
        site.novel += event.page and event.novel
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
