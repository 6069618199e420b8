"""Links: web-platform-tests (base, srcset, meta refresh), and what Scrapy and Heritrix take from a page."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gossamer import warc
from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.page.links import LinkKind, Links
from gossamer.core.page.refresh import parse_refresh
from gossamer.core.page.srcset import srcset_urls
from gossamer.core.sitemap.reader import read_listing
from gossamer.core.url.parse import parse, resolve
from tests.conformance.frame import Bar, Case, Suite, compare, jsonl
from tests.conformance.page_links import ARCHIVED, ARCHIVED_PAGES, HERE, PAGES, Count

PARSER = TurboParser()
ANCHORS = (LinkKind.A, LinkKind.AREA)


def _wpt(data: Path, name: str) -> Iterator[tuple[str, Any]]:
    rows = json.loads((data / f"wpt-html/{name}.json").read_bytes())["cases"]
    return ((f"{name}.json:{number}", row) for number, row in enumerate(rows, 1))


def _base(data: Path) -> Iterator[Case]:
    for case, row in _wpt(data, "base"):
        got = PARSER.parse(row["html"].encode() + b"x", row["page"], "text/html", ()).base
        yield compare(case, got=got.partition("#")[0], expected=row["base"].partition("#")[0], given=row["html"])


def _srcset(data: Path) -> Iterator[Case]:
    for case, row in _wpt(data, "srcset"):
        urls, chosen = srcset_urls(row["srcset"]), row["chosen"]
        yield compare(case, got=chosen in urls if chosen else not urls, expected=True, given=row["srcset"])


def _refresh(data: Path) -> Iterator[Case]:
    page = "https://h.test/d/p.html"
    for case, row in _wpt(data, "meta-refresh"):
        found = parse_refresh(row["content"])
        got = None if found is None else (found.delay_seconds, resolve(page, [found.url])[0])
        own = row["url"] == "(the page itself)"
        target = "" if own or row["url"] is None else row["url"]
        expected = None if row["delay"] is None else (row["delay"], resolve(page, [target])[0])
        yield compare(case, got=got, expected=expected, given=row["content"])


def _scrapy(data: Path) -> Iterator[Case]:
    for case, row in jsonl(data / "link-extraction/scrapy-facts.jsonl"):
        if row["extractor"]:
            continue
        url = parse(row["url"])
        assert url is not None
        body = base64.b64decode(row["body_base64"])
        links = PARSER.parse(body, url.href, f"text/html; charset={row['encoding']}", ()).links
        got = {target for target, kind in zip(links.urls, links.kinds, strict=True) if kind in ANCHORS}
        expected = set(resolve(url.href, [each["url"] for each in row["links"]]))
        yield compare(case, got=sorted(got), expected=sorted(expected), kind=row["test"])


def _pages(data: Path) -> Iterator[Case]:
    folder = data / "link-extraction"
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        links = PARSER.parse(path.read_bytes(), HERE + path.name, "text/html", ()).links
        expected = PAGES.get(name)
        got = _counted(links) if isinstance(expected, Count) else tuple(links.urls)
        yield compare(name, got=got, expected=expected)
    with warc.open(folder / ARCHIVED) as archive:
        for record in archive:
            if record.kind == "response":
                links = PARSER.parse(record.body, record.url or HERE, "text/html", ()).links
                yield compare(
                    f"{ARCHIVED}:{record.offset}", got=tuple(links.urls), expected=ARCHIVED_PAGES.get(record.url)
                )


def _counted(links: Links) -> Count:
    anchors = [url for url, kind in zip(links.urls, links.kinds, strict=True) if kind in ANCHORS]
    return Count(len(anchors), len(links) - len(anchors), *(anchors[:1] or [""]), *(anchors[-1:] or [""]))


def _with_settings(data: Path) -> dict[str, int]:
    rows = (row for _, row in jsonl(data / "link-extraction/scrapy-facts.jsonl"))
    return {"settings of Scrapy's own extractor": sum(bool(row["extractor"]) for row in rows)}


def _heritrix(data: Path) -> Iterator[Case]:
    for case, row in jsonl(data / "link-extraction/heritrix-facts.jsonl"):
        kind = row["source"].partition("Test")[0]
        base = row["base"] or "http://page.test/"
        if kind == "ExtractorXML":
            got = read_listing(row["content"].encode(), base).urls
        else:
            got = PARSER.parse(row["content"].encode(), base, "text/html", ()).links.urls
        yield compare(case, got=got, expected=resolve(base, row["links"]), kind=kind, given=row["content"])


SUITES = [
    Suite("links: base", "wpt-html/base.json", Bar.ALL, _base),
    Suite("links: srcset", "wpt-html/srcset.json", Bar.ALL, _srcset),
    Suite("links: meta refresh", "wpt-html/meta-refresh.json", Bar.ALL, _refresh),
    Suite(
        "links: pages of other projects",
        "link-extraction (nutch, scrapy, stormcrawler, webarchive-commons)",
        Bar.FACTS,
        _pages,
        differences={
            "stormcrawler/stackexception.html": (
                "11,829 font elements in each other: nested beyond 512, where browsers stop too, so it is marked"
                " malformed and gives no links (docs/reference-reasons.md)"
            ),
        },
    ),
    Suite(
        "links: Scrapy",
        "link-extraction/scrapy-facts.jsonl",
        Bar.FACTS,
        _scrapy,
        differences={
            "test_ignored_extensions": "pictures are left out by the crawl's scope, not by the parser",
            "test_ftp_links": "only http and https are crawled; other schemes are counted and dropped",
        },
        left_out=_with_settings,
    ),
    Suite(
        "links: Heritrix",
        "link-extraction/heritrix-facts.jsonl",
        Bar.FACTS,
        _heritrix,
        differences={
            "ExtractorHTML": "HTML standard 13.2.6.4.7: a frame outside of a frameset is ignored",
            "ExtractorCSS": "style sheets name pictures and fonts, which a crawl for pages does not fetch",
            "ExtractorJS": "what looks like a URL in a script is a guess; scripts are not run and not searched",
            "ExtractorXML": "a lone element is no sitemap or feed, and XML of other kinds is not searched for URLs",
        },
    ),
]
