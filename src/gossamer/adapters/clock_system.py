"""The machine's clock, made to never go backwards while the process lives."""

from __future__ import annotations

import asyncio
from time import monotonic, time


class SystemClock:
    """Epoch seconds: the wall clock once, the monotonic clock from then on, so that a step of the former cannot
    shorten a gap.
    """

    def __init__(self) -> None:
        self._offset = time() - monotonic()

    def now(self) -> float:
        """The present moment."""
        return monotonic() + self._offset

    async def sleep(self, seconds: float) -> None:
        """Return after that many seconds."""
        await asyncio.sleep(seconds)
