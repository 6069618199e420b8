"""Nothing is asked for that scope, nofollow or robots.txt keep from us, nothing before robots.txt was read, and nothing
at an address that may not be contacted.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.core.limits import ROBOTS_AGE_MAX_SECONDS
from gossamer.core.url.parse import authority_of, target_of
from gossamer.simulation.checkers.evidence import TOLERANCE_SECONDS, Evidence
from gossamer.simulation.world import RobotsKind, World, key_of

if TYPE_CHECKING:
    from gossamer.simulation.network import Contact


@dataclass(slots=True)
class _RobotsReadings:
    """When each robots.txt URL last gave its true answer."""

    world: World
    read_at: dict[str, float] = field(default_factory=dict[str, float])

    def note(self, contact: Contact) -> None:
        if contact.final and contact.end is not None:
            self.read_at[contact.url] = contact.end

    def age(self, authority: str, now: float) -> float | None:
        """How long ago the file that rules `authority` was read; None when it was not."""
        known = self.world.authority(authority)
        if known is None:
            return None
        kind = known.robots.kind
        url = known.robots.target if kind is RobotsKind.REDIRECT else f"{authority}/robots.txt"
        read = self.read_at.get(url)
        return now - read if read is not None else None


def check(evidence: Evidence) -> list[str]:
    """The contacts nobody permitted, in words."""
    world = evidence.world
    may_be_asked = evidence.truth.may_be_asked
    readings = _RobotsReadings(world)
    found: list[str] = []
    for contact in sorted(evidence.log, key=lambda each: each.end or each.start):
        if not ipaddress.ip_address(contact.address).is_global:
            found.append(f"permission: {contact.url} asked for at {contact.address}, which is not public")
        if contact.url in world.robots_files or target_of(contact.url) == "/robots.txt":
            readings.note(contact)
            continue
        key = key_of(contact.url)
        if not _in_scope(evidence, contact, key):
            found.append(f"permission: {contact.url} asked for, out of the scope of life {contact.process + 1}")
        if world.trap(contact.url) is not None:
            continue
        if key not in may_be_asked:
            why = "robots.txt forbids it" if key in evidence.truth.forbidden else "no permitted way leads to it"
            found.append(f"permission: {contact.url} asked for, though {why}")
        elif key not in evidence.truth.unreachable:
            found += _unread(readings, contact)
    return found


def _in_scope(evidence: Evidence, contact: Contact, key: str) -> bool:
    """Whether the scope of that life wants a URL; where there is but one scope, the truth knows."""
    world = evidence.world
    if not world.former_scope or contact.url in evidence.truth.sitemaps or key in evidence.truth.widened:
        return True
    return world.wants(contact.url, evidence.lives[contact.process].scope)


def _unread(readings: _RobotsReadings, contact: Contact) -> list[str]:
    age = readings.age(authority_of(contact.url), contact.start)
    if age is None or age < -TOLERANCE_SECONDS:
        return [f"permission: {contact.url} asked for before its robots.txt was read"]
    if age > ROBOTS_AGE_MAX_SECONDS:
        return [f"permission: {contact.url} asked for by a robots.txt read {age:.0f} s ago"]
    return []
