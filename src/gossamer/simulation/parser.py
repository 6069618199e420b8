"""The parser's stand-in: reads the simple HTML that the world's servers render, and nothing more."""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.page.directives import read_directives
from gossamer.core.page.document import Document
from gossamer.core.page.links import LinkFlag, LinkKind
from gossamer.core.url.parse import resolve_all

_ANCHOR: Final = re.compile(r'<a href="([^"]*)"(?: rel="(nofollow|ugc)")?>([^<]*)</a>')
FLAGS: Final = {"": LinkFlag.NONE, "nofollow": LinkFlag.NOFOLLOW, "ugc": LinkFlag.UGC}
_TITLE: Final = re.compile(r"<title>([^<]*)</title>")
_RULES: Final = re.compile(r'<meta name="robots" content="([^"]*)">')
_FEED: Final = re.compile(r'<link rel="alternate" type="application/rss\+xml" href="([^"]*)">')


class SimParser:
    """The port `parser` for the world's pages."""

    def parse(self, body: bytes, url: str, content_type: str, robots_tags: tuple[str, ...]) -> Document:
        """See the port."""
        del content_type  # every page of the world is UTF-8
        document = Document(charset="utf-8", base=url)
        rules = _RULES.search(body.decode("utf-8", "replace"))
        metas = [("robots", rules[1])] if rules is not None else []
        document.directives = read_directives(metas, robots_tags)
        if not body:
            document.malformed = "empty"
        elif b"\x00" in body:
            document.malformed = "binary"
        else:
            _read(body.decode("utf-8", "replace"), url, document)
        return document


def _read(text: str, url: str, document: Document) -> None:
    title = _TITLE.search(text)
    document.title = title[1] if title else ""
    for feed in _FEED.findall(text):
        document.links.add(feed, LinkKind.TO_FEED, LinkFlag.NONE, "")
    anchors = _ANCHOR.findall(text)
    urls, document.links.dropped = resolve_all(url, [href.replace("&amp;", "&") for href, _, _ in anchors])
    for target, (_, rel, words) in zip(urls, anchors, strict=True):
        if target:
            flag = FLAGS[rel]
            document.links.add(target, LinkKind.A, flag, words)
