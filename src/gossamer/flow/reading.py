"""Reading an answer once: its outcome, its decoded body and digest, and, for a page, its document."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.exchange import Exchange
from gossamer.core.http.media_type import combined
from gossamer.core.http.outcome import Fetched, Outcome, classify
from gossamer.core.page.document import Document
from gossamer.ports.parser import Parser

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_HTML_STARTS: Final = (b"<!doctype html", b"<html")
_SNIFFED_BYTES: Final = 512


@dataclass(slots=True)
class Reading:
    """What one answer says."""

    outcome: Outcome
    media_type: str = ""
    """Essence of the media type, lower case; "text/html" also where none was sent and the body begins as HTML."""
    body: bytes = b""
    """As received."""
    decoded: bytes = b""
    """After content decoding."""
    digest: bytes = b""
    """sha256 of `decoded`, for a complete page that is not empty; empty otherwise: such bodies are never copies."""
    document: Document | None = None
    problem: str = ""
    """What was wrong with the content coding."""

    @property
    def is_page(self) -> bool:
        """A 2xx answer, copies included."""
        return isinstance(self.outcome, Fetched)


def read(exchange: Exchange, url: str, parser: Parser) -> Reading:
    """Read an answer. Never raises for what the other side sent."""
    outcome = classify(exchange)
    media = combined(exchange.header_all("content-type"))
    reading = Reading(outcome, media.essence if media is not None else "")
    if exchange.body is not None:
        reading.body = exchange.body.read()
    if not reading.is_page:
        return reading
    decoded = decode(reading.body, codings_of(exchange.header_all("content-encoding")))
    reading.decoded, reading.problem = decoded.data, decoded.problem
    if reading.decoded and exchange.truncated is None and not decoded.truncated:
        reading.digest = hashlib.sha256(reading.decoded).digest()
    if not reading.media_type and is_html_start(reading.decoded):
        reading.media_type = "text/html"
    if reading.media_type in HTML_TYPES:
        tags = tuple(exchange.header_all("x-robots-tag"))
        reading.document = parser.parse(reading.decoded, url, exchange.header("content-type"), tags)
    return reading


def is_html_start(body: bytes) -> bool:
    """Whether a body without a media type begins as HTML does (WHATWG MIME sniffing, 7.1, its two surest rows)."""
    start = body[:_SNIFFED_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n\x0c").lower()
    return start.startswith(_HTML_STARTS)
