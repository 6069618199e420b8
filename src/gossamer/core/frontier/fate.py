"""What becomes of a URL after a visit, as one table and three short functions.

The theory. A failure says something about the host, about the URL, or about either. A name that does not resolve or
a port that does not answer says nothing of the URL: it keeps its place, and the host is tried ever more rarely. A 500
or a broken answer is the URL's own: after three tries over time it has failed. A timeout, a reset, a 429 or a 503 may
be either: the host is slowed in any case, and the URL is blamed only while the host otherwise answers, that is if the
exchange before this one went well, or if another URL has been answered since this URL's last attempt.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

from gossamer.core.frontier.records import HostState, PageRecord
from gossamer.core.limits import URL_TRIES_MAX


class FateKind(Enum):
    """Where a URL goes after a visit."""

    DONE = "done"
    GONE = "gone"
    FAILED = "failed"
    REFUSED = "refused"
    RETRY = "retry"
    """Waits in the retry queue until `due`."""
    AGAIN = "again"
    """Leased again after the gap under a new fetch URL: a redirect that stays on its key."""
    BACK = "back"
    """Keeps its place in its queue: the visit said nothing about it."""


class Blame(Enum):
    """Whom a failure counts against."""

    HOST = "host"
    URL = "url"
    EITHER = "either"
    NOBODY = "nobody"


class Fate(msgspec.Struct, frozen=True):
    """Where a URL goes, why, and (for RETRY) from which moment it may be leased again."""

    kind: FateKind
    reason: str = ""
    due: float = 0.0


RETRY_FACTOR: Final = 6.0
"""Each wait of a URL is this many times the one before: with 10 s, a second try after 10 s and a third after 60 s."""


def is_counted(blame: Blame, host: HostState, record: PageRecord) -> bool:
    """Whether a failure counts against the URL's tries."""
    if blame is Blame.URL:
        return True
    if blame in (Blame.HOST, Blame.NOBODY):
        return False
    last = record.attempts[-1].at if record.attempts else None
    return host.failures == 0 or (last is not None and host.answered_at > last)


def fate_of_failure(
    *,
    blame: Blame,
    reason: str,
    host: HostState,
    record: PageRecord,
    ended: float,
    retry_first_seconds: float,
) -> Fate:
    """The fate of a URL whose visit failed. Updates nothing; the caller counts the try if `is_counted`."""
    if blame in (Blame.HOST, Blame.NOBODY):
        return Fate(FateKind.BACK, reason)
    tries = record.tries + (1 if is_counted(blame, host, record) else 0)
    if tries >= URL_TRIES_MAX:
        return Fate(FateKind.FAILED, reason)
    wait = retry_first_seconds * RETRY_FACTOR ** max(0, tries - 1)
    return Fate(FateKind.RETRY, reason, ended + wait)
