"""A gap that the operator changes: the moments of hosts in the working set follow it, a part of the hosts at a time.

A step of the loop stays short however many hosts there are. No lease is too early meanwhile: whoever has its turn
before it was looked at is looked at then.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from gossamer.core.frontier.back_queue import BackQueue
from gossamer.core.frontier.host_update import change_gap
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.working_set import WorkingSet

HOSTS_PER_STEP: Final = 512
"""Hosts whose moments are changed in one step of the loop."""


@dataclass(slots=True)
class GapChanges:
    """Which gaps were in force, and whose moments follow an earlier one still."""

    working: WorkingSet
    policies: list[FrontierPolicy]
    """One for each change of gaps since the opening, the one in force last."""
    waiting: list[bytes] = field(default_factory=list[bytes])
    """Hosts to be looked at."""

    def adopt(self, policy: FrontierPolicy) -> None:
        """Another policy is in force."""
        if self.policies[-1].same_gaps(policy):
            self.policies[-1] = policy
            return
        self.policies.append(policy)
        self.working.gaps_number = len(self.policies) - 1
        self.waiting = list(self.working.hosts)

    def follow(self, host: BackQueue) -> bool:
        """Change the moment of a host that follows an earlier gap; whether it did."""
        if host.gaps_number == self.working.gaps_number:
            return False
        address = host.addresses[0] if host.addresses else ""
        before = self.policies[host.gaps_number].gap_of(host.state, address).seconds
        after = self.policies[-1].gap_of(host.state, address).seconds
        host.gaps_number = self.working.gaps_number
        if before != after:
            change_gap(self.working.touch(host), before, after)
        return before != after

    def step(self, now: float) -> None:
        """Look at some of the hosts that wait for it."""
        for _ in range(min(HOSTS_PER_STEP, len(self.waiting))):
            host = self.working.hosts.get(self.waiting.pop())
            if host is not None and self.follow(host):
                self.working.repush(host, now)
