"""Waits for the first of two: a moment, or somebody who rings."""

from __future__ import annotations

import asyncio


class Alarm:
    """One sleeper, woken by `ring` or by time."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the sleeper now, or at its next wait."""
        self._rung.set()

    async def wait(self, seconds: float | None) -> None:
        """Return when rung or after `seconds` (None: only when rung)."""
        timer = None
        if seconds is not None and not self._rung.is_set():
            timer = asyncio.get_running_loop().call_later(max(0.0, seconds), self._rung.set)
        try:
            await self._rung.wait()
        finally:
            if timer is not None:
                timer.cancel()
            self._rung.clear()
