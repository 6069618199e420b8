"""Stored forms and keys: what was written is read back, by newer releases too, and keys sort as queues must."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.records import (
    QUEUES,
    RETRY_SEQUENCE_BITS,
    Attempt,
    HostState,
    PageRecord,
    PageState,
    decode_host,
    decode_page,
    encode,
    queue_key,
    ready_key,
    retry_due,
    retry_order,
)

HOST_A, HOST_B = b"a" * 8, b"b" * 8
DUE = st.floats(0, 4e9)
SEQUENCE = st.integers(0, 1 << 40)


def full_record() -> PageRecord:
    return PageRecord(
        "http://a.test/1?q",
        depth=3,
        level=2,
        hops="LLR",
        referrer="http://a.test/",
        group="mine",
        found_at=1.5,
        redirects=1,
        state=PageState.FAILED,
        reason="timeout",
        order=77,
        queue=5,
        tries=3,
        attempts=[Attempt(1.0, "timeout"), Attempt(2.0, "status 500", 500)],
        etag='"x"',
        digest=b"\0\xff",
        tried=["http://a.test/1"],
        cookies=[("a", "b")],
    )


def test_records_are_read_back_as_written() -> None:
    record = full_record()
    assert decode_page(encode(record)) == record
    state = HostState("a.test", "test", queued=[1, 2, 3, 4, 5, 6], response_seconds=[0.5], parked=True, held=True)
    assert decode_host(encode(state)) == state
    assert state.total == 21


def test_a_record_of_an_older_release_opens_with_defaults() -> None:
    assert decode_page(msgspec.msgpack.encode(["http://a.test/"])) == PageRecord("http://a.test/")
    assert decode_host(msgspec.msgpack.encode(["a.test", "test"])) == HostState("a.test", "test")


def test_a_record_of_a_newer_release_opens_without_what_is_unknown() -> None:
    longer = [*msgspec.msgpack.decode(encode(full_record())), "a field to come"]
    assert decode_page(msgspec.msgpack.encode(longer)) == full_record()


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x90", encode(full_record())[:-1], msgspec.msgpack.encode([1])])
def test_what_is_no_record_says_so(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_page(data)
    with pytest.raises(msgspec.DecodeError):
        decode_host(data)


def test_two_records_share_nothing() -> None:
    one, other = HostState("a", "a"), HostState("b", "b")
    one.queued[0] += 1
    one.response_seconds.append(1.0)
    assert other.total == 0
    assert other.response_seconds == []
    first, second = PageRecord("x"), PageRecord("y")
    first.attempts.append(Attempt(1.0, "x"))
    assert second.attempts == []


@given(st.lists(st.tuples(st.sampled_from([HOST_A, HOST_B]), st.integers(0, QUEUES - 1), st.integers(0, 2**64 - 1))))
def test_queue_keys_sort_by_host_queue_and_order(places: list[tuple[bytes, int, int]]) -> None:
    assert sorted(queue_key(*place) for place in places) == [queue_key(*place) for place in sorted(places)]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2**44), st.sampled_from([HOST_A, HOST_B]))))
def test_ready_keys_sort_by_level_and_wake(places: list[tuple[int, int, bytes]]) -> None:
    assert sorted(ready_key(*place) for place in places) == [ready_key(*place) for place in sorted(places)]


@given(DUE, SEQUENCE)
def test_a_retry_is_due_within_a_millisecond_and_not_later(due: float, sequence: int) -> None:
    order = retry_order(due, sequence)
    assert due - 0.0011 <= retry_due(order) <= due
    assert 0 <= order < 1 << 64


@given(DUE, DUE, SEQUENCE, SEQUENCE)
def test_retries_stand_in_order_of_their_moments(one: float, other: float, first: int, second: int) -> None:
    if int(one * 1000) < int(other * 1000):
        assert retry_order(one, first) < retry_order(other, second)


def test_many_retries_of_one_moment_have_places_of_their_own() -> None:
    orders = {retry_order(1.7e9, sequence) for sequence in range(5, 5 + 100_000)}
    assert len(orders) == 100_000
    assert retry_order(1.7e9, 0) == retry_order(1.7e9, 1 << RETRY_SEQUENCE_BITS)
    assert retry_order(-5.0, 3) == 3
