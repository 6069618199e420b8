"""What has changed on a site since the last time: new, changed and vanished pages.

    python examples/watch_site.py https://www.example.org/ watched/ --contact you@example.org

Run it again whenever you like. Each run is a crawl of its own in the folder, named by its moment, and is compared with
the one before.
"""

from __future__ import annotations

import argparse
import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import gossamer


async def main() -> None:
    """Crawl, compare, print."""
    parser = argparse.ArgumentParser(description="print what has changed on a site")
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=500, help="pages at most")
    parser.add_argument("--contact", help="mail or web address told to the site")
    parser.add_argument("--allow-address", action="append", default=[], help="address range of your own to allow")
    args = parser.parse_args()

    earlier = sorted(path for path in args.folder.glob("*") if (path / "summary.json").exists())
    before = digests(earlier[-1]) if earlier else {}
    output = args.folder / datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%f")
    after: dict[str, str] = {}
    async with gossamer.Crawl(
        args.url,
        output=output,
        max_pages=args.pages,
        contact=args.contact,
        allow_address=args.allow_address,
        gap=0.0 if args.allow_address else 1.0,
    ) as crawl:
        async for page in crawl:
            after[page.url] = page.digest
    for word, urls in compare(before, after).items():
        for url in urls:
            print(f"{word:8} {url}")
    print(f"{len(after)} pages; compared with {earlier[-1].name if earlier else 'nothing: this was the first time'}")


def digests(crawl: Path) -> dict[str, str]:
    """URL -> digest of its body, of every page of an earlier crawl."""
    columns = ["url", "digest", "kind", "outcome"]
    rows: list[dict[str, Any]] = []
    for file in sorted((crawl / "pages").glob("*.parquet")):
        rows += pq.ParquetFile(file).read(columns=columns).to_pylist()
    return {row["url"]: row["digest"] for row in rows if (row["kind"], row["outcome"]) == ("page", "fetched")}


def compare(before: dict[str, str], after: dict[str, str]) -> dict[str, list[str]]:
    """The URLs that differ, by how they do."""
    both = before.keys() & after.keys()
    return {
        "new": sorted(after.keys() - before.keys()),
        "changed": sorted(url for url in both if before[url] != after[url]),
        "gone": sorted(before.keys() - after.keys()),
    }


if __name__ == "__main__":
    asyncio.run(main())
