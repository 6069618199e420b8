"""What decides about hosts beside their own state: gaps, caps, and what the operator keeps closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.core.frontier.records import HostState
from gossamer.core.politeness.gap import GapPolicy
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
    gap_allowed: GapPolicy | None = None
    """For hosts at addresses that the user allowed by range: the only ones that may have a gap under a second."""
    is_allowed: Callable[[str], bool] = bool
    """Whether an address lies in such a range; by default any address does, and `gap_allowed` is what counts."""
    closed: ClosedHosts = field(default_factory=ClosedHosts)
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

    def gap_at(self, address: str) -> GapPolicy:
        """What counts for hosts at an address; empty when it is not known."""
        allowed = self.gap_allowed
        return allowed if allowed is not None and address and self.is_allowed(address) else self.gap
