"""The program of a worker process: `python -m gossamer.app.supervisor.worker_process DESCRIPTOR`.

It opens its part of the crawl, crawls, commits, and ends; all it is told and all it tells goes through the socket that
the supervisor handed down. It lives no longer than its supervisor: when the socket is closed at the other end, or the
system says that the parent is gone, it is over at once, and what was committed is what there is.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import socket
import sys
import traceback
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.adapters.exchange_socket import SocketExchange
from gossamer.adapters.refused_arrow import ArrowRefused
from gossamer.app.added import queue_added
from gossamer.app.census import Census
from gossamer.app.collection import seldom_collected
from gossamer.app.control import peer_path
from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.errors import UserError
from gossamer.app.event_loop import new_loop
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import open_folder
from gossamer.app.in_force import LiveCrawl
from gossamer.app.numbers import closing_of
from gossamer.app.operations import Operated
from gossamer.app.running import recovery_words, tell_recovery
from gossamer.app.scope_wiring import judged_by
from gossamer.app.supervisor import messages
from gossamer.app.supervisor.membership import Membership
from gossamer.app.supervisor.requests import WorkerAnswers
from gossamer.app.wiring import Part, make_worker
from gossamer.app.worker_figures import WorkerFigures, figures_of
from gossamer.core.deal import Deal
from gossamer.core.ending import EndState
from gossamer.flow.budget import Cap
from gossamer.flow.loop import crawl
from gossamer.flow.scope_change import reconsider
from gossamer.flow.seeding import seed

if TYPE_CHECKING:
    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings
    from gossamer.app.wiring import World
    from gossamer.flow.worker import Worker
    from gossamer.ports.files import Recovery

FIGURES_SECONDS: Final = 0.5
"""Between two reports; the display shows as many."""
PR_SET_PDEATHSIG: Final = 1
"""prctl(2): the signal sent to this process when its parent ends."""
ORPHAN_EXIT: Final = 70


def main(arguments: list[str]) -> int:
    """Run a worker; the exit code is 0 where it said how it ended."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # The supervisor hears them, and says what is to be done.
        signal.signal(number, signal.SIG_IGN)
    parent = int(arguments[1])
    _die_with(parent)
    link = socket.socket(fileno=int(arguments[0]))
    with seldom_collected(), asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(_work(link))


def _die_with(parent: int) -> None:
    """Have the system end this process when its parent goes, where it can (Linux); elsewhere the socket tells."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(ORPHAN_EXIT)


async def _work(link: socket.socket) -> int:
    member = Membership()
    await member.connect(link)
    member.connection.lost.add_done_callback(lambda _: os._exit(ORPHAN_EXIT))
    start = await member.started
    try:
        await _crawl_part(member, start)
    except Exception as error:  # noqa: BLE001 - what people can put right is said by the supervisor, all else here
        trouble = error if isinstance(error, UserError) else disk_trouble(error)
        if trouble is None:
            traceback.print_exception(error)
            return 1
        member.send(messages.Failed(trouble.message, trouble.hint, int(trouble.exit_code)))
    await _said(member)
    return 0


async def _said(member: Membership) -> None:
    """Close the connection when all is sent; the supervisor knows that it was meant."""
    member.connection.lost = asyncio.get_running_loop().create_future()
    lost = member.connection.lost
    member.connection.close()
    await lost


@dataclass(slots=True)
class _Run:
    """One worker's run."""

    member: Membership
    start: messages.Start
    worker: Worker
    world: World
    folder: CrawlFolder
    settings: Settings
    census: Census = field(default_factory=Census)
    crawling: asyncio.Task[EndState] | None = None
    at_once: bool = False

    def figures(self) -> WorkerFigures:
        """The figures of this moment."""
        counts = self.census.of(self.worker)
        return figures_of(self.worker, self.world.watching, counts, self.start.number)

    def stop(self, how: messages.Stop) -> None:
        """Asked to end."""
        self.worker.stop()
        if how.at_once:
            self.at_once = True
            if self.crawling is not None:
                self.crawling.cancel()


async def _crawl_part(member: Membership, start: messages.Start) -> None:
    folder, settings = open_folder(Path(start.folder))
    deal = Deal(start.number, start.workers)
    exchange = SocketExchange(deal, partial(peer_path, folder), start.secret)
    part = Part(deal, start.found, exchange)
    worker, world, recovery = make_worker(settings, folder, resume=start.resume, part=part)
    run = _Run(member, start, worker, world, folder, settings)
    member.stop = run.stop
    member.widened = lambda widen: _widen(worker, widen)
    member.join(worker, settings.fetch.body_bytes)
    try:
        ending = await _crawl_opened(run, recovery, exchange)
        closing, figures = closing_of(worker), run.figures()
    finally:
        await exchange.close()
        troubles = await world.close()
    if troubles and ending is not EndState.DISK:
        raise troubles[0]
    member.send(messages.Ended(ending, figures, closing))


async def _crawl_opened(run: _Run, recovery: Recovery, exchange: SocketExchange) -> EndState:
    worker, member, folder = run.worker, run.member, run.folder
    run.world.watching.say = lambda text: member.send(messages.Say(text))
    tell_recovery(worker, recovery)
    worker.widened = lambda seed, target, group: member.send(messages.Widened(seed, target, group))
    live = LiveCrawl(
        worker,
        run.world.clock.now(),
        run.world.watching,
        folder,
        worker.stop,
        has_caps=False,
        freed=lambda moments: member.send(messages.Freed(moments)),
    )
    operated = Operated(folder, run.settings, live, run.world.clock.now)
    member.answer = WorkerAnswers(live, operated, member.send).heard
    # What earlier runs refused, as it lies there before any worker goes on.
    refused = ArrowRefused(folder.path)
    await exchange.open(worker.start)
    member.send(messages.Ready({cap: worker.budget.used(cap) for cap in Cap}, recovery_words(recovery)))
    if not await member.let_go:
        # Others may not have brought their files back yet, and nothing may be committed before.
        refused.close()
        return EndState.INTERRUPTED
    worker.budget.deadline = member.deadline
    if not reconsider(worker, judged_by(run.settings, worker.judge), lambda: refused):
        refused.close()
    seed(worker, ((each.url, each.group) for each in folder.read_seeds()))
    queue_added(worker, folder.read_added())
    live.release_freed()
    return await _to_its_end(run)


async def _to_its_end(run: _Run) -> EndState:
    run.crawling = asyncio.ensure_future(crawl(run.worker))
    telling = asyncio.ensure_future(_tell(run))
    try:
        ending = await run.crawling
    except asyncio.CancelledError:
        ending = EndState.INTERRUPTED
    except Exception as error:
        if not _is_disk(run, error):
            raise
        return EndState.DISK
    finally:
        telling.cancel()
    try:
        await run.worker.committer.commit()
        if not run.at_once:
            await run.worker.finish_files()
    except Exception as error:
        if not _is_disk(run, error):
            raise
        return EndState.DISK
    return ending


def _is_disk(run: _Run, error: Exception) -> bool:
    """Whether the disk took a write no more, which is said."""
    trouble = disk_trouble(error)
    if trouble is None or trouble.exit_code is not Exit.DISK:
        return False
    run.member.send(messages.Say(trouble.message))
    return True


async def _tell(run: _Run) -> None:
    while True:
        run.member.send(messages.Figures(run.figures()))
        await asyncio.sleep(FIGURES_SECONDS)


def _widen(worker: Worker, widen: messages.Widen) -> None:
    worker.judge.widen(widen.seed, widen.target, widen.group)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
