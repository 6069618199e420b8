"""Port: the time."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Seconds since the epoch; never goes backwards while the process lives."""

    def now(self) -> float:
        """The present moment."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after that many seconds; 0 yields once to other tasks."""
        ...
