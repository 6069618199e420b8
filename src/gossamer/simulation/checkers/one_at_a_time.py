"""A host never sees two requests at once, whatever its authorities; an address never more than its ceilings."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from gossamer.core.limits import ADDRESS_CONNECTIONS_MAX, ADDRESS_REQUESTS_PER_SECOND_MAX
from gossamer.simulation.checkers.evidence import TOLERANCE_SECONDS, Evidence

if TYPE_CHECKING:
    from gossamer.simulation.network import Contact


def check(evidence: Evidence) -> list[str]:
    """Overlapping contacts of a host, and too many at once or within a second on an address, in words."""
    hosts: dict[str, list[Contact]] = defaultdict(list)
    addresses: dict[str, list[Contact]] = defaultdict(list)
    for contact in sorted(evidence.log, key=lambda each: each.start):
        hosts[contact.host].append(contact)
        addresses[contact.address].append(contact)
    found = [problem for contacts in hosts.values() for problem in _overlaps(contacts)]
    for address, contacts in addresses.items():
        found += _crowds(address, contacts)
    return found


def _overlaps(contacts: list[Contact]) -> list[str]:
    return [
        f"one at a time: {second.url} began at {second.start:.6f} while {first.url} lasted until {_end(first):.6f}"
        for first, second in pairwise(contacts)
        if second.start < _end(first) - TOLERANCE_SECONDS
    ]


def _crowds(address: str, contacts: list[Contact]) -> list[str]:
    """Contacts in order of their start, each compared with those still open and those of the last second."""
    found: list[str] = []
    per_second = int(ADDRESS_REQUESTS_PER_SECOND_MAX)
    open_ends: list[float] = []
    for position, contact in enumerate(contacts):
        open_ends = [end for end in open_ends if end > contact.start + TOLERANCE_SECONDS]
        open_ends.append(_end(contact))
        if len(open_ends) > ADDRESS_CONNECTIONS_MAX:
            found.append(f"ceiling: {len(open_ends)} at once on {address} at {contact.start:.6f}")
        before = contacts[position - per_second] if position >= per_second else None
        if before is not None and contact.start - before.start < 1.0 - TOLERANCE_SECONDS:
            found.append(f"ceiling: more than {per_second} in a second on {address} at {contact.start:.6f}")
    return found


def _end(contact: Contact) -> float:
    return contact.end if contact.end is not None else contact.start
