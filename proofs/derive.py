"""From the archive of a real site alone come the crawl's own rows, column by column, and its own index.

A documentation site with many equal pages, packed by the server, in many small archive files. The crawl's `pages` and
`links` are compared with what `gossamer derive` makes from its WARC files; a visit without an answer is the only one
that may lack a row.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from proofs import documentation
from tests import crawls

SMALL_FILES = ("--set", "archive.warc_bytes=500k")
GZIP = "gzip on; gzip_types *; gzip_min_length 0;"
SITE = "apache2-doc"
HINTS = "hint_"
"""Columns with a sitemap's claims, which stand in the sitemap's own capture."""


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-derive-") as name:
        folder = Path(name)
        site = documentation.small_with_copies(folder / "part") if quick else documentation.site_of(SITE)
        with documentation.served({"derive.test": site}, folder / "server", GZIP) as (_, [one]):
            ended = crawls.run(*documentation.flags([one], folder / "crawl", "--copies", "always", *SMALL_FILES))
        if ended.code:
            raise RuntimeError(f"the crawl ended with {ended.code}: {ended.stderr[-1000:]}")
        crawl = crawls.Crawl(folder / "crawl")
        made = crawls.run("derive", crawl.folder, "-o", folder / "out", "--json")
        print(made.stderr, end="")
        found = _compare(crawl, folder / "out") if made.code == 0 else [f"derive ended with {made.code}"]
        print("\n".join(found[:20]))
        _tell(crawl, made, len(found))
    return 1 if found else 0


def _tell(crawl: crawls.Crawl, made: crawls.Ended, findings: int) -> None:
    numbers = made.numbers if made.code == 0 else {}
    seconds, size = made.seconds, sum(path.stat().st_size for path in crawl.warcs())
    files, pages, links = (numbers.get(name, 0) for name in ("files", "pages", "links"))
    print(f"{files} files, {size / 1e6:.1f} MB: {pages} pages, {links} links in {seconds:.1f} s")
    absent = sum(not row["warc"] for row in crawl.rows("pages"))
    print(f"{absent} visits without an answer are absent; {findings} differences")


def _compare(crawl: crawls.Crawl, out: Path) -> list[str]:
    expected = {(row["warc"], row["offset"]): row for row in crawl.rows("pages") if row["warc"]}
    found = {(row["warc"], row["offset"]): row for row in _rows(out, "pages")}
    differing = [f"only in the crawl's pages: {place}" for place in expected.keys() - found.keys()]
    differing += [f"only in the derived pages: {place}" for place in found.keys() - expected.keys()]
    for place in expected.keys() & found.keys():
        columns = [name for name in expected[place] if not name.startswith(HINTS)]
        differing += [
            f"{place} {name}: {found[place][name]!r} instead of {expected[place][name]!r}"
            for name in columns
            if found[place][name] != expected[place][name]
        ]
    links = Counter(map(_link, crawl.rows("links")))
    links.subtract(map(_link, _rows(out, "links")))
    differing += [f"links: {count:+} of {link}" for link, count in links.items() if count]
    lines = sorted(line for path in (out / "index").glob("*.cdxj") for line in crawls.lines_of(path))
    if lines != crawl.index():
        differing.append("the index is another")
    return differing


def _link(row: dict[str, Any]) -> str:
    return json.dumps({name: row[name] for name in row if name != "verdict"}, sort_keys=True)


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [row for path in sorted((folder / name).glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
