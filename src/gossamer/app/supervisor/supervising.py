"""A run of a crawl on several workers: they are started, heard, and ended; one that dies is started again."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.live_line import ONCE_INTERRUPTED, TWICE_INTERRUPTED
from gossamer.app.supervisor import messages
from gossamer.app.supervisor.agreement import Agreement
from gossamer.app.supervisor.fellow import Fellow
from gossamer.app.supervisor.lending import Lending
from gossamer.app.suspects import take_off_freed
from gossamer.app.worker_figures import Summed
from gossamer.core.deal import Deal
from gossamer.core.ending import EndState
from gossamer.core.facts import WorkerLost, WorkerStarted
from gossamer.core.limits import (
    WORKER_BACKOFF_FIRST_SECONDS,
    WORKER_BACKOFF_MAX_SECONDS,
    WORKER_DEATHS_MAX,
    WORKER_DEATHS_SECONDS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from gossamer.adapters.folder_lock import FolderLock
    from gossamer.app.folder import CrawlFolder
    from gossamer.app.live_line import Progressing
    from gossamer.app.numbers import Caps
    from gossamer.core.ending import Wish
    from gossamer.core.facts import Fact
    from gossamer.flow.opening import Found

RECALL_SECONDS: Final = 0.05
"""How often bounds of caps are called back while somebody waits for more."""


@dataclass(slots=True)
class Plan:
    """What the workers of a run are told at their start."""

    folder: CrawlFolder
    workers: int
    secret: bytes
    found: Found
    resume: bool
    lock: FolderLock
    body_bytes: int


@dataclass(slots=True)
class Supervisor:
    """The workers of one run. `run` returns once all have come to their end."""

    plan: Plan
    ui: Progressing
    note: Callable[[Fact], None]
    caps: Caps
    fellows: list[Fellow] = field(init=False)
    lending: Lending = field(init=False)
    agreement: Agreement = field(init=False)
    begins: Callable[[], None] = lambda: None
    """Called when all workers have opened their parts; sets the deadline."""
    deadline: float | None = None
    """When the time of this run is over, seconds since the epoch."""
    interrupts: int = 0
    failure: UserError | None = None
    """Why the run cannot go on, where people can put it right; raised once all workers have ended."""
    _end: EndState | None = None
    """What the workers have agreed on."""
    _begun: bool = False
    _is_stopping: bool = False
    """Whether all were told to stop; a worker that could not hear it is told when it is ready."""
    _over: asyncio.Event = field(default_factory=asyncio.Event)
    _deaths: deque[float] = field(default_factory=deque[float])
    _freed: dict[tuple[str, float], set[int]] = field(default_factory=dict[tuple[str, float], set[int]])
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _finished: set[int] = field(default_factory=set[int])
    """Workers that are over for good."""
    _broken: BaseException | None = None

    def __post_init__(self) -> None:
        workers = self.plan.workers
        self.fellows = [Fellow(number, self._heard, self._gone) for number in range(workers)]
        self.lending = Lending(self.caps, self.plan.body_bytes, self._send)
        self.agreement = Agreement(frozenset(range(workers)))

    # --- what others ask of it -----------------------------------------------------------------------------------

    async def run(self) -> EndState:
        """Start all workers, and return when all have ended. Raises UserError where they could not go on."""
        recalling = asyncio.ensure_future(self._recall())
        try:
            for fellow in self.fellows:
                await self._start(fellow)
            await self._over.wait()
        finally:
            recalling.cancel()
            for task in self._tasks:
                task.cancel()
            for fellow in self.fellows:
                fellow.kill()
        if self._broken is not None:
            raise self._broken
        return self._ending()

    def interrupt(self) -> None:
        """Ctrl-C or a plea to end: once finishes what is in flight, twice stops at once."""
        self.interrupts += 1
        self.ui.say(ONCE_INTERRUPTED if self.interrupts == 1 else TWICE_INTERRUPTED)
        self._stop()

    def stop(self) -> None:
        """A plea to end, as Ctrl-C the first time; another one changes nothing."""
        if not self.interrupts:
            self.interrupt()

    def summed(self) -> Summed:
        """The figures of all workers, as they told them last."""
        return Summed([fellow.figures for fellow in self.fellows if fellow.figures is not None])

    @property
    def has_ended_somewhere(self) -> bool:
        """Whether any worker came to its end, or told how it stands."""
        return any(fellow.figures is not None for fellow in self.fellows)

    def adopt(self, caps: Caps) -> None:
        """Other caps are in force."""
        self.deadline = caps.deadline
        self.lending.adopt(caps)

    def owner_of(self, shard: int) -> Fellow:
        """The worker that has a shard."""
        return self.fellows[Deal(workers=self.plan.workers).owner_of(shard)]

    def disturb(self) -> None:
        """Workers are about to be asked or told something: the end is agreed on afterwards."""
        self.agreement.disturb()

    def consider(self) -> None:
        """Ask once more whether all rest, if they did."""
        if self._end is None and self.agreement.again():
            self._confirm()

    # --- what workers say ----------------------------------------------------------------------------------------

    def _heard(self, fellow: Fellow, message: messages.FromWorker) -> None:
        match message:
            case messages.Figures(figures):
                fellow.figures = figures
            case messages.Borrow():
                self.lending.reported(fellow.number, message)
            case messages.Rests(wish, turn):
                if self.agreement.said(fellow.number, wish, turn) and self._end is None:
                    self._confirm()
            case messages.Confirmed(number, wish, turn):
                self._confirmed(fellow, number, wish, turn)
            case messages.Ready():
                self._ready(fellow, message)
            case messages.Ended():
                fellow.ended, fellow.figures = message, message.figures
                if message.state is EndState.DISK:
                    self._stop()
            case messages.Failed(text, hint, code):
                self.failure = self.failure or UserError(text, hint, Exit(code))
                self._stop()
            case _:
                self._heard_aside(fellow, message)

    def _heard_aside(self, fellow: Fellow, message: messages.FromWorker) -> None:
        match message:
            case messages.Say(text):
                self.ui.say(text)
            case messages.Widened(seed, target, group):
                self.plan.found.widen(seed, target, group)
                for other in self.fellows:
                    if other is not fellow:
                        other.send(messages.Widen(seed, target, group))
            case messages.Freed(moments):
                self._take_off(fellow, moments)
            case _:
                raise AssertionError(f"no message of a worker: {type(message).__name__}")

    def _ready(self, fellow: Fellow, message: messages.Ready) -> None:
        fellow.is_ready = True
        for text in message.said:
            self.ui.say(text)
        self.lending.reopened(fellow.number, message.used)
        if self._begun:
            self._go(fellow)
        elif self._is_stopping:
            # The others may be over already, and all would never be ready together.
            self._tell_to_stop(fellow)
        elif all(each.is_ready for each in self.fellows):
            # Nobody commits before all files are brought back to what was committed: see `Deal`.
            self._begun = True
            self.begins()
            for each in self.fellows:
                self._go(each)

    def _go(self, fellow: Fellow) -> None:
        fellow.send(messages.Go(self.deadline))
        self.lending.tell()
        if self._is_stopping:
            self._tell_to_stop(fellow)
        if self._end is not None:
            fellow.send(messages.End(self._end))

    def _confirm(self) -> None:
        for fellow in self.fellows:
            fellow.send(messages.Confirm(self.agreement.round))

    def _confirmed(self, fellow: Fellow, number: int, wish: Wish | None, turn: int) -> None:
        state = self.agreement.confirmed(fellow.number, number, wish, turn)
        if state is not None:
            self._end = state
            for each in self.fellows:
                each.send(messages.End(state))
        else:
            self.consider()

    def _take_off(self, fellow: Fellow, moments: dict[str, float]) -> None:
        """Suspects whose refused URLs are queued again everywhere are off the list."""
        done: dict[str, float] = {}
        for text, moment in moments.items():
            told = self._freed.setdefault((text, moment), set())
            told.add(fellow.number)
            if len(told) == self.plan.workers:
                done[text] = moment
                del self._freed[text, moment]
        if done:
            take_off_freed(self.plan.folder, done)

    # --- starts and deaths ---------------------------------------------------------------------------------------

    async def _start(self, fellow: Fellow) -> None:
        plan, found = self.plan, self.plan.found
        start = messages.Start(
            folder=str(plan.folder.path),
            number=fellow.number,
            workers=plan.workers,
            # One that comes back must keep the gaps to hosts it may have met before.
            resume=plan.resume or self._begun,
            secret=plan.secret,
            files=list(found.files.values()),
            commits=found.commits,
            dealt=found.workers,
            widenings=[(seed, target, group) for seed, target, group in found.widenings],
        )
        await fellow.start(start, plan.lock.descriptor)
        self.note(WorkerStarted(fellow.number, fellow.process))

    def _gone(self, fellow: Fellow) -> None:
        self.agreement.lost(fellow.number)
        self._run(self._after(fellow))

    async def _after(self, fellow: Fellow) -> None:
        """A worker's connection is over: it has come to its end, or it is started again."""
        status = await fellow.reap()
        if fellow.ended is None and not self._gives_up():
            pause = self._count_death()
            self.note(WorkerLost(fellow.number, status, len(self._deaths), pause))
            await asyncio.sleep(max(0.0, pause))
            if pause < 0:
                self._give_up(fellow)
            elif not self._gives_up():
                await self._start(fellow)
                return
        self._is_over(fellow)

    def _gives_up(self) -> bool:
        """Whether a lost worker is not started again."""
        return self.failure is not None or self._is_at_once()

    def _give_up(self, fellow: Fellow) -> None:
        self.failure = self.failure or UserError(
            f"worker {fellow.number} was lost, and {len(self._deaths)} workers within "
            f"{WORKER_DEATHS_SECONDS / 60:g} minutes: what was committed is safe",
            "what it said last stands above; gossamer resume DIR goes on",
            Exit.BUG,
        )
        self._stop()

    def _is_over(self, fellow: Fellow) -> None:
        self._finished.add(fellow.number)
        if len(self._finished) == self.plan.workers:
            self._over.set()

    def _count_death(self) -> float:
        """Seconds until the worker is started again; -1 where there were too many deaths."""
        now = time.monotonic()
        self._deaths.append(now)
        while now - self._deaths[0] > WORKER_DEATHS_SECONDS:
            self._deaths.popleft()
        if len(self._deaths) > WORKER_DEATHS_MAX:
            return -1.0
        doubled = WORKER_BACKOFF_FIRST_SECONDS * 2.0 ** (len(self._deaths) - 1)
        return min(WORKER_BACKOFF_MAX_SECONDS, float(doubled))

    # --- the rest ------------------------------------------------------------------------------------------------

    def _stop(self) -> None:
        self._is_stopping = True
        for fellow in self.fellows:
            self._tell_to_stop(fellow)

    def _tell_to_stop(self, fellow: Fellow) -> None:
        fellow.send(messages.Stop(at_once=self._is_at_once()))

    def _is_at_once(self) -> bool:
        return self.interrupts > 1

    def _send(self, worker: int, message: messages.ToWorker) -> None:
        self.fellows[worker].send(message)

    async def _recall(self) -> None:
        while True:
            await asyncio.sleep(RECALL_SECONDS)
            self.lending.recall()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task; if it fails, the run fails."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._broken = error
            self._over.set()

    def _ending(self) -> EndState:
        states = [fellow.ended.state for fellow in self.fellows if fellow.ended is not None]
        for state in (EndState.DISK, EndState.INTERRUPTED):
            if state in states:
                return state
        if len(states) < self.plan.workers:
            return EndState.INTERRUPTED
        return self._end or states[0]
