"""`gossamer bench`: how many pages a second this machine crawls, and what each stage of a page costs."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.app.errors import UserError
from gossamer.app.escape import json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import CrawlFolder, refuse_existing
from gossamer.app.seeds import read_seeds
from gossamer.app.settings import Given, Settings, check, load
from gossamer.app.settings.kinds import read_duration

if TYPE_CHECKING:
    import argparse

    from gossamer.app.bench.site import Site

SECONDS: Final = "20s"
SECONDS_MAX: Final = 600.0
"""The measured web has a bound: 32 hosts of a thousand pages."""
HOSTS: Final = 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("--max-time", metavar="DURATION", default=SECONDS, help=f"how long; by default {SECONDS}")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="crawl into this folder and keep it; by default into a temporary one, on the disk that holds those",
    )
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.app.bench.lines import Benched  # noqa: PLC0415 - the whole crawler; no help text should wait for it
    from gossamer.app.bench.measuring import measure  # noqa: PLC0415 - as above
    from gossamer.app.bench.site import served  # noqa: PLC0415 - as above

    seconds = _seconds(args.max_time)
    if args.output:
        refuse_existing(CrawlFolder(args.output.absolute()))
    if not args.json:
        print(f"crawling a web on this machine for {seconds:g} s", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as temporary:
        path = args.output or Path(temporary) / "crawl"
        with served(HOSTS) as site:
            settings = bench_settings(site, path, seconds)
            check(settings)
            measured = measure(settings, read_seeds(settings.seeds), path)
        found = Benched(measured, HOSTS, site.server_seconds)
    print(json_line(found.as_dict()) if args.json else "\n".join(found.lines()))
    return Exit.DONE if measured.pages else Exit.NOTHING_FETCHED


def bench_settings(site: Site, path: Path, seconds: float) -> Settings:
    """The settings of the measured crawl: what `gossamer crawl` with these flags has, and nothing from around it."""
    flags = {
        "seeds.urls": site.seeds,
        "output.folder": str(path),
        "output.quiet": True,
        "scope.kind": "host",
        "network.allow_address": ["127.0.0.0/8"],
        "dns.resolve": [f"{name}=127.0.0.1" for name in site.names],
        "politeness.gap": "0",
        "crawl.max_time": f"{seconds:g}s",
        "crawl.workers": "1",
    }
    return load(Given(flags=flags))


def _seconds(text: str) -> float:
    try:
        seconds = read_duration(text)
    except ValueError:
        raise UserError(f"--max-time {text!r} is no duration", "such as 20s or 2m") from None
    if not 1 <= seconds <= SECONDS_MAX:
        raise UserError(f"--max-time {text} is not between 1 s and {SECONDS_MAX:g} s")
    return seconds
