"""One run of a crawl: from a locked folder to its end state, with signals, progress, control socket and summary."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.control import ControlServer
from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.exit_codes import Exit
from gossamer.app.live_line import ONCE_INTERRUPTED, TWICE_INTERRUPTED
from gossamer.app.numbers import end_numbers, ledger_numbers, progress_of
from gossamer.app.wiring import make_worker
from gossamer.core.ending import EndState
from gossamer.flow.loop import crawl
from gossamer.flow.seeding import seed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.live_line import LiveLine
    from gossamer.app.settings import Settings
    from gossamer.flow.worker import Worker
    from gossamer.ports.files import Recovery

SHOW_SECONDS: Final = 0.25
"""Time between snapshots for the live line."""


def run_crawl(settings: Settings, folder: CrawlFolder, *, resume: bool, ui: LiveLine) -> EndState:
    """Crawl until there is a reason to end. The folder is locked by the caller. Raises UserError and OSError."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        return runner.run(_run(settings, folder, resume=resume, ui=ui))


def _new_loop() -> asyncio.AbstractEventLoop:
    import uvloop  # noqa: PLC0415 - only a crawl needs it

    return uvloop.new_event_loop()


@dataclass(slots=True)
class Run:
    """What one run keeps beside its worker."""

    worker: Worker
    ui: LiveLine
    started: float
    interrupts: int = 0
    crawling: asyncio.Task[EndState] | None = field(default=None)

    def interrupt(self) -> None:
        """Ctrl-C or a plea to end: once finishes what is in flight, twice stops at once."""
        self.interrupts += 1
        self.ui.say(ONCE_INTERRUPTED if self.interrupts == 1 else TWICE_INTERRUPTED)
        if self.interrupts == 1:
            self.worker.stop()
        elif self.crawling is not None:
            self.crawling.cancel()

    def numbers(self) -> dict[str, Any]:
        """What the control socket answers."""
        shown = progress_of(self.worker, self.started).as_dict()
        return {"process": os.getpid(), **shown, **ledger_numbers([shard.ledger for shard in self.worker.shards])}


async def _run(settings: Settings, folder: CrawlFolder, *, resume: bool, ui: LiveLine) -> EndState:
    worker, world, recovery = make_worker(settings, folder, resume=resume)
    run = Run(worker, ui, world.clock.now())
    _say_recovery(ui, recovery, worker.commit_number - 1)
    ending = EndState.DISK
    try:
        seed(worker, ((each.url, each.group) for each in folder.read_seeds()))
        async with _signals(run), ControlServer(folder, {"status": lambda _: run.numbers()}):
            ending = await _crawl(run)
        await _finish(run, folder, ending, resume=resume)
    finally:
        troubles = await world.close()
    if troubles and ending is not EndState.DISK:
        raise troubles[0]
    return ending


async def _crawl(run: Run) -> EndState:
    run.crawling = asyncio.ensure_future(crawl(run.worker))
    showing = asyncio.ensure_future(_show(run))
    try:
        return await run.crawling
    except asyncio.CancelledError:
        return EndState.INTERRUPTED
    except Exception as error:
        trouble = disk_trouble(error)
        if trouble is None or trouble.exit_code is not Exit.DISK:
            raise
        run.ui.say(trouble.message)
        return EndState.DISK
    finally:
        showing.cancel()


async def _finish(run: Run, folder: CrawlFolder, ending: EndState, *, resume: bool) -> None:
    """The last commits and the summary. On a full disk the last commit that was made stands."""
    worker = run.worker
    if ending is not EndState.DISK:
        await worker.committer.commit()
        if ending in (EndState.COMPLETE, EndState.LIMIT, EndState.NOTHING_FETCHED) or run.interrupts < 2:
            await worker.finish_files()
    numbers = end_numbers(worker, ending, run.started, resumed=resume)
    try:
        folder.write_summary(numbers)
    except OSError as error:
        run.ui.say(f"summary.json could not be written: {error.strerror}")


async def _show(run: Run) -> None:
    while True:
        run.ui.show(progress_of(run.worker, run.started))
        await asyncio.sleep(SHOW_SECONDS)


@asynccontextmanager
async def _signals(run: Run) -> AsyncGenerator[None]:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, run.interrupt)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _say_recovery(ui: LiveLine, recovery: Recovery, newest: int) -> None:
    if recovery.cut:
        size = sum(recovery.cut.values())
        ui.say(f"recovered: {size:,} uncommitted bytes cut from {len(recovery.cut)} files")
    for path in recovery.aside:
        ui.say(f"recovered: {path} is no file of a commit; it is kept in aside/")
    for shard in recovery.lost_shards(newest):
        ui.say(f"shard {shard} has lost commits it had acknowledged: its log is damaged; their pages are fetched again")
