"""No level of a host starves, whatever arrives and whatever is drawn: an exact bound, not a probability."""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.core.frontier.back_queue import BackQueue
from gossamer.core.frontier.lease import Entry
from gossamer.core.frontier.priority import LEASES_BOUND
from gossamer.core.frontier.records import (
    LEVELS,
    QUEUES,
    RETRY,
    HostState,
    PageRecord,
    decode_host,
    encode,
    retry_order,
)

NOW = 1000.0
ALWAYS_FIRST = 0.0


@dataclass
class Host:
    """A host that keeps being leased: each URL waits with the number of its turn and of those before it."""

    queue: BackQueue = field(default_factory=lambda: BackQueue(b"a" * 8, HostState("a.test", "test")))
    waiting: list[deque[tuple[int, int]]] = field(default_factory=lambda: [deque() for _ in range(QUEUES)])
    order: int = 0
    leases: int = 0

    def arrive(self, level: int) -> None:
        self.order += 1
        place = retry_order(NOW, self.order) if level == RETRY else self.order
        self.queue.state.queued[level] += 1
        self.queue.heads[level].entries.append(Entry(place, b"", PageRecord("http://a.test/", queue=level)))
        self.waiting[level].append((self.leases, len(self.waiting[level])))

    def lease(self, chance: float) -> None:
        level = self.queue.choose_queue(NOW, chance)
        if level < 0:
            return
        self.leases += 1
        entry = self.queue.heads[level].entries.pop(0)
        self.queue.leased.append((level, entry.order))
        self.queue.note_lease(level)
        self.queue.leased.clear()
        self.queue.state.queued[level] -= 1
        since, ahead = self.waiting[level].popleft()
        if level != RETRY:
            assert self.leases - since <= (ahead + 1) * LEASES_BOUND

    def check(self) -> None:
        for level in range(LEVELS):
            for since, ahead in self.waiting[level]:
                assert self.leases - since <= (ahead + 1) * LEASES_BOUND

    def sleep_and_wake(self) -> None:
        """It leaves the working set, and comes back from what the store holds."""
        heads = self.queue.heads
        self.queue = BackQueue(self.queue.host_id, decode_host(encode(self.queue.state)))
        self.queue.heads = heads


STEPS = st.tuples(st.lists(st.integers(0, RETRY), max_size=3), st.floats(0, 1, exclude_max=True), st.booleans())


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=12), st.integers(1, 900))
def test_a_url_at_any_level_is_leased_within_the_bound(
    pattern: list[tuple[list[int], float, bool]], length: int
) -> None:
    host = Host()
    for arrivals, chance, sleeps in itertools.islice(itertools.cycle(pattern), length):
        for level in arrivals:
            host.arrive(level)
        host.lease(chance)
        if sleeps:
            host.sleep_and_wake()
    host.check()


def test_a_draw_that_always_falls_on_the_first_level_starves_no_other() -> None:
    host = Host()
    for level in range(1, LEVELS):
        host.arrive(level)
    for _ in range(2 * LEASES_BOUND):
        host.arrive(0)
        host.lease(ALWAYS_FIRST)
    assert not any(host.waiting[1:LEVELS])


def test_retries_that_are_always_due_starve_no_level() -> None:
    host = Host()
    host.arrive(LEVELS - 1)
    for _ in range(LEASES_BOUND):
        host.arrive(RETRY)
        host.lease(ALWAYS_FIRST)
    assert not host.waiting[LEVELS - 1]


def test_a_level_without_urls_waits_for_nothing() -> None:
    host = Host()
    for _ in range(2 * LEASES_BOUND):
        host.arrive(0)
        host.lease(ALWAYS_FIRST)
    assert host.queue.state.passed == [0] * LEVELS


def test_a_level_that_was_drawn_and_gave_nothing_waits_anew() -> None:
    """Its URLs wait for a robots.txt that cannot be read: it must not be drawn at every turn for that."""
    host = Host()
    host.arrive(4)
    for _ in range(LEASES_BOUND * 2):
        host.arrive(0)
        if host.queue.choose_queue(NOW, ALWAYS_FIRST) == 4:
            break
        host.lease(ALWAYS_FIRST)
    host.queue.note_lease(0)
    assert host.queue.state.passed[4] == 0
