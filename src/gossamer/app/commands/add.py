"""`gossamer add`: more seeds for a crawl that exists, running or not."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from gossamer.app import figures
from gossamer.app.order_words import add_folder, order, tell
from gossamer.app.seeds import GIVEN, read_seeds
from gossamer.app.settings.tree import SeedSettings
from gossamer.core.limits import CONTROL_BYTES_MAX

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gossamer.app.seeds import Seed

BYTES_AT_ONCE: Final = CONTROL_BYTES_MAX // 4
"""URLs in one request; an answer names each of them twice at most."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)
    parser.add_argument("urls", metavar="URL", nargs="*", help="a URL to fetch, and a seed of the scope from now on")
    parser.add_argument(
        "--seeds", metavar="FILE", action="append", default=[], help='file with one URL a line; "-" is standard input'
    )
    parser.add_argument("--group", metavar="NAME", help="seed group; by default added, or the file's name")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    seeds = read_seeds(SeedSettings(urls=tuple(args.urls), files=tuple(args.seeds)))
    answer: dict[str, Any] = {"state": "", "added": [], "refused": {}}
    for group, urls in _parts(seeds, args.group):
        part = order(args.folder, {"ask": "add", "urls": urls, "group": group})
        answer["state"] = part["state"]
        answer["added"] += part["added"]
        answer["refused"].update(part["refused"])
    known = len(seeds) - len(answer["added"]) - len(answer["refused"])
    lines = [f"{figures.count(len(answer['added']))} added, {figures.count(known)} known before"]
    lines += [f"refused, {reason}: {url}" for url, reason in list(answer["refused"].items())[:20]]
    return tell(args, answer, lines)


def _parts(seeds: list[Seed], named: str | None) -> Iterator[tuple[str, list[str]]]:
    """Seed group and URLs of each request."""
    for group, members in groupby(seeds, key=lambda seed: named or (seed.group if seed.group != GIVEN else "")):
        urls: list[str] = []
        size = 0
        for seed in members:
            if size + len(seed.url) > BYTES_AT_ONCE:
                yield group, urls
                urls, size = [], 0
            urls.append(seed.url)
            size += len(seed.url) + 4
        yield group, urls
