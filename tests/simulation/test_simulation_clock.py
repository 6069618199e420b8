"""The virtual loop: time jumps, order holds, a kill stops at its step, what cannot be simulated is refused."""

import asyncio
import gc
import itertools

import pytest

from gossamer.simulation.clock import EPOCH, Killed, SimClock, SimLoop, StuckError
from gossamer.simulation.entropy import SimEntropy


def run(coroutine, **options):
    loop = SimLoop(**options)
    try:
        return loop.run_until_complete(coroutine), loop
    finally:
        loop.close()


def test_hours_pass_at_once():
    async def sleeper():
        clock = SimClock()
        await clock.sleep(7200.0)
        return clock.now()

    moment, _ = run(sleeper())
    assert moment == EPOCH + 7200.0


def test_timers_fire_in_order_and_ties_in_the_order_asked():
    async def several():
        seen = []

        async def note(name, delay):
            await asyncio.sleep(delay)
            seen.append(name)

        await asyncio.gather(note("late", 3), note("first", 1), note("second", 1), note("soon", 0))
        return seen

    seen, _ = run(several())
    assert seen == ["soon", "first", "second", "late"]


def test_timeouts_events_and_cancelled_timers_work():
    async def work():
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        handle = loop.call_later(1.0, event.set)
        handle.cancel()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(event.wait(), 5.0)
        async with asyncio.timeout(1.0):
            await asyncio.sleep(0.5)
        return loop.time()

    moment, _ = run(work())
    assert moment == EPOCH + 5.5


def test_same_run_same_steps():
    async def work():
        await asyncio.gather(*(asyncio.sleep(number % 7) for number in range(50)))

    assert run(work())[1].steps == run(work())[1].steps


def test_kill_stops_at_its_step_and_runs_nothing_after():
    seen = []

    async def work():
        try:
            for number in range(10):
                seen.append(number)
                await asyncio.sleep(1)
        except BaseException as error:
            seen.append(type(error).__name__)
            raise

    loop = SimLoop(kill_at=5)
    with pytest.raises(Killed):
        loop.run_until_complete(work())
    before = list(seen)
    assert "Killed" not in before
    loop.abandon()
    gc.collect()
    assert seen == [*before, "GeneratorExit"]
    assert loop.failures == []


def test_every_step_can_be_a_kill():
    async def work():
        await asyncio.gather(*(asyncio.sleep(number) for number in range(3)))

    steps = run(work())[1].steps
    for step in range(1, steps + 1):
        loop = SimLoop(kill_at=step)
        with pytest.raises(Killed):
            loop.run_until_complete(work())
        assert loop.steps == step
        loop.abandon()


def test_stuck_when_nothing_can_happen():
    async def work():
        await asyncio.get_running_loop().create_future()

    loop = SimLoop()
    with pytest.raises(StuckError, match="nothing will ever happen"):
        loop.run_until_complete(work())
    loop.abandon()


def test_stuck_when_it_turns_without_time():
    async def work():
        for _ in itertools.count():
            await asyncio.sleep(0)

    loop = SimLoop(steps_max=1000)
    with pytest.raises(StuckError, match="turns without time"):
        loop.run_until_complete(work())
    loop.abandon()


def test_threads_are_refused():
    async def work():
        await asyncio.to_thread(print)

    with pytest.raises(RuntimeError, match="offload"):
        run(work())


def test_a_callback_that_raises_is_kept():
    async def work():
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        await asyncio.sleep(1)

    _, loop = run(work())
    assert isinstance(loop.failures[0]["exception"], ZeroDivisionError)


def test_streams_of_chance_do_not_disturb_each_other():
    one, other = SimEntropy(5), SimEntropy(5)
    one.stream("a").bytes(100)
    assert one.stream("b").unit() == other.stream("b").unit()
    assert one.stream("a").unit() == one.stream("a").unit() != one.stream("b").unit()
    assert SimEntropy(5).unit() != SimEntropy(6).unit()
    assert len(one.bytes(16)) == 16
