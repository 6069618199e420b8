"""What a running crawl shows: one snapshot of its numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The numbers of one moment."""

    elapsed: float
    """Seconds since this run began."""
    pages: int = 0
    """2xx answers so far, earlier runs included."""
    bytes: int = 0
    """Bytes received so far, earlier runs included."""
    queued: int = 0
    leased: int = 0
    """Visits in flight."""
    ready: int = 0
    """Hosts that may be contacted now."""
    waiting: int = 0
    """Hosts with URLs whose gap has not passed."""
    parked: int = 0
    """Hosts left alone for a while after failures."""
    errors: int = 0
    """Failed visits so far."""
    newest: str = ""
    """The URL of the last page: untrusted text."""

    def as_dict(self) -> dict[str, Any]:
        """For the control socket and --json."""
        return asdict(self)
