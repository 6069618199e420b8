"""A data set of texts: one Parquet file with url, title, language and text of every page, copies left out.

    python examples/build_dataset.py https://docs.example.org/ texts.parquet --contact you@example.org

The crawl itself stays in texts.crawl/, so it can be resumed and its archive read later.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

import gossamer

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS_TOGETHER = 500
SCHEMA: Any = pa.schema(
    [
        pa.field("url", pa.string()),
        pa.field("title", pa.string()),
        pa.field("language", pa.string()),
        pa.field("text", pa.string()),
    ]
)


def main() -> None:
    """Crawl and write."""
    parser = argparse.ArgumentParser(description="write the texts of a site to a Parquet file")
    parser.add_argument("url")
    parser.add_argument("file", type=Path)
    parser.add_argument("--pages", type=int, default=1000, help="pages at most")
    parser.add_argument("--contact", help="mail or web address told to the site")
    parser.add_argument("--allow-address", action="append", default=[], help="address range of your own to allow")
    args = parser.parse_args()

    folder = args.file.with_suffix(".crawl")
    crawl = gossamer.crawl(
        args.url,
        output=folder,
        max_pages=args.pages,
        contact=args.contact,
        allow_address=args.allow_address,
        gap=0.0 if args.allow_address else 1.0,
    )
    count = write(args.file, rows(crawl))
    print(f"{count} texts in {args.file}; the crawl is in {folder}")


def rows(crawl: gossamer.BlockingCrawl) -> Iterator[dict[str, str]]:
    """A row for each page that has a text of its own."""
    for page in crawl:
        # noindex asks that a page be left out of indexes; a data set is one.
        if page.text and not page.is_copy and not page.noindex:
            yield {"url": page.url, "title": page.title, "language": page.language, "text": page.text}


def write(file: Path, texts: Iterator[dict[str, str]]) -> int:
    """Write some rows at a time, so that no crawl is too long for the memory; their number."""
    count = 0
    together: list[dict[str, str]] = []
    writer: Any = pq.ParquetWriter(str(file), SCHEMA)
    with writer:
        for row in texts:
            together.append(row)
            count += 1
            if len(together) == ROWS_TOGETHER:
                writer.write_table(_table(together))
                together.clear()
        writer.write_table(_table(together))
    return count


def _table(together: list[dict[str, str]]) -> Any:
    table: Any = pa.Table
    return table.from_pylist(together, schema=SCHEMA)


if __name__ == "__main__":
    main()
