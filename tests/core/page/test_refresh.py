from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.refresh import Refresh, parse_refresh
from tests.published import SHARED, needs_shared


@pytest.mark.parametrize(
    ("content", "refresh"),
    [
        ("5; next.html", Refresh(5, "next.html")),
        ("0;URL='a b'c", Refresh(0, "a b")),
        ("0; url = \"x'y", Refresh(0, "x'y")),
        (".5,x", Refresh(0, "x")),
        ("3.14 url=x", Refresh(3, "x")),
        ("1", Refresh(1, "")),
        ("1;", Refresh(1, "")),
        ("1; url foo", Refresh(1, "url foo")),
        ("1; ; x", Refresh(1, "; x")),
        ("9" * 5000, Refresh(999_999_999, "")),
        ("", None),
        ("x", None),
        ("-1;x", None),
        ("1url=x", None),
        ("\u0661;x", None),
    ],
)
def test_grammar(content: str, refresh: Refresh | None) -> None:
    assert parse_refresh(content) == refresh


@needs_shared
def test_published_contents() -> None:
    cases = json.loads((SHARED / "data/wpt-html/meta-refresh.json").read_text(encoding="utf-8"))["cases"]
    for case in cases:
        refresh = parse_refresh(case["content"])
        if case["delay"] is None:
            assert refresh is None, case
            continue
        url = "" if case["url"] == "(the page itself)" else case["url"]
        assert refresh is not None, case
        # The URL parser, not the grammar, takes away tabs, line ends and outer blanks.
        stripped = refresh.url.strip("\t\n\f\r ").translate(dict.fromkeys(map(ord, "\t\n\r")))
        assert (refresh.delay_seconds, stripped) == (case["delay"], url), case


@given(st.text(alphabet="0123456789.;, \turlURL='\"x\u0660", max_size=40))
def test_never_raises(content: str) -> None:
    parse_refresh(content)
