"""`gossamer.crawl`: a crawl for programs without an event loop, as a plain iterator of pages."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

from gossamer.app.python.crawl import Crawl

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType
    from typing import Unpack

    from gossamer.app.python.capture import Capture
    from gossamer.app.python.options import ChangeOptions, CrawlOptions, PathText
    from gossamer.app.python.page import Page
    from gossamer.app.python.summary import Summary

T = TypeVar("T")


def crawl(*seeds: str, every_visit: bool = False, **options: Unpack[CrawlOptions]) -> BlockingCrawl:
    """A crawl as a plain iterator: no event loop, no `async`.

        for page in gossamer.crawl("https://docs.example.org/", max_pages=500):
            print(page.url, page.title)

    The crawl begins with the first page asked for and runs in a thread of its own. Leaving the loop, by `break` or by
    an exception, ends it cleanly. Keywords are those of `gossamer.Crawl`.

    Raises SettingsError and SeedError here; FolderError and DiskError when the iteration begins; NothingFetched at its
    end.
    """
    return BlockingCrawl(Crawl(*seeds, every_visit=every_visit, **options))


def resume(folder: PathText, *, every_visit: bool = False, **options: Unpack[ChangeOptions]) -> BlockingCrawl:
    """Go on with the crawl in `folder`, as a plain iterator: only pages fetched from now on are handed out.

    Raises FolderError and SettingsError.
    """
    return BlockingCrawl(Crawl.resume(folder, every_visit=every_visit, **options))


class BlockingCrawl:
    """A crawl that runs in a thread, read by an ordinary `for`. Made by `gossamer.crawl` and `gossamer.resume`.

    It may stand in a `with` block, which ends the crawl when it is left; a `for` loop that is left ends it too.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pages: deque[Page] = deque()
        self._leave: asyncio.Event | None = None
        self._failure: BaseException | None = None
        self._over = False
        self._taking = threading.Lock()
        """Several threads may share one crawl's pages; each page goes to one of them."""

    @property
    def folder(self) -> Path | None:
        """The crawl folder; None before a temporary one is made, and once it is removed."""
        return self._crawl.folder

    @property
    def summary(self) -> Summary:
        """How the crawl ended. Raises RuntimeError while it has not."""
        return self._crawl.summary

    def stop(self) -> None:
        """Begin no more fetches. What is in flight is finished and still handed out; then the iteration ends."""
        if self._loop is not None and not self._over:
            with suppress(RuntimeError):  # the loop may close at this very moment
                self._loop.call_soon_threadsafe(self._crawl.stop)

    def add(self, *urls: str, group: str = "added") -> dict[str, str]:
        """Add seeds to the running crawl, with the scope that seeds bring; those refused, each with the reason.

        Raises SeedError, and RuntimeError once the crawl is over.
        """
        return self._call(lambda: _later(lambda: self._crawl.add(*urls, group=group)))

    def open(self, url: str, at: str | float | datetime | None = None) -> Capture:
        """The stored capture of `url` nearest to `at`; without it the last one. Raises NotCaptured."""
        if self._over:
            return asyncio.run(self._crawl.open(url, at))
        return self._call(lambda: self._crawl.open(url, at))

    def finish(self) -> Summary:
        """Let the crawl run to its end, pages unread; its summary."""
        for _ in self:
            pass
        return self.summary

    def close(self) -> None:
        """End the crawl if it still runs, and wait until all that was fetched is committed. Twice is harmless."""
        self._over = True
        self._pages.clear()
        if self._thread is None:
            return
        if self._loop is not None and self._leave is not None:
            with suppress(RuntimeError):  # its loop has closed already
                self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join()
        _RUNNING.discard(self)

    def __enter__(self) -> Self:
        with self._taking:
            self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None and self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def __iter__(self) -> Iterator[Page]:
        # A generator: Python closes it when its loop is left, by whatever way.
        try:
            while True:
                try:
                    yield next(self)
                except StopIteration:
                    return
        finally:
            self.close()

    def __next__(self) -> Page:
        with self._taking:
            return self._take()

    def _take(self) -> Page:
        if not self._pages:
            if self._over:
                raise StopIteration
            self._begin()
            try:
                self._pages.extend(self._call(self._crawl.take))
            except BaseException:
                self._failure = None
                self.close()
                raise
            if not self._pages:
                self.close()
                raise StopIteration
        return self._pages.popleft()

    def _begin(self) -> None:
        """Start the thread, and wait until the crawl is under way. Raises what stops it from being so."""
        if self._thread is not None or self._over:
            return
        started = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(started,), name="gossamer crawl", daemon=True)
        _close_at_exit(self)
        self._thread.start()
        started.wait()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            self.close()
            raise failure

    def _work(self, started: threading.Event) -> None:
        try:
            with asyncio.Runner(loop_factory=_new_loop) as runner:
                runner.run(self._live(started))
        except BaseException as failure:  # noqa: BLE001 - told to the reader's thread
            self._failure = failure
        finally:
            started.set()

    async def _live(self, started: threading.Event) -> None:
        self._leave = asyncio.Event()
        async with self._crawl:
            self._loop = asyncio.get_running_loop()
            started.set()
            await self._leave.wait()

    def _call(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Have the crawl's thread do something, and wait for it."""
        if self._loop is None or self._over:
            raise RuntimeError("the crawl is not running")
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result()


_RUNNING: weakref.WeakSet[BlockingCrawl] = weakref.WeakSet()
"""Crawls that have a thread."""
_registered: list[bool] = []
"""Not empty once the end of the program is watched for."""


def _close_at_exit(crawl: BlockingCrawl) -> None:
    """A program that ends in the middle of a crawl leaves it committed.

    A crawl's commits need threads, and Python takes those away before it runs what `atexit` holds; so this stands where
    the thread pools themselves wait for the end (`concurrent.futures.thread`), and, coming later, is called first.
    """
    if not _registered:
        _registered.append(True)
        threading._register_atexit(_close_all)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    _RUNNING.add(crawl)


def _close_all() -> None:
    for crawl in list(_RUNNING):
        crawl.close()


async def _later(work: Callable[[], T]) -> T:
    return work()


def _new_loop() -> asyncio.AbstractEventLoop:
    """Uvloop's where it is installed."""
    try:
        import uvloop  # noqa: PLC0415 - only a crawl needs it
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
