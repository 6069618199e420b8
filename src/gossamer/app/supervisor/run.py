"""A crawl on several workers as people run it: signals, progress, control socket, metrics and summary, one of each."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from gossamer import __version__
from gossamer.adapters.facts_jsonl import JsonlFacts
from gossamer.app.control import ControlServer
from gossamer.app.cores import workers_of
from gossamer.app.event_loop import SHOW_SECONDS, new_loop, signals_to
from gossamer.app.fact_words import fact_words
from gossamer.app.memory import memory_now, memory_peak
from gossamer.app.metrics import Readings
from gossamer.app.metrics_server import serving_metrics
from gossamer.app.numbers import Closing, Ended, caps_of
from gossamer.app.operations import Operated
from gossamer.app.shard_wiring import expect_stores, shard_rules
from gossamer.app.stopped import read_found
from gossamer.app.supervisor.answers import Answers, DistantCrawl
from gossamer.app.supervisor.supervising import Plan, Supervisor
from gossamer.app.watching import log_rules
from gossamer.core.facts import CrawlEnded, CrawlStarted, WorkerLost

if TYPE_CHECKING:
    from collections.abc import Generator

    from gossamer.adapters.folder_lock import FolderLock
    from gossamer.app.folder import CrawlFolder
    from gossamer.app.live_line import Progressing
    from gossamer.app.settings import Settings
    from gossamer.core.ending import EndState
    from gossamer.core.facts import Fact

SECRET_BYTES: Final = 32


def run_on_workers(
    settings: Settings, folder: CrawlFolder, lock: FolderLock, *, resume: bool, ui: Progressing
) -> EndState:
    """Crawl with as many workers as the settings say. Raises UserError and OSError."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(supervise(settings, folder, lock, resume=resume, ui=ui))


async def supervise(
    settings: Settings, folder: CrawlFolder, lock: FolderLock, *, resume: bool, ui: Progressing
) -> EndState:
    """The same on the running event loop."""
    expect_stores(settings, folder)
    plan = Plan(
        folder=folder,
        workers=workers_of(settings),
        secret=secrets.token_bytes(SECRET_BYTES),
        found=read_found(folder, settings),
        resume=resume,
        lock=lock,
        body_bytes=settings.fetch.body_bytes,
    )
    folder.begin_run()
    with _log(settings, folder) as log:
        return await _supervise(settings, plan, log, ui)


async def _supervise(settings: Settings, plan: Plan, log: JsonlFacts, ui: Progressing) -> EndState:
    folder, resume = plan.folder, plan.resume

    def tell(fact: Fact) -> None:
        """Facts of the whole crawl are few: each is written at once."""
        log.note(fact, time.time())
        log.flush()
        if isinstance(fact, WorkerLost):
            ui.say(fact_words(fact))

    supervisor = Supervisor(plan, ui, tell, caps_of(settings, time.time()))
    live = DistantCrawl(supervisor, settings, log, tell)
    supervisor.begins = live.begin
    operated = Operated(folder, settings, live)
    answers = Answers(supervisor, operated, live, shard_rules(settings, folder), time.time)
    tell(CrawlStarted(__version__, resume, settings.crawl.shards, os.getpid()))

    def readings() -> Readings:
        return Readings(supervisor.summed().workers, live.started, time.process_time(), memory_now(), memory_peak())

    showing = asyncio.ensure_future(_show(answers, ui))
    try:
        async with (
            signals_to(supervisor.interrupt),
            ControlServer(folder, answers.table()),
            serving_metrics(settings, readings),
        ):
            ending = await supervisor.run()
    finally:
        showing.cancel()
    if supervisor.failure is not None and not supervisor.has_ended_somewhere:
        raise supervisor.failure
    _sum_up(answers, ending, ui, resume=resume)
    if supervisor.failure is not None:
        raise supervisor.failure
    return ending


def _sum_up(answers: Answers, ending: EndState, ui: Progressing, *, resume: bool) -> None:
    supervisor, live, folder = answers.supervisor, answers.live, answers.folder
    closings = [fellow.ended.closing if fellow.ended else Closing() for fellow in supervisor.fellows]
    summed = supervisor.summed()
    numbers = Ended(ending, summed, closings, live.caps, live.started, time.time(), resume).numbers()
    cpu = time.process_time() + sum(each.cpu_seconds for each in summed.workers)
    numbers["cpu_seconds"] = round(cpu, 3)
    live.note(CrawlEnded(ending.value, numbers["reason"], numbers["pages"], numbers["queued"], numbers["seconds"]))
    try:
        folder.write_summary(numbers)
    except OSError as error:
        ui.say(f"summary.json could not be written: {error.strerror}")


async def _show(answers: Answers, ui: Progressing) -> None:
    while True:
        if answers.supervisor.summed().workers:
            ui.show(answers.progress())
        await asyncio.sleep(SHOW_SECONDS)


@contextmanager
def _log(settings: Settings, folder: CrawlFolder) -> Generator[JsonlFacts]:
    log = JsonlFacts(folder.path / "logs", log_rules(settings))
    try:
        yield log
    finally:
        log.close()
