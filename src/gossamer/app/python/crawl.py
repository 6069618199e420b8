"""`gossamer.Crawl`: a crawl inside a program's own event loop, as an asynchronous iterator of pages."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from gossamer import errors
from gossamer.app.folder import CrawlFolder, FixedFacts, make_folder, open_folder, record_changes, refuse_existing
from gossamer.app.live_line import LiveLine, Loudness
from gossamer.app.python.adding import add_urls
from gossamer.app.python.capture import Capture, stored
from gossamer.app.python.handover import HandOver
from gossamer.app.python.options import given_of
from gossamer.app.python.page import Page, page_of
from gossamer.app.python.raising import typed_errors
from gossamer.app.python.summary import Summary, summary_of
from gossamer.app.running import Run, crawl_folder
from gossamer.app.seeds import Seed, read_seeds
from gossamer.app.settings import Changed, Settings, check, load, reload
from gossamer.core.ending import EndState
from gossamer.core.frontier.fate import FateKind
from gossamer.flow.ending import end_state

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime
    from types import TracebackType
    from typing import Unpack

    from gossamer.adapters.folder_lock import FolderLock
    from gossamer.app.python.options import ChangeOptions, CrawlOptions, PathText
    from gossamer.flow.finished import Finished

PASSING: Final = frozenset({FateKind.RETRY, FateKind.AGAIN, FateKind.BACK})
"""Fates after which the URL is visited again: no result yet."""
STOP_SECONDS: Final = 3.0
"""How long visits in flight may still take when the `async with` block is left early; after it they are given back."""


@dataclass(frozen=True, slots=True)
class _Begun:
    """What a crawl is begun with."""

    settings: Settings
    folder: CrawlFolder | None
    """None: a temporary one is made."""
    seeds: list[Seed] = field(default_factory=list[Seed])
    changes: list[Changed] = field(default_factory=list[Changed])
    resumed: bool = False


class Crawl:
    """A crawl: an asynchronous context manager, and an asynchronous iterator of its pages as they are fetched.

        async with gossamer.Crawl("https://docs.example.org/", max_pages=500, output="out") as crawl:
            async for page in crawl:
                print(page.url, page.title, len(page.links))
        print(crawl.summary.pages)

    It runs on the event loop that enters it, installs no signal handlers, and reads no environment variables. Pages
    wait in a bounded queue; while it is full nothing more is fetched. The crawl is over when nothing is left to fetch
    and the last page was read, so what a reader adds is always fetched. Leaving the block early ends the crawl cleanly:
    what was fetched is committed, and with `output` the crawl can be resumed. Without `output` it lives in a temporary
    folder, which is removed when the block is left.

    A page is handed out when it is reported, up to `crawl.commit_interval` before it is durable: after a kill and a
    resume the last pages come again.

    `seeds`: URLs to start from. `every_visit`: hand out every visit with its outcome, also those that brought no page.
    Keywords name settings; `settings={"section.key": value}` takes every other one; `config` names a settings file.

    Raises SettingsError and SeedError here; FolderError and DiskError when the block is entered.
    """

    def __init__(self, *seeds: str, every_visit: bool = False, **options: Unpack[CrawlOptions]) -> None:
        with typed_errors():
            settings = load(given_of(options, seeds))
            check(settings)
        with typed_errors(errors.SeedError):
            read = read_seeds(settings.seeds)
        folder = None
        if settings.output.folder is not None:
            folder = CrawlFolder(Path(settings.output.folder).absolute())
            with typed_errors():
                refuse_existing(folder)
        self._set_up(_Begun(settings, folder, seeds=read), every_visit=every_visit)

    @classmethod
    def resume(cls, folder: PathText, *, every_visit: bool = False, **options: Unpack[ChangeOptions]) -> Self:
        """Go on with the crawl in `folder`: only pages fetched from now on are handed out.

        Keywords change settings from now on, as `gossamer resume` does. Raises FolderError and SettingsError.
        """
        with typed_errors():
            opened, stored = open_folder(Path(folder))
            settings, changes = reload(stored, given_of(options))
            check(settings)
        crawl = cls.__new__(cls)
        crawl._set_up(_Begun(settings, opened, changes=changes, resumed=True), every_visit=every_visit)
        return crawl

    def _set_up(self, begun: _Begun, *, every_visit: bool) -> None:
        self._begun = begun
        self._every_visit = every_visit
        self._folder = begun.folder
        self._temporary: Path | None = None
        self._lock: FolderLock | None = None
        self._run: Run | None = None
        self._task: asyncio.Task[EndState] | None = None
        self._summary: Summary | None = None
        self._told = False
        self._stopping = False
        self._handover = HandOver()

    # --- what a program asks -------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path | None:
        """The crawl folder; None before a temporary one is made, and once it is removed."""
        return self._folder.path if self._folder is not None else None

    @property
    def summary(self) -> Summary:
        """How the crawl ended. Raises RuntimeError while it has not: leave the loop or the block first."""
        if self._summary is None:
            raise RuntimeError("a crawl has its summary once it has ended")
        return self._summary

    def stop(self) -> None:
        """Begin no more fetches. What is in flight is finished and still handed out; then the iteration ends."""
        self._stopping = True
        if self._run is not None:
            self._run.worker.stop()

    def add(self, *urls: str, group: str = "added") -> dict[str, str]:
        """Add seeds to the running crawl, with the scope that seeds bring; those refused, each with the reason.

        Raises SeedError, and RuntimeError once the crawl is over.
        """
        return add_urls(self._running(), self._the_folder(), urls, group)

    async def open(self, url: str, at: str | float | datetime | None = None) -> Capture:
        """The stored capture of `url` nearest to `at`; without it the last one. Also for pages handed out just now.

        `at`: a datetime, seconds since the epoch, or a text such as "2026-11-30". Raises NotCaptured.
        """
        folder = self._the_folder()
        if self._run is not None and self._task is not None and not self._task.done():
            with typed_errors():
                await self._run.worker.committer.commit()
        return await asyncio.to_thread(stored, folder, url, at)

    async def finish(self) -> Summary:
        """Let the crawl run to its end, pages unread; its summary."""
        async for _ in self:
            pass
        return self.summary

    # --- the context ---------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        if self._task is not None:
            raise RuntimeError("a Crawl is entered once; make another one")
        try:
            with typed_errors():
                self._prepare()
        except BaseException:
            self._remove_temporary()
            raise
        self._task = asyncio.get_running_loop().create_task(self._crawl(), name="gossamer crawl")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None, "left only after it was entered"
        self._handover.drop()
        try:
            await self._end(at_once=error is not None)
        finally:
            await asyncio.to_thread(self._remove_temporary)

    def __aiter__(self) -> AsyncIterator[Page]:
        if self._task is None:
            raise RuntimeError("enter the crawl first: async with gossamer.Crawl(...) as crawl")
        return self

    async def __anext__(self) -> Page:
        page = await self._handover.take_one()
        if page is None:
            await self._raise_ending()
            raise StopAsyncIteration
        return page

    async def take(self) -> list[Page]:
        """The pages fetched and not yet handed out, at least one, as a batch; empty once the crawl is over."""
        pages = await self._handover.take()
        if not pages:
            await self._raise_ending()
        return pages

    # --- the run -------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Make the folder, or take the one that is resumed."""
        begun = self._begun
        if begun.resumed:
            folder = self._the_folder()
            self._lock = folder.hold()
            record_changes(folder, begun.settings, begun.changes, time.time())
            return
        if self._folder is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="gossamer-"))
            self._folder = CrawlFolder(self._temporary / "crawl")
        self._folder, self._lock = make_folder(
            self._folder.path, begun.settings, begun.seeds, FixedFacts.new(begun.settings.keys)
        )

    async def _crawl(self) -> EndState:
        folder, begun = self._the_folder(), self._begun
        silent = LiveLine(sys.stderr, Loudness.QUIET)
        try:
            with typed_errors():
                return await crawl_folder(begun.settings, folder, resume=begun.resumed, ui=silent, joined=self._join)
        finally:
            self._keep_summary(folder)
            self._handover.end()
            if self._lock is not None:
                self._lock.release()

    def _join(self, run: Run) -> None:
        self._run = run
        worker = run.worker

        def report(finished: Finished) -> None:
            settled = finished.fate is not None and finished.fate.kind not in PASSING
            if finished.is_page or (self._every_visit and settled):
                self._handover.put(page_of(finished))

        self._handover.changed = worker.alarm.ring
        worker.holders.append(lambda: not self._handover.is_read())
        worker.listeners.append(report)
        worker.budget.takers.append(self._handover.room)
        if self._stopping:
            worker.stop()

    def _keep_summary(self, folder: CrawlFolder) -> None:
        numbers = folder.read_summary()
        if numbers is not None:
            self._summary = summary_of(numbers)

    async def _raise_ending(self) -> None:
        """Raise what the crawl ended with, if that is an error."""
        assert self._task is not None, "only an entered crawl is iterated"
        self._told = True
        ending = await asyncio.shield(self._task)
        summary = self._summary
        reason = summary.reason if summary is not None else ""
        if ending is EndState.NOTHING_FETCHED:
            raise errors.NothingFetched("no page could be fetched" + (f": {reason}" if reason else ""))
        if ending is EndState.DISK:
            raise errors.DiskError("the disk is full or failed", "make room and resume the crawl")

    async def _end(self, *, at_once: bool) -> None:
        """End the crawl if it still runs, and wait for its last commit."""
        task = self._task
        assert task is not None, "only an entered crawl ends"
        if self._run is None or end_state(self._run.worker) is None:
            self.stop()
        if not task.done() and not at_once:
            await asyncio.wait([task], timeout=STOP_SECONDS)
        if not task.done() and self._run is not None and self._run.crawling is not None:
            self._run.crawling.cancel()
        await asyncio.wait([task])
        failure = None if task.cancelled() else task.exception()
        if failure is not None and not at_once and not self._told:
            raise failure

    def _remove_temporary(self) -> None:
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = self._folder = None

    def _running(self) -> Run:
        if self._run is None or self._task is None or self._task.done():
            raise RuntimeError("the crawl is not running")
        return self._run

    def _the_folder(self) -> CrawlFolder:
        if self._folder is None:
            raise errors.FolderError("the crawl's temporary folder is gone", "give output=DIR to keep what was fetched")
        return self._folder
