"""Caps hold to the last unit, and nothing is asked for after the deadline, whatever else is under way.

Judged by what is committed: a page fetched and lost in a kill is fetched again, and counts once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gossamer.core.ending import EndState
from gossamer.simulation.checkers.evidence import TOLERANCE_SECONDS

if TYPE_CHECKING:
    from gossamer.simulation.checkers.evidence import Evidence


def check(evidence: Evidence) -> list[str]:
    """Caps exceeded or not used up, contacts after the deadline, results that nobody had room for, in words."""
    return [*_caps(evidence), *_host_caps(evidence), *_deadlines(evidence), *_taken(evidence)]


def _caps(evidence: Evidence) -> list[str]:
    settings, found = evidence.settings, list[str]()
    rows = [row for row in evidence.pages if row["kind"] == "page" and row["outcome"] == "fetched"]
    spent = sum(row["bytes"] for row in evidence.pages)
    if settings.pages_max is not None and len(rows) > settings.pages_max:
        found.append(f"budgets: {len(rows)} pages, {settings.pages_max} allowed")
    if settings.bytes_max is not None and spent > settings.bytes_max:
        found.append(f"budgets: {spent} bytes, {settings.bytes_max} allowed")
    if settings.site_pages_max is not None:
        sites = Counter(row["site"] for row in rows)
        most = settings.site_pages_max
        found += [f"budgets: {count} pages of {site}, {most} allowed" for site, count in sites.items() if count > most]
    if evidence.ending is not EndState.LIMIT or settings.host_pages_max or settings.site_pages_max:
        return found
    used_up = [
        settings.pages_max is not None and len(rows) >= settings.pages_max,
        settings.bytes_max is not None and spent >= settings.bytes_max,
    ]
    if not any(used_up) and not evidence.lives[-1].max_time:
        found.append(f"budgets: a limit was reached, they say, with {len(rows)} pages and {spent} bytes")
    return found


def _host_caps(evidence: Evidence) -> list[str]:
    most = evidence.settings.host_pages_max
    if most is None:
        return []
    pages = Counter(row["host"] for row in evidence.pages if row["kind"] == "page" and row["outcome"] == "fetched")
    found = [f"budgets: {count} pages of {host}, {most} allowed" for host, count in pages.items() if count > most]
    others = (evidence.settings.pages_max, evidence.settings.bytes_max, evidence.settings.site_pages_max)
    if evidence.ending is EndState.LIMIT and not any(others):
        held = [state.name for state in evidence.hosts if state.held and state.total]
        found += [f"budgets: {host} is held with {pages[host]} pages of {most}" for host in held if pages[host] != most]
    return found


def _deadlines(evidence: Evidence) -> list[str]:
    found: list[str] = []
    for contact in evidence.log:
        life = evidence.lives[contact.process]
        if life.max_time is not None and contact.start > life.opened + life.max_time + TOLERANCE_SECONDS:
            late = contact.start - life.opened - life.max_time
            found.append(f"budgets: {contact.url} asked for {late:.3f} s after the deadline")
    return found


def _taken(evidence: Evidence) -> list[str]:
    taker = evidence.faults.taker
    if taker is None or evidence.most_waiting <= taker[0]:
        return []
    return [f"budgets: {evidence.most_waiting} results waited for a taker with room for {taker[0]}"]
