"""What a body is, where its server does not say or is known to say it wrongly (WHATWG MIME Sniffing, sections 7 and 8).

The bytes decide only where the standard lets them: no type or one that says nothing, the four Content-Types that old
Apaches sent for everything, and pictures under another picture's name. A page served as text/plain stays text, as in
browsers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.http.media_type import combined

if TYPE_CHECKING:
    from collections.abc import Sequence

SNIFFED_BYTES: Final = 1445
"""The resource header: as many bytes as the standard looks at."""
BINARY: Final = "application/octet-stream"
_PLAIN: Final = "text/plain"
_UNKNOWN: Final = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})
_APACHE: Final = frozenset(
    {"text/plain", "text/plain; charset=ISO-8859-1", "text/plain; charset=iso-8859-1", "text/plain; charset=UTF-8"}
)
"""Section 5.1: what Apaches said of files they did not know."""
_BLANKS: Final = b"\t\n\x0c\r "
_TAG_ENDS: Final = (b" ", b">", b"\t", b"\n", b"\x0c", b"\r")
"""The standard ends a tag at a space or ">"; other blanks do the same to a browser's parser."""
_HTML_TAGS: Final = (
    b"<!DOCTYPE HTML",
    b"<HTML",
    b"<HEAD",
    b"<SCRIPT",
    b"<IFRAME",
    b"<H1",
    b"<DIV",
    b"<FONT",
    b"<TABLE",
    b"<A",
    b"<STYLE",
    b"<TITLE",
    b"<B",
    b"<BODY",
    b"<BR",
    b"<P",
    b"<!--",
)
"""Section 7.1, first table: any case, and a tag must end where it does; a comment need not."""
_TEXT_MARKS: Final = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")
_IMAGES: Final = (
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\x00\x00\x02\x00", "image/x-icon"),
    (b"BM", "image/bmp"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
)
"""Section 6.1; WebP has its own rule."""
_OTHERS: Final = (
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"OggS\x00", "application/ogg"),
    (b"MThd\x00\x00\x00\x06", "audio/midi"),
    (b"ID3", "audio/mpeg"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"\x1f\x8b\x08", "application/x-gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"Rar!\x1a\x07\x00", "application/x-rar-compressed"),
    (b"\x00\x01\x00\x00", "font/ttf"),
    (b"OTTO", "font/otf"),
    (b"ttcf", "font/collection"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
)
"""Sections 6.2 to 6.4 and 7.1: what says it in its first bytes."""
_RIFF: Final = {b"WEBPVP": "image/webp", b"AVI ": "video/avi", b"WAVE": "audio/wave"}
_BINARY_BYTES: Final = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
"""Section 3, "binary data byte"."""


def media_type_of(content_types: Sequence[str], body: bytes, options: str = "") -> str:
    """The essence of a body's media type, lower case; never empty for a body that is not.

    `content_types`: the Content-Type fields in order; `body` after content decoding; `options`: the
    X-Content-Type-Options field, whose "nosniff" makes what was said the last word. "" for nothing said of nothing.
    """
    said = combined(content_types)
    essence = said.essence if said is not None else ""
    start = body[:SNIFFED_BYTES]
    if essence in _UNKNOWN:
        return _of_unknown(start) if start else ""
    if not start or options.strip().lower() == "nosniff":
        return essence
    if essence == _PLAIN and content_types[-1].strip() in _APACHE:
        return _text_or_binary(start)
    if essence.startswith("image/") and not essence.endswith("+xml"):
        return _image(start) or essence
    return essence


def _of_unknown(start: bytes) -> str:
    """Section 7.1, in its order: markup, then what has a signature, then text or binary."""
    bare = start.lstrip(_BLANKS)
    if _is_html(bare.removeprefix(b"\xef\xbb\xbf").lstrip(_BLANKS)):
        return "text/html"
    if bare.removeprefix(b"\xef\xbb\xbf").startswith(b"<?xml"):
        return "text/xml"
    return _signed(start) or _text_or_binary(start)


def _is_html(start: bytes) -> bool:
    upper = start[:16].upper()
    ends = (upper[len(tag) : len(tag) + 1] for tag in _HTML_TAGS if upper.startswith(tag))
    return upper.startswith(b"<!--") or any(end in _TAG_ENDS for end in ends)


def _signed(start: bytes) -> str:
    """The type of what begins with a signature; empty for anything else."""
    found = _image(start) or next((name for pattern, name in _OTHERS if start.startswith(pattern)), "")
    if found:
        return found
    if start[:4] == b"RIFF":
        return next((name for pattern, name in _RIFF.items() if start[8:].startswith(pattern)), "")
    if start[:4] == b"FORM" and start[8:12] == b"AIFF":
        return "audio/aiff"
    return "video/mp4" if start[4:8] == b"ftyp" and start[8:11] == b"mp4" else ""


def _image(start: bytes) -> str:
    if start[:4] == b"RIFF" and start[8:14] == b"WEBPVP":
        return "image/webp"
    return next((name for pattern, name in _IMAGES if start.startswith(pattern)), "")


def _text_or_binary(start: bytes) -> str:
    """Section 7.2: a byte order mark or no byte that text has no use for."""
    if start.startswith(_TEXT_MARKS) or start.translate(None, delete=_BINARY_BYTES) == start:
        return _PLAIN
    return BINARY
