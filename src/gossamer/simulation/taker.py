"""Somebody who takes the crawl's results one by one, and slowly: a reader of the Python API, a pipe into a program."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.flow.finished import Finished
    from gossamer.flow.worker import Worker


class SlowTaker:
    """Has room for `places` results, and takes `seconds` for each."""

    def __init__(self, places: int, seconds: float) -> None:
        self._places = places
        self._seconds = seconds
        self._waiting = 0
        self.most = 0
        """The most results that ever waited."""

    def attach(self, worker: Worker) -> None:
        """Take the results of this worker from now on."""
        worker.budget.takers.append(lambda: self._places - self._waiting)
        worker.listeners.append(self._hear)
        worker.start(self._take(worker))

    def _hear(self, _: Finished) -> None:
        self._waiting += 1
        self.most = max(self.most, self._waiting)

    async def _take(self, worker: Worker) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            if self._waiting:
                self._waiting -= 1
                worker.alarm.ring()
