from __future__ import annotations

import pytest

from gossamer.core.frontier.fate import Blame
from gossamer.core.http.exchange import Exchange, FailureKind
from gossamer.core.http.failure_policy import FAILURES, exchange_policy, failure_reason, status_policy


def test_every_failure_has_its_row() -> None:
    assert set(FAILURES) == set(FailureKind)


@pytest.mark.parametrize(
    ("kind", "blame", "slows"),
    [
        (FailureKind.NAME_NOT_FOUND, Blame.HOST, True),
        (FailureKind.CONNECT_REFUSED, Blame.HOST, True),
        (FailureKind.TIMEOUT, Blame.EITHER, True),
        (FailureKind.RESET, Blame.EITHER, True),
        (FailureKind.BAD_ANSWER, Blame.URL, False),
        (FailureKind.CLOSED, Blame.NOBODY, False),
    ],
)
def test_whom_a_failure_counts_against(kind: FailureKind, blame: Blame, slows: bool) -> None:
    policy = exchange_policy(Exchange("http://h.example/", 0.0, 1.0, failure=kind))
    assert policy is not None
    assert (policy.blame, policy.slows, policy.retry) == (blame, slows, True)


def test_a_forbidden_address_is_final() -> None:
    policy = FAILURES[FailureKind.ADDRESS_REFUSED]
    assert not policy.retry
    assert not policy.slows


@pytest.mark.parametrize("status", [200, 204, 206, 301, 304, 400, 401, 403, 404, 410, 451])
def test_answers_are_no_failures(status: int) -> None:
    assert status_policy(status) is None


@pytest.mark.parametrize(
    ("status", "blame"),
    [
        (429, Blame.EITHER),
        (503, Blame.EITHER),
        (500, Blame.URL),
        (502, Blame.URL),
        (599, Blame.URL),
        (600, Blame.URL),
        (999, Blame.URL),
        (408, Blame.EITHER),
    ],
)
def test_statuses(status: int, blame: Blame) -> None:
    exchange = Exchange("http://h.example/", 0.0, 1.0, status=status)
    policy = exchange_policy(exchange)
    assert policy is not None
    assert policy.blame is blame
    assert policy.slows == (blame is Blame.EITHER)
    assert failure_reason(exchange) == f"status {status}"
