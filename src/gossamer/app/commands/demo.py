"""`gossamer demo`: a crawl of the documentation of this Python, served on loopback; no internet is needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.app.commands.crawl import crawl_into
from gossamer.app.demo_server import KEPT_OUT, KEPT_OUT_BELOW, kept_out_pattern
from gossamer.app.demo_site import DemoSite
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import CrawlFolder, refuse_existing
from gossamer.app.program import program
from gossamer.app.seeds import read_seeds
from gossamer.app.settings import Given, Settings, check, load

if TYPE_CHECKING:
    import argparse

WANTED: Final = Path("demo-crawl")
PAGES: Final = 220
SECONDS_MAX: Final = 75
"""The demo ends within 90 s of its start, also on a slow machine; starting and closing take a few of them."""

FIRST_WORDS: Final = """\
This crawls the documentation that this Python carries: {url}
Served by pydoc on loopback, so there is no gap between requests. A crawl of public hosts waits 1 s or more.
Kept out by scope.exclude, because importing them does things: {kept_out}
"""
NEXT: Final = """
Try next:
  {program} status {folder}
  {program} resume {folder} --max-pages none     (the site is gone: see how that is told)
  zcat {folder}/archive/*.warc.gz | head -40      (standard WARC: warcio, pywb, FastWARC read it)
  {python} -c "import pyarrow.parquet as p; print(p.read_table('{folder}/pages', columns=['status', 'url', 'title']))"
  {program} crawl https://docs.example.org/ --contact you@example.org
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="folder to make; by default ./demo-crawl, or the next free ./demo-crawl-N",
    )
    parser.add_argument("--max-pages", metavar="N", default=str(PAGES), help=f"pages to fetch; by default {PAGES}")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    folder = args.output or free_folder(WANTED)
    refuse_existing(CrawlFolder(folder.absolute()))
    if not args.output and folder != WANTED:
        print(f"{WANTED} is there already; this demo goes to {folder}", file=sys.stderr)
    with DemoSite() as site:
        settings = demo_settings(site.url, folder, args.max_pages, quiet=args.quiet)
        check(settings)
        kept_out = ", ".join([*KEPT_OUT, *(f"*.{part}" for part in KEPT_OUT_BELOW)])
        print(FIRST_WORDS.format(url=site.url, kept_out=kept_out), file=sys.stderr)
        code = crawl_into(settings, read_seeds(settings.seeds))
    if code == Exit.DONE:
        print(NEXT.format(program=program(), python=sys.executable, folder=folder), file=sys.stderr)
    return code


def demo_settings(url: str, folder: Path, max_pages: str, *, quiet: bool) -> Settings:
    """The settings of the demo's crawl: what `gossamer crawl` with these flags has, and nothing from around it."""
    flags = {
        "seeds.urls": [url],
        "output.folder": str(folder),
        "output.quiet": quiet,
        "scope.kind": "host",
        "scope.exclude": [kept_out_pattern()],
        "network.allow_address": ["127.0.0.0/8"],
        "politeness.gap": "0",
        "crawl.max_pages": max_pages,
        "crawl.max_time": f"{SECONDS_MAX}s",
    }
    return load(Given(flags=flags))


def free_folder(wanted: Path) -> Path:
    """`wanted`, or with the first number behind it that is not taken."""
    number, folder = 1, wanted
    while folder.exists():
        number += 1
        folder = wanted.with_name(f"{wanted.name}-{number}")
    return folder
