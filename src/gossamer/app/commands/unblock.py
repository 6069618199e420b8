"""`gossamer unblock`: take a host off the crawl's own block list; what was held of it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.order_words import add_folder, order, tell
from gossamer.app.orders import block_entry

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)
    parser.add_argument("hosts", metavar="HOST", nargs="+", help="a host or *.DOMAIN, as it was blocked")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    answer = order(args.folder, {"ask": "unblock", "hosts": [block_entry(text) for text in args.hosts]})
    return tell(args, answer, [f"unblocked {host}" for host in answer["unblocked"]])
