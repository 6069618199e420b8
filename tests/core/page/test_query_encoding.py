from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.charset_labels import ENCODINGS
from gossamer.core.page.query_encoding import encode_query


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
        ("?a=\ue5e5é", "gb18030", "?a=%26%2358853%3B%A8%A6"),
        ("?a=\x0eb\x1b", "iso-2022-jp", "?a=%26%2365533%3Bb%26%2365533%3B"),
        ("?a=\x0eb", "windows-1252", "?a=\x0eb"),
    ],
)
def test_queries(reference: str, encoding: str, expected: str) -> None:
    assert encode_query(reference, encoding) == expected


@given(st.text(), st.sampled_from(ENCODINGS))
def test_never_raises(reference: str, encoding: str) -> None:
    encode_query(reference, encoding)
