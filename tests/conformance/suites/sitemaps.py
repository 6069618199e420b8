"""Sitemaps and feeds: files of other projects' tests, read whole and in pieces; and the links feedparser expects."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

from gossamer.core.limits import SITEMAP_URLS_MAX
from gossamer.core.sitemap.reader import ListingReader, read_listing
from gossamer.core.url.parse import resolve
from tests.conformance.frame import Bar, Case, Suite, compare

FEEDS = "feeds/feedparser-tests.tar.gz"
HERE = "http://127.0.0.1:8097/tests/feed.xml"
ENTRY_LINK = re.compile(rb"Expect:\s+(?:not bozo|bozo) and entries\[0\]\['link'\] == u?'([^'\\]*)'\s*$", re.MULTILINE)
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
            body = path.read_bytes()
            listing = read_listing(body, HERE)
            yield compare(name, got=bool(len(listing)) and _survives(name, body).passed, expected=True)


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
        expected = ENTRY_LINK.search(body)
        if expected is not None:
            urls = read_listing(body, HERE).urls
            wanted = resolve(HERE, [expected[1].decode()])[0]
            yield compare(name, got=wanted in urls, expected=True, given=wanted)


SUITES = [
    Suite("sitemaps: files", "sitemaps", Bar.ALL, _sitemaps),
    Suite("feeds: feedparser's files", FEEDS, Bar.SURVIVES, _feeds_survive),
    Suite(
        "feeds: feedparser's entry links",
        FEEDS,
        Bar.FACTS,
        _feed_links,
        differences={
            "wellformed/base/http_item_link_base_content_location.xml": (
                "RFC 9110 section 8.7: a Content-Location says nothing of the base; browsers ignore it as well"
            )
        },
    ),
]
