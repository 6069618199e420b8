"""What we say to a server: the fields of a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from gossamer.core.http.cookies import Cookie, cookie_header

if TYPE_CHECKING:
    from gossamer.core.http.headers import Field

PRODUCT: Final = "Gossamer"
"""The product token: what we are called in User-Agent and matched by in robots.txt (RFC 9309 section 2.2.1)."""

ACCEPT_PAGES: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ROBOTS: Final = "text/plain,*/*;q=0.8"
ACCEPT_LISTINGS: Final = (
    "application/xml,application/rss+xml,application/atom+xml,application/feed+json,text/xml,*/*;q=0.8"
)
ACCEPT_CODINGS: Final = "gzip, deflate, br, zstd"
"""The content codings that `content_coding.decode` reads."""

_UNSENDABLE: Final = re.compile(r"[^\x20-\x7e\x80-\xff]|[()]")
_SENDABLE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True, slots=True)
class Validators:
    """What an earlier answer said for a conditional request (RFC 9110 section 8.8), as received."""

    etag: str = ""
    last_modified: str = ""


def user_agent(version: str, contact: str = "") -> str:
    """The User-Agent value: "Gossamer/1.0 (+https://example.org/bot)". A contact with control characters is misuse."""
    for part in (version, contact):
        if _UNSENDABLE.search(part):
            raise ValueError(f"{part!r} cannot stand in a User-Agent; use a URL or an e-mail address")
    agent = f"{PRODUCT}/{version}"
    return f"{agent} (+{contact})" if contact else agent


def request_fields(
    agent: str,
    *,
    accept: str = ACCEPT_PAGES,
    language: str = "",
    validators: Validators | None = None,
    cookies: tuple[Cookie, ...] = (),
) -> tuple[Field, ...]:
    """The fields of a GET in the order they are sent; Host is the fetcher's. Validators are foreign: bad ones go."""
    if validators is None and not cookies:
        return _plain_fields(agent, accept, language)
    return _fields(agent, accept, language, validators, cookies)


@lru_cache(maxsize=64)
def _plain_fields(agent: str, accept: str, language: str) -> tuple[Field, ...]:
    """Those of nearly every request."""
    return _fields(agent, accept, language, None, ())


def _fields(
    agent: str, accept: str, language: str, validators: Validators | None, cookies: tuple[Cookie, ...]
) -> tuple[Field, ...]:
    fields = [("User-Agent", agent), ("Accept", accept), ("Accept-Encoding", ACCEPT_CODINGS)]
    if language:
        fields.append(("Accept-Language", language))
    if validators is not None:
        fields.append(("If-None-Match", validators.etag))
        fields.append(("If-Modified-Since", validators.last_modified))
    fields.append(("Cookie", cookie_header(cookies)))
    return tuple((name, value) for name, value in fields if value and is_sendable(value))


def is_sendable(value: str) -> bool:
    """Whether a value can be one field's value: latin-1, no control characters but tab (RFC 9110 section 5.5)."""
    return _SENDABLE.fullmatch(value) is not None
