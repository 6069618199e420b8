"""The cookies of one host, kept while a crawl runs, after RFC 6265.

A jar belongs to one host and is never asked for another: where the standard shares a cookie among the hosts of a
domain, we do not, so no cookie can reach a host that did not set it. Beyond that, section 5.3 (what is stored) and
section 5.4 (what is sent) hold: Path, Secure, Max-Age before Expires, replacement by name and path, longer paths first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core import limits
from gossamer.core.http.cookies import Cookie
from gossamer.core.politeness.retry_after import http_date
from gossamer.core.url.parse import Url, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_VALUE: Final = re.compile(r"[\x20-\x3a\x3c-\x7e\x80-\xff]*")
_MAX_AGE: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DASHED_DATE: Final = re.compile(r"(\d{1,2})-([A-Za-z]{3})-(\d{4})", re.ASCII)
_HTTP_ONLY: Final = "#HttpOnly_"
_NETSCAPE_FIELDS: Final = 7
FOREVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class JarCookie:
    """One stored cookie. `expires` in seconds since the epoch; a session's cookie lasts as long as the run."""

    name: str
    value: str = field(repr=False)
    path: str = "/"
    secure: bool = False
    expires: float = FOREVER


class CookieJar:
    """The jar of one host."""

    def __init__(self, cookies: Iterable[JarCookie] = ()) -> None:
        self._cookies: dict[tuple[str, str], JarCookie] = {}
        for cookie in cookies:
            self._keep(cookie)

    def __len__(self) -> int:
        return len(self._cookies)

    def learn(self, url: str, set_cookie: Sequence[str], now: float) -> None:
        """Take in the Set-Cookie values (latin-1) of an answer to a normalised URL of the host. Never raises."""
        asked = parse(url)
        if asked is None:
            return
        for value in set_cookie:
            cookie = _read(value, asked, now)
            if cookie is None:
                continue
            self._cookies.pop((cookie.name, cookie.path), None)
            if cookie.expires > now:
                self._keep(cookie)

    def cookies_for(self, url: str, now: float) -> tuple[Cookie, ...]:
        """What is sent with a request for a normalised URL of the host: longer paths first, then the older ones."""
        asked = parse(url)
        if asked is None:
            return ()
        found = [
            cookie
            for cookie in self._cookies.values()
            if cookie.expires > now and (asked.scheme == "https" or not cookie.secure) and _covers(cookie, asked.path)
        ]
        found.sort(key=lambda cookie: -len(cookie.path))
        return _bounded(found)

    def _keep(self, cookie: JarCookie) -> None:
        self._cookies[cookie.name, cookie.path] = cookie
        if len(self._cookies) > limits.JAR_COOKIES_MAX:
            del self._cookies[next(iter(self._cookies))]


def read_netscape(text: str, host: str) -> tuple[list[JarCookie], list[str]]:
    """The cookies for `host` in a cookies.txt as curl and browsers' tools write it, and what cannot be read, by line.

    A line holds domain, whether hosts below it count, path, whether only over TLS, expiry in seconds since the epoch
    (0 for a session), name and value, with tabs between. "#HttpOnly_" before a domain is no comment.
    """
    cookies: list[JarCookie] = []
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        row = line.removeprefix(_HTTP_ONLY)
        if not row.strip() or row.startswith("#"):
            continue
        parts = row.split("\t")
        # Whoever writes a cookie without a value may leave the last tab out.
        parts += [""] * (len(parts) == _NETSCAPE_FIELDS - 1)
        if len(parts) != _NETSCAPE_FIELDS or not re.fullmatch(r"-?[0-9]{1,18}", parts[4], re.ASCII):
            problems.append(f"line {number} is no line of a Netscape cookie file (7 fields with tabs between)")
            continue
        domain, below, path, secure, expires, name, value = parts
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            problems.append(f"line {number} holds a name or a value that no cookie can have")
        elif _is_for(host, domain, below):
            moment = float(expires) if int(expires) > 0 else FOREVER
            cookies.append(JarCookie(name, value, path or "/", secure.upper() == "TRUE", moment))
    return cookies, problems


def _is_for(host: str, domain: str, below: str) -> bool:
    base = domain.lstrip(".").rstrip(".").lower()
    return host == base or (below.upper() == "TRUE" and host.endswith("." + base))


def _read(text: str, asked: Url, now: float) -> JarCookie | None:
    """RFC 6265 section 5.2 and 5.3; a cookie that is not stored is None, one that is taken back has expired."""
    pair, *rest = text.split(";")
    name, equals, value = (part.strip(" \t") for part in pair.partition("="))
    if not equals or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        return None
    if len(name) + len(value) > limits.COOKIE_BYTES_MAX:
        return None
    attributes = {key.strip().lower(): content.strip() for key, _, content in (part.partition("=") for part in rest)}
    if not _domain_matches(attributes.get("domain", ""), asked.host):
        return None
    path = attributes.get("path", "")
    path = path if path.startswith("/") else _default_path(asked.path)
    secure = "secure" in attributes
    if not _may_set(name, attributes, asked, path=path, secure=secure):
        return None
    return JarCookie(name, value, path, secure, _expiry(attributes, now))


def _may_set(name: str, attributes: dict[str, str], asked: Url, *, path: str, secure: bool) -> bool:
    """Only TLS may set what only TLS may read, and prefixed names promise more (RFC 6265bis section 4.1.3)."""
    if secure and asked.scheme != "https":
        return False
    folded = name.lower()
    if folded.startswith("__secure-"):
        return secure
    return not folded.startswith("__host-") or (secure and path == "/" and not attributes.get("domain"))


def _domain_matches(domain: str, host: str) -> bool:
    """Section 5.1.3. A cookie for a domain that the host is not in is refused; for its own it stays the host's."""
    wanted = domain.removeprefix(".").lower()
    return not wanted or host == wanted or host.endswith("." + wanted)


def _default_path(path: str) -> str:
    """Section 5.1.4."""
    return path[: path.rfind("/")] or "/"


def _covers(cookie: JarCookie, path: str) -> bool:
    """Section 5.1.4."""
    if path == cookie.path:
        return True
    return path.startswith(cookie.path) and (cookie.path.endswith("/") or path[len(cookie.path)] == "/")


def _expiry(attributes: dict[str, str], now: float) -> float:
    age = attributes.get("max-age", "")
    if _MAX_AGE.fullmatch(age):
        return now + int(age) if int(age) > 0 else 0.0
    # The old form "Wed, 09-Jun-2027 10:18:14 GMT" is still what most servers write.
    date = _DASHED_DATE.sub(
        lambda found: f"{int(found[1]):02} {found[2].title()} {found[3]}", attributes.get("expires", "")
    )
    moment = http_date(date, now)
    return FOREVER if moment is None else moment


def _bounded(found: list[JarCookie]) -> tuple[Cookie, ...]:
    room = limits.COOKIE_BYTES_MAX
    kept: list[Cookie] = []
    for cookie in found:
        room -= len(cookie.name) + len(cookie.value) + 3
        if room < 0:
            break
        kept.append((cookie.name, cookie.value))
    return tuple(kept)
