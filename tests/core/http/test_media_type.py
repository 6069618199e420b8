"""Content-Type by the WHATWG MIME Sniffing and Fetch standards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.http.media_type import MediaType, combined, parse

if TYPE_CHECKING:
    pass

TOKEN = set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

CASES = [
    ("text/html", "text/html", ""),
    ("TEXT/HTML; CHARSET=UTF-8", "text/html", "utf-8"),
    ('text/html; charset="utf-8"', "text/html", "utf-8"),
    (" text/html ;charset=utf-8", "text/html", "utf-8"),
    ("text/html;;; charset=a; charset=b", "text/html", "a"),
    ("text/html; charset = utf-8", "text/html", ""),
    ("text/html; charset='utf-8'", "text/html", "'utf-8'"),
    ("text/html; charset", "text/html", ""),
    ("text/html; charset=", "text/html", ""),
    ('text/html; charset="ut\\f-8', "text/html", "utf-8"),
    ("text/html, text/plain", "", ""),
    ("text", "", ""),
    ("/html", "", ""),
    ("text/", "", ""),
    ("", "", ""),
    ("text/ht ml", "", ""),
]


@pytest.mark.parametrize(("value", "essence", "charset"), CASES)
def test_parse(value: str, essence: str, charset: str) -> None:
    parsed = parse(value)
    assert ((parsed.essence, parsed.charset) if parsed else ("", "")) == (essence, charset)


def test_the_last_valid_type_wins() -> None:
    assert combined(["text/html; charset=a", "nonsense", "text/plain"]) == MediaType("text/plain")
    assert combined([]) is None


@given(st.lists(st.text(st.sampled_from('ab/;= ",\\\t\xe9'), max_size=30), max_size=3))
def test_never_raises(values: list[str]) -> None:
    parsed = combined(values)
    if parsed is not None:
        assert parsed.essence.count("/") == 1
        assert len(dict(parsed.parameters)) == len(parsed.parameters)


@pytest.mark.parametrize("value", ["text/html;" + "a=b;" * 50_000, 'text/html;a="' + "\\" * 100_000, "," * 100_000])
def test_long_values_are_no_work(value: str) -> None:
    combined([value])
