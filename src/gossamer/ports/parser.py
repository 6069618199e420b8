"""Port: from the bytes of an HTML document to what it says."""

from __future__ import annotations

from typing import Protocol

from gossamer.core.page.document import Document


class Parser(Protocol):
    """Reads HTML. Never raises for any bytes; what cannot be read is marked in `Document.malformed`."""

    def parse(self, body: bytes, url: str, content_type: str, robots_tags: tuple[str, ...]) -> Document:
        """Read one document.

        `body` is content-decoded; `url` its fetch URL; `content_type` the header as received (may be empty);
        `robots_tags` the values of X-Robots-Tag in order.
        """
        ...
