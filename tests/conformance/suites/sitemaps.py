"""Sitemaps and feeds: files of other projects' tests, what each names, read whole and in pieces; feedparser's links."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

from gossamer.core.limits import SITEMAP_URLS_MAX
from gossamer.core.sitemap.reader import ListingReader, read_listing
from gossamer.core.url.parse import resolve
from tests.conformance.frame import Bar, Case, Suite, compare
from tests.conformance.sitemap_files import SITEMAP_FILES, Named

FEEDS = "feeds/feedparser-tests.tar.gz"
HERE = "http://127.0.0.1:8097/tests/feed.xml"
EXPECTED = re.compile(rb"Expect:(.*?)-->", re.DOTALL)
LINK = re.compile(
    rb"(?:feed|entries\[0\])(?:\.link|\['link'\]|\['links'\]\[0\]\['href'\])\s*==\s*u?(['\"])(?P<url>.*?)\1"
)
"""A link of the feed or of its first entry, in any way that the expectations put it."""
PIECE = 97


def _survives(name: str, body: bytes) -> Case:
    """Read whole and in pieces: the same, within the bounds, without an exception."""
    whole = read_listing(body, HERE)
    reader = ListingReader(HERE)
    for start in range(0, len(body), PIECE):
        reader.feed(body[start : start + PIECE])
    passed = reader.close() == whole and len(whole) <= SITEMAP_URLS_MAX
    return Case(name, passed=passed, detail=whole.problem)


def _sitemaps(data: Path) -> Iterator[Case]:
    folder = data / "sitemaps"
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "README.md":
            name = path.relative_to(folder).as_posix()
            yield compare(name, got=_named(path.read_bytes()), expected=SITEMAP_FILES.get(name))
            yield _survives(f"{name}: in pieces", path.read_bytes())


def _named(body: bytes) -> Named:
    listing = read_listing(body, "http://site.example/dir/x.xml")
    both, hints = [*listing.urls, *listing.children], listing.hints
    return Named(
        str(listing.format),
        len(listing.urls),
        len(listing.children),
        (listing.urls or both or [""])[0],
        (listing.urls or both or [""])[-1],
        sum(bool(hint.lastmod) for hint in hints),
        sum(bool(hint.published) for hint in hints),
        sum(len(hint.alternates) for hint in hints),
    )


def _feeds(data: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(data / FEEDS) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                yield member.name, file.read()


def _feeds_survive(data: Path) -> Iterator[Case]:
    for name, body in _feeds(data):
        yield _survives(name, body)


def _feed_links(data: Path) -> Iterator[Case]:
    for name, body in _feeds(data):
        expected = EXPECTED.search(body)
        for found in LINK.finditer(expected[1]) if expected is not None else ():
            text = found["url"].decode("unicode_escape")
            urls = read_listing(body, HERE).urls
            wanted = resolve(HERE, [text])[0]
            kind = "content-location" if b"Content-Location" in body else ""
            yield compare(name, got=wanted in urls, expected=True, given=wanted, kind=kind)


SUITES = [
    Suite("sitemaps: what each file names", "sitemaps", Bar.ALL, _sitemaps),
    Suite("feeds: feedparser's files", FEEDS, Bar.SURVIVES, _feeds_survive),
    Suite(
        "feeds: links that feedparser expects",
        FEEDS,
        Bar.FACTS,
        _feed_links,
        differences={
            "content-location": (
                "RFC 9110 section 8.7: a Content-Location says nothing of the base; browsers ignore it as well"
            ),
            "wellformed/atom10/entry_link_rel_license.xml": "RFC 4946: a licence is no page of the feed",
            "wellformed/base/feed_link_xml_base_iri.xml": "rel=self is the feed itself (RFC 4287 section 4.2.7.2)",
        },
    ),
]
