"""Every URL ends where it should: done, gone, failed, refused for the right reason, or waiting for what never comes.

Read from the page records that are durable on the shards' disks, by URL key.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from gossamer.core.frontier.records import PageState, decode_host, decode_page
from gossamer.core.url.parse import authority_of, host_of
from gossamer.ports.store import Table
from gossamer.simulation.truth import is_private, is_readable
from gossamer.simulation.world import PageKind, RobotsKind, World, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.frontier.records import HostState, PageRecord
    from gossamer.simulation.checkers.evidence import Evidence
    from gossamer.simulation.store import MemoryDisk

Fates = tuple[tuple[int, str], ...]
"""(state, reason) pairs of which one must be the case; an empty reason stands for any."""

DONE: Final[Fates] = ((PageState.DONE, ""),)
QUEUED: Final[Fates] = ((PageState.QUEUED, ""),)
FAILED: Final[Fates] = ((PageState.FAILED, ""),)
OF_KIND: Final[Mapping[PageKind, Fates]] = {
    PageKind.REDIRECT: DONE,
    PageKind.SELF_LOOP: ((PageState.FAILED, "redirect loop"),),
    PageKind.MEDIA: ((PageState.REFUSED, "media type"),),
    PageKind.MISLABELLED: ((PageState.REFUSED, "media type"),),
}
GONE_STATUSES: Final = (404, 410)
BROKEN_ROBOTS: Final = (RobotsKind.ERRORS, RobotsKind.UNREACHABLE)
"""Files that count against their hosts whenever they are asked for."""


def records_of(disks: Sequence[MemoryDisk]) -> dict[str, PageRecord]:
    """URL key -> the durable record."""
    rows = (decode_page(row) for disk in disks for row in disk.durable[Table.PAGE].values.values())
    return {key_of(record.url): record for record in rows}


def hosts_of(disks: Sequence[MemoryDisk]) -> list[HostState]:
    """The durable host states."""
    return [decode_host(row) for disk in disks for row in disk.durable[Table.HOST].values.values()]


def check(evidence: Evidence) -> list[str]:
    """The URLs that are not where they should be, in words."""
    expected = _expected(evidence)
    may_be_known = expected.keys() | evidence.truth.perhaps | evidence.truth.perhaps_known
    found = [
        f"fates: {key} is known, and no way leads to it"
        for key, record in evidence.records.items()
        if key not in may_be_known and evidence.world.trap(record.url) is None
    ]
    for key, fates in expected.items():
        record = evidence.records.get(key)
        if record is None:
            found.append(f"fates: {key} is not known")
        elif not any(record.state == state and reason in ("", record.reason) for state, reason in fates):
            state = PageState(record.state).name.lower()
            found.append(f"fates: {key} is {state} ({record.reason or 'no reason'}), not {_words(fates)}")
    return found


def _expected(evidence: Evidence) -> dict[str, Fates]:
    world, truth = evidence.world, evidence.truth
    expected = dict.fromkeys(truth.fetched, DONE)
    expected |= {key: _of_answered(world, key) for key in truth.answered}
    for key in truth.forbidden:
        authority = world.authority(authority_of(key))
        readable = authority is not None and is_readable(world, authority.robots)
        expected[key] = ((PageState.REFUSED, "robots"),) if readable else QUEUED
    for key in truth.unreachable:
        # When the patience with its host is over it fails; whether it is over depends on how long this crawl took.
        expected[key] = ((PageState.REFUSED, "address"),) if is_private(world, host_of(key)) else (*QUEUED, *FAILED)
    # A host with such a robots.txt fails time and again; that patience with it ends takes that long without an answer.
    dead = {name for name in world.hosts if _fails(world, name) and _is_silent_for_patience(evidence, name)}
    return expected | {key: (*fates, *FAILED) for key, fates in expected.items() if host_of(key) in dead}


def _fails(world: World, name: str) -> bool:
    return any(authority.robots.kind in BROKEN_ROBOTS for authority in world.hosts[name].authorities)


def _is_silent_for_patience(evidence: Evidence, name: str) -> bool:
    """Whether a host gave no answer that must be known for as long as anybody waits, by the servers' log."""
    answers = [
        contact.end
        for contact in evidence.log
        if contact.host == name and contact.end is not None and contact.final and 200 <= contact.status < 500
        if evidence.surely_known(contact.end, contact.process)
    ]
    moments = sorted((evidence.lives[0].opened, *answers, evidence.lives[-1].ended))
    return any(after - before >= evidence.settings.host_patience for before, after in pairwise(moments))


def _of_answered(world: World, key: str) -> Fates:
    page = world.pages.get(key)
    if key in world.listings:
        return DONE
    if page is not None and page.usage:
        return ((PageState.REFUSED, "purpose"),)
    if page is None or (page.kind is PageKind.ERROR and page.status in GONE_STATUSES):
        return ((PageState.GONE, ""),)
    if page.kind is PageKind.BROKEN and not page.status:
        # A reset counts against the URL only while its host otherwise answers.
        return (*FAILED, *QUEUED)
    return OF_KIND.get(page.kind, FAILED)


def _words(fates: Fates) -> str:
    return " or ".join(f"{PageState(state).name.lower()}{f' ({reason})' if reason else ''}" for state, reason in fates)
