"""Reading an answer once: its outcome, its decoded body and digest, and, for a page, its document."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.exchange import Exchange
from gossamer.core.http.media_type import combined
from gossamer.core.http.outcome import Fetched, Outcome, classify
from gossamer.core.http.sniff import media_type_of
from gossamer.core.limits import DECODED_BYTES_MAX
from gossamer.core.page.directives import read_directives
from gossamer.core.page.document import Directives, Document
from gossamer.core.page.link_header import header_links
from gossamer.core.sitemap.listing import Listing
from gossamer.ports.parser import Parser

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(slots=True)
class Reading:
    """What one answer says."""

    outcome: Outcome
    media_type: str = ""
    """Essence of the media type, lower case; of a page it is what its bytes are where the server does not know."""
    body: bytes = b""
    """As received."""
    decoded: bytes = b""
    """After content decoding."""
    digest: bytes = b""
    """sha256 of `decoded`, for a complete page that is not empty; empty otherwise: such bodies are never copies."""
    document: Document | None = None
    listing: Listing | None = None
    """What a sitemap or feed names; `flow/listing.py` reads it."""
    problem: str = ""
    """What was wrong with the content coding."""
    directives: Directives = field(default_factory=Directives)
    """What X-Robots-Tag and the page's metas say to us; of any 2xx answer, whatever its type."""

    @property
    def is_page(self) -> bool:
        """A 2xx answer, copies included."""
        return isinstance(self.outcome, Fetched)


def read(exchange: Exchange, url: str, parser: Parser | None, decoded_max: int = DECODED_BYTES_MAX) -> Reading:
    """Read an answer, up to `decoded_max` bytes after content decoding. Never raises for what the other side sent.

    Without a parser no document is made: what was fetched is meant to be something else than a page.
    """
    outcome = classify(exchange)
    media = combined(exchange.header_all("content-type"))
    reading = Reading(outcome, media.essence if media is not None else "")
    if exchange.body is not None:
        reading.body = exchange.body.read()
    if not reading.is_page:
        return reading
    decoded = decode(reading.body, codings_of(exchange.header_all("content-encoding")), decoded_max)
    reading.decoded, reading.problem = decoded.data, decoded.problem
    if reading.decoded and exchange.truncated is None and not decoded.truncated:
        reading.digest = hashlib.sha256(reading.decoded).digest()
    options = exchange.header("x-content-type-options")
    reading.media_type = media_type_of(exchange.header_all("content-type"), reading.decoded, options)
    tags = tuple(exchange.header_all("x-robots-tag"))
    if parser is not None and reading.media_type in HTML_TYPES:
        reading.document = parser.parse(reading.decoded, url, exchange.header("content-type"), tags)
        if fields := exchange.header_all("link"):
            reading.document.links.extend(header_links(fields, url))
        reading.directives = reading.document.directives
    elif tags:
        reading.directives = read_directives((), tags)
    return reading
