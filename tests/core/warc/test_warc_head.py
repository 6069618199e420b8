from __future__ import annotations

import io

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from gossamer.core.warc import record
from gossamer.core.warc.cdx import response_line, revisit_line
from gossamer.core.warc.head import archived_head, indexed, is_plain
from gossamer.core.warc.location import Location
from gossamer.core.warc.record import Capture, record_id
from gossamer.core.warc.target import target_uri

OK = b"HTTP/1.1 200 OK\r\n"
PIECES = st.sampled_from(
    [
        b"Transfer-Encoding: chunked\r\n",
        b"TRANSFER-ENCODING :gzip,\r\n",
        b"Content-Type: text/html; charset=x\r\n",
        b"content-type\t:\xe9\xff\r\n",
        b" folded\r\n",
        b"\t\r\n",
        b"X: y\n",
        b"\xc2\xa0\r\n",
        b"no colon\r\n",
        b"a\rb: c\r\n",
        b"\r\n",
        b":\r\n",
    ]
)


@pytest.mark.parametrize(
    ("head", "archived"),
    [
        (OK + b"A: b\r\n\r\n", OK + b"A: b\r\n\r\n"),
        (OK + b"A: b\r\nTransfer-Encoding: chunked\r\nC: d\r\n\r\n", OK + b"A: b\r\nC: d\r\n\r\n"),
        (OK + b"transfer-ENCODING : chunked\r\n\r\n", OK + b"\r\n"),
        (OK + b"Transfer-Encoding: gzip,\r\n  chunked\r\n\t\r\nA: b\r\n c\r\n\r\n", OK + b"A: b\r\n c\r\n\r\n"),
        (OK + b"Transfer-Encoding: a\r\nTransfer-Encoding: b\r\n\r\n", OK + b"\r\n"),
        (OK + b"X-Transfer-Encoding: chunked\r\n\r\n", OK + b"X-Transfer-Encoding: chunked\r\n\r\n"),
        (OK + b"A: Transfer-Encoding: x\r\n\r\n", OK + b"A: Transfer-Encoding: x\r\n\r\n"),
        (b"HTTP/1.1 200\nTransfer-Encoding: chunked\nA: \xff\n\n", b"HTTP/1.1 200\nA: \xff\n\n"),
        (OK + b"A: cut", OK + b"A: cut\r\n\r\n"),
        (b"", b"\r\n\r\n"),
    ],
)
def test_only_the_transfer_coding_is_left_out(head: bytes, archived: bytes) -> None:
    assert archived_head(head) == archived
    assert archived_head(archived) == archived


@pytest.mark.parametrize(
    ("head", "mime", "status"),
    [
        (OK + b"Content-Type: text/html; charset=utf-8\r\n\r\n", "text/html", "200"),
        (OK + b"content-TYPE:Text/HTML\r\n\r\n", "Text/HTML", "200"),
        (OK + b"\r\n", "unk", "200"),
        (OK + b"Content-Type: \r\n\r\n", "unk", "200"),
        (OK + b"Content-Type: ;x\r\nContent-Type: a/b\r\n\r\n", "", "200"),
        (OK + b"Content-Type:\r\n a/b\r\n\r\n", "", "200"),
        (b"HTTP/1.1 404\r\n\r\n", "unk", "404"),
        (b"HTTP/1.1\r\nA: b\r\n\r\n", "unk", ""),
        (b"HTTP/1.1\r\n\r\n", "application/http", "200"),
        (b"HTTP/1.1 204 Error\r\n\r\n", "unk", ""),
        (OK + b" \r\nContent-Type: a/b\r\n\r\n", "unk", "200"),
    ],
)
def test_what_an_index_keeps(head: bytes, mime: str, status: str) -> None:
    assert indexed(head) == (mime, status)


@given(pieces=st.lists(PIECES, max_size=5), ending=st.sampled_from([b"\r\n", b"\n", b""]))
def test_readers_agree_with_every_payload_digest(pieces: list[bytes], ending: bytes) -> None:
    """Whatever the head: where we name a digest, warcio and FastWARC find the bytes it is of."""
    capture = Capture("http://example.org/", 1.0, "<urn:uuid:x>")
    archived = record.response(capture, record_id(bytes(16)), OK + b"".join(pieces) + ending, b"the body")
    read = next(iter(ArchiveIterator(io.BytesIO(archived), check_digests=True)))
    read.content_stream().read()
    assert read.digest_checker.passed, read.digest_checker.problems
    fast = next(iter(FastIterator(io.BytesIO(archived), parse_http=False)))
    if "WARC-Payload-Digest" in fast.headers:
        fast.parse_http()
        assert fast.verify_payload_digest(consume=True)


@pytest.mark.parametrize("line", [b" \r\n", b"\t\r\n", b"\xa0\r\n", b"\xc2\x85\r\n", b"\x0c\r\n", b"\r\r\n"])
def test_a_line_of_white_space_is_not_plain(line: bytes) -> None:
    assert not is_plain(OK + line + b"A: b\r\n\r\n")
    assert is_plain(OK + b"A: b\r\n\r\n")


@pytest.mark.parametrize(
    ("url", "uri"),
    [
        ("http://example.org/a?b=c", "http://example.org/a?b=c"),
        ("http://example.org/a#part", "http://example.org/a"),
        ('http://example.org/{a|b}^`"<>\\', "http://example.org/%7Ba%7Cb%7D%5E%60%22%3C%3E%5C"),
        ("http://[2001:db8::1]:8080/[x]?[y]", "http://[2001:db8::1]:8080/%5Bx%5D?%5By%5D"),
        ("http://example.org/%zz%41%", "http://example.org/%25zz%41%25"),
        ("http://example.org/\u00e9 \r\n\ud800", "http://example.org/%C3%A9%20%0D%0A%ED%A0%80"),
        ("", ""),
    ],
)
def test_target_uri(url: str, uri: str) -> None:
    assert target_uri(url) == uri


@given(st.text())
def test_target_uri_is_ascii_and_stays_as_it_is(text: str) -> None:
    uri = target_uri("http://h/" + text)
    assert uri.isascii()
    assert uri.isprintable()
    assert " " not in uri
    assert target_uri(uri) == uri


def test_lines_of_an_index() -> None:
    capture = Capture("https://www.example.org/B", 1_700_000_000.25, "")
    place = Location("archive/x.warc.gz", 10, 20)
    head = OK + b"Content-Type: text/html\r\n\r\n"
    assert response_line(capture, head, "sha1:ABC", place) == (
        'org,example)/b 20231114221320 {"url": "https://www.example.org/B", "mime": "text/html", "status": "200", '
        '"digest": "ABC", "length": "20", "offset": "10", "filename": "x.warc.gz"}'
    )
    assert revisit_line(capture, "", place) == (
        'org,example)/b 20231114221320 {"url": "https://www.example.org/B", "mime": "warc/revisit", '
        '"length": "20", "offset": "10", "filename": "x.warc.gz"}'
    )


@given(url=st.text(), head=st.binary(max_size=80))
def test_an_index_line_is_one_line_of_three_parts(url: str, head: bytes) -> None:
    line = response_line(Capture(url, 1.0, ""), head, "sha1:X", Location("a/b", 0, 1))
    assert line.isascii()
    assert line.isprintable()
    key, moment, entry = line.split(" ", 2)
    assert key
    assert moment == "19700101000001"
    assert entry.startswith('{"url": ')
