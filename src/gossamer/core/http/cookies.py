"""Cookies set by a redirect, kept for that URL's chain only (architecture, section 4).

Just enough of RFC 6265 for sites that answer the same URL once they see their cookie back. Nothing is stored beyond
the chain, and whoever follows the chain drops the cookies when it leaves the site.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core import limits

if TYPE_CHECKING:
    from collections.abc import Sequence

Cookie = tuple[str, str]

_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_VALUE: Final = re.compile(r"[\x20-\x3a\x3c-\x7e\x80-\xff]*")
"""No control characters, no semicolon: a value cannot end its field or begin another."""
_MAX_AGE: Final = re.compile(r"\s*(-?)0*([0-9]+)\s*", re.ASCII)
_LONG_AGO: Final = re.compile(r"\b19[0-9]{2}\b", re.ASCII)


def cookies_after(set_cookie: Sequence[str], existing: tuple[Cookie, ...]) -> tuple[Cookie, ...]:
    """The cookies of a chain after an answer with these Set-Cookie values (latin-1). Never raises.

    The result is sorted by name, so equal sets are equal values. Cookies beyond the limits are dropped.
    """
    jar = dict(existing)
    for field in set_cookie:
        pair, *attributes = field.split(";")
        name, equals, value = (part.strip(" \t") for part in pair.partition("="))
        if not equals or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            continue
        if _is_deletion(attributes):
            jar.pop(name, None)
        else:
            jar[name] = value
    return _bounded(sorted(jar.items()))


def cookie_header(cookies: Sequence[Cookie]) -> str:
    """The value of the Cookie field (RFC 6265 section 4.2); empty when there are none."""
    return "; ".join(f"{name}={value}" for name, value in cookies)


def _is_deletion(attributes: Sequence[str]) -> bool:
    """Max-Age of zero or less, or an expiry in the last century: how servers take a cookie back."""
    expired = False
    for attribute in attributes:
        name, _, value = attribute.partition("=")
        key = name.strip().lower()
        if key == "max-age" and (match := _MAX_AGE.fullmatch(value)):
            # RFC 6265 section 5.3: Max-Age has precedence over Expires.
            return bool(match.group(1)) or match.group(2) == "0"
        if key == "expires" and _LONG_AGO.search(value):
            expired = True
    return expired


def _bounded(cookies: Sequence[Cookie]) -> tuple[Cookie, ...]:
    kept: list[Cookie] = []
    room = limits.COOKIE_BYTES_MAX
    for name, value in cookies[: limits.COOKIES_MAX]:
        room -= len(name) + len(value) + 3
        if room < 0:
            break
        kept.append((name, value))
    return tuple(kept)
