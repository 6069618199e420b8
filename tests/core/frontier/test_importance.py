"""Importance by URL, host and site: exact keys, the last value given, the nearest thing said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.importance import Table64, importance_of
from gossamer.core.seen.fingerprint import Fingerprinter

IDS = Fingerprinter(bytes(16))
KEYS = st.binary(min_size=8, max_size=8)


@given(st.lists(st.tuples(KEYS, st.integers(0, 1000)), max_size=40), st.lists(KEYS, max_size=10))
def test_a_table_is_a_mapping(rows: list[tuple[bytes, int]], others: list[bytes]) -> None:
    wanted = {key: value / 1000 for key, value in rows}
    table = Table64(b"".join(key for key, _ in rows), [value / 1000 for _, value in rows])
    assert len(table) == len(wanted)
    asked = [*wanted, *others]
    for key, value in zip(asked, table.values(b"".join(asked)), strict=True):
        assert abs(value - wanted.get(key, -1.0)) < 0.001


def key(url: str, host: str) -> bytes:
    return IDS.page_key(host, url)


def test_a_url_counts_before_its_host_and_a_host_before_its_site() -> None:
    rows = [
        (key("http://www.a.test/x", "www.a.test"), True, 1.0),
        (IDS.host_id("www.a.test"), False, 0.75),
        (IDS.host_id("a.test"), False, 0.25),
    ]
    found = importance_of(IDS, [tuple(zip(*rows, strict=True))])  # type: ignore[list-item]
    assert len(found) == 3
    asked = [
        ("http://www.a.test/x", "www.a.test"),
        ("http://www.a.test/y", "www.a.test"),
        ("http://a.test/", "b.a.test"),
    ]
    assert found.of([key(*each) for each in asked], ["a.test"] * 3) == [1.0, 0.75, 0.25]
    assert found.of([key("http://b.test/", "b.test")], ["b.test"]) == [-1.0]


def test_nothing_said_is_nothing_said() -> None:
    assert importance_of(IDS, []).of([bytes(24)], ["a.test"]) == [-1.0]
