"""No URL starves: of so many leases in a row from its host, one at least goes to its level.

Levels are what the page records say in the end; a URL whose robots.txt keeps it waiting is not looked at. Which URLs of
a level come first is not judged: they may be moved, and scored anew. Nor is a URL that was put last while it waited.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.frontier.priority import LEASES_BOUND
from gossamer.core.frontier.records import LAST
from gossamer.core.url.parse import authority_of, target_of
from gossamer.simulation.checkers.evidence import SURE_SECONDS
from gossamer.simulation.world import RobotsKind, World, key_of

if TYPE_CHECKING:
    from gossamer.core.frontier.records import PageRecord
    from gossamer.simulation.checkers.evidence import Evidence

PROMPT: Final = (RobotsKind.ALLOW, RobotsKind.PARTS, RobotsKind.DELAY, RobotsKind.AGENT, RobotsKind.MISSING)
"""Kinds of robots.txt that answer at once."""


@dataclass(slots=True)
class _Leases:
    """The leases of one host in one life, by their moment."""

    starts: list[float] = field(default_factory=list[float])
    levels: list[int] = field(default_factory=list[int])
    first: dict[str, float] = field(default_factory=dict[str, float])
    """URL key -> when it was asked for first."""


def check(evidence: Evidence) -> list[str]:
    """URLs that were passed over too often, in words."""
    hosts: dict[tuple[str, int], _Leases] = defaultdict(_Leases)
    seen: set[str] = set()
    for contact in sorted(evidence.log, key=lambda each: each.start):
        key = key_of(contact.url)
        record = evidence.records.get(key)
        if record is None or target_of(contact.url) == "/robots.txt":
            continue
        leases = hosts[contact.host, contact.process]
        leases.starts.append(contact.start)
        leases.levels.append(record.level)
        if key not in seen:
            seen.add(key)
            leases.first[key] = contact.start
    crowded = [(place, leases) for place, leases in hosts.items() if len(leases.starts) > LEASES_BOUND]
    return [problem for (_, process), leases in crowded for problem in _passed(evidence, process, leases)]


def _passed(evidence: Evidence, process: int, leases: _Leases) -> list[str]:
    life, found = evidence.lives[process], list[str]()
    for key, asked in leases.first.items():
        record = evidence.records[key]
        if _may_be_put_last(record) or not _is_prompt(evidence.world, record.url):
            continue
        known = max(record.found_at - life.offset, life.opened) + SURE_SECONDS
        between = slice(bisect_right(leases.starts, known), bisect_left(leases.starts, asked))
        passed = leases.levels[between]
        if len(passed) > LEASES_BOUND and record.level not in passed:
            found.append(f"starvation: {key} of level {record.level} waited while {len(passed)} others were leased")
    return found


def _may_be_put_last(record: PageRecord) -> bool:
    """Whether it is in the last level for something else than its depth: since when, no record says."""
    return record.base == LAST


def _is_prompt(world: World, url: str) -> bool:
    authority = world.authority(authority_of(url))
    return authority is not None and authority.robots.kind in PROMPT
