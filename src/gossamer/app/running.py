"""One run of a crawl: from a locked folder to its end state, with signals, progress, control socket and summary."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from gossamer import __version__
from gossamer.adapters.refused_arrow import ArrowRefused
from gossamer.app.added import queue_added
from gossamer.app.census import Census
from gossamer.app.collection import seldom_collected
from gossamer.app.control import ControlServer
from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.event_loop import SHOW_SECONDS, new_loop, signals_to
from gossamer.app.exit_codes import Exit
from gossamer.app.explaining import answer_explain, answer_forget
from gossamer.app.host_books import QUERIES, HostBooks, Message, books_of
from gossamer.app.in_force import LiveCrawl
from gossamer.app.live_line import ONCE_INTERRUPTED, TWICE_INTERRUPTED
from gossamer.app.metrics import Readings
from gossamer.app.metrics_server import serving_metrics
from gossamer.app.numbers import Ended, caps_of_budget, closing_of, numbers_of, progress_of
from gossamer.app.operations import Operated, answers_of
from gossamer.app.scope_wiring import judged_by
from gossamer.app.suspects import answer_suspects, release_freed
from gossamer.app.wiring import make_worker
from gossamer.app.worker_figures import Summed, figures_of
from gossamer.core.ending import EndState
from gossamer.core.facts import CrawlEnded, CrawlStarted, Recovered
from gossamer.flow.loop import crawl
from gossamer.flow.scope_change import reconsider
from gossamer.flow.seeding import seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.app.control import Answering
    from gossamer.app.folder import CrawlFolder
    from gossamer.app.live_line import Progressing
    from gossamer.app.progress import Progress
    from gossamer.app.settings import Settings
    from gossamer.app.watching import Watching
    from gossamer.flow.worker import Worker
    from gossamer.ports.files import Recovery


def run_crawl(settings: Settings, folder: CrawlFolder, *, resume: bool, ui: Progressing) -> EndState:
    """Crawl until there is a reason to end. The folder is locked by the caller. Raises UserError and OSError."""
    with seldom_collected(), asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(crawl_folder(settings, folder, resume=resume, ui=ui))


@dataclass(slots=True)
class Run:
    """What one run keeps beside its worker."""

    worker: Worker
    ui: Progressing
    started: float
    watching: Watching
    census: Census = field(default_factory=Census)
    interrupts: int = 0
    crawling: asyncio.Task[EndState] | None = field(default=None)
    cpu_began: float = field(default_factory=time.process_time)

    def interrupt(self) -> None:
        """Ctrl-C or a plea to end: once finishes what is in flight, twice stops at once."""
        self.interrupts += 1
        self.ui.say(ONCE_INTERRUPTED if self.interrupts == 1 else TWICE_INTERRUPTED)
        if self.interrupts == 1:
            self.worker.stop()
        elif self.crawling is not None:
            self.crawling.cancel()

    def stop(self) -> None:
        """A plea to end, as Ctrl-C the first time; another one changes nothing."""
        if not self.interrupts:
            self.interrupt()

    def progress(self) -> Progress:
        """The snapshot of this moment."""
        return progress_of(self.summed(), self.started, caps_of_budget(self.worker), self.worker.clock.now())

    def readings(self) -> Readings:
        """What the metrics are made from."""
        return Readings(self.summed().workers, self.started)

    def summed(self) -> Summed:
        """The figures of this moment."""
        return Summed([figures_of(self.worker, self.watching, self.census.of(self.worker))])

    def numbers(self) -> dict[str, Any]:
        """What the control socket answers."""
        summed, shown = self.summed(), self.progress().as_dict()
        return {"process": os.getpid(), "paused": list(summed.paused), **shown, **numbers_of(summed)}


async def crawl_folder(
    settings: Settings,
    folder: CrawlFolder,
    *,
    resume: bool,
    ui: Progressing,
    joined: Callable[[Run], None] | None = None,
) -> EndState:
    """The same on the running event loop. `joined`: who runs it is no command line but a program, which is handed the
    run before it begins and keeps its signals to itself.
    """
    worker, world, recovery = make_worker(settings, folder, resume=resume)
    folder.begin_run()
    run = Run(worker, ui, world.clock.now(), world.watching)
    world.watching.say = ui.say
    _tell_start(run, recovery, resume=resume)
    ending = EndState.DISK
    try:
        reconsider(worker, judged_by(settings, worker.judge), lambda: ArrowRefused(folder.path))
        seed(worker, ((each.url, each.group) for each in folder.read_seeds()))
        signals = signals_to(run.interrupt) if joined is None else nullcontext()
        if joined is not None:
            joined(run)
        queue_added(worker, folder.read_added())
        release_freed(worker, folder)
        live = LiveCrawl(worker, run.started, world.watching, folder, run.stop)
        operated = Operated(folder, settings, live, world.clock.now)
        async with signals, ControlServer(folder, _answers(run, operated)), serving_metrics(settings, run.readings):
            ending = await _crawl(run)
        ending = await _finish(run, folder, ending, resume=resume)
    finally:
        troubles = await world.close()
    if troubles and ending is not EndState.DISK:
        raise troubles[0]
    return ending


def _answers(run: Run, operated: Operated) -> dict[str, Answering]:
    """What the control socket answers, by request."""
    return {
        "status": lambda _: run.numbers(),
        "explain": lambda message: answer_explain(run.worker, message, books_of(operated, run.worker).named),
        "suspects": lambda message: answer_suspects(run.worker, message),
        "forget": lambda message: answer_forget(run.worker, operated.folder, message),
        **answers_of(operated),
        **{name: partial(_query, operated, run.worker, query) for name, query in QUERIES.items()},
    }


def _query(
    operated: Operated, worker: Worker, query: Callable[[HostBooks, Message], Message], request: Message
) -> Message:
    return query(books_of(operated, worker), request)


async def _crawl(run: Run) -> EndState:
    run.crawling = asyncio.ensure_future(crawl(run.worker))
    showing = asyncio.ensure_future(_show(run))
    try:
        return await run.crawling
    except asyncio.CancelledError:
        return EndState.INTERRUPTED
    except Exception as error:
        if (disk := _disk_end(run, error)) is None:
            raise
        return disk
    finally:
        showing.cancel()


async def _finish(run: Run, folder: CrawlFolder, ending: EndState, *, resume: bool) -> EndState:
    """The last commits and the summary; the end state as it then is. On a full disk the last commit made stands."""
    worker = run.worker
    if ending is not EndState.DISK:
        ending = await _last_commits(run, ending)
    caps, now = caps_of_budget(worker), worker.clock.now()
    numbers = Ended(ending, run.summed(), [closing_of(worker)], caps, run.started, now, resume).numbers()
    numbers["cpu_seconds"] = round(time.process_time() - run.cpu_began, 3)
    worker.note(CrawlEnded(ending.value, numbers["reason"], numbers["pages"], numbers["queued"], numbers["seconds"]))
    try:
        folder.write_summary(numbers)
    except OSError as error:
        run.ui.say(f"summary.json could not be written: {error.strerror}")
    return ending


async def _last_commits(run: Run, ending: EndState) -> EndState:
    """Commit, and turn journals into their final files unless told to stop at once."""
    try:
        await run.worker.committer.commit()
        if ending in (EndState.COMPLETE, EndState.LIMIT, EndState.NOTHING_FETCHED) or run.interrupts < 2:
            await run.worker.finish_files()
    except Exception as error:
        if (disk := _disk_end(run, error)) is None:
            raise
        return disk
    return ending


def _disk_end(run: Run, error: Exception) -> EndState | None:
    """The end of a crawl whose disk took a write no more, which is said; None for any other error."""
    trouble = disk_trouble(error)
    if trouble is None or trouble.exit_code is not Exit.DISK:
        return None
    run.ui.say(trouble.message)
    return EndState.DISK


async def _show(run: Run) -> None:
    while True:
        run.ui.show(run.progress())
        await asyncio.sleep(SHOW_SECONDS)


def _tell_start(run: Run, recovery: Recovery, *, resume: bool) -> None:
    run.worker.note(CrawlStarted(__version__, resume, len(run.worker.shards), os.getpid()))
    tell_recovery(run.worker, recovery)
    for words in recovery_words(recovery):
        run.ui.say(words)


def tell_recovery(worker: Worker, recovery: Recovery) -> None:
    """Note what opening after a crash did, if anything."""
    if recovery.cut or recovery.aside or recovery.rows_dropped or recovery.orphaned:
        cut = sum(recovery.cut.values())
        worker.note(Recovered(cut, len(recovery.cut), recovery.aside, recovery.rows_dropped, recovery.orphaned))


def recovery_words(recovery: Recovery) -> list[str]:
    """The same for people, a line each."""
    cut = sum(recovery.cut.values())
    words = [f"recovered: {cut:,} uncommitted bytes cut from {len(recovery.cut)} files"] if recovery.cut else []
    words += [f"recovered: {path} is no file of a commit; it is kept in aside/" for path in recovery.aside]
    return words + [
        f"shard {shard} lost commits it had acknowledged: its log is damaged; their pages are fetched again"
        for shard in recovery.lost
    ]
