"""Fetch slots by pace: slow hosts hold their share and no more, whoever comes in whatever order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import SLOW_HOST_SECONDS
from gossamer.core.politeness.fetch_slots import FetchSlots, Pace, pace_of

NOW = 1000.0
SLOW = SLOW_HOST_SECONDS + 1.0


@pytest.mark.parametrize(
    ("times", "failed", "pace"),
    [
        ([], 0.0, Pace.UNPROVEN),
        ([], 0.3, Pace.UNPROVEN),
        ([], SLOW, Pace.SLOW),
        ([0.1], 0.0, Pace.FAST),
        ([SLOW_HOST_SECONDS], 0.0, Pace.FAST),
        ([SLOW], 0.0, Pace.SLOW),
        ([0.1, 2 * SLOW], 0.0, Pace.SLOW),
        ([0.1, 0.1, 99.0], 0.0, Pace.FAST),
        ([0.1, 0.1, 0.1], SLOW, Pace.SLOW),
    ],
)
def test_the_pace_of_a_host(times: list[float], failed: float, pace: Pace) -> None:
    assert pace_of(times, failed) is pace


def fill(slots: FetchSlots, pace: Pace, now: float = NOW) -> list[int]:
    begun: list[int] = []
    while slots.free(pace, now) and len(begun) < 1000:
        begun.append(slots.started(pace, now))
    return begun


@pytest.mark.parametrize(("slots", "slow", "unproven"), [(1, 1, 1), (4, 1, 3), (64, 16, 48), (1000, 250, 750)])
def test_slow_and_unproven_hosts_have_their_share(slots: int, slow: int, unproven: int) -> None:
    assert len(fill(FetchSlots(slots), Pace.SLOW)) == slow
    assert len(fill(FetchSlots(slots), Pace.UNPROVEN)) == unproven


def test_a_slot_is_free_again_when_its_fetch_has_ended() -> None:
    slots = FetchSlots(8)
    first, _ = fill(slots, Pace.SLOW)
    slots.ended(first)
    assert slots.free(Pace.SLOW, NOW) == 1


def test_a_fetch_that_drags_on_counts_as_a_slow_one() -> None:
    slots = FetchSlots(8)
    begun = [slots.started(Pace.FAST, NOW), slots.started(Pace.UNPROVEN, NOW), slots.started(Pace.FAST, NOW + SLOW)]
    assert slots.free(Pace.SLOW, NOW + 1.0) == 2
    assert slots.free(Pace.SLOW, NOW + SLOW) == 0
    assert slots.holding(Pace.SLOW) == 2
    for number in begun:
        slots.ended(number)
    assert [slots.holding(pace) for pace in Pace] == [0, 0, 0]


def test_another_number_of_slots() -> None:
    slots = FetchSlots(8)
    fill(slots, Pace.SLOW)
    slots.limit(16)
    assert len(fill(slots, Pace.SLOW)) == 2


@given(
    st.integers(2, 40),
    st.lists(st.tuples(st.sampled_from(list(Pace)), st.floats(0.0, 30.0), st.booleans()), max_size=200),
)
def test_hosts_that_answer_always_find_the_share_of_slow_ones_left(
    number: int, steps: list[tuple[Pace, float, bool]]
) -> None:
    slots, now, out, begun_fast = FetchSlots(number), NOW, list[int](), set[int]()
    for pace, seconds, ends in steps:
        now += seconds
        if ends and out:
            slots.ended(out.pop(0))
        if len(out) < number and slots.free(pace, now):
            out.append(slots.started(pace, now))
            if pace is Pace.FAST:
                begun_fast.add(out[-1])
        others = [each for each in out if each not in begun_fast]
        assert len(others) <= max(1, number - int(number / 4))
    for each in out:
        slots.ended(each)
    assert [slots.holding(pace) for pace in Pace] == [0, 0, 0]
