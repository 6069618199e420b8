"""SURT: the sort-friendly spelling of a URL that orders a CDXJ index, `org,example)/path?query`.

It is written as pywb writes it, because pywb looks captures up by it; so it folds more than our URL key does and
serves nothing but the index: letter case, `www.` and its numbered kin, default ports, user names, repeated slashes, a
final slash, argument order and a few well-known session ids. Percent escapes are undone as often as they were made,
then made once. The steps are those of the Wayback Machine's key maker, in its order; the order shows in the result.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

_SPLIT: Final = re.compile(rb"(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?", re.DOTALL)
_REPEATED_SCHEME: Final = re.compile(rb"(?:https?://)*(?=https?://)")
_WWW: Final = re.compile(rb"www\d*\.")
_DEFAULT_PORTS: Final = {b"http": b"80", b"https": b"443"}
_LEFT_PLAIN: Final = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""ASCII punctuation that stays unescaped: all but the percent and number signs."""

_PATH_SESSIONS: Final = (
    re.compile(rb"(.*/)(?:\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)", re.IGNORECASE),
    re.compile(rb"(.*/)(?:\([0-9a-z]{24}\)/)([^?]+\.aspx.*)", re.IGNORECASE),
)
"""ASP.NET's session in a path segment."""
_QUERY_SESSIONS: Final = tuple(
    re.compile(rb"(.*)(?:" + argument + rb")(?:&(.*))?", re.IGNORECASE)
    for argument in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
        rb"cfid=[^&]+&cftoken=[^&]+",
    )
)


_PLAIN: Final = re.compile(
    r"(https?)://(?!www[0-9]*\.)([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::([1-9][0-9]*))?"
    r"((?:/(?!\.{1,2}(?:/|\Z))[a-z0-9._~-]+)*)/?",
)
"""URLs on which none of the foldings has anything to do but turn the host round: most of them."""


_PLAIN_LOOKUP: Final = re.compile(r"dns:[a-z0-9-]+(?:\.[a-z0-9-]+)*")


def surt(url: str) -> str:
    """The SURT of `url`, as pywb's indexer keys it. Never raises; a URL of another scheme keeps its scheme and path."""
    plain = _PLAIN.fullmatch(url)
    if plain is None and _PLAIN_LOOKUP.fullmatch(url):
        return url
    if plain is None:
        return _surt(url)
    scheme, host, port, path = plain.groups()
    labels = host.split(".")
    labels.reverse()
    shown = f":{port}" if port and port != ("80" if scheme == "http" else "443") else ""
    return f"{','.join(labels)}{shown}){path or '/'}"


def _surt(url: str) -> str:
    """The same for any URL, step by step."""
    raw = re.sub(rb"[\t\n\r]", b"", url.encode("utf-8", "replace").strip())
    if not raw:
        return "-"
    repeated = _REPEATED_SCHEME.match(raw)
    found = _SPLIT.match(raw, repeated.end() if repeated else 0)
    scheme, authority, path, query = found.groups() if found else (None, None, raw, None)
    scheme = (scheme or b"http").lower()
    host = _host(scheme, authority or b"")
    start = host + b")" if host else scheme + b":"
    path = _path(path) if authority else _escaped(_unescaped(path)).lower()
    return (start + path + _query(query)).decode("ascii")


def _host(scheme: bytes, authority: bytes) -> bytes:
    """Labels last to first, with the port where it is not the default."""
    named = authority.rpartition(b"@")[2]
    host, port = _split_port(named)
    host = _unescaped(host).lower().replace(b"..", b".").strip(b".")
    www = _WWW.match(host)
    host = host[www.end() :] if www else host
    reversed_labels = b",".join(reversed(_escaped(host).split(b".")))
    shown = b"" if not host or port in (b"", b"0", _DEFAULT_PORTS.get(scheme)) else b":" + _escaped(port)
    return reversed_labels + shown


def _split_port(host_and_port: bytes) -> tuple[bytes, bytes]:
    if host_and_port.startswith(b"["):
        host, _, port = host_and_port[1:].partition(b"]")
        return host, port.lstrip(b":")
    host, _, port = host_and_port.partition(b":")
    return host, port


def _path(path: bytes) -> bytes:
    path = _escaped(_without_dots(_unescaped(path))).lower()
    for session in _PATH_SESSIONS:
        found = session.fullmatch(path)
        if found:
            path = found[1] + found[2]
    return path[:-1] if path.endswith(b"/") and len(path) > 1 else path


def _without_dots(path: bytes) -> bytes:
    """Dot segments resolved and empty segments dropped, the last one excepted; a ".." at the root stays."""
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        if segment == b".." and kept:
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    return b"/" + b"/".join([segment for segment in kept[:-1] if segment] + kept[-1:])


def _query(query: bytes | None) -> bytes:
    """With its question mark, or nothing when nothing is left of it."""
    left = _escaped(_unescaped(query or b""))
    for session in _QUERY_SESSIONS:
        found = session.fullmatch(left)
        if found:
            left = found[1] + (found[2] or b"")
    arguments = sorted(argument.partition(b"=") for argument in left.lower().split(b"&"))
    ordered = b"&".join(b"".join(argument) for argument in arguments)
    return b"?" + ordered if ordered else b""


def _unescaped(text: bytes) -> bytes:
    """Percent escapes undone until none is left."""
    while b"%" in text:
        once = unquote_to_bytes(text)
        if once == text:
            break
        text = once
    return text


def _escaped(text: bytes) -> bytes:
    return quote_from_bytes(text, safe=_LEFT_PLAIN).encode("ascii")
