"""How a crawl can end."""

from __future__ import annotations

from enum import Enum


class EndState(Enum):
    """The end of a run; the value is the word in summary.json."""

    COMPLETE = "complete"
    LIMIT = "limit reached"
    NOTHING_FETCHED = "nothing fetched"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"
    DISK = "disk full"
