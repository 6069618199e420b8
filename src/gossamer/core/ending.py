"""How a crawl can end, and how its workers agree on it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence


class EndState(Enum):
    """The end of a run; the value is the word in summary.json."""

    COMPLETE = "complete"
    LIMIT = "limit reached"
    NOTHING_FETCHED = "nothing fetched"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"
    DISK = "disk full"


class Wish(msgspec.Struct, frozen=True):
    """A worker has nothing more to do, as things stand: how it would end the crawl, were it alone."""

    state: EndState
    queued: bool = False
    """Whether URLs are left in its queues."""
    held: bool = False
    fetched: bool = False
    """Whether any page of its shards was ever fetched."""
    capped: bool = False
    """A cap of the whole crawl is reached."""
    at_once: bool = False
    """It ends whatever the others do: the time is over, or everybody was asked to stop."""


def agreed_end(wishes: Sequence[Wish]) -> EndState:
    """The end of a crawl all of whose workers have nothing more to do."""
    if any(wish.state is EndState.INTERRUPTED for wish in wishes):
        return EndState.INTERRUPTED
    if any(wish.capped for wish in wishes):
        return EndState.LIMIT
    if not any(wish.fetched for wish in wishes):
        return EndState.NOTHING_FETCHED
    if any(wish.queued or wish.state is EndState.STALLED for wish in wishes):
        return EndState.STALLED
    return EndState.LIMIT if any(wish.held for wish in wishes) else EndState.COMPLETE
