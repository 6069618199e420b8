"""Pages for a measured web: links led to its own pages, and gzip members that end in any foot."""

from __future__ import annotations

import gzip

import pytest

from gossamer.app.bench.pages import FOOT_BYTES_MAX, deflate, gzipped, led

PAGE = (
    b'<p><a href="a.html">1</a> <a class="x" href="../b.html#part">2</a> <a href="a.html#end">1</a>'
    b' <a href="#top">t</a> <a href="https://elsewhere.test/">e</a> <a href="mailto:me">m</a> <a href="//o.test/">o'
)


def test_relative_links_lead_to_pages_by_their_number_and_keep_their_fragments() -> None:
    assert led(PAGE, lambda number: b"/p/%d" % number) == (
        b'<p><a href="/p/0">1</a> <a class="x" href="/p/1#part">2</a> <a href="/p/0#end">1</a>'
        b' <a href="#top">t</a> <a href="https://elsewhere.test/">e</a> <a href="mailto:me">m</a> <a href="//o.test/">o'
    )


@pytest.mark.parametrize(
    ("tag", "turned"),
    [
        (b"<A HREF='x.html#y'>", b"<A HREF='/p/0#y'>"),
        (b'<a\nclass="c"\nhref = "x">', b'<a\nclass="c"\nhref = "/p/0">'),
        (b'<link rel="next" href="x.html" title="X">', b'<link rel="next" href="/p/0" title="X">'),
        (b'<link href="x.html#y" rel="prev">', b'<link href="/p/0#y" rel="prev">'),
        (b'<link rel="stylesheet" href="x.css">', b'<link rel="stylesheet" href="x.css">'),
        (b'<a href="">', b'<a href="/p/0">'),
        (b'<a name="x">', b'<a name="x">'),
        (b'<img src="x.html">', b'<img src="x.html">'),
    ],
)
def test_what_leads_to_another_document_is_turned(tag: bytes, turned: bytes) -> None:
    assert led(tag, lambda number: b"/p/%d" % number) == turned


@pytest.mark.parametrize("foot", [b"", b"<p>17</p>", b"x" * FOOT_BYTES_MAX])
def test_a_deflated_text_ends_in_any_foot(foot: bytes) -> None:
    assert gzip.decompress(b"".join(gzipped(deflate(PAGE * 50), foot))) == PAGE * 50 + foot
