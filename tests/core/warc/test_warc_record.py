from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from gossamer.core.http.exchange import Truncation
from gossamer.core.warc import cdx, record
from gossamer.core.warc.date import milliseconds, timestamp, warc_date
from gossamer.core.warc.digest import sha1_label, sha256_hex
from gossamer.core.warc.location import Location
from gossamer.core.warc.record import Capture, Original, Profile, WarcInfo, record_id
from gossamer.core.warc.visit_fields import VisitFields, parse_visit_fields

ID = record_id(bytes(range(16)))
OTHER = record_id(bytes(16))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
CAPTURE = Capture(
    "http://example.org/a", 1_700_000_000.25, OTHER, "192.0.2.1", ("http/1.1", "tls/1.3"), Truncation.TIME
)
NASTY = st.text(max_size=30) | st.text(alphabet="\r\n\0\t :\x0b\x0c\x1c\x85\u2028\ud800abc", max_size=30)


def parts(archived: bytes) -> tuple[list[tuple[str, str]], bytes]:
    """Header fields and block, read strictly by the letter of WARC 1.1, section 4."""
    head, _, rest = archived.partition(b"\r\n\r\n")
    version, *lines = head.decode("ascii").split("\r\n")
    assert version == "WARC/1.1"
    fields = [tuple(line.split(": ", 1)) for line in lines]
    length = int(dict(fields)["Content-Length"])  # type: ignore[arg-type]
    assert rest[length:] == b"\r\n\r\n"
    return fields, rest[:length]  # type: ignore[return-value]


@given(st.binary(min_size=16, max_size=16))
def test_a_record_id_is_a_version_4_uuid(random: bytes) -> None:
    identity = record_id(random)
    found = re.fullmatch(r"<urn:uuid:([0-9a-f-]{36})>", identity)
    assert found is not None
    read = uuid.UUID(found[1])
    assert (read.version, read.variant) == (4, uuid.RFC_4122)
    assert read == uuid.UUID(bytes=random, version=4)


def test_a_record_id_needs_16_bytes() -> None:
    with pytest.raises(ValueError, match="16 random bytes"):
        record_id(b"short")


@pytest.mark.parametrize(
    ("seconds", "date", "digits"),
    [
        (0.0, "1970-01-01T00:00:00.000Z", "19700101000000"),
        (1_700_000_000.25, "2023-11-14T22:13:20.250Z", "20231114221320"),
        (1_700_000_000.9996, "2023-11-14T22:13:21.000Z", "20231114221321"),
        (4_102_444_799.0004, "2099-12-31T23:59:59.000Z", "20991231235959"),
    ],
)
def test_dates(seconds: float, date: str, digits: str) -> None:
    assert warc_date(seconds) == date
    assert timestamp(seconds) == digits
    assert warc_date(milliseconds(seconds) / 1000) == date, "a moment read back from a row names the same record"


def test_digests() -> None:
    assert sha1_label(b"a", b"b") == "sha1:" + base64.b32encode(hashlib.sha1(b"ab").digest()).decode()
    assert sha1_label() == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_response_to_the_letter() -> None:
    fields, block = parts(record.response(CAPTURE, ID, HEAD, b"<p>", (OTHER,)))
    assert fields == [
        ("WARC-Type", "response"),
        ("WARC-Record-ID", "<urn:uuid:00010203-0405-4607-8809-0a0b0c0d0e0f>"),
        ("WARC-Date", "2023-11-14T22:13:20.250Z"),
        ("WARC-Target-URI", "http://example.org/a"),
        ("WARC-Concurrent-To", OTHER),
        ("WARC-Warcinfo-ID", OTHER),
        ("WARC-IP-Address", "192.0.2.1"),
        ("WARC-Protocol", "http/1.1"),
        ("WARC-Protocol", "tls/1.3"),
        ("WARC-Payload-Digest", sha1_label(b"<p>")),
        ("WARC-Truncated", "time"),
        ("WARC-Block-Digest", sha1_label(HEAD + b"<p>")),
        ("Content-Type", "application/http;msgtype=response"),
        ("Content-Length", str(len(HEAD) + 3)),
    ]
    assert block == HEAD + b"<p>"


def test_a_digest_that_is_known_is_not_taken_again() -> None:
    fields, _ = parts(record.response(CAPTURE, ID, HEAD, b"<p>", payload_digest="sha1:KNOWN"))
    assert dict(fields)["WARC-Payload-Digest"] == "sha1:KNOWN"


def test_an_empty_body_has_no_payload_digest() -> None:
    assert "WARC-Payload-Digest" not in dict(parts(record.response(CAPTURE, ID, HEAD, b""))[0])


def test_a_request_to_the_letter() -> None:
    fields, block = parts(record.request(CAPTURE, ID, b"GET /a HTTP/1.1\r\n\r\n", (OTHER, ID)))
    assert block == b"GET /a HTTP/1.1\r\n\r\n"
    assert [value for name, value in fields if name == "WARC-Concurrent-To"] == [OTHER, ID]
    assert dict(fields)["Content-Type"] == "application/http;msgtype=request"
    assert "WARC-Truncated" not in dict(fields), "it is the answer that was cut"


@pytest.mark.parametrize("profile", Profile)
def test_a_revisit_names_its_original(profile: Profile) -> None:
    original = Original(OTHER, "http://example.org/first", 1_600_000_000.5)
    archived = record.revisit(CAPTURE, ID, HEAD, original, (), profile=profile, payload_digest="sha1:X")
    fields, block = parts(archived)
    told = dict(fields)
    assert block == HEAD
    assert told["WARC-Profile"] == profile.value
    assert told["WARC-Payload-Digest"] == "sha1:X"
    assert told["WARC-Refers-To"] == OTHER
    assert told["WARC-Refers-To-Target-URI"] == "http://example.org/first"
    assert told["WARC-Refers-To-Date"] == "2020-09-13T12:26:40.500Z"
    assert told.get("WARC-Truncated") == ("length" if profile is Profile.IDENTICAL else None)
    assert "revisit/" in told["WARC-Profile"]


def test_a_revisit_of_an_identical_payload_needs_its_digest() -> None:
    original = Original("", "http://example.org/first", 0.0)
    with pytest.raises(ValueError, match="names its digest"):
        record.revisit(CAPTURE, ID, HEAD, original)
    fields, _ = parts(record.revisit(CAPTURE, ID, HEAD, original, profile=Profile.NOT_MODIFIED))
    assert not {"WARC-Refers-To", "WARC-Payload-Digest"} & dict(fields).keys()


def test_metadata_tells_how_it_was_found() -> None:
    told = VisitFields(via="http://a/b", hops="LLR", milliseconds=12, depth=2, group="news")
    fields, block = parts(record.metadata(CAPTURE, ID, told.fields(), (OTHER,)))
    assert block.startswith(b"via: http://a/b\r\nhopsFromSeed: LLR\r\nsourceTag: news\r\nfetchTimeMs: 12\r\n")
    assert dict(fields)["Content-Type"] == "application/warc-fields"
    assert parse_visit_fields(block) == told
    assert b"via" not in parts(record.metadata(CAPTURE, ID, VisitFields().fields()))[1], "a seed has no via"


def test_heritrix_metadata_is_read() -> None:
    block = b"via: http://a/\r\nhopsFromSeed: LLE\r\nsourceTag: http://seed/\r\nfetchTimeMs: 1012\r\n\r\n"
    told = parse_visit_fields(block)
    assert (told.via, told.hops, told.depth, told.milliseconds, told.kind) == ("http://a/", "LLE", 3, 1012, "page")
    assert parse_visit_fields(b"hopsFromSeed: P\r\nfetchTimeMs: no\r\n").kind == "robots"
    assert parse_visit_fields(b"\xff\x00nonsense") == VisitFields()


def test_a_name_look_up_is_a_resource() -> None:
    block = record.dns_block("example.org", ("192.0.2.1", "2001:db8::1"), 300.5, 1_600_000_000.0)
    assert block == (b"20200913122640\nexample.org.\t300\tIN\tA\t192.0.2.1\nexample.org.\t300\tIN\tAAAA\t2001:db8::1\n")
    fields, kept = parts(record.lookup(Capture("dns:example.org", 1_600_000_000.0, ID), OTHER, block))
    told = dict(fields)
    assert kept == block
    assert (told["WARC-Type"], told["WARC-Target-URI"], told["Content-Type"]) == (
        "resource",
        "dns:example.org",
        "text/dns",
    )


@given(texts=st.lists(NASTY, min_size=6, max_size=6), body=st.binary(max_size=40), head=st.binary(max_size=60))
def test_nothing_foreign_begins_a_line(texts: list[str], body: bytes, head: bytes) -> None:
    url, address, protocol, identity, via, operator = texts
    capture = Capture(url, 1.0, identity, address or "x", (protocol,))
    original = Original(identity, via, 2.0)
    for archived, names in (
        (record.request(capture, ID, head, (identity,)), 11),
        (record.response(capture, ID, head, body, (identity,)), None),
        (record.revisit(capture, ID, head, original, (identity,), payload_digest=protocol or "x"), None),
        (record.metadata(capture, ID, VisitFields(via=via, hops=operator).fields(), (identity,)), 9),
        (record.warcinfo(ID, 1.0, url, WarcInfo(via, operator, protocol)), 7),
    ):
        fields, block = parts(archived)
        assert names is None or len(fields) == names
        for _, value in fields:
            assert value.isascii()
            assert value.isprintable() or not value
        read = next(iter(ArchiveIterator(io.BytesIO(archived), no_record_parse=True)))
        assert read.raw_stream.read() == block


@given(texts=st.lists(NASTY, min_size=2, max_size=2))
def test_nothing_foreign_begins_a_line_of_a_block(texts: list[str]) -> None:
    _, block = parts(record.warcinfo(ID, 1.0, "name", WarcInfo("software", texts[0], texts[1])))
    lines = block.decode().split("\r\n")
    names = [line.partition(": ")[0] for line in lines[:-1]]
    wanted = ["software", "format", "conformsTo", "robots", "http-header-user-agent", "operator"]
    assert lines[-1] == ""
    assert names == [name for name in wanted if name in names]
    assert not re.search(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "".join(lines))


def test_readers_find_the_body_of_a_chunked_answer() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    archived = record.response(CAPTURE, ID, head, b"5\r\nnot a chunk")
    checked: Any = next(iter(ArchiveIterator(io.BytesIO(archived), check_digests="raise")))
    assert checked.raw_stream.read() == b"5\r\nnot a chunk"
    assert checked.digest_checker.passed


@given(st.binary(max_size=200))
def test_a_digest_is_written_as_the_standard_library_writes_it(data: bytes) -> None:
    digest = hashlib.sha1(data, usedforsecurity=False).digest()
    assert sha1_label(data) == "sha1:" + base64.b32encode(digest).decode("ascii")


@given(st.text(max_size=30), st.text(max_size=20))
def test_an_index_line_ends_in_the_json_that_the_standard_library_writes(path: str, status: str) -> None:
    capture = Capture(f"http://example.org/{path}", 1_700_000_000.25, OTHER)
    line = cdx.resource_line(capture, status, "sha1:X", Location("archive/a.warc.gz", 7, 9))
    fields = json.loads(line.split(" ", 2)[2])
    assert line.endswith(json.dumps(fields))
    assert (fields["offset"], fields["length"], fields["filename"]) == ("7", "9", "a.warc.gz")
