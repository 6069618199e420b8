from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.charset_labels import ENCODINGS
from gossamer.core.page.query_encoding import encode_query
from tests.published import SHARED, needs_shared


@pytest.mark.parametrize(
    ("reference", "encoding", "expected"),
    [
        ("/é?q=é", "windows-1252", "/é?q=%E9"),
        ("?q=привет&a=b#é?", "windows-1251", "?q=%EF%F0%E8%E2%E5%F2&a=b#é?"),
        ("?q=日本", "shift_jis", "?q=%93%FA%96{"),
        ("?q=†&r=日", "windows-1252", "?q=%86&r=%26%2326085%3B"),
        ("?q=é", "utf-16le", "?q=é"),
        ("?q=é", "utf-8", "?q=é"),
        ("#?q=é", "windows-1252", "#?q=é"),
        ("/é", "windows-1252", "/é"),
        ("?a=%20'", "windows-1252", "?a=%20'"),
    ],
)
def test_queries(reference: str, encoding: str, expected: str) -> None:
    assert encode_query(reference, encoding) == expected


@needs_shared
def test_published_cases() -> None:
    cases = json.loads((SHARED / "data/url-whatwg/percent-encoding.json").read_text(encoding="utf-8"))
    rows = [(case["input"], *pair) for case in cases if isinstance(case, dict) for pair in case["output"].items()]
    # ASCII and UTF-8 are left to the URL parser. U+E5E5 has bytes in Python's gb18030 and none in the standard's.
    judged = [row for row in rows if not row[0].isascii() and row[1] != "utf-8" and row[0] != "\ue5e5"]
    assert len(judged) >= 6
    for text, encoding, expected in judged:
        assert encode_query("?" + text, encoding) == "?" + expected, (text, encoding)


@given(st.text(), st.sampled_from(ENCODINGS))
def test_never_raises(reference: str, encoding: str) -> None:
    encode_query(reference, encoding)
