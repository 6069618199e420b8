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
    judged = 0
    for case in cases:
        for encoding, expected in case["output"].items() if isinstance(case, dict) else ():
            # Python's iso-2022-jp and big5 know characters of later standards than the Encoding standard's index.
            if encoding in ("utf-8", "iso-2022-jp") or case["input"].isascii():
                continue
            judged += 1
            assert encode_query("?" + case["input"], encoding) == "?" + expected, (case, encoding)
    assert judged >= 4


@given(st.text(), st.sampled_from(ENCODINGS))
def test_never_raises(reference: str, encoding: str) -> None:
    encode_query(reference, encoding)
