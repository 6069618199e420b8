"""A program on an event loop, as type checkers must take it; never run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_type

import gossamer


async def main() -> None:
    async with gossamer.Crawl("https://example.org/", max_pages=5, output=None, gap=1.5) as crawl:
        assert_type(crawl, gossamer.Crawl)
        async for page in crawl:
            assert_type(page, gossamer.Page)
            capture = await crawl.open(page.url, datetime.now(UTC))
            assert_type(capture, gossamer.Capture)
            assert_type(capture.headers, gossamer.Headers)
            assert_type(crawl.add("https://example.com/", group="more"), dict[str, str])
        assert_type(await crawl.take(), list[gossamer.Page])
        assert_type(await crawl.finish(), gossamer.Summary)
    resumed = gossamer.Crawl.resume("out", every_visit=True, scope="host")
    assert_type(resumed, gossamer.Crawl)
