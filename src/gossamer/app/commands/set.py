"""`gossamer set`: live settings, changed while the crawl runs and kept for later runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.folder import open_folder
from gossamer.app.order_words import add_folder, order, tell
from gossamer.app.settings.live import changed_settings

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)
    parser.add_argument("sets", metavar="KEY=VALUE", nargs="+", help="a live setting and its new value")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    # Checked here first: a mistake then has its hint, and is told before anything is sent.
    changed_settings(open_folder(args.folder)[1], args.sets)
    answer = order(args.folder, {"ask": "set", "sets": args.sets})
    lines = [f"{each['key']}: {each['before']} is now {each['after']}" for each in answer["changed"]]
    return tell(args, answer, lines or ["nothing changed: it was so before"])
