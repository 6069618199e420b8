"""What a body is, where its server does not say or says it wrongly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.http.sniff import SNIFFED_BYTES, media_type_of

UNKNOWN = [
    (b"<!DOCTYPE html><p>", "text/html"),
    (b"\xef\xbb\xbf\r\n <HTML>", "text/html"),
    (b"<html\nlang=en>", "text/html"),
    (b"<!-- note --><x>", "text/html"),
    (b"<p>text", "text/html"),
    (b"<pre>text", "text/plain"),
    (b"<!doctype svg>", "text/plain"),
    (b"  <?xml version='1.0'?><urlset/>", "text/xml"),
    (b"%PDF-1.7\n\xe2\xe3", "application/pdf"),
    (b"%!PS-Adobe-3.0", "application/postscript"),
    (b"GIF89a\x01\x00", "image/gif"),
    (b"\x89PNG\r\n\x1a\n\x00", "image/png"),
    (b"\xff\xd8\xff\xe0", "image/jpeg"),
    (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
    (b"RIFF\x10\x00\x00\x00WAVEfmt ", "audio/wave"),
    (b"\x00\x00\x00\x18ftypmp42", "video/mp4"),
    (b"PK\x03\x04\x14\x00", "application/zip"),
    (b"\x1f\x8b\x08\x00", "application/x-gzip"),
    (b"\xfe\xff\x00a", "text/plain"),
    (b"plain words\n", "text/plain"),
    (b"a\x00b", "application/octet-stream"),
    (b"", ""),
    (b" " * SNIFFED_BYTES + b"<html>", "text/plain"),
]


@pytest.mark.parametrize(("body", "found"), UNKNOWN)
def test_bytes_decide_where_nothing_is_said(body: bytes, found: str) -> None:
    for said in ([], ["unknown/unknown"], ["application/unknown"], ["*/*"], ["nonsense"]):
        assert media_type_of(said, body) == found


@pytest.mark.parametrize(
    ("said", "body", "found"),
    [
        (["text/plain"], b"<html>", "text/plain"),
        (["text/plain"], b"a\x01b", "application/octet-stream"),
        (["text/plain; charset=ISO-8859-1"], b"%PDF-\x00", "application/octet-stream"),
        (["text/plain; charset=utf-8"], b"a\x01b", "text/plain"),
        (["text/html"], b"%PDF-1.4", "text/html"),
        (["image/png"], b"GIF89a", "image/gif"),
        (["image/png"], b"<html>", "image/png"),
        (["image/svg+xml"], b"GIF89a", "image/svg+xml"),
        (["TEXT/HTML; charset=x", "application/pdf"], b"x", "application/pdf"),
        (["text/html"], b"", "text/html"),
    ],
)
def test_what_is_said_counts(said: list[str], body: bytes, found: str) -> None:
    assert media_type_of(said, body) == found


def test_nosniff_makes_it_the_last_word() -> None:
    assert media_type_of(["image/png"], b"GIF89a", " NoSniff ") == "image/png"
    assert media_type_of([], b"<html>", "nosniff") == "text/html"


@given(said=st.lists(st.text(max_size=30), max_size=3), body=st.binary(max_size=2000))
def test_it_has_an_answer_for_all_bytes_and_looks_at_the_start_only(said: list[str], body: bytes) -> None:
    found = media_type_of(said, body)
    assert found == media_type_of(said, body[:SNIFFED_BYTES])
    assert found or not body
