from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.text_turbohtml import page_text

URL = "http://example.org/"


@pytest.mark.parametrize(
    ("body", "content_type", "media_type", "text"),
    [
        (b"<title>T</title><h1>Head</h1><p>One <b>two</b></p>", "text/html", "text/html", "Head\n\nOne two"),
        (b"<p>a</p><script>no()</script><style>no{}</style><template>no</template>", "", "text/html", "a"),
        (b"<ul><li>a<li>b</ul>", "text/html", "text/html", "* a\n* b"),
        ("<p>é</p>".encode("latin-1"), "text/html; charset=iso-8859-1", "text/html", "é"),
        (b"<html xmlns='http://www.w3.org/1999/xhtml'><body>x</body></html>", "", "application/xhtml+xml", "x"),
        ("plain é".encode(), "text/plain; charset=utf-8", "text/plain", "plain é"),
        (b'{"a": 1}', "application/json", "application/json", '{"a": 1}'),
        (b"<feed/>", "application/atom+xml", "application/atom+xml", "<feed/>"),
        (b"%PDF-1.7", "application/pdf", "application/pdf", ""),
        (b"\x89PNG\r\n", "text/html", "text/html", ""),
        (b"", "text/html", "text/html", ""),
        (b"<b>" * 30_000 + b"<p>" * 30_000, "text/html", "text/html", ""),
    ],
)
def test_texts(body: bytes, content_type: str, media_type: str, text: str) -> None:
    assert page_text(body, URL, content_type, media_type) == text


@given(st.binary(max_size=300))
def test_nothing_raises(body: bytes) -> None:
    page_text(b"<p>" + body, URL, "text/html", "text/html")
    page_text(body, "urn:x", "text/html", "text/html")


def test_deep_nesting_ends() -> None:
    assert page_text(b"<div>" * 5_000 + b"deep", URL, "text/html", "text/html") == "deep"
