"""A host never sees two requests at once, whatever its authorities, nor one of the operator's own more than the
settings say; an address never more than its ceilings.
"""

from __future__ import annotations

from collections import defaultdict
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
    found = [
        problem
        for host, contacts in hosts.items()
        for problem in _overlaps(contacts, evidence.connections.get(host, 1))
    ]
    for address, contacts in addresses.items():
        found += _crowds(address, contacts)
    return found


def _overlaps(contacts: list[Contact], most: int) -> list[str]:
    """Contacts of one host, in order of their start, each compared with those still open."""
    found: list[str] = []
    under_way: list[Contact] = []
    for contact in contacts:
        under_way = [each for each in under_way if _end(each) - TOLERANCE_SECONDS > contact.start]
        if len(under_way) >= most:
            first = under_way[0]
            found.append(
                f"{_words(most)} at a time: {contact.url} began at {contact.start:.6f} while {first.url} lasted until "
                f"{_end(first):.6f}"
            )
        under_way.append(contact)
    return found


def _words(most: int) -> str:
    return "one" if most == 1 else str(most)


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
