"""One host in memory: heads that are always the front of their queue, the draw, what its robots.txt files say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.back_queue import BackQueue, Head
from gossamer.core.frontier.commands import DropRobots, SaveRobots
from gossamer.core.frontier.lease import Entry, Errand
from gossamer.core.frontier.records import LEVELS, RETRY, HostState, PageRecord, retry_order
from gossamer.core.limits import HEAD_ENTRIES_MAX, ROBOTS_AUTHORITIES_PER_HOST_MAX
from gossamer.core.robots.answer import RobotsKind, RobotsState

NOW = 1000.0
HTTP, HTTPS = "http://a.test", "https://a.test"


def entry(order: int, url: str = f"{HTTP}/", queue: int = 0) -> Entry:
    return Entry(order, order.to_bytes(16, "big"), PageRecord(f"{url}{order}", queue=queue))


def back_queue(*queues: int, failures: int = 0) -> BackQueue:
    """A host with one entry in memory in each of these queues."""
    host = BackQueue(b"a" * 8, HostState("a.test", "test", failures=failures))
    for order, queue in enumerate(queues, 1):
        host.state.queued[queue] += 1
        place = retry_order(NOW, order) if queue == RETRY else order
        host.heads[queue].entries.append(entry(place, queue=queue))
    return host


def unreachable(fetched_at: float, expires_at: float) -> RobotsState:
    return RobotsState(RobotsKind.UNREACHABLE, fetched_at, expires_at)


# --- heads -----------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(0, 1000), unique=True, max_size=40),
    st.lists(st.integers(0, 1000), unique=True, max_size=40),
    st.booleans(),
)
def test_a_head_is_the_front_of_its_queue(stored: list[int], added: list[int], loaded: bool) -> None:
    """Whether it was loaded before or not, what is in memory are the first of all entries, in order."""
    stored = sorted(stored)
    head = Head()
    if loaded:
        head.entries = [entry(order) for order in stored[:HEAD_ENTRIES_MAX]]
        head.complete = len(stored) < HEAD_ENTRIES_MAX
    present = set(stored)
    for order in added:
        if order not in present:
            present.add(order)
            head.add(entry(order))
        front = sorted(present)
        memory = [each.order for each in head.entries]
        assert len(memory) <= HEAD_ENTRIES_MAX
        assert memory == (front if head.complete else front[: len(memory)])


def test_an_entry_put_back_is_first_again() -> None:
    head = Head([entry(2), entry(5)], complete=False)
    taken = head.entries.pop(0)
    head.put_back(taken)
    assert [each.order for each in head.entries] == [2, 5]


@pytest.mark.parametrize(
    ("entries", "complete", "more"), [([], False, False), ([], True, False), ([1], True, False), ([1], False, True)]
)
def test_has_more(entries: list[int], complete: bool, more: bool) -> None:
    assert Head([entry(order) for order in entries], complete).has_more is more


def test_fill_heads_are_complete_and_bounded() -> None:
    host = back_queue()
    found = [entry(order, queue=1) for order in range(40)]
    host.fill_heads([*found, entry(99, queue=3)])
    assert [each.order for each in host.heads[1].entries] == list(range(HEAD_ENTRIES_MAX))
    assert not host.heads[1].complete
    assert host.heads[3].complete
    assert host.heads[0].complete


# --- the queue to take from ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("queues", "failures", "now", "chance", "chosen"),
    [
        ([], 0, NOW, 0.0, -1),
        ([0, 4], 0, NOW, 0.0, 0),
        ([0, 4], 0, NOW, 0.999, 4),
        ([2], 0, NOW, 0.5, 2),
        ([0, RETRY], 0, NOW, 0.0, RETRY),  # a due retry goes first
        ([0, RETRY], 0, NOW - 1, 0.0, 0),  # one that is not due does not
        ([RETRY], 0, NOW - 1, 0.0, -1),
        ([0, RETRY], 1, NOW, 0.0, 0),  # while the host fails, others go first
        ([RETRY], 1, NOW, 0.0, RETRY),
    ],
)
def test_choose_queue(queues: list[int], failures: int, now: float, chance: float, chosen: int) -> None:
    assert back_queue(*queues, failures=failures).choose_queue(now, chance) == chosen


def test_a_retry_queue_that_is_not_in_memory_is_chosen_to_be_looked_at() -> None:
    host = back_queue(0)
    host.state.queued[RETRY] = 1
    assert host.choose_queue(0.0, 0.0) == RETRY
    assert host.unread_queue() == RETRY


@pytest.mark.parametrize(
    ("queues", "due", "level"), [([3], 0.0, 3), ([1, 4], 0.0, 1), ([RETRY], NOW, 4), ([RETRY, 2], 0.0, 2)]
)
def test_next_due_and_best_level(queues: list[int], due: float, level: int) -> None:
    host = back_queue(*queues)
    assert host.next_due() == due
    assert host.best_level() == level


def test_an_errand_is_due_now() -> None:
    host = back_queue(RETRY)
    host.errands.append(Errand(b"b" * 8, "http://b.test", f"{HTTP}/robots.txt", 1))
    assert host.next_due() == 0.0


# --- robots.txt ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("robots", "failures", "blocked"),
    [
        (None, 0, False),
        (RobotsState(RobotsKind.ALLOW_ALL, 0, NOW + 9), 0, False),
        (RobotsState(RobotsKind.RULES, 0, NOW + 9, b"x"), 3, False),
        (unreachable(0, NOW + 9), 0, True),
        (unreachable(0, NOW), 0, False),  # time to ask again
        (unreachable(0, NOW), 1, True),  # but other things first while the host fails
    ],
)
def test_is_blocked(robots: RobotsState | None, failures: int, blocked: bool) -> None:
    host = back_queue(0, failures=failures)
    if robots is not None:
        host.robots[HTTP] = robots
    assert host.is_blocked(entry(1), NOW) is blocked


def test_first_open_and_first_blocked() -> None:
    host = back_queue()
    host.heads[0].entries = [entry(1, f"{HTTP}/")]
    host.heads[2].entries = [entry(2, f"{HTTPS}/", queue=2)]
    host.heads[RETRY].entries = [entry(retry_order(NOW + 5, 3), "http://a.test:81/", queue=RETRY)]
    host.robots = {HTTP: unreachable(20, NOW + 9), HTTPS: unreachable(10, NOW + 9)}
    assert host.first_open(NOW) is None, "the retry is not due"
    assert host.first_blocked(NOW).order == 2, "the file asked for longest ago"
    assert host.first_open(NOW + 5) is host.heads[RETRY].entries[0]


def test_rules_are_read_anew_with_each_file_and_delays_are_the_greatest() -> None:
    host = back_queue()
    assert host.rules_of(HTTP, "gossamer") is None
    assert host.crawl_delay("gossamer") == 0.0
    host.keep_robots(HTTP, RobotsState(RobotsKind.RULES, 0, 9, b"User-agent: *\nCrawl-delay: 3\nDisallow: /x"))
    host.keep_robots(HTTPS, RobotsState(RobotsKind.RULES, 0, 9, b"User-agent: *\nCrawl-delay: 8"))
    rules = host.rules_of(HTTP, "gossamer")
    assert rules is not None
    assert not rules.verdict("/x").allowed
    assert host.rules_of(HTTP, "gossamer") is rules
    assert host.crawl_delay("gossamer") == 8.0
    host.keep_robots(HTTPS, RobotsState(RobotsKind.ALLOW_ALL, 0, 9))
    assert host.crawl_delay("gossamer") == 3.0


def test_files_kept_are_bounded_and_the_oldest_goes() -> None:
    host = back_queue()
    stored: set[str] = set()
    for number in range(2 * ROBOTS_AUTHORITIES_PER_HOST_MAX):
        authority = f"http://a.test:{number + 1}"
        state = RobotsState(RobotsKind.RULES, number, 9, b"User-agent: *\nDisallow: /")
        for command in host.keep_robots(authority, state):
            if isinstance(command, SaveRobots):
                stored.add(command.authority)
            elif isinstance(command, DropRobots):
                stored.remove(command.authority)
        assert host.rules_of(authority, "gossamer") is not None
        assert stored == set(host.robots), "what is forgotten leaves the store too"
    assert len(host.robots) == len(host.rules) == ROBOTS_AUTHORITIES_PER_HOST_MAX
    assert f"http://a.test:{2 * ROBOTS_AUTHORITIES_PER_HOST_MAX}" in host.robots


@given(st.lists(st.integers(0, LEVELS - 1), min_size=1, max_size=20), st.floats(0, 1, exclude_max=True))
def test_what_is_chosen_has_something(queues: list[int], chance: float) -> None:
    host = back_queue(*queues)
    assert host.state.queued[host.choose_queue(NOW, chance)] > 0
