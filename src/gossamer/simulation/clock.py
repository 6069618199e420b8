"""Virtual time: an event loop that never waits, and the clock that reads it.

When nothing is ready the loop jumps to its next timer, so hours of politeness pass in milliseconds. It runs one
callback a *step*, in the order they were asked for; that makes a run a pure function of its simulation seed, and lets
it be killed at any await by naming a step. It has no sockets, threads or signals, and says so when asked for them.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, TypeVarTuple, Unpack, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

EPOCH: Final = 1_700_000_000.0
"""The moment at which every simulation begins, in seconds since 1970."""


class Killed(BaseException):
    """The process was killed at a chosen step. A BaseException, so that no `except Exception` of the flow sees it."""


class StuckError(AssertionError):
    """Nothing will ever happen again, or far too much did."""


class _Step(asyncio.Handle):
    """What is to be called in a step of its own.

    asyncio's own handles copy a context each, which nothing of the crawl reads: a simulation makes thousands of them.
    """

    __slots__ = ("act", "given")

    def __init__(self, act: Callable[..., object], given: tuple[Any, ...]) -> None:
        self.act, self.given = act, given
        self._cancelled = False

    def cancel(self) -> None:
        """It is not called any more."""
        self._cancelled = True

    __repr__ = object.__repr__


class _Timer(asyncio.TimerHandle):
    """The same at a moment."""

    __slots__ = ("act", "given")

    def __init__(self, when: float, act: Callable[..., object], given: tuple[Any, ...]) -> None:
        self._when, self.act, self.given = when, act, given
        self._cancelled = False

    def cancel(self) -> None:
        """It is not called any more; skipped when its moment comes."""
        self._cancelled = True

    __repr__ = object.__repr__


class SimLoop(asyncio.AbstractEventLoop):
    """A deterministic event loop on virtual time (seconds since the epoch).

    What it lacks (sockets, signals, subprocesses) raises NotImplementedError, as asyncio's own base class does.

    `kill_at`: raise `Killed` out of `run_until_complete` instead of running that step (counted from 1).
    `steps_max`: raise `StuckError` after that many steps: a loop that turns without time passing.
    """

    def __init__(self, start: float = EPOCH, *, kill_at: int | None = None, steps_max: int = 5_000_000) -> None:
        self.steps = 0
        self.failures: list[dict[str, Any]] = []
        """What tasks and callbacks raised with nobody to receive it; the runner reads it as a bug."""
        self._now = start
        self._kill_at = kill_at
        self._steps_max = steps_max
        self._ready: deque[_Step | _Timer] = deque()
        self._timers: list[tuple[float, int, _Timer]] = []
        self._sequence = 0
        self._tasks: list[asyncio.Task[Any]] = []
        self._running = False
        self._stopping = False
        self._closed = False

    # --- time -------------------------------------------------------------------------------------------------
    def time(self) -> float:
        """Virtual seconds since the epoch."""
        return self._now

    # --- callbacks --------------------------------------------------------------------------------------------
    def call_soon(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """Run `callback` in a step of its own, after all that is ready now."""
        del context
        step = _Step(callback, args)
        self._ready.append(step)
        return step

    def call_soon_threadsafe(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """The same as `call_soon`: there is one thread."""
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self,
        delay: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run `callback` after `delay` virtual seconds."""
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run `callback` at a virtual moment; those of one moment run in the order asked for."""
        del context
        timer = _Timer(when, callback, args)
        self._sequence += 1
        heapq.heappush(self._timers, (when, self._sequence, timer))
        return timer

    # --- futures and tasks ------------------------------------------------------------------------------------
    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Coroutine[Any, Any, T] | Generator[Any, None, T],
        *,
        name: str | None = None,
        context: contextvars.Context | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """A task of this loop, remembered so that a kill can abandon it."""
        task: asyncio.Task[T] = asyncio.Task(coro, loop=self, name=name, context=context, **options)
        self._tasks.append(task)
        if len(self._tasks) > 256:
            self._tasks = [kept for kept in self._tasks if not kept.done()]
        return task

    # --- running ----------------------------------------------------------------------------------------------
    def run_until_complete(self, future: Any) -> Any:
        """Run until `future` (or a coroutine) is done and return its result. Raises `Killed` or `StuckError`."""
        task = asyncio.ensure_future(future, loop=self)
        task.add_done_callback(self._stop_after)
        self.run_forever()
        return task.result()

    def _stop_after(self, _: object) -> None:
        self._stopping = True

    def run_forever(self) -> None:
        """Run steps until `stop`."""
        self._running = True
        self._stopping = False
        asyncio._set_running_loop(self)
        try:
            while not self._stopping:
                self._step()
        finally:
            self._running = False
            asyncio._set_running_loop(None)

    def _step(self) -> None:
        timers, ready = self._timers, self._ready
        if not ready or (timers and timers[0][0] <= self._now):
            self._wake_timers()
        step = ready.popleft()
        if step._cancelled:
            return
        self.steps += 1
        if self.steps == self._kill_at:
            raise Killed(f"at step {self.steps}")
        if self.steps > self._steps_max:
            raise StuckError(f"{self.steps} steps and no end: something turns without time passing")
        try:
            # Not `Handle._run`: it hands whatever is raised, a kill too, to the exception handler. Contexts are not
            # entered: nothing of the crawl keeps a value in one.
            step.act(*step.given)
        except (Killed, StuckError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - as asyncio's own loop: a callback must not end it
            self.call_exception_handler({"message": f"exception in {step.act!r}", "exception": error})

    def _wake_timers(self) -> None:
        """Make ready what is due; where nothing is ready, what comes next, at its moment."""
        timers, ready = self._timers, self._ready
        while True:
            while timers and (timers[0][2]._cancelled or timers[0][0] <= self._now):
                timer = heapq.heappop(timers)[2]
                if not timer._cancelled:
                    ready.append(timer)
            if ready:
                return
            if not timers:
                raise StuckError("every task waits and no timer is set: nothing will ever happen again")
            self._now = timers[0][0]

    def stop(self) -> None:
        """Return from `run_forever` after the present step."""
        self._stopping = True

    def abandon(self) -> None:
        """Forget every task, as a kill does. Freeze the disk first: closing a coroutine runs its `finally` blocks."""
        self._kill_at = None
        for task in self._tasks:
            if not task.done():
                try:
                    cast("Coroutine[Any, Any, Any]", task.get_coro()).close()
                except BaseException as error:  # noqa: BLE001 - a killed process reports nothing
                    del error
        self._tasks.clear()
        self._ready.clear()
        self._timers.clear()
        self.failures.clear()
        self._closed = True

    def doom(self) -> None:
        """Kill the process before its next step: something within this one has killed it."""
        self._kill_at = self.steps + 1

    # --- state ------------------------------------------------------------------------------------------------
    def is_running(self) -> bool:
        """Whether a step is being run."""
        return self._running

    def is_closed(self) -> bool:
        """Whether the loop was closed or abandoned."""
        return self._closed

    def close(self) -> None:
        """Drop what is scheduled."""
        self._ready.clear()
        self._timers.clear()
        self._closed = True

    def get_debug(self) -> bool:
        """Never: debug mode reads the real clock."""
        return False

    def set_debug(self, enabled: bool) -> None:  # noqa: FBT001 - the signature is asyncio's
        """Ignored, see `get_debug`."""

    async def shutdown_asyncgens(self) -> None:
        """Nothing to shut down: the loop keeps no list of generators."""

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - asyncio's
        """There is none."""

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep what nobody received; after a kill it means nothing."""
        if not self._closed:
            self.failures.append(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """The same."""
        self.call_exception_handler(context)

    def run_in_executor(self, executor: Any, func: Callable[[Unpack[Ts]], T], *args: *Ts) -> NoReturn:
        """Refused: a thread would end the run's being a function of its seed. Use the port `offload`."""
        del executor, args
        raise RuntimeError(f"{func!r} asks for a thread inside a simulation; give blocking work to the offload port")


class SimClock:
    """The port `clock` on virtual time. Belongs to no loop: it reads the one that runs.

    `offset`: seconds by which the crawler's wall clock is wrong; set between two lives, for a real clock reads the wall
    once and the monotonic clock from then on.
    """

    def __init__(self, offset: float = 0.0) -> None:
        self._offset = offset

    def now(self) -> float:
        """Virtual seconds since the epoch, as the crawler believes."""
        return asyncio.get_running_loop().time() + self._offset

    async def sleep(self, seconds: float) -> None:
        """Return after that many virtual seconds; 0 (or less) yields once."""
        await asyncio.sleep(max(0.0, seconds))
