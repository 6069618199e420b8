"""Queries of links in pages that are not in UTF-8: a browser writes them in the page's encoding, and so must we.

URL standard, query state ("percent-encode after encoding"), with the output encoding of the HTML standard's
"encoding-parsing a URL". Paths and hosts are UTF-8 in any page.
"""

from __future__ import annotations

from typing import Final

from gossamer.core.page.charset_labels import encoder_of

_KEPT: Final = frozenset(range(0x21, 0x7F)) - frozenset(b"\"#'<>")
"""Bytes that are outside the special-query percent-encode set."""
_ESCAPES: Final = tuple(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in range(256))


def encode_query(reference: str, encoding: str) -> str:
    """`reference` with the foreign characters of its query percent-encoded as bytes of `encoding` (a WHATWG name)."""
    head, mark, query = reference.partition("?")
    if not mark or query.isascii() or "#" in head:
        return reference
    encoder = encoder_of(encoding)
    if encoder == "utf-8":
        return reference
    query, fragment_mark, fragment = query.partition("#")
    return f"{head}?{_encoded(query.strip(), encoder)}{fragment_mark}{fragment}"


def _encoded(query: str, encoder: str) -> str:
    parts: list[str] = []
    while query:
        try:
            parts.append(_escaped(query.encode(encoder)))
            break
        except UnicodeEncodeError as error:
            # What the encoding lacks becomes a character reference (Encoding standard, error mode "html").
            parts.append(_escaped(query[: error.start].encode(encoder)))
            parts.extend(f"%26%23{ord(character)}%3B" for character in query[error.start : error.end])
            query = query[error.end :]
    return "".join(parts)


def _escaped(encoded: bytes) -> str:
    return "".join([_ESCAPES[byte] for byte in encoded])
