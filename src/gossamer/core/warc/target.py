"""The URL of a capture as a WARC record names it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_FOREIGN: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]")
"""What RFC 3986 knows no place for: characters outside `reserved` and `unreserved`, and a percent sign alone."""
_UNPRINTABLE: Final = re.compile(r"[^ -~]")
_AUTHORITY: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://[^/?#]*")


@lru_cache(maxsize=16)
def target_uri(url: str) -> str:
    """`url` as WARC-Target-URI: RFC 3986 in ASCII, without fragment. Never raises; escapes what the RFC does not allow.

    The URL standard leaves characters such as | ^ { } [ ] bare in paths and queries; validators of WARC files do not
    accept them. Percent escapes that are there stay as they are, so a valid URI is returned unchanged.
    Remembered for a moment: the records of one capture all ask.
    """
    url = url.partition("#")[0]
    if _FOREIGN.search(url) is not None:
        url = _FOREIGN.sub(_escape, url)
    if "[" in url or "]" in url:
        # Brackets belong to an address literal alone (RFC 3986, section 3.2.2).
        authority = _AUTHORITY.match(url)
        kept = authority.end() if authority else 0
        url = url[:kept] + url[kept:].replace("[", "%5B").replace("]", "%5D")
    return url


def printable(value: str) -> str:
    """`value` with all but printable ASCII percent-escaped, so that it can stand in one line of a header."""
    return value if value.isascii() and value.isprintable() else _UNPRINTABLE.sub(_escape, value)


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))
