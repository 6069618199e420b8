"""Content codings undone: what decodes is kept, limits hold, nothing raises."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core import limits
from gossamer.core.http.content_coding import Decoded, codings_of, decode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGE = b"".join(b"<p>paragraph %d of a page that says %d things</p>\n" % (i, i * 7919 % 1000) for i in range(3000))


def raw_deflate(data: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-15)
    return coder.compress(data) + coder.flush()


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", lambda data: gzip.compress(data, mtime=0)),
    "x-gzip": ("x-gzip", lambda data: gzip.compress(data, mtime=0)),
    "zlib": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", lambda data: brotli.compress(data, quality=4)),
    "zstd": ("zstd", lambda data: zstandard.ZstdCompressor().compress(data)),
}
each = pytest.mark.parametrize(("coding", "encode"), ENCODERS.values(), ids=ENCODERS)


@each
def test_whole(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert decode(encode(PAGE), [coding]) == Decoded(PAGE)
    assert decode(encode(b""), [coding]) == Decoded(b"")


@each
def test_cut_input_keeps_what_decodes(coding: str, encode: Callable[[bytes], bytes]) -> None:
    body = encode(PAGE)
    result = decode(body[: len(body) // 2], [coding])
    assert result.truncated
    assert result.problem == f"{coding}: ends early"
    assert PAGE.startswith(result.data)
    assert len(result.data) > len(PAGE) // 10 or coding in ("br", "zstd")


@each
def test_damage_keeps_what_came_before(coding: str, encode: Callable[[bytes], bytes]) -> None:
    body = bytearray(encode(PAGE))
    middle = len(body) * 3 // 4
    body[middle : middle + 40] = b"\xff" * 40
    result = decode(bytes(body), [coding])
    # Raw deflate has no checksum, so damage may pass as text.
    assert result.problem.startswith(f"{coding}: ") or coding == "deflate"
    assert result.data[: len(PAGE) // 10] == PAGE[: len(PAGE) // 10] or coding in ("br", "zstd")


@each
def test_a_body_that_was_never_encoded_stays_as_it_is(coding: str, encode: Callable[[bytes], bytes]) -> None:
    plain = b"<!doctype html><title>plain</title>" * 100
    assert decode(plain, [coding]) == Decoded(plain, f"{coding}: not {coding}")


@each
def test_bombs_stop_at_the_ratio(coding: str, encode: Callable[[bytes], bytes]) -> None:
    bomb = encode(bytes(30_000_000))
    result = decode(bomb, [coding], max_ratio=20)
    assert len(result.data) == max(limits.DECODED_RATIO_FROM_BYTES, 20 * len(bomb))
    assert (result.problem, result.truncated) == (f"{coding}: over the decoded ratio limit", True)


@each
def test_bombs_stop_at_the_size(coding: str, encode: Callable[[bytes], bytes]) -> None:
    result = decode(encode(PAGE), [coding], max_bytes=1000)
    assert result == Decoded(PAGE[:1000], f"{coding}: over the decoded size limit", truncated=True)


@each
def test_exactly_the_limit_is_whole(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert decode(encode(PAGE), [coding], max_bytes=len(PAGE)) == Decoded(PAGE)


def test_stacked_codings() -> None:
    body = zlib.compress(brotli.compress(gzip.compress(PAGE)))
    assert decode(body, ["gzip", "br", "deflate"]) == Decoded(PAGE)


def test_too_many_codings() -> None:
    assert decode(b"x", ["gzip"] * (limits.CONTENT_CODINGS_MAX + 1)) == Decoded(b"x", "too many content codings")


def test_unknown_coding_stops_there() -> None:
    inner = b"\x00\x01"
    assert decode(gzip.compress(inner), ["compress", "gzip"]) == Decoded(inner, "unknown content coding")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (gzip.compress(b"one ") + gzip.compress(b"two"), Decoded(b"one two")),
        (gzip.compress(b"one") + b"\0" * 500, Decoded(b"one")),
        (gzip.compress(b"one") + b"trailing junk", Decoded(b"one", "gzip: bytes after the end")),
        (gzip.compress(b"one") + b"\x1f\x8b" + b"junk" * 9, Decoded(b"one", "gzip: damaged", truncated=True)),
        (gzip.compress(b"one")[:-8] + bytes(8), Decoded(b"one", "gzip: damaged", truncated=True)),
        (gzip.compress(b"one")[:-3], Decoded(b"one", "gzip: ends early", truncated=True)),
        (b"", Decoded(b"")),
    ],
    ids=["two members", "zero padding", "junk after", "half a member after", "wrong checksum", "no trailer", "empty"],
)
def test_gzip_members(body: bytes, expected: Decoded) -> None:
    assert decode(body, ["gzip"]) == expected


def test_zstd_frames_and_skippable_frames() -> None:
    coder = zstandard.ZstdCompressor()
    skippable = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    assert decode(coder.compress(b"one ") + skippable + coder.compress(b"two"), ["zstd"]) == Decoded(b"one two")


def test_zstd_window_beyond_the_standard_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=25)
    coder = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    body = coder.compress(bytes(range(256)) * 200_000) + coder.flush()
    assert decode(body, ["zstd"]).problem == "zstd: not zstd"


@pytest.mark.parametrize(
    ("values", "codings"),
    [
        ([], []),
        (["gzip"], ["gzip"]),
        (["GZip , BR"], ["gzip", "br"]),
        (["identity", "", "gzip,,"], ["gzip"]),
    ],
)
def test_codings_of(values: list[str], codings: list[str]) -> None:
    assert codings_of(values) == codings


@pytest.mark.parametrize("name", ["truncated-crc-error", "truncated-crc-error-short", "unexpected-eof"])
def test_published_cut_members(shared: Path, name: str) -> None:
    body = (shared / "data" / "http-bodies" / "scrapy" / f"{name}.gz").read_bytes()
    result = decode(body, ["gzip"])
    assert result.truncated
    # The reference: zlib, fed byte by byte.
    reference, out = zlib.decompressobj(31), b""
    for byte in body:
        try:
            out += reference.decompress(bytes([byte]))
        except zlib.error:
            break
    assert result.data == out


NAMES = st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd", "compress"]), max_size=3)


@given(st.binary(max_size=200), NAMES, st.integers(1, 5000))
def test_never_raises_and_stays_within_the_limit(body: bytes, codings: list[str], max_bytes: int) -> None:
    result = decode(body, codings, max_bytes=max_bytes)
    assert len(result.data) <= max(max_bytes, len(body))


@given(st.binary(max_size=2000), st.sampled_from(sorted(ENCODERS)), st.data())
def test_any_cut_and_any_flipped_byte(data: bytes, kind: str, draw: st.DataObject) -> None:
    coding, encode = ENCODERS[kind]
    body = bytearray(encode(data))
    assert decode(bytes(body), [coding]).data == data
    position = draw.draw(st.integers(0, len(body) - 1))
    cut = decode(bytes(body[:position]), [coding])
    assert data.startswith(cut.data) or cut.data == bytes(body[:position])
    body[position] ^= draw.draw(st.integers(1, 255))
    decode(bytes(body), [coding])


EMPTY_ZSTD_FRAME = b"\x50\x2a\x4d\x18\x00\x00\x00\x00"


@pytest.mark.parametrize(
    ("coding", "member"), [("gzip", gzip.compress(b"", mtime=0)), ("zstd", EMPTY_ZSTD_FRAME)], ids=["gzip", "zstd"]
)
def test_members_that_put_nothing_out_are_bounded(coding: str, member: bytes) -> None:
    decoded = decode(member * 100_000, [coding])
    assert (decoded.data, decoded.truncated) == (b"", True)
    assert decoded.problem == f"{coding}: too many members"


def test_stacked_members_are_bounded_too() -> None:
    body = gzip.compress(gzip.compress(b"", mtime=0) * 20_000, mtime=0)
    assert decode(body, ["gzip", "gzip"]).problem == "gzip: too many members"
