"""One timer for all transfers under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.fetcher_curl.due import DueTimes


@dataclass
class Call:
    """A call to come."""

    at: float
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        """See `Timer`."""
        self.cancelled = True


@dataclass
class Loop:
    """Time that passes when it is told to."""

    now: float = 0.0
    calls: list[Call] = field(default_factory=list[Call])

    def time(self) -> float:
        """See `LoopTime`."""
        return self.now

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Call:
        """See `LoopTime`."""
        self.calls.append(Call(self.now + delay, callback))
        return self.calls[-1]

    def waiting(self) -> list[Call]:
        """Calls that will come."""
        return [call for call in self.calls if not call.cancelled]

    def run_until(self, end: float) -> None:
        """Let time pass."""
        while due := [call for call in self.waiting() if call.at <= end]:
            call = min(due, key=lambda each: each.at)
            self.calls.remove(call)
            self.now = max(self.now, call.at)
            call.callback()
        self.now = end


@dataclass(eq=False)
class Looked:
    """Remembers when it was looked at; looks again as often as it is told."""

    loop: Loop
    times: DueTimes
    due: float = 0.0
    again: list[float] = field(default_factory=list[float])
    seen: list[float] = field(default_factory=list[float])

    def look(self) -> None:
        """See `Watched`."""
        self.seen.append(self.loop.now)
        if self.again:
            self.due = self.loop.now + self.again.pop(0)
            self.times.watch(self)


@given(st.lists(st.tuples(st.integers(0, 50), st.lists(st.integers(1, 9), max_size=3)), max_size=12))
def test_each_is_looked_at_when_it_is_due(plans: list[tuple[int, list[int]]]) -> None:
    loop = Loop()
    times = DueTimes(loop)
    watched = [Looked(loop, times, due, [float(each) for each in again]) for due, again in plans]
    for each in watched:
        times.watch(each)
        assert len(loop.waiting()) == 1
    loop.run_until(1_000)
    for each, (due, again) in zip(watched, plans, strict=True):
        assert each.seen == [due + sum(again[:count]) for count in range(len(again) + 1)]
    assert not loop.waiting(), "nothing is left to be looked at"


def test_what_has_ended_is_not_looked_at() -> None:
    loop = Loop()
    times = DueTimes(loop)
    ended, going_on = Looked(loop, times, 1.0), Looked(loop, times, 2.0)
    for each in (ended, going_on):
        times.watch(each)
    times.forget(ended)
    times.forget(ended)
    loop.run_until(10)
    assert (ended.seen, going_on.seen) == ([], [2.0])


def test_nothing_is_looked_at_once_closed() -> None:
    loop = Loop()
    times = DueTimes(loop)
    watched = Looked(loop, times, 1.0)
    times.watch(watched)
    times.close()
    loop.run_until(10)
    assert not watched.seen
    assert not loop.waiting()
