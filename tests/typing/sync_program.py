"""A program without an event loop, as type checkers must take it; never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import assert_type

import gossamer
from gossamer import errors

crawl = gossamer.crawl(
    "https://example.org/",
    "https://example.net/",
    output=Path("out"),
    max_pages=5,
    max_bytes="10MiB",
    max_time=timedelta(hours=1),
    gap="2s",
    scope="site",
    include=["/docs/"],
    exclude="/private/",
    allow_address=("127.0.0.0/8",),
    contact="you@example.org",
    settings={"crawl.patience": "1m", "fetch.body_bytes": 1_000_000},
    every_visit=True,
)
assert_type(crawl, gossamer.BlockingCrawl)
assert_type(iter(crawl), Iterator[gossamer.Page])
for page in crawl:
    assert_type(page, gossamer.Page)
    assert_type(page.url, str)
    assert_type(page.status, int)
    assert_type(page.body, bytes)
    assert_type(page.text, str)
    assert_type(page.fetched_at, datetime)
    assert_type(page.links, gossamer.PageLinks)
    assert_type(page.links.urls, list[str])
    assert_type(page.links[0], gossamer.Link)
    assert_type(page.links[:2], list[gossamer.Link])
    assert_type([link.text for link in page.links], list[str])
    assert_type(page.headers["content-type"], str)
    assert_type(page.headers.all("set-cookie"), list[str])
    headers: Mapping[str, str] = page.headers
    assert_type(crawl.add("https://example.com/"), dict[str, str])
    assert_type(crawl.open(page.url, at="2026-11-30"), gossamer.Capture)
    crawl.stop()
assert_type(crawl.summary, gossamer.Summary)
assert_type(crawl.summary.failed, Mapping[str, int])
assert_type(crawl.folder, Path | None)

with gossamer.resume("out", max_pages=None) as going_on:
    assert_type(going_on, gossamer.BlockingCrawl)
    assert_type(next(going_on), gossamer.Page)
    assert_type(going_on.finish(), gossamer.Summary)

try:
    going_on.close()
except (errors.SettingsError, errors.SeedError, errors.FolderError, errors.DiskError, errors.NothingFetched) as error:
    assert_type(error.hint, str)
except errors.GossamerError as other:
    assert_type(other.message, str)
