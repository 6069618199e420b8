"""CPU per page of the parser, against the native parse alone: `python bench/parser.py PACKAGE.deb|FOLDER... [--json]`.

A package is unpacked into a temporary folder; a folder is read as it is. Every HTML file counts as one page. `floor` is
turbohtml's parse of text that is decoded already; `ratio` says how many floors decoding, links, titles and directives
cost together. The best of several rounds counts, so that a busy machine spoils little.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import turbohtml

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.page.charset import decode

Item = TypeVar("Item")

PAGES_MAX = 1000
ROUNDS = 5


def main() -> None:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as aside:
        folders = [_unpacked(source, Path(aside)) for source in options.sources]
        pages = list(_pages(folders))
    if not pages:
        sys.exit("no HTML file in any of these")
    figures = measure(pages)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:22} {value:10.4f}")


def measure(pages: Sequence[bytes]) -> dict[str, float]:
    """Milliseconds of CPU per page, by stage."""
    parser = TurboParser()
    texts = [decode(page, "text/html; charset=utf-8").text for page in pages]
    links = sum(len(parser.parse(page, "http://site.test/a/b", "text/html", ()).links) for page in pages)
    floor = _milliseconds(texts, lambda text: turbohtml.parse(text, positions=False))
    whole = _milliseconds(pages, lambda page: parser.parse(page, "http://site.test/a/b", "text/html", ()))
    return {
        "pages": len(pages),
        "kilobytes_per_page": sum(map(len, pages)) / len(pages) / 1000,
        "links_per_page": links / len(pages),
        "decode_ms": _milliseconds(pages, lambda page: decode(page, "text/html")),
        "floor_ms": floor,
        "parse_and_links_ms": whole,
        "ratio": whole / floor,
    }


def _milliseconds(items: Sequence[Item], run: Callable[[Item], object]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for item in items:
            run(item)
        best = min(best, time.process_time() - start)
    return best / len(items) * 1000


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="CPU milliseconds per page of parse and links")
    parser.add_argument("sources", nargs="+", type=Path, metavar="PACKAGE.deb|FOLDER")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    return parser.parse_args()


def _unpacked(source: Path, aside: Path) -> Path:
    if source.is_dir():
        return source
    target = aside / source.stem
    subprocess.run(["dpkg", "-x", str(source), str(target)], check=True)
    return target


def _pages(folders: Iterable[Path]) -> Iterable[bytes]:
    """An even sample of all pages, in a fixed order."""
    files = sorted(path for folder in folders for path in folder.rglob("*.html") if path.is_file())
    step = max(1, len(files) // PAGES_MAX)
    return (path.read_bytes() for path in files[::step])


if __name__ == "__main__":
    main()
