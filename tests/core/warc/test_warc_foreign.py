"""Archives that others wrote: every packing, every kind of damage, in bounded memory."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import time
from pathlib import Path

import pytest
import zstandard

from gossamer import warc
from gossamer.core.limits import ARCHIVE_PROBLEMS_MAX
from gossamer.core.warc import lookup
from gossamer.core.warc.chunks import unchunked
from gossamer.core.warc.date import warc_date as date_of
from gossamer.core.warc.digest import digest_matches
from gossamer.core.warc.unpacking import Unpacked

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def record(
    url: str = "http://a.example/",
    block: bytes = HTTP + b"hello",
    kind: str = "response",
    more: bytes = b"",
    size: int = -1,
) -> bytes:
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{url}>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
    head += f"WARC-Target-URI: {url}\r\nContent-Type: application/http;msgtype=response\r\n"
    return (
        head.encode() + more + b"Content-Length: %d\r\n\r\n" % (len(block) if size < 0 else size) + block + b"\r\n\r\n"
    )


def urls(data: bytes) -> list[str]:
    return [each.url.rpartition("/")[2] for each in warc.read(data)]


ONE, TWO, THREE = (record(f"http://a.example/{name}") for name in ("1", "2", "3"))


def packed_gzip(*records: bytes) -> bytes:
    return b"".join(gzip.compress(each, mtime=0) for each in records)


def packed_zstd(*records: bytes, dictionary: bytes = b"") -> bytes:
    known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    compressor = zstandard.ZstdCompressor(dict_data=known) if known else zstandard.ZstdCompressor()
    return b"".join(compressor.compress(each) for each in records)


def skippable(content: bytes, kind: int = 0x5D) -> bytes:
    return bytes([kind]) + b"\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def trained() -> bytes:
    samples: list[bytes | bytearray | memoryview[int]] = [
        record(f"http://a.example/{number}", HTTP + b"<p>%d" % number * 20) for number in range(400)
    ]
    return zstandard.train_dictionary(4096, samples).as_bytes()


DICTIONARY = trained()


@pytest.mark.parametrize(
    ("data", "packing"),
    [
        (ONE + TWO + THREE, ""),
        (packed_gzip(ONE, TWO, THREE), "gzip"),
        (gzip.compress(ONE + TWO + THREE, mtime=0), "gzip"),
        (packed_gzip(ONE, TWO + THREE), "gzip"),
        (packed_gzip(ONE, b"", TWO, THREE) + b"\0" * 512, "gzip"),
        (packed_zstd(ONE, TWO, THREE), "zstd"),
        (packed_zstd(ONE + TWO + THREE), "zstd"),
        (skippable(b"note", 0x50) + packed_zstd(ONE, TWO, THREE), "zstd"),
        (skippable(DICTIONARY) + packed_zstd(ONE, TWO, THREE, dictionary=DICTIONARY), "zstd"),
        (skippable(zstandard.compress(DICTIONARY)) + packed_zstd(ONE, TWO, THREE, dictionary=DICTIONARY), "zstd"),
    ],
)
def test_every_packing(data: bytes, packing: str) -> None:
    with warc.Archive(io.BytesIO(data)) as archive:
        found = [(each.url, each.body, each.status) for each in archive]
    assert found == [(f"http://a.example/{name}", b"hello", 200) for name in (1, 2, 3)]
    assert (archive.packing, archive.problems) == (packing, [])


@pytest.mark.parametrize("pack", [lambda *records: b"".join(records), packed_gzip, packed_zstd])
def test_places_are_those_an_index_needs(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    data = pack(ONE, TWO, THREE)
    path = tmp_path / "x.warc"
    path.write_bytes(data)
    with warc.open(path) as archive:
        found = list(archive)
    assert [each.offset for each in found] == [0, found[0].length, found[0].length + found[1].length]
    assert sum(each.length for each in found) == len(data)
    for each in found:
        assert warc.read_at(path, each.offset) == each
    assert warc.read_at(path, 3) is None


def test_a_shared_member_has_no_place_of_its_own() -> None:
    found = warc.read(gzip.compress(ONE + TWO, mtime=0))
    assert [(each.offset, each.length) for each in found] == [(0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("data", "names", "problems", "said"),
    [
        (ONE + b"GARBAGE", ["1"], [(len(ONE), "bytes of no record")], []),
        (ONE + b"GARBAGE\r\nmore\r\n" + TWO, ["1", "2"], [(len(ONE), "bytes of no record")], []),
        (b"junk\r\n" + ONE, ["1"], [(0, "bytes of no record")], []),
        (record("http://a/1", size=38) + TWO, ["1", "2"], None, ["followed by bytes of no record"]),
        (record("http://a/1", size=70) + TWO, ["1", "2"], [], ["longer than it is"]),
        (record("http://a/1", size=10_000), ["1"], [], ["shorter than it says"]),
        (record("http://a/1", more=b"Content-Length: x\r\n") + TWO, ["1", "2"], [], ["no usable Content-Length"]),
        (ONE.replace(b"\r\n", b"\n") + TWO, ["1", "2"], None, None),
        (ONE.replace(b"WARC/1.0", b"WARC/0.18"), ["1"], [], ["not a version of the standard"]),
        (ONE[:60], [""], [], None),
        (packed_gzip(ONE, TWO)[:-30], ["1", "2"], None, None),
        (packed_gzip(ONE) + b"\x1f\x8b\x08\xff\xff\xff\xff" + packed_gzip(TWO), ["1", "2"], None, []),
        (packed_gzip(ONE) + b"noise" + packed_gzip(TWO), ["1", "2"], None, []),
        (packed_zstd(ONE) + b"noise" + packed_zstd(TWO), ["1", "2"], None, []),
        (packed_gzip(record("http://a/1", size=300), TWO), ["1", "2"], [], ["shorter than it says"]),
        (b"", [], [], []),
        (b"\x04\x22\x4d\x18rest", [], [(0, "packed with LZ4, which is not read")], []),
    ],
)
def test_what_is_broken_is_read_as_far_as_it_makes_sense(
    data: bytes, names: list[str], problems: list[tuple[int, str]] | None, said: list[str] | None
) -> None:
    with warc.Archive(io.BytesIO(data)) as archive:
        found = list(archive)
    assert [each.url.rpartition("/")[2] for each in found] == names
    assert archive.problems == problems if problems is not None else archive.problems or any(r.problems for r in found)
    if said is not None:
        assert [text for each in found for text in each.problems] == said


def test_a_long_block_is_cut_and_read_over() -> None:
    data = record("http://a/1", HTTP + b"x" * 1_000_000) + TWO
    with warc.Archive(io.BytesIO(gzip.compress(data, mtime=0)), block_bytes_max=1000) as archive:
        first, second = archive
    assert (len(first.block), first.size, first.cut, second.cut) == (1000, len(HTTP) + 1_000_000, True, False)
    assert first.block_digest_matches() is None


def test_damage_without_end_is_given_up() -> None:
    with warc.Archive(
        io.BytesIO(packed_gzip(ONE) + b"\x1f\x8b\x08\0\0\0\0\0\0\0\xff" * 20_000 + packed_gzip(TWO))
    ) as archive:
        assert [each.url for each in archive] == ["http://a.example/1"]
    assert len(archive.problems) == ARCHIVE_PROBLEMS_MAX


def test_a_record_of_chunks_is_made_whole() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert warc.read(record(block=chunked + b"5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n"))[0].payload == b"hello!"
    assert warc.read(record(block=chunked + b"<p>plain</p>"))[0].payload == b"<p>plain</p>"


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        (b"", b""),
        (b"0\r\n\r\n", b""),
        (b"5\r\nhello", b"hello"),
        (b"a\nhello worl\n0\n\n", b"hello worl"),
        (b"2\r\nok\r\nzz\r\nno", b"ok"),
        (b"1st of May", b"1st of May"),
        (b"1\r\nMay is long", b"1\r\nMay is long"),
        (b"ffffffffffffffffff\r\nx", b"ffffffffffffffffff\r\nx"),
    ],
)
def test_chunks(body: bytes, whole: bytes) -> None:
    assert unchunked(body) == whole


def test_coded_bodies_and_digests() -> None:
    coded = gzip.compress(b"<p>text", mtime=0)
    digest = base64.b32encode(hashlib.sha1(coded).digest())
    block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + coded
    (found,) = warc.read(record(block=block, more=b"WARC-Payload-Digest: sha1:" + digest + b"\r\n"))
    assert (found.body, found.payload_digest_matches(), found.block_digest_matches()) == (b"<p>text", True, None)


@pytest.mark.parametrize(
    ("said", "matches"),
    [
        ("sha1:2AAE6C35C94FCFB415DBE95F408B9CE91EE846ED", True),
        ("SHA1:2aae6c35c94fcfb415dbe95f408b9ce91ee846ed", True),
        ("sha1:FKXGYNOJJ7H3IFO35FPUBC445EPOQRXN", True),
        ("sha1:fkxgynojj7h3ifo35fpubc445epoqrxn", True),
        ("md5:5eb63bbbe01eeed093cb22bb8f5acdc3", True),
        ("sha-256:b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9", True),
        ("sha1:AAAA6C35C94FCFB415DBE95F408B9CE91EE846ED", False),
        ("sha1:short", None),
        ("blake9:00", None),
        ("sha1", None),
        ("", None),
    ],
)
def test_digests(said: str, matches: bool | None) -> None:
    assert digest_matches(said, b"hello world") is matches


ARC = b"filedesc://x.arc 0.0.0.0 20260102030405 text/plain 9\n1 0 Owner\n\n"


def test_arc() -> None:
    answer = HTTP + b"hello"
    data = ARC + b"http://a.example/1 192.0.2.1 20260102030405 text/html %d\n" % len(answer) + answer + b"\n"
    data += b"http://a.example/2 192.0.2.1 20260102030405 no-type 18\n<html>hello</html>\n"
    data += b"dns:a.example 192.0.2.9 20260102030405 text/dns 3\nabc\n"
    data += b"http://a.example/3 - 20260102030405 text/html 200 SUM - 0 x.arc 2\nok\nhttp://a/4 - 2026 text/html -1\n\n"
    first, one, two, dns, three, four = warc.read(data)
    assert (first.kind, first.version, one.kind, one.body, one.status) == (
        "warcinfo",
        "ARC/1",
        "response",
        b"hello",
        200,
    )
    assert (one.at, one.field("WARC-IP-Address"), one.offset) == (1767323045.0, "192.0.2.1", len(ARC))
    assert (two.kind, two.block, dns.kind, dns.url) == ("resource", b"<html>hello</html>", "resource", "dns:a.example")
    assert (three.block, four.block, four.at) == (b"ok", b"", 1767225600.0)
    assert [each.url for each in warc.read(packed_gzip(data))] == [each.url for each in warc.read(data)]


def test_a_cut_arc() -> None:
    data = ARC + b"http://a.example/1 192.0.2.1 20260102030405 text/html 999\nHTTP/1.0 200 OK\r\n\r\nhel"
    _, cut = warc.read(data)
    assert (cut.problems, cut.body) == (("shorter than it says",), b"hel")
    with warc.Archive(io.BytesIO(ARC + b"no header of a record\n")) as archive:
        assert len(list(archive)) == 1
    assert archive.problems == [(len(ARC), "no ARC record begins here")]


def test_headers_are_folded_and_bounded() -> None:
    folded = ONE.replace(b"WARC-Date:", b"X-Long: a\r\n b\r\nWARC-Date:")
    assert warc.read(folded)[0].field("x-long") == "a b"
    endless = b"WARC/1.0\r\n" + b"X: " + b"y" * 400_000 + b"\r\n\r\n"
    (found,) = warc.read(endless)
    assert "the header is too long" in found.problems


EMPTY = b"WARC/1.1\r\nWARC-Type: x\r\nContent-Length: 0\r\n\r\n"
SMALL = b"WARC/1.1\r\nWARC-Type: x\r\nContent-Length: 1\r\n\r\na\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "records"),
    [
        (gzip.compress(EMPTY + b"\n" * 4_000_000 + SMALL), 2),
        (gzip.compress(EMPTY.replace(b"Content-Length: 0\r\n", b"") + b"\n" * 4_000_000 + SMALL), 2),
        (gzip.compress(EMPTY + b"\r\n\r\n" + b"a\n" * 2_000_000 + SMALL), 2),
        (b"WARC/1.1\nWARC-Type: x\nContent-Length: 0\n" + b" a\n" * 80_000 + b"\n" + SMALL, 2),
        (skippable(packed_zstd(bytes(8 << 20))) + packed_zstd(*[SMALL] * 1_000), 1_000),
    ],
    ids=["empty lines", "empty lines in a block", "lines of nothing", "a folded field", "a large dictionary"],
)
def test_what_packs_well_is_read_fast(data: bytes, records: int) -> None:
    begun = time.process_time()
    assert len(warc.read(data)) == records
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("nothing", [gzip.compress(b""), zstandard.ZstdCompressor().compress(b"")])
def test_members_without_content_take_no_memory(nothing: bytes) -> None:
    pack = packed_gzip if nothing[:1] == b"\x1f" else packed_zstd
    unpacked = Unpacked(io.BytesIO(pack(SMALL) + nothing * 5_000 + pack(SMALL)))
    assert len(unpacked.peek(2 * len(SMALL))) == 2 * len(SMALL)
    assert len(unpacked.starts) <= 4
    first, second = warc.read(pack(SMALL) + nothing * 5_000 + pack(SMALL))
    assert first.length == second.length == len(pack(SMALL))


@pytest.mark.parametrize(
    "date", ["9999-12-31T23:59:59.9999Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0000", "²026"]
)
def test_a_moment_that_cannot_be_written_is_none(date: str) -> None:
    assert lookup.moment_seconds(date) is None
    assert date_of(lookup.moment_seconds("9999-12-31T23:59:59Z") or 0) == "9999-12-31T23:59:59.000Z"
