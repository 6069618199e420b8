"""The alarm: a moment, or somebody who rings."""

from __future__ import annotations

import asyncio

import pytest

from gossamer.flow.alarm import Alarm
from gossamer.simulation.clock import EPOCH, SimClock
from tests.workers import run


async def waited(alarm: Alarm, seconds: float | None, ring_after: float | None) -> float:
    loop = asyncio.get_running_loop()
    if ring_after is not None:
        loop.call_later(ring_after, alarm.ring)
    await alarm.wait(seconds)
    return SimClock().now() - EPOCH


@pytest.mark.parametrize(
    ("seconds", "ring_after", "passed"),
    [(5.0, None, 5.0), (5.0, 2.0, 2.0), (None, 7.0, 7.0), (0.0, None, 0.0), (-3.0, None, 0.0)],
)
def test_wait(seconds: float | None, ring_after: float | None, passed: float) -> None:
    assert run(waited(Alarm(), seconds, ring_after)) == pytest.approx(passed)


def test_a_ring_before_the_wait_is_heard_once() -> None:
    async def twice() -> list[float]:
        alarm = Alarm()
        alarm.ring()
        alarm.ring()
        return [await waited(alarm, 5.0, None) for _ in range(2)]

    assert run(twice()) == [0.0, 5.0]


def test_a_sleeper_that_is_cancelled_leaves_no_ring_behind() -> None:
    async def cancelled() -> float:
        alarm = Alarm()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(alarm.wait(10.0), 1.0)
        return await waited(alarm, 30.0, None)

    assert run(cancelled()) == pytest.approx(31.0)
