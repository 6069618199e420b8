"""The pace of long steps: one at a time, with the loop's other work between them, and none while a commit is under way.

Reading a page of 20,000 links, or queuing them, takes the loop for tens of milliseconds. Several in a row would hold up
what waits for the loop meanwhile, a commit above all: it waits for threads some four times, and what it has not made
durable is lost in a crash. So a commit waits for one long step at most.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from gossamer.flow.commit import Committer


@dataclass(slots=True)
class Pace:
    """Gives turns to long steps, first come, first served."""

    committer: Committer
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self, *, is_long: bool = True) -> None:
        """Wait for a turn; the step is what the caller does before it awaits again.

        One that is not long waits for those before it only: at once, where there are none.
        """
        async with self._turn:
            if is_long:
                await asyncio.sleep(0)
                await self.committer.idle()
