"""Offloaded work's stand-in: runs in the loop after a small virtual delay, so that visits go on while a disk syncs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeVar, cast

from gossamer.simulation.disk import PowerCut

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from gossamer.simulation.clock import SimLoop

T = TypeVar("T")

SYNC_SECONDS: Final = (0.0, 0.002, 0.01, 0.05, 0.3)
"""How long a disk may take; the last is a disk that others keep busy."""


class SimOffload:
    """The port `offload` on virtual time."""

    def __init__(self, dice: random.Random, done: Callable[[], None] = lambda: None) -> None:
        """`done` is called after each piece of work, while whoever asked for it still waits."""
        self._dice = dice
        self._done = done

    async def run(self, work: Callable[[], T]) -> T:
        """Wait, do the work, wait again: it becomes real at a moment between asking and hearing of it."""
        before, after = self._dice.choice(SYNC_SECONDS), self._dice.choice(SYNC_SECONDS)
        await asyncio.sleep(before)
        try:
            result = work()
        except PowerCut:
            cast("SimLoop", asyncio.get_running_loop()).doom()
            raise
        self._done()
        await asyncio.sleep(after)
        return result
