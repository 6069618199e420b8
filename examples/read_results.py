"""Reading what a crawl left, with pyarrow alone: Gossamer need not be installed where this runs.

    python examples/read_results.py out/

Prints the largest pages, the most linked ones, what failed or was refused and why, and a page from the archive.
"""

from __future__ import annotations

import argparse
import gzip
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def main() -> None:
    """Read and print."""
    parser = argparse.ArgumentParser(description="print what a crawl found")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()

    visits = [row for row in read(args.folder, "pages") if row["kind"] == "page"]
    pages = [row for row in visits if row["outcome"] == "fetched"]
    links = read(args.folder, "links")
    refused = read(args.folder, "refused")

    print("largest pages")
    for row in sorted(pages, key=lambda row: -row["decoded_bytes"])[:5]:
        print(f"  {row['decoded_bytes']:>9}  {row['url']}  {row['title']!r}")
    print("most linked")
    for url, count in Counter(row["target"] for row in links).most_common(5):
        print(f"  {count:>9}  {url}")
    print("why visits failed and links were refused")
    failed = [row for row in visits if row["outcome"] == "failed"]
    for reason, count in Counter(row["reason"] for row in [*failed, *refused]).most_common():
        print(f"  {count:>9}  {reason}")
    for row in pages:
        if row["warc"] and not row["copy_of"]:
            print(f"from the archive: {row['url']}")
            for line in record(args.folder, row).splitlines()[:12]:
                print(f"  {line!r}")
            break


def read(folder: Path, dataset: str) -> list[dict[str, Any]]:
    """The rows of a data set: "pages", "links" or "refused"."""
    rows: list[dict[str, Any]] = []
    for file in sorted((folder / dataset).glob("*.parquet")):
        rows += pq.ParquetFile(file).read().to_pylist()
    return rows


def record(folder: Path, row: dict[str, Any]) -> str:
    """The WARC record of a page. Each is a gzip file of its own within the archive file, so one is read, not all."""
    with (folder / row["warc"]).open("rb") as archive:
        archive.seek(row["offset"])
        member = archive.read(row["length"])
    with gzip.open(io.BytesIO(member)) as content:
        return content.read().decode("utf-8", "replace")


if __name__ == "__main__":
    main()
