"""Reading an answer once: outcome, decoded body, digest, document."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.http.exchange import Exchange, FailureKind, Truncation
from gossamer.core.http.outcome import Failed, Fetched, Gone, Redirected, Refused
from gossamer.core.limits import DECODED_BYTES_MAX
from gossamer.flow.reading import read
from gossamer.simulation.clock import EPOCH
from gossamer.simulation.parser import SimParser
from tests.workers import Reply, exchange, page

URL = "http://a.test/"
PAGE = page("/1", title="Title")
GZIP = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"))


def reading(**reply: Any) -> Any:
    return read(exchange(URL, Reply(**reply)), URL, SimParser())


@pytest.mark.parametrize(
    ("reply", "outcome", "is_page"),
    [
        ({"body": PAGE}, Fetched, True),
        ({"body": PAGE, "status": 206}, Fetched, True),
        ({"body": PAGE, "status": 404}, Gone, False),
        ({"body": PAGE, "status": 500}, Failed, False),
        ({"status": 301, "headers": (("Location", "/2"),)}, Redirected, False),
        ({"failure": FailureKind.TIMEOUT}, Failed, False),
        ({"failure": FailureKind.ADDRESS_REFUSED}, Refused, False),
    ],
)
def test_only_a_page_is_read_as_one(reply: dict[str, Any], outcome: type, is_page: bool) -> None:
    seen = reading(**reply)
    assert isinstance(seen.outcome, outcome)
    assert seen.is_page is is_page
    assert (seen.document is not None) is is_page
    assert bool(seen.digest) is is_page
    assert seen.body == reply.get("body", b"")


def test_the_body_is_decoded_and_kept_as_received() -> None:
    packed = gzip.compress(PAGE, mtime=0)
    seen = reading(body=packed, headers=GZIP)
    assert (seen.body, seen.decoded) == (packed, PAGE)
    assert seen.digest == hashlib.sha256(PAGE).digest()
    assert seen.document.title == "Title"
    assert seen.document.links.urls == ["http://a.test/1"]


def test_one_text_has_one_digest_in_whatever_coding() -> None:
    plain, packed = reading(body=PAGE), reading(body=gzip.compress(PAGE), headers=GZIP)
    assert plain.digest == packed.digest


@pytest.mark.parametrize(
    "reply",
    [
        {"body": b""},
        {"body": PAGE, "truncated": Truncation.LENGTH},
        {"body": PAGE, "truncated": Truncation.DISCONNECT},
        {"body": gzip.compress(PAGE)[:-12], "headers": GZIP},
        {"body": gzip.compress(b"x" * (DECODED_BYTES_MAX + 1)), "headers": GZIP},
    ],
)
def test_empty_and_cut_bodies_are_never_copies(reply: dict[str, Any]) -> None:
    assert reading(**reply).digest == b""


@pytest.mark.parametrize(
    ("media", "body", "read_as", "parsed"),
    [
        ("text/html", PAGE, "text/html", True),
        ("Text/HTML; charset=utf-8", PAGE, "text/html", True),
        ("application/xhtml+xml", PAGE, "application/xhtml+xml", True),
        ("application/pdf", PAGE, "application/pdf", False),
        ("text/plain", PAGE, "text/plain", False),
        ("", PAGE, "text/html", True),
        ("", b"%PDF-1.4", "application/pdf", False),
        ("nonsense", PAGE, "text/html", True),
    ],
)
def test_the_media_type_decides_whether_it_is_parsed(media: str, body: bytes, read_as: str, parsed: bool) -> None:
    seen = reading(body=body, headers=(("Content-Type", media),) if media else ())
    assert seen.media_type == read_as
    assert (seen.document is not None) is parsed


@given(
    st.binary(max_size=80),
    st.sampled_from([200, 206, 301, 304, 404, 500]),
    st.lists(st.tuples(st.sampled_from(["Content-Type", "Content-Encoding", "Location"]), st.text(max_size=12))),
)
def test_nothing_that_a_server_sends_raises(body: bytes, status: int, headers: list[tuple[str, str]]) -> None:
    seen = reading(body=body, status=status, headers=tuple(headers))
    assert seen.body == body


def test_an_exchange_without_a_body_is_read() -> None:
    seen = read(Exchange(URL, EPOCH, EPOCH, status=200), URL, SimParser())
    assert (seen.body, seen.digest) == (b"", b"")
