"""What decides about hosts beside their own state: gaps, caps, and what the operator keeps closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gossamer.core.budget.policy import BudgetPolicy
from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.host_rules import NO_RULE, NO_RULES, HostRule
from gossamer.core.frontier.records import HostState
from gossamer.core.limits import GAP_PUBLIC_MIN_SECONDS
from gossamer.core.politeness.gap import Gap, GapPolicy, gap_seconds
from gossamer.core.preference.purpose import USES_TDM_FILE, Purpose
from gossamer.core.scope.reasons import Reason


@dataclass(frozen=True, slots=True)
class FrontierPolicy:
    """What the settings say to a frontier."""

    gap: GapPolicy
    product: str
    hosts_max: int
    body_bytes_max: int
    pages_per_host_max: int | None = None
    bytes_per_host_max: int | None = None
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    """Caps and budgets of sites, and shares of time."""
    host_patience: float = 7 * 86_400.0
    """Seconds for which a host may fail without an answer before what it has queued ends as failed."""
    gap_allowed: GapPolicy | None = None
    """For hosts at addresses that the user allowed by range: the only ones that may have a gap under a second."""
    is_allowed: Callable[[str], bool] = bool
    """Whether an address lies in such a range; by default any address does, and `gap_allowed` is what counts."""
    closed: ClosedHosts = field(default_factory=ClosedHosts)
    hosts: Mapping[str, HostRule] = field(default_factory=lambda: NO_RULES)
    """Host -> what is decided about it alone."""
    purposes: tuple[str, ...] = (Purpose.SEARCH, Purpose.ARCHIVE)
    """What the crawl's content is for, words of `Purpose`; a URL is refused where one of them is denied."""

    @property
    def wants_tdm_file(self) -> bool:
        """Whether a tdmrep.json could deny one of the purposes."""
        return not USES_TDM_FILE.isdisjoint(self.purposes)

    def is_over_cap(self, state: HostState) -> bool:
        """Whether a host has had all that the caps give it."""
        pages, size = self.pages_per_host_max, self.bytes_per_host_max
        return (pages is not None and state.pages >= pages) or (size is not None and state.bytes >= size)

    def hold_reason(self, state: HostState) -> str:
        """Why nothing may be leased from a host for now, a word of `Reason`; empty when nothing holds it."""
        return self.closed.reason(state.name) or (Reason.CAP if self.is_over_cap(state) else "")

    def hold_in_books(self, state: HostState) -> Hold | None:
        """The same, as far as the books say: what held the host when it was looked at last, if that may hold it yet."""
        if why := self.closed.reason(state.name):
            return Hold(why)
        if state.held and state.held_why not in (Reason.PAUSED, Reason.BLOCKED):
            return Hold(state.held_why or Reason.CAP, state.held_until, state.held_detail)
        return Hold(Reason.CAP) if self.is_over_cap(state) else None

    def rule_of(self, host: str) -> HostRule:
        """What is decided about a host alone."""
        return self.hosts.get(host, NO_RULE)

    def gap_at(self, address: str, host: str) -> GapPolicy:
        """What counts for a host at an address, which is empty when it is not known.

        A gap under a second is for the operator's own hosts, and for addresses that the operator allowed.
        """
        rule, allowed = self.hosts.get(host, NO_RULE), self.gap_allowed
        own = rule.mine or (allowed is not None and bool(address) and self.is_allowed(address))
        usual = allowed if own and allowed is not None else self.gap
        if rule.minimum_seconds is None:
            return usual
        least = rule.minimum_seconds if own or allowed is None else max(rule.minimum_seconds, GAP_PUBLIC_MIN_SECONDS)
        return GapPolicy(least, f"hosts.{host}.gap")

    def gap_of(self, state: HostState, address: str = "") -> Gap:
        """The gap of a host now; `address` is empty when it is not known."""
        return gap_seconds(self.gap_at(address, state.name), state.response_seconds, state.crawl_delay)

    def least_gap(self, host: str) -> float:
        """The shortest minimum gap that a host can have, wherever it is, in seconds."""
        own = self.rule_of(host).minimum_seconds
        return own if own is not None else min(self.gap.minimum_seconds, (self.gap_allowed or self.gap).minimum_seconds)

    @property
    def longest_minimum(self) -> float:
        """The longest minimum gap that any host may have, in seconds."""
        return max([self.gap.minimum_seconds, *(rule.minimum_seconds or 0.0 for rule in self.hosts.values())])

    def same_gaps(self, other: FrontierPolicy) -> bool:
        """Whether the gaps of all hosts are the same under another policy."""
        return (self.gap, self.gap_allowed, self.hosts) == (other.gap, other.gap_allowed, other.hosts)
