"""Secrets leave a head; everything else in it stays byte for byte."""

from __future__ import annotations

import pytest

from gossamer.core.http.blanking import ANSWER_SECRETS, REQUEST_SECRETS, blanked
from gossamer.core.http.headers import parse_head

PLAIN = b"GET / HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (PLAIN, PLAIN),
        (
            b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic abc\r\ncookie: s=1\r\nX: y\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: [blanked]\r\ncookie: [blanked]\r\nX: y\r\n\r\n",
        ),
        (
            b"GET /authorization:x HTTP/1.1\r\nHost: a\r\n\r\n",
            b"GET /authorization:x HTTP/1.1\r\nHost: a\r\n\r\n",
        ),
        (
            b"GET / HTTP/1.1\r\nX-Cookie: kept\r\n\r\n",
            b"GET / HTTP/1.1\r\nX-Cookie: kept\r\n\r\n",
        ),
    ],
)
def test_a_request(head: bytes, expected: bytes) -> None:
    assert blanked(head, REQUEST_SECRETS) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie : b=2\r\nX: 1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nSet-Cookie: [blanked]\r\nSet-Cookie : [blanked]\r\nX: 1\r\n\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\nset-cookie: a=1;\n Path=/secret\nX: 1\n\tfolded\n\n",
            b"HTTP/1.1 200 OK\nset-cookie: [blanked]\nX: 1\n\tfolded\n\n",
        ),
        (b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1", b"HTTP/1.1 200 OK\r\nSet-Cookie: [blanked]"),
    ],
)
def test_an_answer(head: bytes, expected: bytes) -> None:
    assert blanked(head, ANSWER_SECRETS) == expected


def test_a_blanked_head_reads_as_before() -> None:
    head = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 3\r\n\r\n"
    before, after = parse_head(head), parse_head(blanked(head, ANSWER_SECRETS))
    assert [name for name, _ in before.fields] == [name for name, _ in after.fields]
    assert after.problems == ()
