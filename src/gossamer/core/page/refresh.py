"""The grammar of `<meta http-equiv=refresh content=...>` and of the Refresh header.

HTML standard section 4.2.5.3, "shared declarative refresh steps", step by step; the URL is left unresolved.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_WHITE: Final = r"[\t\n\f\r ]*+"
_TIME: Final = re.compile(rf"{_WHITE}(?:([0-9]++)|(?=\.))[0-9.]*+")
_SEPARATOR: Final = re.compile(rf"(?=[\t\n\f\r ;,]){_WHITE}[;,]?{_WHITE}")
_URL_EQUALS: Final = re.compile(rf"url{_WHITE}={_WHITE}", re.IGNORECASE | re.ASCII)
_DIGITS_READ: Final = 9
"""More digits than this are three decades and more: the same to everybody."""


class Refresh(NamedTuple):
    """What a refresh asks for."""

    delay_seconds: int
    url: str
    """As written; empty means the page itself."""


def parse_refresh(content: str) -> Refresh | None:
    """The refresh that `content` declares, or None when it is none."""
    time = _TIME.match(content)
    if time is None:
        return None
    delay = int((time[1] or "0")[:_DIGITS_READ])
    rest = content[time.end() :]
    if not rest:
        return Refresh(delay, "")
    separator = _SEPARATOR.match(rest)
    if separator is None:
        return None
    return Refresh(delay, _url(rest[separator.end() :]))


def _url(text: str) -> str:
    equals = _URL_EQUALS.match(text)
    text = text[equals.end() :] if equals else text
    if equals or text[:1] not in ("u", "U"):
        quote = text[:1]
        if quote in ("'", '"') and quote:
            return text[1:].partition(quote)[0]
    return text
