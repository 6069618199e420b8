"""What goes wrong with the machine and with those beside the crawler, as plain values drawn from the number."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.simulation.clock import EPOCH
from gossamer.simulation.features import Feature

if TYPE_CHECKING:
    import random

    from gossamer.simulation.entropy import SimEntropy

KILL_STEP_MAX: Final = 12_000
"""Kills fall evenly over the magnitudes up to this step: as many within the first hundred steps as within the last."""
DISK_STEP_MAX: Final = 2_000
"""The same for kills between two steps of a disk."""
STOPPED_SHARE: Final = 0.3
STOP_MEAN_SECONDS: Final = 60.0
"""Of the lives that shall be killed, so many are first asked to stop, some time after their opening."""
CLOCK_STEPS: Final = (-3600.0, -30.0, -1.0, 1.0, 30.0, 3600.0, 86_400.0)
DEADLINES: Final = (5.0, 20.0, 60.0, 300.0)
STALL_SECONDS: Final = (5.0, 60.0)


@dataclass(frozen=True, slots=True)
class LifeFaults:
    """What befalls one life of the crawler."""

    kill_at: int | None = None
    """Step of the loop at which it is killed."""
    torn_at: int | None = None
    """Step of a disk (a write with its sync, a rename, a cut) in which it is killed."""
    stop_after: float | None = None
    """Seconds after which somebody asks it to stop."""
    full_after: float | None = None
    """Seconds after which no disk takes a write any more."""
    max_time: float | None = None
    """Seconds that it may take."""
    clock_step: float = 0.0
    """By so many seconds the wall clock was set before it opened."""


@dataclass(frozen=True, slots=True)
class Faults:
    """All of a simulation. Spans are (start, end) in seconds since the epoch."""

    lives: tuple[LifeFaults, ...] = ()
    """Of the first lives; those that follow have none."""
    disk_low: tuple[float, float] | None = None
    stall: tuple[float, float] | None = None
    """What shards say to each other in this span arrives at its end."""
    outbox_entries: int | None = None
    """An outbox is full with so many; None for the usual limit."""
    taker: tuple[int, float] | None = None
    """Somebody takes results: how many may wait for it, and the seconds it takes for one."""
    heals: float = field(default=0.0)
    """The end of all spans."""

    def of_life(self, number: int) -> LifeFaults:
        """Of the life of that number, from 0."""
        return self.lives[number] if number < len(self.lives) else LifeFaults()


def draw_faults(entropy: SimEntropy, features: frozenset[Feature], kills: int, steps: tuple[int, ...] = ()) -> Faults:
    """The faults of a simulation with so many kills; `steps` names their steps, where they are not to be drawn."""
    dice = entropy.stream("kills").dice()
    lives = [_killed(dice, step, features) for step in steps or _kill_steps(dice, kills)]
    dice = entropy.stream("faults").dice()
    if Feature.DISK_FULL in features:
        lives.insert(dice.randint(0, len(lives)), LifeFaults(full_after=dice.expovariate(1 / STOP_MEAN_SECONDS)))
    if Feature.DEADLINE in features:
        lives.insert(dice.randint(0, len(lives)), LifeFaults(max_time=dice.choice(DEADLINES)))
    if Feature.CLOCK_STEP in features:
        lives += [LifeFaults(stop_after=STOP_MEAN_SECONDS), LifeFaults(clock_step=dice.choice(CLOCK_STEPS))]
    if Feature.SCOPE_CHANGE in features and not lives:
        lives = [LifeFaults(stop_after=dice.expovariate(1 / STOP_MEAN_SECONDS))]
    disk_low = _span(dice, STALL_SECONDS) if Feature.DISK_LOW in features else None
    stall = _span(dice, STALL_SECONDS) if Feature.FULL_OUTBOX in features else None
    return Faults(
        lives=tuple(lives),
        disk_low=disk_low,
        stall=stall,
        outbox_entries=dice.randint(1, 4) if Feature.FULL_OUTBOX in features else None,
        taker=(dice.randint(1, 4), dice.choice((0.1, 1.0, 3.0))) if Feature.TAKER in features else None,
        heals=max(span[1] if span is not None else 0.0 for span in (disk_low, stall)),
    )


def _kill_steps(dice: random.Random, kills: int) -> tuple[int, ...]:
    return tuple(int(math.exp(dice.uniform(0.0, math.log(KILL_STEP_MAX)))) for _ in range(kills))


def _killed(dice: random.Random, step: int, features: frozenset[Feature]) -> LifeFaults:
    stop = dice.expovariate(1.0 / STOP_MEAN_SECONDS) if dice.random() < STOPPED_SHARE else None
    if Feature.TORN_COMMIT in features:
        return LifeFaults(torn_at=int(math.exp(dice.uniform(0.0, math.log(DISK_STEP_MAX)))), stop_after=stop)
    return LifeFaults(kill_at=step, stop_after=stop)


def _span(dice: random.Random, seconds: tuple[float, ...]) -> tuple[float, float]:
    start = EPOCH + dice.uniform(0.0, 60.0)
    return start, start + dice.choice(seconds)
