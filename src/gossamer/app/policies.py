"""What the settings say to the frontier and of the names of hosts; without any part of the crawler's machinery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.errors import UserError
from gossamer.app.host_wiring import host_rules
from gossamer.app.scope_wiring import read_text_file
from gossamer.core.budget.policy import BudgetPolicy
from gossamer.core.dns.hosts_map import HostsMap, parse_entries, parse_hosts
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.shares import Shares
from gossamer.core.http.request import PRODUCT
from gossamer.core.politeness.gap import GapPolicy

if TYPE_CHECKING:
    from gossamer.app.settings import Settings
    from gossamer.core.dns.address_guard import AddressGuard


def frontier_policy(settings: Settings, guard: AddressGuard) -> FrontierPolicy:
    """What the settings say to a frontier."""
    politeness, crawl = settings.politeness, settings.crawl
    return FrontierPolicy(
        gap=GapPolicy(politeness.gap_seconds(allowed=False)),
        gap_allowed=GapPolicy(politeness.gap_seconds(allowed=True)),
        is_allowed=guard.is_allowed,
        product=PRODUCT,
        hosts_max=max(1, crawl.working_hosts // crawl.shards),
        body_bytes_max=settings.fetch.body_bytes,
        pages_per_host_max=crawl.max_pages_per_host,
        bytes_per_host_max=crawl.max_bytes_per_host,
        host_patience=crawl.host_patience,
        budget=_budget_policy(settings),
        hosts=host_rules(settings),
        purposes=politeness.purposes,
    )


def _budget_policy(settings: Settings) -> BudgetPolicy:
    budget = settings.budget
    return BudgetPolicy(
        pages_per_site=budget.pages_per_site,
        bytes_per_site=budget.bytes_per_site,
        first_pages=budget.first_pages,
        first_bytes=budget.first_bytes,
        first_hosts=budget.first_hosts,
        growth=budget.growth,
        site_share=budget.site_share,
        host_share=budget.host_share,
        fetches_max=settings.crawl.max_fetches,
    )


def shares_of(settings: Settings) -> Shares | None:
    """The shares of the seed groups; None where no group was given one of its own."""
    weights = {group.group: group.share for group in settings.seeds.groups}
    return Shares(weights) if weights else None


def hosts_map(settings: Settings) -> HostsMap:
    """The names that the user gave addresses for; those on the command line win over the file's."""
    given = parse_entries(settings.dns.resolve)
    if settings.dns.resolve_file is None:
        return given
    listed = parse_hosts(read_text_file(settings.dns.resolve_file, "dns.resolve_file"))
    if listed.problems:
        raise UserError(f"dns.resolve_file: {settings.dns.resolve_file}, {listed.problems[0]}")
    return given.over(listed)
