"""What is decided about a host before each of its leases, and about each URL before it is leased.

Two questions, each asked in one place of a turn (`turn.py`), each answered by a table of judges in order; the first one
that has something to say decides. Whoever adds a rule (a budget, a trap, another score) adds a judge and nothing else.

*Of a host*: may anything be leased from it now? A `Hold` says no: all it has queued is held, with the reason, until
something changes it: an order of the operator, or the moment `until` at which it is looked at again by itself.

*Of a URL*: may this one be leased now? A `Ruling` refuses it for good, puts it off to a moment, or puts it last in
line; None lets it pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from gossamer.core.frontier.records import HostState, PageRecord

NOT_WANTED: Final = "the scope has changed"
"""The detail of a refusal of a URL that was wanted when it was found."""


class Hold(NamedTuple):
    """Nothing is leased from a host for now."""

    reason: str
    """A word of `Reason`; empty for a matter of moments: its URLs stay queued, and it comes again at `until`."""
    until: float = 0.0
    """When the host is looked at again by itself; 0 where only an order or an event changes the answer."""
    detail: str = ""
    """The numbers behind it, for people."""


class Ruling(NamedTuple):
    """What becomes of a queued URL instead of a lease: it is refused for good; or, with `until`, put off; or, with
    `last`, moved into the last level, and leased from there only where its host has no others or its level is overdue.
    """

    reason: str
    """A word of `Reason`."""
    detail: str = ""
    until: float = 0.0
    """From when on it may be asked about again; 0 to refuse it."""
    last: bool = False
    """It stays queued, and comes last."""
    host: bool = False
    """With `until`: its host waits, and the URL stays where it is."""


HostJudge = Callable[[HostState, float], Hold | None]
"""A host and the moment -> why nothing may be leased from it."""
UrlJudge = Callable[[HostState, PageRecord, float], Ruling | None]
"""A host, one of its queued URLs and the moment -> what becomes of the URL instead of a lease."""


@dataclass(slots=True)
class Judges:
    """The tables, in order; wiring appends to them before the first turn."""

    hosts: list[HostJudge] = field(default_factory=list[HostJudge])
    urls: list[UrlJudge] = field(default_factory=list[UrlJudge])

    def hold_of(self, state: HostState, now: float) -> Hold | None:
        """Why nothing may be leased from a host; None when something may."""
        for judge in self.hosts:
            if (hold := judge(state, now)) is not None:
                return hold
        return None

    def ruling_on(self, state: HostState, record: PageRecord, now: float) -> Ruling | None:
        """What becomes of a queued URL instead of a lease; None when it may be leased."""
        for judge in self.urls:
            if (ruling := judge(state, record, now)) is not None:
                return ruling
        return None


def scope_judge(refusal: Callable[[PageRecord], str]) -> UrlJudge:
    """Refuses what the scope wants no more: `refusal` says why, or nothing while a URL is wanted."""

    def judge(_: HostState, record: PageRecord, __: float) -> Ruling | None:
        reason = refusal(record)
        return Ruling(reason, NOT_WANTED) if reason else None

    return judge
