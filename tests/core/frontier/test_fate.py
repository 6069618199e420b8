"""Whom a failure is blamed on, and what becomes of the URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.fate import Blame, FateKind, fate_of_failure, is_counted
from gossamer.core.frontier.records import Attempt, HostState, PageRecord
from gossamer.core.limits import URL_TRIES_MAX

HOST, URL, EITHER = Blame.HOST, Blame.URL, Blame.EITHER
NOW = 1000.0


def host(failures: int = 0, answered_at: float = 0.0) -> HostState:
    return HostState("a.test", "test", failures=failures, answered_at=answered_at)


def record(tries: int = 0, *attempts: float) -> PageRecord:
    return PageRecord("http://a.test/", tries=tries, attempts=[Attempt(at, "timeout") for at in attempts])


@pytest.mark.parametrize(
    ("blame", "state", "page", "counted"),
    [
        (URL, host(), record(), True),
        (URL, host(failures=9), record(), True),
        (HOST, host(), record(), False),
        (HOST, host(failures=9), record(1, 5.0), False),
        (EITHER, host(), record(), True),
        (EITHER, host(failures=1), record(), False),
        (EITHER, host(failures=1), record(0, 50.0), False),
        (EITHER, host(failures=1, answered_at=50.0), record(0, 50.0), False),
        (EITHER, host(failures=1, answered_at=51.0), record(0, 50.0), True),
        (EITHER, host(failures=1, answered_at=51.0), record(0, 10.0, 60.0), False),
    ],
)
def test_is_counted(blame: Blame, state: HostState, page: PageRecord, counted: bool) -> None:
    assert is_counted(blame, state, page) is counted


@pytest.mark.parametrize(
    ("blame", "state", "tries", "kind", "due"),
    [
        (HOST, host(), 2, FateKind.BACK, 0.0),
        (HOST, host(failures=50), 0, FateKind.BACK, 0.0),
        (URL, host(), 0, FateKind.RETRY, NOW + 10),
        (URL, host(), 1, FateKind.RETRY, NOW + 60),
        (URL, host(), 2, FateKind.FAILED, 0.0),
        (URL, host(), 7, FateKind.FAILED, 0.0),
        (EITHER, host(), 2, FateKind.FAILED, 0.0),
        (EITHER, host(failures=1), 0, FateKind.RETRY, NOW + 10),
        (EITHER, host(failures=1), 2, FateKind.RETRY, NOW + 60),
    ],
)
def test_fate_of_failure(blame: Blame, state: HostState, tries: int, kind: FateKind, due: float) -> None:
    page = record(tries)
    fate = fate_of_failure(blame=blame, reason="timeout", host=state, record=page, ended=NOW, retry_first_seconds=10.0)
    assert (fate.kind, fate.due, fate.reason) == (kind, due, "timeout")
    assert page.tries == tries, "the caller counts"


@given(
    st.lists(st.tuples(st.sampled_from([*Blame]), st.booleans()), max_size=40),
    st.floats(0.1, 100),
)
def test_a_url_fails_after_exactly_its_tries(events: list[tuple[Blame, bool]], first: float) -> None:
    """However failures come, the fate FAILED meets the third one that counts, and waits only grow."""
    page, waits = record(), [0.0]
    for blame, host_answers in events:
        state = host(failures=0 if host_answers else 3)
        fate = fate_of_failure(blame=blame, reason="x", host=state, record=page, ended=NOW, retry_first_seconds=first)
        page.tries += is_counted(blame, state, page)
        assert (fate.kind is FateKind.FAILED) == (blame is not HOST and page.tries >= URL_TRIES_MAX)
        if fate.kind is FateKind.FAILED:
            return
        if fate.kind is FateKind.RETRY:
            waits.append(fate.due - NOW)
    assert waits == sorted(waits)
