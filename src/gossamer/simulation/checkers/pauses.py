"""While the disk is nearly full nothing new is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.simulation.checkers.evidence import SURE_SECONDS

if TYPE_CHECKING:
    from gossamer.simulation.checkers.evidence import Evidence


def check(evidence: Evidence) -> list[str]:
    """The contacts made while the disk was low, once that must have been noticed, in words."""
    if evidence.faults.disk_low is None:
        return []
    start, end = evidence.faults.disk_low
    return [
        f"pauses: {contact.url} asked for {contact.start - start:.1f} s after the disk was nearly full"
        for contact in evidence.log
        if start + SURE_SECONDS < contact.start < end
    ]
