"""Hosts that the operator keeps out of turn: blocked ones, and those paused until they are continued."""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.reasons import Reason


@dataclass(frozen=True, slots=True)
class ClosedHosts:
    """What is known of a closed host stays known, what is found is taken in, and nothing of it is leased."""

    blocked: BlockList = field(default_factory=BlockList)
    paused: frozenset[str] = frozenset()

    def reason(self, host: str) -> str:
        """Why `host` is closed, a word of `Reason`; empty when it is open."""
        if self.blocked.blocks_host(host):
            return Reason.BLOCKED
        return Reason.PAUSED if host in self.paused else ""
