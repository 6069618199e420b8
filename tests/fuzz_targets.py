"""Every parser of foreign bytes, and what must hold for it whatever the bytes: one table.

`tests/test_fuzz.py` gives it Hypothesis's inputs in every run of the tests, `./dev prove fuzz` those of a fuzzer that
sees which lines they reach.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import zstandard

from gossamer import warc
from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.adapters.text_turbohtml import page_text
from gossamer.app.control import answer_to
from gossamer.core import limits
from gossamer.core.dns.hosts_map import parse_hosts
from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.cookies import cookie_header, cookies_after
from gossamer.core.http.headers import parse_head
from gossamer.core.http.media_type import combined
from gossamer.core.http.redirect import redirect_target
from gossamer.core.http.request import is_sendable
from gossamer.core.http.sniff import media_type_of
from gossamer.core.page import charset
from gossamer.core.page.directives import read_directives
from gossamer.core.page.json_ld import json_ld_urls
from gossamer.core.page.link_header import header_links
from gossamer.core.page.refresh import parse_refresh
from gossamer.core.page.srcset import srcset_urls
from gossamer.core.politeness.retry_after import retry_after_seconds
from gossamer.core.preference.site_files import site_preferences
from gossamer.core.preference.tdm_file import TdmRules
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.sitemap.listing import Listing
from gossamer.core.sitemap.reader import ListingReader, read_listing
from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import parse, resolve_all
from gossamer.core.url.surt import surt
from gossamer.core.warc.head import archived_head, indexed
from gossamer.core.warc.lookup import parse_line
from gossamer.core.warc.visit_fields import parse_visit_fields

URL: Final = "https://fuzz.example/a/b?c=d"
_KEYS: Final = KeyRules()
_SMALL: Final = 64 * 1024
"""A bound far below the crawler's, so that a fuzzer can reach it."""


@dataclass(frozen=True)
class Target:
    """One parser."""

    name: str
    invariant: str
    """What holds for all bytes."""
    check: Callable[[bytes], None]
    """Raises where it does not."""
    seeds: tuple[bytes, ...] = field(default=())
    """Inputs that a mutation begins with."""


def _pieces(data: bytes) -> list[bytes]:
    """The bytes in pieces whose sizes they choose themselves."""
    pieces, at = list[bytes](), 0
    while at < len(data):
        size = 1 + data[at] % 61
        pieces.append(data[at : at + size])
        at += size
    return pieces


class _Trickle:
    """A source that gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._pieces = _pieces(data)[::-1]

    def read(self, size: int, /) -> bytes:
        if not self._pieces:
            return b""
        piece = self._pieces.pop()
        if len(piece) > size:
            self._pieces.append(piece[size:])
        return piece[:size]


def _robots(data: bytes) -> None:
    rules = RobotsRules.parse(data, "Gossamer")
    for path in ("/", "/a/b?c=d", data[:64].decode("latin-1")):
        rules.verdict(path)
    assert len(rules.sitemaps) <= limits.ROBOTS_SITEMAPS_MAX
    assert rules.crawl_delay >= 0


def _listing(data: bytes) -> None:
    whole = read_listing(data, URL)
    reader = ListingReader(URL)
    for piece in _pieces(data):
        reader.feed(piece)
    assert _said(reader.close()) == _said(whole)
    assert len(whole) <= limits.SITEMAP_URLS_MAX
    assert all(url.startswith(("http://", "https://")) for url in whole.urls)


def _said(listing: Listing) -> tuple[object, ...]:
    return (listing.format, listing.urls, listing.children, listing.problem, listing.charset)


def _html(data: bytes) -> None:
    document = TurboParser().parse(data, URL, "text/html", ())
    assert len(document.links) <= limits.LINK_ROWS_PER_PAGE_MAX
    assert len(document.title) <= limits.TITLE_CHARACTERS_MAX
    assert all(len(text) <= limits.LINK_TEXT_CHARACTERS_MAX for text in document.links.texts)
    assert all(url.startswith(("http://", "https://")) for url in document.links.urls)


def _text(data: bytes) -> None:
    page_text(data, URL, "text/html", "text/html")


def _charset(data: bytes) -> None:
    label, _, body = data.partition(b"\n")
    decoded = charset.decode(body, f"text/html; charset={label.decode('latin-1')}")
    assert not (decoded.problem and decoded.text)
    assert charset.decode(body, "text/html").problem in ("", "empty", "binary", "undecodable")


def _headers(data: bytes) -> None:
    head = parse_head(data)
    assert len(head.fields) <= limits.HEADER_FIELDS_MAX
    assert all("\r" not in value and "\n" not in value and "\0" not in value for _, value in head.fields)
    assert all(name and name.isascii() for name, _ in head.fields)
    redirect = redirect_target(head.status, head.fields, URL)
    assert not (redirect.target and redirect.problem)


def _archived(data: bytes) -> None:
    head = archived_head(data)
    assert archived_head(head) == head
    seen = indexed(head)
    assert "\n" not in seen.mime + seen.status


def _coding(data: bytes) -> None:
    names, _, body = data.partition(b"\n")
    codings = codings_of([names.decode("latin-1")])
    decoded = decode(body, codings, _SMALL)
    assert len(decoded.data) <= max(_SMALL, len(body))
    assert not decoded.truncated or decoded.problem


def _media_type(data: bytes) -> None:
    values = data.decode("latin-1").split("\n")
    found = combined(values)
    assert found is None or found.essence == found.essence.lower()
    assert media_type_of(values, data) or not data


def _srcset(data: bytes) -> None:
    assert len(srcset_urls(data.decode("utf-8", "replace"))) <= limits.SRCSET_CANDIDATES_MAX


def _refresh(data: bytes) -> None:
    parse_refresh(data.decode("utf-8", "replace"))


def _directives(data: bytes) -> None:
    values = data.decode("utf-8", "replace").split("\n")
    read_directives([("robots", value) for value in values[:2]], values[2:])


def _url(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    url = parse(text)
    if url is not None:
        again = parse(url.href)
        assert again is not None
        assert again.href == url.href
        assert url.href.isascii()
    targets, dropped = resolve_all(URL, [text, text])
    assert len(targets) == 2
    assert sum(dropped.values()) == targets.count("")


def _key(data: bytes) -> None:
    url = parse("http://" + data.decode("utf-8", "replace"))
    if url is not None:
        key = url_key(url.href, _KEYS)
        assert url_key(key, _KEYS) == key
        assert surt(url.href).isprintable()


def _warc(data: bytes) -> None:
    with warc.Archive(io.BytesIO(data), block_bytes_max=_SMALL) as archive:
        whole = list(archive)
    with warc.Archive(_Trickle(data), block_bytes_max=_SMALL) as other:
        assert list(other) == whole
        assert other.problems == archive.problems
    assert len(archive.problems) <= 2 * limits.ARCHIVE_PROBLEMS_MAX
    for record in whole:
        assert len(record.block) <= _SMALL
        assert 0 <= record.offset <= len(data)
        assert record.offset + record.length <= len(data)
        _ = (record.url, record.at, record.status, record.payload, record.block_digest_matches())
        record.payload_digest_matches()
        parse_visit_fields(record.block)


def _json_ld(data: bytes) -> None:
    json_ld_urls(data.decode("utf-8", "replace"))


def _link_header(data: bytes) -> None:
    links = header_links(data.decode("latin-1").split("\n"), URL)
    assert all(url.startswith(("http://", "https://")) for url in links.urls)


def _tdm(data: bytes) -> None:
    site_preferences(None, TdmRules.parse(data), "/a/b?c=d")


def _cdx(data: bytes) -> None:
    line = parse_line(data)
    assert line is None or line.place.length > 0


def _cookies(data: bytes) -> None:
    jar = cookies_after(data.decode("latin-1").split("\n"), (("a", "1"),))
    assert len(jar) <= limits.COOKIES_MAX
    assert len(cookie_header(jar)) <= limits.COOKIE_BYTES_MAX
    assert is_sendable(cookie_header(jar))


def _retry_after(data: bytes) -> None:
    seconds = retry_after_seconds(data.decode("latin-1"), 1_700_000_000.0)
    assert seconds is None or 0 <= seconds <= limits.RETRY_AFTER_MAX_SECONDS


def _control(data: bytes) -> None:
    answer = answer_to(data, {"status": lambda _: {"state": "running"}, "stop": dict})
    assert isinstance(answer, dict)


def _hosts(data: bytes) -> None:
    parse_hosts(data).lookup("fuzz.example")


_PAGE: Final = b"""<!doctype html><html lang=en><base href=/x/><title>a&amp;b</title><meta charset=gbk>
<meta name=robots content="nofollow, unavailable_after: 2030-01-01"><a href=b rel="ugc">t</a><img srcset="a 1x, b 2x">
<template><a href=n></a></template><svg><a href=s></a></svg><iframe src=//h/></iframe><form action=?q></form>"""
_MAP: Final = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>
<loc>https://fuzz.example/a?b&amp;c</loc><lastmod>2026-01-01</lastmod><priority>0.5</priority></url></urlset>"""
_FEED: Final = (
    b"""<rss><channel><link>https://fuzz.example/</link><item><link>/a</link><guid>x</guid></item></channel></rss>"""
)
_RECORD: Final = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.example/\r\n"
    b"WARC-Payload-Digest: sha1:2AAE6C35C94FCFB415DBE95F408B9CE91EE846ED\r\nContent-Type: application/http\r\n"
    b"Content-Length: 68\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n\r\n\r\n"
)
_ARC: Final = (
    b"filedesc://x.arc 0.0.0.0 20260101000000 text/plain 2\n1\n\nhttp://a/ 1.2.3.4 20260101000000 text/html 2\nok\n"
)
_ROBOTS: Final = (
    b"User-agent: *\nDisallow: /a*b$\nAllow: /%7Ea\nCrawl-delay: 2\nSitemap: /m.xml\nContent-Signal: ai-train=no\n"
)

TARGETS: Final = (
    Target("robots", "never raises; a verdict for any path; at most 1,000 sitemaps", _robots, (_ROBOTS,)),
    Target(
        "listing",
        "never raises; at most 50,000 URLs, all of the web; the same for any chunking",
        _listing,
        (
            _MAP,
            _FEED,
            gzip.compress(_MAP, mtime=0),
            b"https://a/\nhttps://b/\n",
            b'{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"}]}',
        ),
    ),
    Target("html", "never raises; links, title and texts within their bounds", _html, (_PAGE,)),
    Target("text", "never raises", _text, (_PAGE,)),
    Target(
        "charset",
        "never raises; no text beside a problem",
        _charset,
        (b"x-sjis\n\x93\xfa\x96{", b"\n<meta charset=utf-16>a", b"\n\xff\xfea\x00"),
    ),
    Target(
        "headers",
        "never raises; at most 500 fields, no line end in any",
        _headers,
        (b"HTTP/1.1 301 Moved\r\nLocation: //x\r\n a\r\nA : b\r\n\r\n",),
    ),
    Target(
        "archived head",
        "never raises; writing it again changes nothing",
        _archived,
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\nContent-Type: a/b; c\r\n\r\n",),
    ),
    Target(
        "content coding",
        "never raises; no more bytes than allowed; what is cut has a problem",
        _coding,
        (
            b"gzip\n" + gzip.compress(b"a" * 99, mtime=0) * 2,
            b"zstd, gzip\nx",
            b"zstd\n" + zstandard.compress(b"b" * 99),
            b"br\n\x0b\x02\x80hello\x03",
            b"deflate\nx\x9cK\xcaI\xcdUH\xaf\xca,\x00\x00\x19\xa7\x04\xa0",
        ),
    ),
    Target(
        "media type",
        "never raises; essences are lower case; a body has a type",
        _media_type,
        (b'text/html; a="b\\"c"; charset=x\n*/*', b"\n%PDF-1.4"),
    ),
    Target("srcset", "never raises; at most 64 candidates", _srcset, (b"a 1x, b (2x, c) 3w, d 100w 50h,,e",)),
    Target("refresh", "never raises", _refresh, (b"0; url='a'", b"5.5, b", b".;URL = c")),
    Target(
        "directives",
        "never raises",
        _directives,
        (b"noindex, max-snippet: 3\nnone\nbot: nofollow, unavailable_after: 1 Jan 2030 00:00:00 GMT",),
    ),
    Target(
        "url",
        "never raises; parsing its own result changes nothing; all dropped ones counted",
        _url,
        (b"HTTP://a\xc3\xa4.B:80/%7e/../x?\xff#f", b"//[::1]:8/", b"\\\\x\\y", b"javascript:1"),
    ),
    Target(
        "key",
        "never raises; the key of a key is itself",
        _key,
        (
            b"a.example/x;jsessionid=0123456789abcdef0123456789abcdef/?b=2&a=1&utm_source=q#f",
            b"A.EXAMPLE:80/%7Ea//?&&x",
        ),
    ),
    Target("json-ld", "never raises", _json_ld, (b'{"@graph": [{"@id": "/a", "url": ["b", {"url": "c"}]}]}',)),
    Target(
        "link header",
        "never raises; all links are of the web",
        _link_header,
        (b'</a>; rel="canonical"; title="a,b", <b>; rel=next\n<//x/c>;rel="alternate nofollow"',),
    ),
    Target("tdmrep.json", "never raises", _tdm, (b'[{"location": "/a*", "tdm-reservation": 1, "tdm-policy": "/p"}]',)),
    Target(
        "warc",
        "never raises; blocks within their bound, places within the file; the same for any chunking",
        _warc,
        (
            _RECORD * 2,
            gzip.compress(_RECORD, mtime=0) * 2,
            zstandard.compress(_RECORD) * 2,
            _ARC,
            gzip.compress(_RECORD * 2, mtime=0),
        ),
    ),
    Target(
        "index line",
        "never raises; a place has a length",
        _cdx,
        (b'com,a)/ 20260101000000 {"url": "http://a.com/", "offset": "1", "length": "2", "filename": "f"}',),
    ),
    Target(
        "cookies",
        "never raises; at most 20 cookies and 4,096 bytes, all sendable",
        _cookies,
        (b"b=2; Path=/; Max-Age=0\nc=3; Expires=Thu, 01 Jan 1970 00:00:00 GMT",),
    ),
    Target(
        "retry-after",
        "never raises; nothing, or 0 to a day",
        _retry_after,
        (b"120", b"Wed, 21 Oct 2026 07:28:00 GMT", b"-1"),
    ),
    Target(
        "control socket",
        "never raises; an answer to any line",
        _control,
        (b'{"ask": "status"}', b'{"ask": "block", "hosts": ["a"]}', b"[[[["),
    ),
    Target("hosts file", "never raises", _hosts, (b"127.0.0.1 a.example b # c\n::1 d\n",)),
)
"""One row a parser. Who writes another parser of foreign bytes adds its row."""
