"""Recent keys: met ones are told by host, and neither a host nor the whole grows beyond its bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.seen.recent import RecentKeys


def test_a_host_knows_what_its_pages_named() -> None:
    recent = RecentKeys()
    recent.meet("a", [b"1", b"2"])
    assert recent.unmet("a", [b"1", b"3"]) == [b"3"]
    assert recent.unmet("b", [b"1", b"3"]) == [b"1", b"3"]


def test_the_host_idle_longest_drops_out_first() -> None:
    recent = RecentKeys(keys_max=2)
    for host in ("a", "b", "a", "c"):
        recent.meet(host, [host.encode()])
    assert recent.unmet("b", [b"b"]) == [b"b"]
    assert recent.unmet("a", [b"a"]) == []


def test_a_host_with_too_many_begins_anew() -> None:
    recent = RecentKeys(per_host_max=3)
    recent.meet("a", [b"1", b"2"])
    recent.meet("a", [b"3", b"4"])
    assert recent.unmet("a", [b"1", b"3", b"4"]) == [b"1"]
    recent.meet("a", [b"5", b"6", b"7", b"8", b"9"])
    assert len(recent) == 3


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.lists(st.integers(0, 20).map(lambda n: b"%d" % n)))))
def test_never_more_than_allowed_and_never_one_not_met(pages: list[tuple[str, list[bytes]]]) -> None:
    recent = RecentKeys(keys_max=12, per_host_max=5)
    met: set[tuple[str, bytes]] = set()
    for host, keys in pages:
        assert {(host, key) for key in keys} - {(host, key) for key in recent.unmet(host, keys)} <= met
        recent.meet(host, keys)
        met |= {(host, key) for key in keys}
        assert len(recent) == sum(len(keys) for keys in recent._by_host.values()) <= 12
