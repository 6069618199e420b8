"""From a page's bytes to its text: which encoding, and whether there is text at all.

The order is the HTML standard's (section 13.2.3.2, "Determining the character encoding"): a byte order mark, the
transport's charset, a declaration near the beginning. A page that declares nothing is UTF-8 if it is valid UTF-8 (by
chance it hardly ever is), else what its bytes look like, else windows-1252.

Decoding is the Encoding standard's: malformed bytes become U+FFFD and nothing raises. A label that names UTF-16 in a
declaration means UTF-8, because a declaration that could be read as ASCII was not in UTF-16.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import chardet
import turbohtml.detect

from gossamer.core.limits import CHARSET_LATE_BYTES_MAX, CHARSET_PRESCAN_BYTES, CHARSET_SAMPLE_BYTES
from gossamer.core.page.charset_labels import REPLACEMENT, decoder_of, encoding_of, known_encoding
from gossamer.core.page.charset_prescan import prescan

EMPTY: Final = "empty"
BINARY: Final = "binary"
UNDECODABLE: Final = "undecodable"

_FALLBACK: Final = "windows-1252"
_WHITE: Final = b"\t\n\x0c\r "
_BOMS: Final = (
    # The standard takes the first for UTF-16 that begins with a NUL, which would be no text.
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xfe\xff", "utf-16be"),
    (b"\xff\xfe", "utf-16le"),
)
_HEADER_CHARSET: Final = re.compile(
    r"(?:^|[;,\t\n\r ])charset[\t\n\r ]*=[\t\n\r ]*(?:\"([^\"]*)\"?|'([^']*)'?|([^;,]*))", re.IGNORECASE
)
_ERAS: Final = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME
_NEVER: Final = ("utf-7",)
"""Hides markup from whoever checks it; nobody writes it any more."""
_SURE: Final = 0.1
"""Below this confidence the host's country is asked, too."""
_TLD: Final = re.compile(r"[a-z0-9-]{1,63}")

_SIGNATURES: Final = re.compile(
    rb"%PDF-|%!PS-Adobe-|\x89PNG|GIF8[79]a|\xff\xd8\xff|RIFF....WEBP|RIFF....WAVE|PK\x03\x04|\x1f\x8b\x08|BZh[1-9]1AY"
    rb"|\xfd7zXZ\x00|7z\xbc\xaf\x27\x1c|\x28\xb5\x2f\xfd|Rar!\x1a\x07|\x7fELF|\xca\xfe\xba\xbe|wOF[F2]\x00|wOF2|OggS\x00"
    rb"|fLaC\x00|ID3[\x02-\x04]|....ftyp|\x1a\x45\xdf\xa3|\x00\x00\x01\x00|SQLite format 3\x00|\x00asm"
    rb"|BM....\x00\x00\x00\x00",
    re.DOTALL,
)
"""First bytes of the formats most often sent as text/html (MIME Sniffing standard sections 6 and 7, and their kin)."""

_ISO_2022_KR: Final = b"\x1b$)C"
"""Designates the Korean set (RFC 1557). As a declared encoding it is refused (Encoding standard, "replacement")."""
_ISO_2022_JP: Final = (b"\x1b$B", b"\x1b$@")
"""Escapes to the two-byte sets (RFC 1468)."""

_CONTROLS: Final = bytes([*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
"""Binary data bytes (MIME Sniffing standard section 3)."""
_CONTROL_SAMPLE: Final = 2048


class Decoded(NamedTuple):
    """A page's text."""

    text: str
    """Without byte order mark; empty if there is a problem."""
    encoding: str
    """The WHATWG name in lower case (Python's for a detected encoding that the standard lacks); empty where none was
    chosen."""
    problem: str
    """"empty", "binary", "undecodable", or empty."""


def decode(body: bytes, content_type: str, tld: str = "") -> Decoded:
    """The text of `body`, with the header `content_type` as received (may be empty).

    `tld`, the last label of the host, helps to tell encodings apart in a page that declares none.
    """
    if not body.strip(_WHITE):
        return Decoded("", "", EMPTY)
    if _SIGNATURES.match(body):
        return Decoded("", "", BINARY)
    mark, encoding = _byte_order_mark(body)
    encoding = encoding or header_charset(content_type) or declared(body)
    if encoding == REPLACEMENT:
        return Decoded("", encoding, UNDECODABLE)
    if encoding:
        text = _decode(body[mark:] if mark else body, encoding)
    else:
        text, encoding = _decode_undeclared(body, tld)
    problem = _problem(body, text, encoding)
    return Decoded("" if problem else text, encoding, problem)


def header_charset(content_type: str) -> str:
    """The encoding that a Content-Type header names, or "" (MIME Sniffing standard section 4.4, read tolerantly)."""
    found = _HEADER_CHARSET.search(content_type)
    return encoding_of(found[found.lastindex or 0].strip("\"'\t\n\r ")) if found else ""


def declared(body: bytes) -> str:
    """The encoding that the page's beginning declares, or "" (HTML standard, prescan a byte stream)."""
    return prescan(body[:CHARSET_PRESCAN_BYTES])


def _byte_order_mark(body: bytes) -> tuple[int, str]:
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return len(mark), encoding
    return 0, ""


def _decode(body: bytes, encoding: str) -> str:
    return body.decode(decoder_of(encoding), "replace")


def _decode_undeclared(body: bytes, tld: str) -> tuple[str, str]:
    wide = _wide(body)
    if wide:
        return _decode(body, wide), wide
    # A declaration after the prescan's bytes changes a guess (HTML standard, "changing the encoding while parsing").
    late = prescan(body[:CHARSET_LATE_BYTES_MAX])
    late = "" if late == REPLACEMENT else late
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        wrong_at = error.start
    else:
        return _plain(body, text, late)
    text = body.decode("utf-8", "replace")
    if _mostly_utf_8(text):
        return text, "utf-8"
    start = max(0, wrong_at - CHARSET_SAMPLE_BYTES // 2)
    encoding = late or detect(body[start : start + CHARSET_SAMPLE_BYTES], tld)
    return _decode(body, encoding), encoding


def _plain(body: bytes, text: str, late: str) -> tuple[str, str]:
    """Valid UTF-8; where it is all ASCII it may be of another encoding by name, or Japanese in seven bits."""
    if not text.isascii():
        return text, "utf-8"
    if not late and any(escape in body for escape in _ISO_2022_JP):
        late = "iso-2022-jp"
    elif not late and _ISO_2022_KR in body:
        late = "iso2022_kr"
    return (_decode(body, late), late) if late else (text, "utf-8")


def _mostly_utf_8(text: str) -> bool:
    """Whether text decoded with losses is UTF-8 all the same: a body cut within a character, a few damaged bytes."""
    lost = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore")) - lost
    return lost * 20 <= foreign or (lost == 1 and foreign > 0 and text.endswith("\ufffd"))


def detect(sample: bytes, tld: str = "") -> str:
    """What the bytes look like, by frequencies of characters and pairs; windows-1252 where nothing speaks.

    Beside the standard's encodings a few are told that browsers do not know (code pages of DOS): to read such a text is
    better than to index noise.
    """
    found = chardet.detect(sample, encoding_era=_ERAS, max_bytes=len(sample), exclude_encodings=_NEVER)
    name = known_encoding(found["encoding"] or "")
    if name and (found["confidence"] >= _SURE or not _TLD.fullmatch(tld)):
        return name
    hint = tld if _TLD.fullmatch(tld) else None
    match = turbohtml.detect.detect(sample, turbohtml.detect.Detection(tld=hint))
    return encoding_of(match.encoding or "") or name or _FALLBACK


def _wide(body: bytes) -> str:
    """UTF-16 without a mark: markup in it has a NUL beside most bytes, always on the same side."""
    even, odd = body[:256:2], body[1:256:2]
    low, high = even.count(0), odd.count(0)
    if len(body) % 4 == 0 and low and high:
        return _wider(body)
    if low == 0 and high * 2 > len(odd):
        return "utf-16le"
    return "utf-16be" if high == 0 and low * 2 > len(even) else ""


def _wider(body: bytes) -> str:
    """UTF-32 without a mark: two or three NULs in four bytes, always at the same places."""
    places = [body[start:1024:4] for start in range(4)]
    empty = [not any(place) for place in places]
    if empty[3] and empty[2] and not empty[0]:
        return "utf-32-le"
    return "utf-32-be" if empty[0] and empty[1] and not empty[3] else ""


def _problem(body: bytes, text: str, encoding: str) -> str:
    """Why decoded text is none."""
    if not text or text.isspace():
        return EMPTY
    wide = encoding.startswith(("utf-16", "utf-32"))
    if _is_binary(text[:_CONTROL_SAMPLE].encode("utf-8") if wide else body[:_CONTROL_SAMPLE]):
        return BINARY
    # One character in four lost: these bytes are in another encoding than the one declared, or in none.
    return UNDECODABLE if "\ufffd" in text and text.count("\ufffd") * 4 > len(text) else ""


def _is_binary(sample: bytes) -> bool:
    """More control bytes than a damaged text has: random bytes have one in ten, text none."""
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls * 50 > len(sample) and (controls > 8 or controls * 4 > len(sample))
