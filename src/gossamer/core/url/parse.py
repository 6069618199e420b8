"""URLs by the WHATWG URL standard: parsing, resolving, and cheap answers about a URL already parsed.

A *normalised* URL here is what the standard's serialiser writes for an http or https URL, without fragment and without
user name and password. `parse` and `resolve_all` make such URLs; `host_of`, `authority_of` and `target_of` read them by
slicing alone, because they are asked for every link of every page.

Credentials (`user:password@`) are dropped, not sent: a page's author has no business choosing whom we log in as, and a
password must not land in an archive, a log or an index. The request on the wire is the one a browser sends before it
is asked to log in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

import can_ada

from gossamer.core.limits import HOSTS_CACHED_MAX, URL_PARSED_LENGTH_MAX
from gossamer.core.url.domain import domain_to_ascii

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_WEB: Final = ("http://", "https://")
_SCHEME: Final = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.\-]*):")
_AUTHORITY: Final = re.compile(
    r"(?P<start>[\x00-\x20]*(?:https?:)?[/\\\t\n\r]*)((?:[^/\\?#]*@)?)(?P<host>[^/\\?#:\[@]*)((?::[^/\\?#]*)?)",
    re.IGNORECASE,
)
"""Scheme and slashes, user and password, host, port."""
_SKIPPED: Final = re.compile(r"[\t\n\r]")
"""Dropped wherever they stand in a URL."""
_DISGUISE: Final = "zq--"
_SHARP_S: Final = re.compile("\u1e9e|%[eE]1%[bB][aA]%9[eE]")
"""The one character that the library's tables map to other letters than Unicode 16 and later do."""
_USUAL_SCHEMES: Final = (
    "about android-app app blob callto chrome data facetime fax feed file ftp geo git intent irc itms itms-apps "
    "javascript magnet mailto market maps mid news sip skype sms ssh steam tel tg urn view-source viber weixin "
    "whatsapp ws wss"
)
_COUNTED_SCHEMES: Final = frozenset(_USUAL_SCHEMES.split())
"""Schemes counted by name. A page can make up any number of others; those share one count."""

OTHER_SCHEME: Final = "other scheme"
INVALID: Final = "invalid"
TOO_LONG: Final = "too long"


@dataclass(frozen=True, slots=True)
class Url:
    """One http or https URL, taken apart."""

    href: str
    """The whole URL, normalised, without fragment."""
    scheme: str
    """"http" or "https"."""
    host: str
    """Lower-case ASCII name without final dot, or an address literal; IPv6 without brackets."""
    port: int
    """The port to connect to, the scheme's default included."""
    authority: str
    """The WHATWG origin, "https://host[:port]": what a robots.txt speaks for."""
    path: str
    """Begins with a slash."""
    query: str
    """Without its question mark; empty both for none and for an empty one."""

    @property
    def target(self) -> str:
        """Path and query as they stand in the request line and in robots rules."""
        return target_of(self.href)


def parse(text: str) -> Url | None:
    """`text` as a Url, or None when it is no valid absolute http or https URL. Never raises."""
    href, _ = _normalise(None, text)
    return from_href(href) if href else None


def from_href(href: str) -> Url:
    """Take a normalised URL apart. Misuse (anything `parse` did not make) gives nonsense."""
    authority = authority_of(href)
    scheme, _, rest = authority.partition("://")
    path, _, query = target_of(href).partition("?")
    return Url(href, scheme, _host(rest), _port(scheme, rest), authority, path, query)


def resolve(base: str, references: Sequence[str]) -> list[str]:
    """Each reference resolved against `base`, normalised; "" where the result is no http or https URL."""
    return resolve_all(base, references)[0]


def resolve_all(base: str, references: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """`resolve`, and the "" rows counted by reason: a scheme's name ("mailto"), "other scheme", "invalid", "too long".

    An unusable base leaves absolute references standing. The counts add up to the number of "" rows.
    """
    parsed_base = _parse(None, base) if len(base) <= URL_PARSED_LENGTH_MAX else None
    urls: list[str] = []
    dropped: dict[str, int] = {}
    for reference in references:
        href, reason = _normalise(parsed_base, reference)
        urls.append(href)
        if reason:
            dropped[reason] = dropped.get(reason, 0) + 1
    return urls, dropped


def authority_of(href: str) -> str:
    """The authority ("https://host[:port]") of a normalised URL."""
    return href[: href.index("/", 8)]


def host_of(href: str) -> str:
    """The host of a normalised URL, as `Url.host`."""
    return _host(href.split("/", 3)[2])


def target_of(href: str) -> str:
    """Path and query of a normalised URL."""
    return href[href.index("/", 8) :]


@lru_cache(maxsize=HOSTS_CACHED_MAX)
def _host(host_and_port: str) -> str:
    if host_and_port[0] == "[":
        return host_and_port[1 : host_and_port.index("]")]
    host = host_and_port.partition(":")[0]
    # "example.org." names the same servers as "example.org" (RFC 1034 section 3.1): it must share their gap. A name
    # with an empty label before its final dot names none, and must not be taken for one that does.
    return host[:-1] if host[-1] == "." and len(host) > 1 and host[-2] != "." else host


def _port(scheme: str, host_and_port: str) -> int:
    _, colon, port = host_and_port.rpartition(":")
    return int(port) if colon and port.isdecimal() else DEFAULT_PORTS[scheme]


def _parse(base: can_ada.URL | None, text: str) -> can_ada.URL | None:
    try:
        return can_ada.parse(text) if base is None else base + text
    except ValueError:
        return None
    except TypeError:
        # Lone surrogates have no UTF-8. The standard takes scalar values, where each of them is U+FFFD.
        scalar = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return _parse(base, scalar)


def _normalise(base: can_ada.URL | None, text: str) -> tuple[str, str]:
    """(normalised URL, "") or ("", why there is none)."""
    if len(text) > URL_PARSED_LENGTH_MAX:
        return "", _reason(text, TOO_LONG)
    url = _parse(base, text)
    href = "" if url is None else _web_href(url)
    if url is None or (href and _has_foreign_host(base, text, href)):
        href = _href_of_odd_host(base, text)
    if href:
        return href, ""
    return "", _reason(text if url is None else url.href, INVALID)


def _web_href(url: can_ada.URL) -> str:
    href = url.href
    if not href.startswith(_WEB):
        return ""
    if "@" in href and url.has_credentials():
        url.username = ""
        url.password = ""
        href = url.href
    return href.partition("#")[0]


def _has_foreign_host(base: can_ada.URL | None, text: str, href: str) -> bool:
    """Whether the library put a host of `text` into ASCII by its own tables to make `href`."""
    if ("%" not in text and text.isascii()) or not ("xn--" in href or _SHARP_S.search(text)):
        return False
    found = _AUTHORITY.match(text)
    if found is None or (found["host"].isascii() and "%" not in found["host"]):
        return False
    # What looks like a host may be the first segment of a path, or a query.
    probe = _parse(base, f"{found['start']}{_DISGUISE}probe{text[found.end() :]}")
    return probe is not None and _DISGUISE in authority_of(_web_href(probe))


def _href_of_odd_host(base: can_ada.URL | None, text: str) -> str:
    """The URL of `text` with its host put into ASCII by `core.url.domain`; "" where it has no host that can be.

    The library's tables are older than the standard's, it does not look at directions, and it checks labels like
    `xn--a` (no valid Punycode) in names of ASCII alone, which the standard takes as they stand. So `xn--` is disguised
    for it, which changes nothing else, and put right in the result.
    """
    found = _AUTHORITY.match(text)
    if found is None:
        return ""
    start, user, host, port = found.groups()
    name = domain_to_ascii(unquote(_SKIPPED.sub("", host)).encode("utf-8", "replace").decode())
    if not name or _DISGUISE in name:
        return ""
    url = _parse(base, start + user + name.replace("xn--", _DISGUISE) + port + text[found.end() :])
    href = "" if url is None else _web_href(url)
    authority = authority_of(href) if href else ""
    return authority.replace(_DISGUISE, "xn--") + href[len(authority) :]


def _reason(text: str, otherwise: str) -> str:
    """The scheme as a reason, where `text` has one that is not ours; else `otherwise`."""
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else ""
    if scheme in ("", "http", "https"):
        return otherwise
    return scheme if scheme in _COUNTED_SCHEMES else OTHER_SCHEME
