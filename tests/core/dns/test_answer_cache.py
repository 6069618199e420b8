"""Answers kept by their time to live."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core import limits
from gossamer.core.dns.answer import Answer
from gossamer.core.dns.answer_cache import AnswerCache, negative, positive
from gossamer.core.http.exchange import FailureKind

ONE = ("192.0.2.1",)


@pytest.mark.parametrize(
    ("ttl_seconds", "kept_seconds"),
    [
        (0, limits.DNS_TTL_MIN_SECONDS),
        (-5, limits.DNS_TTL_MIN_SECONDS),
        (300, 300),
        (10**9, limits.DNS_TTL_MAX_SECONDS),
    ],
)
def test_time_to_live_is_clamped(ttl_seconds: float, kept_seconds: float) -> None:
    assert positive(ONE, ttl_seconds, 1000.0) == Answer(ONE, 1000.0 + kept_seconds)


def test_negative_answers_by_kind() -> None:
    absent = negative(FailureKind.NAME_NOT_FOUND, "no", 0.0)
    assert absent == Answer((), limits.DNS_NEGATIVE_SECONDS, FailureKind.NAME_NOT_FOUND, "no")
    assert negative(FailureKind.NAME_NOT_FOUND, "no", 0.0, 90.0).expires == 90.0
    assert negative(FailureKind.NAME_FAILED, "no", 0.0, 90.0).expires == limits.DNS_FAILED_SECONDS


def test_an_answer_is_good_until_it_expires() -> None:
    cache = AnswerCache()
    cache.put("a", Answer(ONE, 100.0), 0.0)
    assert cache.get("a", 99.9) == Answer(ONE, 100.0)
    assert cache.get("a", 100.0) is None
    assert cache.get("b", 0.0) is None


def test_a_stale_answer_serves_while_servers_fail() -> None:
    cache = AnswerCache()
    cache.put("a", Answer(ONE, 100.0), 0.0)
    failed = negative(FailureKind.NAME_FAILED, "down", 200.0)
    assert cache.put("a", failed, 200.0) == Answer(ONE, 200.0 + limits.DNS_FAILED_SECONDS)
    late = 100.0 + limits.DNS_STALE_SECONDS_MAX
    assert cache.put("a", failed, late) == failed


def test_a_stale_answer_does_not_outlive_a_clear_no() -> None:
    cache = AnswerCache()
    cache.put("a", Answer(ONE, 100.0), 0.0)
    absent = negative(FailureKind.NAME_NOT_FOUND, "", 200.0)
    assert cache.put("a", absent, 200.0) == absent
    failed = negative(FailureKind.NAME_FAILED, "down", 900.0)
    assert cache.put("a", failed, 900.0) == failed


def test_the_least_recently_used_name_goes() -> None:
    cache = AnswerCache(names_max=2)
    cache.put("a", Answer(ONE, 100.0), 0.0)
    cache.put("b", Answer(ONE, 100.0), 0.0)
    cache.get("a", 0.0)
    cache.put("c", Answer(ONE, 100.0), 0.0)
    assert [cache.get(name, 0.0) is not None for name in "abc"] == [True, False, True]


def test_no_room_at_all_is_misuse() -> None:
    with pytest.raises(ValueError, match="at least one"):
        AnswerCache(names_max=0)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 100)), max_size=50), st.integers(1, 4))
def test_never_more_names_than_allowed(puts: list[tuple[str, float]], names_max: int) -> None:
    cache = AnswerCache(names_max)
    for name, now in puts:
        cache.put(name, positive(ONE, 60, now), now)
        assert len(cache) <= names_max
        assert cache.get(name, now) is not None
