from __future__ import annotations

import pytest

from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import ROBOTS_AGE_MAX_SECONDS, ROBOTS_BYTES_MAX
from gossamer.core.robots.answer import (
    RobotsAnswer,
    RobotsKind,
    RobotsState,
    decode_robots,
    encode_robots,
    robots_state,
)
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import verdict_of

BODY = b"User-agent: *\nDisallow: /x\n"
DAY = 24 * 3600.0


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (RobotsAnswer(200, BODY), RobotsKind.RULES, ""),
        (RobotsAnswer(204), RobotsKind.RULES, ""),
        (RobotsAnswer(301), RobotsKind.ALLOW_ALL, "301"),
        (RobotsAnswer(301, too_many_redirects=True), RobotsKind.ALLOW_ALL, "too many redirects"),
        (RobotsAnswer(401), RobotsKind.ALLOW_ALL, "401"),
        (RobotsAnswer(403, b"<h1>no</h1>"), RobotsKind.ALLOW_ALL, "403"),
        (RobotsAnswer(404), RobotsKind.ALLOW_ALL, "404"),
        (RobotsAnswer(410), RobotsKind.ALLOW_ALL, "410"),
        (RobotsAnswer(429), RobotsKind.UNREACHABLE, "429"),
        (RobotsAnswer(500), RobotsKind.UNREACHABLE, "500"),
        (RobotsAnswer(503), RobotsKind.UNREACHABLE, "503"),
        (RobotsAnswer(), RobotsKind.UNREACHABLE, "no answer"),
        (RobotsAnswer(999), RobotsKind.UNREACHABLE, "999"),
        (RobotsAnswer(failure=FailureKind.TIMEOUT), RobotsKind.UNREACHABLE, "timeout"),
        (RobotsAnswer(failure=FailureKind.NAME_NOT_FOUND), RobotsKind.UNREACHABLE, "name not found"),
        (RobotsAnswer(200, BODY, cut=True), RobotsKind.UNREACHABLE, "cut short"),
    ],
)
def test_what_an_answer_comes_to(answer: RobotsAnswer, kind: RobotsKind, reason: str) -> None:
    state = robots_state(answer, None, 1000.0)
    assert (state.kind, state.reason, state.fetched_at) == (kind, reason, 1000.0)
    assert bool(state.body) == (kind is RobotsKind.RULES and bool(answer.body))
    assert 1000.0 < state.expires_at <= 1000.0 + ROBOTS_AGE_MAX_SECONDS


def test_the_last_good_copy_rules_for_thirty_days() -> None:
    state = robots_state(RobotsAnswer(200, BODY), None, 0.0)
    for day in range(1, 31):
        state = robots_state(RobotsAnswer(503), state, day * DAY)
        assert (state.kind, state.body, state.good_at, state.reason) == (RobotsKind.RULES, BODY, 0.0, "503")
        assert state.expires_at > day * DAY
    state = robots_state(RobotsAnswer(503), state, 30 * DAY + 1)
    assert (state.kind, state.body) == (RobotsKind.UNREACHABLE, b"")
    state = robots_state(RobotsAnswer(404), state, 31 * DAY)
    assert state.kind is RobotsKind.ALLOW_ALL


def test_no_file_is_no_copy() -> None:
    state = robots_state(RobotsAnswer(404), None, 0.0)
    assert robots_state(RobotsAnswer(500), state, 1.0).kind is RobotsKind.UNREACHABLE


def test_an_empty_file_is_a_copy() -> None:
    state = robots_state(RobotsAnswer(200), None, 0.0)
    assert robots_state(RobotsAnswer(500), state, 1.0).kind is RobotsKind.RULES


def test_a_body_is_kept_to_the_limit() -> None:
    state = robots_state(RobotsAnswer(200, b"#" + b"x" * ROBOTS_BYTES_MAX * 2), None, 0.0)
    # One octet more than is read, so that reading knows that the last line was cut.
    assert len(state.body) == ROBOTS_BYTES_MAX + 1


def test_the_stored_form() -> None:
    state = RobotsState(RobotsKind.RULES, 1.0, 2.0, BODY, 0.5, "503")
    assert decode_robots(encode_robots(state)) == state


@pytest.mark.parametrize(
    ("kind", "target", "allowed"),
    [
        (RobotsKind.RULES, "/x", False),
        (RobotsKind.RULES, "/y", True),
        (RobotsKind.ALLOW_ALL, "/x", True),
        (RobotsKind.UNREACHABLE, "/y", False),
        (RobotsKind.UNREACHABLE, "/robots.txt", True),
    ],
)
def test_the_verdict_under_a_state(kind: RobotsKind, target: str, allowed: bool) -> None:
    state = RobotsState(kind, 0.0, 1.0, BODY if kind is RobotsKind.RULES else b"")
    rules = RobotsRules.parse(state.body, "gossamer") if state.body else None
    assert verdict_of(state, rules, target).allowed == allowed
