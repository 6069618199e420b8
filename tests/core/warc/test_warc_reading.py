from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.warc import record
from gossamer.core.warc.reading import parse_record, split_http

CAPTURE = record.Capture("http://example.org/", 1_000_000_000.25, "<urn:uuid:info>", "192.0.2.1", ("http/1.1",))
IDENTITY = record.record_id(bytes(16))


@given(st.binary(max_size=400))
def test_what_is_written_is_read(body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n"
    read = parse_record(record.response(CAPTURE, IDENTITY, head, body))
    assert read is not None
    assert (read.kind, read.field("warc-record-id")) == ("response", IDENTITY)
    assert read.field("WARC-Date") == "2001-09-09T01:46:40.250Z"
    assert split_http(read.block) == (head, body)


@given(st.binary(max_size=300))
def test_nothing_raises(data: bytes) -> None:
    parse_record(data)
    parse_record(b"WARC/1.1\r\n" + data)
    head, body = split_http(data)
    assert head + body == data


@pytest.mark.parametrize("data", [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"WARC/1.1\r\nWARC-Type: response\r\n"])
def test_what_is_no_record(data: bytes) -> None:
    assert parse_record(data) is None


@pytest.mark.parametrize("length", ["", "Content-Length: x\r\n", "Content-Length: 99999999999999999999\r\n"])
def test_a_record_without_length_ends_with_its_bytes(length: str) -> None:
    read = parse_record(b"WARC/1.0\nWARC-Type: Response\n" + length.encode() + b"\nblock")
    assert read is not None
    assert (read.kind, read.block) == ("response", b"block")
