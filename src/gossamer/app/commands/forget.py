"""`gossamer forget`: a URL that is done, gone, failed or refused is queued again, as if it had just been found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.app.escape import inert, json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import open_folder

if TYPE_CHECKING:
    import argparse

COLUMNS = 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    parser.add_argument("url", metavar="URL", help="what to fetch again; its captures stay")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.app.explaining import forget_url  # noqa: PLC0415 - the crawler's parts; no help text should wait

    folder, settings = open_folder(args.folder)
    done = forget_url(folder, settings, args.url)
    if args.json:
        print(json_line(done))
    elif done["changed"]:
        print(inert(f"{done['url']} is queued again; it was {done['before']}", COLUMNS))
    else:
        print(inert(f"{done['url']} is {done['before']} already; nothing to forget", COLUMNS))
    return Exit.DONE
