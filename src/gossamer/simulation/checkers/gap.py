"""No host sees a request sooner than its gap after the end of the one before, through kills and restarts.

The gap is worked out here again, from the servers' log alone: the least gap, the greatest Crawl-delay the host has
served, five times the median of its last ten response times (capped), the first step of the back-off after a failure,
429 or 503, and every Retry-After. After a kill only what was surely committed must be remembered; whatever else was
lost, nobody who was contacted before hears from the crawler before its opening plus the least gap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Final

from gossamer.core.limits import (
    BACKOFF_FIRST_SECONDS,
    GAP_RESPONSE_MAX_SECONDS,
    GAP_RESPONSE_MULTIPLE,
    RESPONSE_TIMES_KEPT,
)
from gossamer.simulation.checkers.evidence import TOLERANCE_SECONDS, Evidence

if TYPE_CHECKING:
    from gossamer.simulation.network import Contact

PLEAS: Final = (0, 429, 503)
"""Statuses that ask for fewer requests, or show the need; 0 stands for no answer."""
RESPONSE_MULTIPLE_FROM: Final = 1.0
"""A least gap below this switches the response-time multiple off (architecture, section 8)."""


@dataclass(slots=True)
class _Claim:
    """Something that forbids a contact before `due`."""

    due: float
    why: str
    learned: float
    process: int


@dataclass(slots=True)
class _HostWatch:
    evidence: Evidence
    claims: list[_Claim] = field(default_factory=list[_Claim])
    delays: list[_Claim] = field(default_factory=list[_Claim])
    """Crawl-delays served; `due` holds the seconds."""
    times: list[tuple[float, float, int]] = field(default_factory=list[tuple[float, float, int]])
    """(response seconds, end, process) of every answered contact."""
    last: Contact | None = None
    parallel: bool = False
    """It may be asked for several things at once: what an exchange teaches counts from its end on."""

    def problems(self, contact: Contact) -> list[str]:
        """What speaks against this contact, then its own claims on the next."""
        claims = [claim for claim in self.claims if self._holds(claim, contact.process)]
        if self.parallel:
            # What ends in the very moment of a start is not known to whoever starts it.
            claims = [claim for claim in claims if claim.learned < contact.start - TOLERANCE_SECONDS]
        if self.last is not None and contact.process > self.last.process:
            opened = self.evidence.lives[contact.process].opened
            claims.append(_Claim(opened + self.evidence.gap_seconds, "opening + gap", opened, contact.process))
        found = [
            f"gap: {contact.url} at {contact.start:.6f}, {claim.due - contact.start:.6f} s too soon for {claim.why}"
            for claim in claims
            if contact.start < claim.due - TOLERANCE_SECONDS
        ]
        self._learn(contact)
        return found

    def _holds(self, claim: _Claim, process: int) -> bool:
        if claim.process == process:
            return True
        if self.evidence.stepped_forward(claim.process, process):
            return False
        return self.evidence.surely_known(claim.learned, claim.process)

    def _learn(self, contact: Contact) -> None:
        end = contact.end if contact.end is not None else contact.start
        self.last = contact
        if contact.crawl_delay:
            self.delays.append(_Claim(contact.crawl_delay, "Crawl-delay", end, contact.process))
        if contact.status:
            self.times.append((end - contact.start, end, contact.process))
        gaps = {"the least gap": self.evidence.gap_seconds, "the response times": self._response_gap(contact.process)}
        for delay in self.delays:
            if self._holds(delay, contact.process):
                gaps["Crawl-delay"] = max(gaps.get("Crawl-delay", 0.0), delay.due)
        if contact.status in PLEAS:
            gaps["the back-off"] = BACKOFF_FIRST_SECONDS
        if contact.retry_after > 0:
            gaps["Retry-After"] = contact.retry_after
        # One claim a reason is enough, the latest; a Retry-After outlives the exchanges of other authorities.
        if self.parallel:
            self.claims = [claim for claim in self.claims if claim.due > contact.start]
        else:
            self.claims = [claim for claim in self.claims if claim.why == "Retry-After" and claim.due > end]
        self.claims += [_Claim(end + seconds, why, end, contact.process) for why, seconds in gaps.items()]

    def _response_gap(self, process: int) -> float:
        """Five times the median; the least of the last times instead where a kill may have lost some of them."""
        # Which ten exchanges were the last cannot be told from the log's order where they overlap.
        if self.evidence.gap_seconds < RESPONSE_MULTIPLE_FROM or self.parallel:
            return 0.0
        known = [each[2] == process or self.evidence.surely_known(each[1], each[2]) for each in self.times]
        if not any(known):
            return 0.0
        lost = known.count(False)
        window = [each[0] for each in self.times[-(RESPONSE_TIMES_KEPT + lost) :]]
        typical = min(window) if lost else median(window)
        return min(GAP_RESPONSE_MULTIPLE * typical, GAP_RESPONSE_MAX_SECONDS)


def check(evidence: Evidence) -> list[str]:
    """The contacts that came too soon, in words."""
    hosts: dict[str, _HostWatch] = {}
    found: list[str] = []
    for contact in sorted(evidence.log, key=lambda each: each.start):
        parallel = evidence.connections.get(contact.host, 1) > 1
        found += hosts.setdefault(contact.host, _HostWatch(evidence, parallel=parallel)).problems(contact)
    return found
