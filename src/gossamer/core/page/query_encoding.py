"""Queries of links in pages that are not in UTF-8: a browser writes them in the page's encoding, and so must we.

URL standard, query state ("percent-encode after encoding"), with the output encoding of the HTML standard's
"encoding-parsing a URL". Paths and hosts are UTF-8 in any page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gossamer.core.page.charset_labels import encoder_of

_KEPT: Final = frozenset(range(0x21, 0x7F)) - frozenset(b"\"#'<>")
"""Bytes that are outside the special-query percent-encode set."""
_UNENCODABLE: Final = {
    "gb18030": re.compile("\ue5e5"),
    "gbk": re.compile("\ue5e5"),
    "iso-2022-jp": re.compile("[\x0e\x0f\x1b]"),
}
"""Characters that the standard's encoder refuses and Python's does not (Encoding standard, 10.2.2 and 12.2.2)."""
_ESCAPES: Final = tuple(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in range(256))


def encode_query(reference: str, encoding: str) -> str:
    """`reference` with the foreign characters of its query percent-encoded as bytes of `encoding` (a WHATWG name)."""
    head, mark, query = reference.partition("?")
    if not mark or "#" in head:
        return reference
    encoder = encoder_of(encoding)
    unencodable = _UNENCODABLE.get(encoder)
    if encoder == "utf-8" or (query.isascii() and not (unencodable and unencodable.search(query))):
        return reference
    query, fragment_mark, fragment = query.partition("#")
    return f"{head}?{_encoded(query.strip(), encoder)}{fragment_mark}{fragment}"


def _encoded(query: str, encoder: str) -> str:
    unencodable = _UNENCODABLE.get(encoder)
    if unencodable is None:
        return _encoded_run(query, encoder)
    parts: list[str] = []
    for run, character in _runs(query, unencodable):
        parts.append(_encoded_run(run, encoder))
        # The standard's encoders name the replacement character in place of one that could switch their state.
        parts.append(character and f"%26%23{0xFFFD if character.isascii() else ord(character)}%3B")
    return "".join(parts)


def _runs(text: str, splitting: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The text before each splitting character, with it; last the rest, with none."""
    start = 0
    for found in splitting.finditer(text):
        yield text[start : found.start()], found[0]
        start = found.end()
    yield text[start:], ""


def _encoded_run(query: str, encoder: str) -> str:
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
