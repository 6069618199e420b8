"""The hand-over of pages from the crawl to whoever reads them: bounded, and full it stops leasing, not memory."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.app.python.page import Page

PAGES_WAITING_MAX: Final = 128
"""Pages waiting and visits in flight together: twice the fetches at once, so a reader who keeps up costs nothing."""
BYTES_WAITING_MAX: Final = 64 * 1024 * 1024
"""Body bytes waiting, beyond which no visit is begun: six bodies of the greatest size."""


class HandOver:
    """Pages waiting for their reader, who lives on the same loop."""

    def __init__(self, pages_max: int = PAGES_WAITING_MAX) -> None:
        self._pages: deque[Page] = deque()
        self._pages_max = pages_max
        self._bytes = 0
        self._ended = False
        self._idle = False
        self._news = asyncio.Event()
        self.changed: Callable[[], None] = _nothing
        """Called when room was made, or the reader has nothing left to read."""

    def put(self, page: Page) -> None:
        """Add one. Never waits: room was kept when the visit began."""
        if not self._ended:
            self._pages.append(page)
            self._bytes += len(page.body)
            self._news.set()

    def room(self) -> int:
        """How many more visits may be under way."""
        return self._pages_max - len(self._pages) if self._bytes < BYTES_WAITING_MAX else 0

    def is_read(self) -> bool:
        """Whether the reader has read every page and waits for the next, or reads no more: it will add no URL."""
        return self._ended or (self._idle and not self._pages)

    def end(self) -> None:
        """No more will come; those waiting can still be taken."""
        self._ended = True
        self._news.set()

    def drop(self) -> None:
        """Forget those waiting: nobody reads any more."""
        self.end()
        self._pages.clear()
        self._bytes = 0
        self.changed()

    async def take(self) -> list[Page]:
        """All pages waiting, at least one; empty once no more will come."""
        await self._wait()
        pages = list(self._pages)
        self._pages.clear()
        self._bytes = 0
        self.changed()
        return pages

    async def take_one(self) -> Page | None:
        """The next page; None once no more will come."""
        await self._wait()
        if not self._pages:
            return None
        page = self._pages.popleft()
        self._bytes -= len(page.body)
        self.changed()
        return page

    async def _wait(self) -> None:
        """Until a page waits, or none will come any more."""
        self._idle = True
        try:
            while not self._pages and not self._ended:
                self._news.clear()
                self.changed()
                await self._news.wait()
        finally:
            self._idle = False


def _nothing() -> None:
    """Until somebody wants to know."""
