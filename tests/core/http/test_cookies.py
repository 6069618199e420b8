"""Cookies of one redirect chain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core import limits
from gossamer.core.http.cookies import cookie_header, cookies_after
from gossamer.core.http.request import is_sendable

CASES = [
    (["a=1"], (), (("a", "1"),)),
    (["a=1; Path=/; HttpOnly"], (), (("a", "1"),)),
    (["b=2", "a=1"], (), (("a", "1"), ("b", "2"))),
    (["a=2"], (("a", "1"),), (("a", "2"),)),
    (["b=2"], (("a", "1"),), (("a", "1"), ("b", "2"))),
    (["a="], (), (("a", ""),)),
    (["a=b=c"], (), (("a", "b=c"),)),
    ([' a = "q r" '], (), (("a", '"q r"'),)),
    (["a"], (), ()),
    (["=1"], (), ()),
    ([""], (), ()),
    (["a b=1"], (), ()),
    (["a=1\r\nX: y"], (), ()),
    (["a=1\x00"], (), ()),
    (["a=; Max-Age=0"], (("a", "1"),), ()),
    (["a=; max-age=-10"], (("a", "1"),), ()),
    (["a=2; Max-Age=060"], (("a", "1"),), (("a", "2"),)),
    (["a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], (("a", "1"),), ()),
    (["a=2; Expires=Thu, 01-Jan-2038 00:00:00 GMT"], (), (("a", "2"),)),
    (["a=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9"], (), (("a", "2"),)),
]


@pytest.mark.parametrize(("fields", "existing", "expected"), CASES)
def test_cookies_after(
    fields: list[str], existing: tuple[tuple[str, str], ...], expected: tuple[tuple[str, str], ...]
) -> None:
    assert cookies_after(fields, existing) == expected


def test_header() -> None:
    assert cookie_header((("a", "1"), ("b", "2"))) == "a=1; b=2"
    assert cookie_header(()) == ""


def test_bounds() -> None:
    many = cookies_after([f"c{number}=1" for number in range(1000)], ())
    assert len(many) == limits.COOKIES_MAX
    assert cookies_after(["a=" + "x" * limits.COOKIE_BYTES_MAX], ()) == ()


TEXT = st.text(st.characters(max_codepoint=0xFF), max_size=40)


@given(st.lists(TEXT, max_size=5))
def test_whatever_is_set_can_be_sent_and_says_the_same_again(fields: list[str]) -> None:
    cookies = cookies_after(fields, ())
    header = cookie_header(cookies)
    assert is_sendable(header)
    assert len(header) <= limits.COOKIE_BYTES_MAX
    assert cookies_after([f"{name}={value}" for name, value in cookies], ()) == cookies
