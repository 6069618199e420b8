"""Who is in memory: places, moments in the heap, sleep and waking."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.core.frontier.back_queue import BackQueue, Phase
from gossamer.core.frontier.commands import Move, Wake
from gossamer.core.frontier.events import LoadedHost
from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.lease import Entry, Errand
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.records import LEVELS, RETRY, HostState, PageRecord, retry_order
from gossamer.core.frontier.working_set import (
    LEASES_BEFORE_YIELD,
    SLEEP_SECONDS,
    WAKE_AHEAD_SECONDS,
    WAKE_COUNT_MAX,
    WorkingSet,
)

NOW = 1000.0


def host_id(number: int) -> bytes:
    return number.to_bytes(8, "big")


def loaded(number: int, *, queued: int = 1, level: int = 0, **values: Any) -> LoadedHost:
    state = HostState(f"{number}.test", "test", **values)
    state.queued[level] = queued
    return LoadedHost(host_id(number), state)


def working_set(hosts_max: int = 2, **hosts: int) -> WorkingSet:
    return WorkingSet(hosts_max, Ledger(), next_wake=None, now=NOW)


def entered(working: WorkingSet, number: int, at: float = NOW, **values: Any) -> BackQueue:
    """A host taken in and given its moment."""
    host = working.enter(loaded(number, **values), 0.0)
    working.push(host, NOW, at)
    return host


def taken(working: WorkingSet) -> list[Any]:
    """The commands so far."""
    out = list(working.out)
    working.out.clear()
    return out


# --- moments ---------------------------------------------------------------------------------------------------------


def test_hosts_come_in_the_order_of_their_moments_and_not_before() -> None:
    working = working_set(9)
    hosts = {at: entered(working, number, NOW + at) for number, at in enumerate([3.0, 1.0, 2.0])}
    assert working.due(NOW) is None
    assert working.next_moment() == NOW + 1.0
    assert working.due(NOW + 2.5) is hosts[1.0]
    assert working.due(NOW + 2.5) is hosts[2.0]
    assert working.due(NOW + 2.5) is None
    assert working.next_moment() == NOW + 3.0


def test_hosts_of_one_moment_come_in_the_order_they_were_given_it() -> None:
    working = working_set(9)
    hosts = [entered(working, number) for number in (3, 1, 2)]
    assert [working.due(NOW) for _ in hosts] == hosts


@pytest.mark.parametrize(
    ("at", "next_at", "due", "moment"),
    [(0.0, 0.0, 0.0, 0.0), (NOW + 1, NOW + 2, 0, NOW + 2), (NOW + 3, NOW + 2, 0, NOW + 3), (0, 0, NOW + 9, NOW + 9)],
)
def test_a_moment_is_the_latest_that_anything_asks_for(at: float, next_at: float, due: float, moment: float) -> None:
    working = working_set()
    host = working.enter(loaded(1, queued=0 if due else 1, next_at=next_at), 0.0)
    if due:
        host.state.queued[RETRY] = 1
        host.heads[RETRY].entries = [Entry(retry_order(due, 1), b"", PageRecord("http://1.test/"))]
    working.push(host, NOW, at)
    assert host.at == moment
    assert working.next_moment() == moment


def test_an_outdated_moment_counts_no_more() -> None:
    working = working_set()
    host = entered(working, 1, NOW + 1)
    working.push(host, NOW, NOW + 5)
    assert working.next_moment() == NOW + 5
    assert working.due(NOW + 4) is None
    assert working.due(NOW + 5) is host


def test_the_heap_does_not_grow_by_asking_again() -> None:
    working = working_set()
    host = entered(working, 1, NOW + 30)
    for _ in range(1000):
        working.push(host, NOW, NOW + 30)
    assert len(working._heaps[""]) == 1
    assert working.due(NOW + 30) is host
    assert working.due(NOW + 30) is None
    working.push(host, NOW + 30, NOW + 30)
    assert working.due(NOW + 30) is host, "out of the heap it may be given the same moment again"


def test_a_suspended_host_is_out_of_turn() -> None:
    working = working_set()
    host = entered(working, 1)
    working.suspend(host, Phase.RESOLVING)
    assert working.due(NOW + 99) is None
    assert working.next_moment() is None
    assert working.suspended == {host.host_id}
    working.push(host, NOW)
    assert working.suspended == set()
    assert working.due(NOW) is host


# --- places ----------------------------------------------------------------------------------------------------------


def test_a_host_without_anything_to_do_leaves() -> None:
    working = working_set()
    host = working.enter(loaded(1, queued=0), 0.0)
    taken(working)
    working.push(host, NOW)
    assert working.hosts == {}
    assert taken(working) == [Move(host_id(1), left_active=True)]
    assert working.touched == {host_id(1): host.state}


@pytest.mark.parametrize("busy", ["errands", "pending", "asking"])
def test_a_host_under_way_neither_sleeps_nor_leaves_for_want_of_urls(busy: str) -> None:
    working = working_set()
    host = working.enter(loaded(1), 0.0)
    value: Any = [Errand(b"", "", "", 1)] if busy == "errands" else object() if busy == "pending" else "http://1.test"
    setattr(host, busy, value)
    working.push(host, NOW, NOW + 10 * SLEEP_SECONDS)
    assert list(working.hosts) == [host_id(1)]


@pytest.mark.parametrize(("after", "asleep"), [(SLEEP_SECONDS - 1, False), (SLEEP_SECONDS + 1, True)])
def test_a_host_with_a_long_wait_sleeps(after: float, asleep: bool) -> None:
    working = working_set()
    host = working.enter(loaded(1, level=2), 0.0)
    taken(working)
    working.push(host, NOW, NOW + after)
    assert (host_id(1) not in working.hosts) is asleep
    if asleep:
        wake_ms = int((NOW + after) * 1000)
        assert taken(working) == [Move(host_id(1), left_active=True, ready_level=2, ready_wake_ms=wake_ms)]
        assert (host.state.ready_level, host.state.ready_wake_ms) == (2, wake_ms)
        assert working.next_wake == wake_ms / 1000


def test_in_a_crowd_a_host_gives_its_place_up_after_some_leases() -> None:
    working = working_set(1)
    host = entered(working, 1)
    working.next_wake = NOW - 1
    host.leases = LEASES_BEFORE_YIELD - 1
    working.push(host, NOW)
    assert host.host_id in working.hosts
    host.leases += 1
    working.push(host, NOW)
    assert host.host_id not in working.hosts


def test_nobody_yields_where_nobody_waits() -> None:
    working = working_set(1)
    host = entered(working, 1)
    host.leases = 10 * LEASES_BEFORE_YIELD
    for wake in (None, NOW + 1):
        working.next_wake = wake
        working.push(host, NOW)
        assert host.host_id in working.hosts


def test_a_set_that_errands_made_too_large_shrinks_again() -> None:
    working = working_set(1)
    entered(working, 1)
    host = working.enter(loaded(2), 0.0)
    host.errands.append(Errand(b"", "", "", 1))
    working.push(host, NOW)
    assert len(working.hosts) == 2
    host.errands.clear()
    working.push(host, NOW)
    assert list(working.hosts) == [host_id(1)]
    assert working.next_wake is not None


def test_hold_and_return() -> None:
    working = working_set()
    working.ledger.queued = 5
    host = entered(working, 1, queued=3)
    taken(working)
    working.hold(host, Hold("cap"), NOW)
    assert taken(working) == [Move(host_id(1), left_active=True, held=True)]
    assert (working.ledger.queued, working.ledger.held) == (2, 3)
    assert host.state.held
    back = working.enter(LoadedHost(host_id(1), host.state), 0.0)
    assert taken(working) == [Move(host_id(1), active=True, left_held=True)]
    assert (working.ledger.queued, working.ledger.held, back.state.held) == (5, 0, False)


def test_nobody_enters_with_an_earlier_moment_than_allowed() -> None:
    working = working_set(9)
    assert working.enter(loaded(1, next_at=5.0), 7.0).state.next_at == 7.0
    assert working.enter(loaded(2, next_at=9.0), 7.0).state.next_at == 9.0


def test_a_host_from_sleep_leaves_its_place_there() -> None:
    working = working_set()
    host = working.enter(loaded(1, ready_level=3, ready_wake_ms=77), 0.0)
    assert taken(working) == [Move(host_id(1), active=True, left_ready_level=3, left_ready_wake_ms=77)]
    assert host.state.ready_level == -1
    assert [head.complete for head in host.heads] == [False, True, True, True, True, True]


# --- a place for a host that was found URLs --------------------------------------------------------------------------


def place(working: WorkingSet, host: LoadedHost) -> list[Any]:
    entries = [Entry(1, b"", PageRecord("http://1.test/1"))]
    working.place(host, NOW, 0.0, entries)
    return taken(working)


def test_with_room_it_enters_with_its_urls_in_memory() -> None:
    working = working_set(1)
    assert place(working, loaded(1)) == [Move(host_id(1), active=True)]
    assert [entry.order for entry in working.hosts[host_id(1)].heads[0].entries] == [1]


def test_one_that_has_others_in_the_store_enters_without() -> None:
    working = working_set(1)
    place(working, loaded(1, queued=2))
    assert working.hosts[host_id(1)].heads[0].entries == []


@pytest.mark.parametrize(
    ("state", "level", "wake"),
    [
        ({}, 1, NOW),
        ({"next_at": NOW + 9}, 1, NOW + 9),
        ({"next_at": NOW + 9, "ready_level": 4, "ready_wake_ms": 500_000}, 1, 500),
        ({"ready_level": 4, "ready_wake_ms": 9_000_000}, 1, NOW),
        ({"ready_level": 1, "ready_wake_ms": 500_000}, 1, None),
    ],
)
def test_without_room_it_sleeps_under_its_best_level(state: dict[str, Any], level: int, wake: float | None) -> None:
    working = working_set(0)
    host = loaded(1, level=1, **state)
    old = (host.state.ready_level, host.state.ready_wake_ms)
    commands = place(working, host)
    if wake is None:
        assert commands == []
        return
    move = Move(host_id(1), ready_level=level, ready_wake_ms=int(wake * 1000))
    (made,) = commands
    assert (made.ready_level, made.ready_wake_ms) == (move.ready_level, move.ready_wake_ms)
    assert (made.left_ready_level, made.left_ready_wake_ms) == old
    assert working.next_wake == wake
    assert working.touched == {host_id(1): host.state}


def test_only_retries_count_as_the_last_level() -> None:
    working = working_set(0)
    (move,) = place(working, loaded(1, level=RETRY))
    assert move.ready_level == LEVELS - 1


# --- waking ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wake", "hosts", "asked"),
    [
        (None, 0, None),
        (NOW, 0, 3),
        (NOW + WAKE_AHEAD_SECONDS, 0, 3),
        (NOW + WAKE_AHEAD_SECONDS + 0.01, 0, None),
        (NOW, 2, 1),
        (NOW, 3, None),
    ],
)
def test_wake(wake: float | None, hosts: int, asked: int | None) -> None:
    working = working_set(3)
    for number in range(hosts):
        entered(working, number, NOW + 50)
    taken(working)
    working.next_wake = wake
    working.wake(NOW)
    assert taken(working) == ([] if asked is None else [Wake(asked, NOW + WAKE_AHEAD_SECONDS)])
    assert working.next_wake == (wake if asked is None else None)


def test_no_more_are_woken_at_once_than_a_step_can_bear() -> None:
    working = working_set(100_000)
    working.next_wake = NOW
    working.wake(NOW)
    assert taken(working) == [Wake(WAKE_COUNT_MAX, NOW + WAKE_AHEAD_SECONDS)]


def test_next_moment_counts_wakes_only_where_there_is_room() -> None:
    working = working_set(1)
    working.next_wake = NOW + 5
    assert working.next_moment() == NOW + 5 - WAKE_AHEAD_SECONDS
    entered(working, 1, NOW + 50)
    assert working.next_moment() == NOW + 50


def test_a_host_freed_into_the_place_it_sleeps_at_already_is_written_down() -> None:
    """It was listed under its next look, and is listed there still: only its books tell that it is held no more."""
    working = working_set(1)
    entered(working, 1)
    held = loaded(2, queued=3, ready_level=0, ready_wake_ms=int(NOW * 1000), held=True, held_why="budget")
    working.ledger.held = 3
    taken(working)
    working.touched.clear()
    working.release(held, NOW, NOW)
    assert not working.touched[held.host_id].held
    assert (working.ledger.held, working.ledger.queued) == (0, 3)
