"""What a host state learns from a visit: the earliest next moment is the greatest of all that asks for one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.dns.answer import Answer
from gossamer.core.frontier.events import Visited
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.host_update import after_visit, lookup_failed
from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.core.frontier.records import HostState
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import (
    BACKOFF_FIRST_SECONDS,
    HOST_FAILURES_PARKED,
    NAME_FAILURES_PARKED,
    PARK_FIRST_SECONDS,
    RESPONSE_TIMES_KEPT,
)
from gossamer.core.politeness.gap import GapPolicy

START, END = 1000.0, 1000.5
PAGE = Lease(1, LeaseKind.PAGE, b"a", "a.test", "test", "http://a.test/", ("192.0.2.1",), "192.0.2.1", START, 100)
ANSWERED: dict[str, Any] = {"answered": True, "slows": False, "failed": False}
SLOWED: dict[str, Any] = {"answered": True, "slows": True, "failed": False, "error": "status 503"}
BROKEN: dict[str, Any] = {"answered": False, "slows": False, "failed": False}
SILENT: dict[str, Any] = {"answered": False, "slows": True, "failed": True, "error": "connection refused"}


def visited(**changes: Any) -> Visited:
    values: dict[str, Any] = {"ended": END, "started": START, **ANSWERED, **changes}
    return Visited(PAGE, Fate(FateKind.DONE), **values)


def state(**values: Any) -> HostState:
    return HostState("a.test", "test", **values)


@pytest.mark.parametrize(
    ("gap", "known", "event", "wait"),
    [
        (1.0, {}, {}, 5 * 0.5),  # the response time's multiple
        (3.0, {}, {}, 3.0),
        (0.5, {}, {}, 0.5),  # a gap under a second switches the multiple off
        (0.0, {}, {}, 0.0),
        (0.0, {"crawl_delay": 7.0}, {}, 7.0),
        (9.0, {"crawl_delay": 7.0}, {}, 9.0),
        (1.0, {"response_seconds": [4.0, 4.0, 4.0]}, {}, 20.0),
        (1.0, {"response_seconds": [40.0] * 5}, {}, 30.0),  # its cap
        (0.0, {}, {"retry_after": 12.0}, 12.0),
        (20.0, {}, {"retry_after": 12.0}, 20.0),
        (1.0, {}, {**SLOWED}, BACKOFF_FIRST_SECONDS),
        (1.0, {}, {**SILENT}, BACKOFF_FIRST_SECONDS),
        (1.0, {"failures": 1}, {**SILENT}, 2 * BACKOFF_FIRST_SECONDS),
        (1.0, {"failures": HOST_FAILURES_PARKED - 1}, {**SILENT}, PARK_FIRST_SECONDS),
        (1.0, {"failures": 3}, {**SLOWED, "retry_after": 500.0}, 500.0),
        (1.0, {}, {**SLOWED, "retry_after": 2.0}, BACKOFF_FIRST_SECONDS),
        (1.0, {}, {**BROKEN}, 1.0),
    ],
)
def test_next_moment(gap: float, known: dict[str, Any], event: dict[str, Any], wait: float) -> None:
    host = state(**known)
    after_visit(host, visited(**event), GapPolicy(gap), 0.0)
    assert host.next_at == pytest.approx(END + wait)
    assert host.last_end == END


def test_an_answer_forgives_failures_and_trouble_counts_them() -> None:
    host = state(failures=HOST_FAILURES_PARKED - 1)
    after_visit(host, visited(**SILENT), GapPolicy(1.0), 0.0)
    assert (host.failures, host.parked, host.error, host.error_at) == (
        HOST_FAILURES_PARKED,
        True,
        "connection refused",
        END,
    )
    after_visit(host, visited(**BROKEN), GapPolicy(1.0), 0.0)
    assert host.parked, "an answer that is none forgives nothing"
    after_visit(host, visited(), GapPolicy(1.0), 0.0)
    assert (host.failures, host.parked, host.answered_at) == (0, False, END)


def test_a_plea_to_slow_down_is_no_answer_at_all() -> None:
    host = state(answered_at=5.0)
    after_visit(host, visited(**SLOWED), GapPolicy(1.0), 0.0)
    assert (host.answered_at, host.failures) == (5.0, 1)


def test_counters() -> None:
    host = state()
    after_visit(host, visited(bytes=700, page=True), GapPolicy(1.0), 0.0)
    after_visit(host, visited(bytes=30), GapPolicy(1.0), 0.0)
    after_visit(host, visited(**SILENT), GapPolicy(1.0), 0.0)
    assert (host.fetches, host.pages, host.bytes) == (3, 1, 730)
    assert host.response_seconds == [0.5, 0.5], "what was not answered took no response time"


def test_response_times_kept_are_bounded() -> None:
    host = state()
    for _ in range(3 * RESPONSE_TIMES_KEPT):
        after_visit(host, visited(), GapPolicy(1.0), 0.0)
    assert len(host.response_seconds) == RESPONSE_TIMES_KEPT


@given(
    st.floats(0, 100),
    st.builds(state, crawl_delay=st.floats(0, 60), failures=st.integers(0, 12)),
    st.none() | st.floats(0, 1e5),
    st.sampled_from([ANSWERED, SLOWED, BROKEN, SILENT]),
    st.floats(0, 1, exclude_max=True),
)
def test_nothing_asked_for_is_undercut(
    gap: float, host: HostState, retry_after: float | None, event: dict[str, Any], chance: float
) -> None:
    delay = host.crawl_delay
    after_visit(host, visited(**event, retry_after=retry_after), GapPolicy(gap), chance)
    assert host.next_at >= END + max(gap, delay, retry_after or 0.0) - 1e-6


@pytest.mark.parametrize(
    ("expires", "failures", "wait"),
    [
        (0.0, 0, BACKOFF_FIRST_SECONDS),
        (END + 30.0, 0, 30.0),  # the answer will not change before
        (END + 3000.0, 0, 60.0),  # but a minute is enough
        (END + 30.0, NAME_FAILURES_PARKED - 1, PARK_FIRST_SECONDS),
        (END + 30.0, NAME_FAILURES_PARKED, 2 * PARK_FIRST_SECONDS),
    ],
)
def test_a_name_that_does_not_resolve(expires: float, failures: int, wait: float) -> None:
    host = state(failures=failures, next_at=5.0)
    lookup_failed(host, Answer((), expires, FailureKind.NAME_NOT_FOUND), END, 0.0)
    assert host.next_at == pytest.approx(END + wait)
    assert host.failures == failures + 1
    assert host.error == "name not found"


def test_a_failed_lookup_never_brings_the_next_moment_nearer() -> None:
    host = state(next_at=END + 500.0)
    lookup_failed(host, Answer((), END, FailureKind.NAME_FAILED), END, 0.0)
    assert host.next_at == END + 500.0
