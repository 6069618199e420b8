"""Every reader of foreign text takes time in proportion to it: no repetition of anything makes one hang.

Each is given 64 KiB, made of one piece over and over, behind a beginning that leads into its grammar. A step that
looks back from each place, or forward to the end, takes many seconds at that length, and minutes at what is allowed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import pytest

from gossamer.core import limits
from gossamer.core.http import blanking, content_coding, headers, media_type, redirect, sniff
from gossamer.core.http.cookie_jar import CookieJar, read_netscape
from gossamer.core.http.cookies import cookies_after
from gossamer.core.page import refresh, srcset
from gossamer.core.page.charset import declared, header_charset
from gossamer.core.page.directives import read_directives
from gossamer.core.page.document import Directives
from gossamer.core.page.json_ld import json_ld_urls
from gossamer.core.page.link_header import header_links
from gossamer.core.page.moment import read_moment
from gossamer.core.politeness.retry_after import retry_after_seconds
from gossamer.core.preference.heard import heard
from gossamer.core.preference.preferences import NOTHING
from gossamer.core.preference.tdm_file import TdmRules
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.sitemap.markup import attribute
from gossamer.core.sitemap.reader import begins_as_listing, read_listing
from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import parse
from gossamer.core.url.surt import surt
from gossamer.core.warc import chunks, head, lookup, reading, visit_fields

SECONDS: Final = 1.0
"""Several times what the slowest takes on a slow machine."""
LENGTH: Final = 64 * 1024
URL: Final = "https://site.example/folder/page"

PIECES: Final = (
    *("<", ">", ",", ";", "=", '"', "'", " ", "\t", "\n", ":"),
    *("/", "%", "&", "#", "(", "*", "-", "\\", "[", "{", "0"),
    *("a", "a ", " a", "a=", "a,", "a;", ";a=", ';a="', ", a"),
    *("a:", "a: ", "<a", "<a>", "<a ", "</", "<!", "a\n", "\n "),
    *("<!---->", "<!--", "-->", "<!DOCTYPE ", "<!DOCTYPE a["),
    *("<!ENTITY ", "<?xml ", "<![CDATA[", "]]>", "<?a?>", "<a a='"),
    *("rel=", 'rel="', "rel=license,", "charset=", "charset "),
    *("charset=' ", "encoding", "url=", "0;url=", "1x,", "a 1x "),
    *("*a", "/*", "a$", "disallow", "disallow:"),
    *("user-agent:", "content-signal:", "license:", "\r", "\r\n", "\r\n\r\n"),
    *("1 jan ", "1-", "unavailable_after:", "expires="),
    *(";expires=01-Jan-2020", "WARC/1.0\n", "1\r\na\r\n", "%2e/", "../"),
    *(";sid=", ";sid", "&sid="),
    *("(aaaaaaaaaaaaaaaaaaaaaaaa)/", "(S(lit3py55t21z5v55vlm25s55))/", "?a=1&", "stated: a b c\n"),
)  # fmt: skip
STARTS: Final = ("", "<a>", "<urlset>", "user-agent: *\n")


def _path(text: str) -> object:
    found = parse("https://site.example/" + text[: limits.URL_PARSED_LENGTH_MAX - 100])
    return (url_key(found.href, KeyRules()), surt(found.href)) if found is not None else None


def _robots(data: bytes) -> object:
    rules = RobotsRules.parse(data, "gossamer")
    return rules.usage("/aaaa"), rules.verdict("/aaaa")


def _tdm(data: bytes) -> object:
    text = data.decode().replace("\\", "").replace('"', "")
    rules = TdmRules.parse(f'[{{"location":"/{text}","tdm-reservation":1}}]'.encode())
    return rules.statements("/" + "a" * 2000)


def _jar(text: str) -> object:
    jar = CookieJar()
    jar.learn(URL, [text], 0.0)
    return jar.cookies_for(URL, 0.0), cookies_after([text], ())


TEXTS: Final[dict[str, tuple[int, Callable[[str], object]]]] = {
    "Link": (LENGTH, lambda text: header_links([text], URL)),
    "preferences": (LENGTH, lambda text: heard(NOTHING, [("Link", text), ("Content-Usage", text)], Directives())),
    "Content-Type": (LENGTH, lambda text: (media_type.parse(text), header_charset(text), media_type.combined([text]))),
    "Location": (LENGTH, lambda text: redirect.redirect_target(301, [("Location", text)], URL)),
    "Set-Cookie": (LENGTH, _jar),
    "Retry-After": (LENGTH, lambda text: retry_after_seconds(text, 0.0)),
    "Content-Encoding": (LENGTH, lambda text: content_coding.codings_of([text])),
    "directives": (LENGTH, lambda text: read_directives([("robots", text)], [text])),
    "moment": (LENGTH, read_moment),
    "refresh": (LENGTH, refresh.parse_refresh),
    "srcset": (LENGTH, srcset.srcset_urls),
    "JSON-LD": (LENGTH, json_ld_urls),
    "attributes": (LENGTH, lambda text: attribute(text, "href")),
    "cookie file": (LENGTH, lambda text: read_netscape(text, "site.example")),
    "path": (limits.URL_PARSED_LENGTH_MAX, _path),
}
BYTES: Final[dict[str, tuple[int, Callable[[bytes], object]]]] = {
    "head": (LENGTH, lambda data: headers.parse_head(b"HTTP/1.1 200 OK\r\n" + data)),
    "blanked": (LENGTH, lambda data: blanking.blanked(data, ("a", "Set-Cookie"))),
    "archived head": (LENGTH, lambda data: (head.archived_head(data), head.is_plain(data), head.indexed(data))),
    "prescan": (LENGTH, declared),
    "sniff": (LENGTH, lambda data: sniff.media_type_of([], data)),
    "listing": (LENGTH, lambda data: read_listing(data, URL)),
    "listing's beginning": (LENGTH, begins_as_listing),
    "robots.txt": (LENGTH, _robots),
    "tdmrep.json": (limits.TDM_FILE_BYTES_MAX - 100, _tdm),
    "chunks": (LENGTH, chunks.unchunked),
    "record": (LENGTH, lambda data: reading.parse_record(b"WARC/1.1\r\n" + data)),
    "visit": (LENGTH, visit_fields.parse_visit_fields),
    "index": (LENGTH, lambda data: lookup.parse_line(data, "")),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str) -> None:
    size, read = TEXTS[name]
    for start in STARTS:
        for piece in PIECES:
            _in_time(lambda: read(start + piece * (size // len(piece))), start, piece)  # noqa: B023 - called at once


@pytest.mark.parametrize("name", BYTES)
def test_bytes(name: str) -> None:
    size, read = BYTES[name]
    for start in STARTS:
        for piece in PIECES:
            _in_time(lambda: read((start + piece * (size // len(piece))).encode()), start, piece)  # noqa: B023


def _in_time(read: Callable[[], object], start: str, piece: str) -> None:
    begun = time.process_time()
    read()
    assert time.process_time() - begun < SECONDS, (start, piece)
