"""`gossamer block`: contact a host no more; what it has queued is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.order_words import add_folder, order, tell
from gossamer.app.orders import block_entry

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)
    parser.add_argument(
        "hosts", metavar="HOST", nargs="+", help="a host, or *.DOMAIN for a domain and every host below it"
    )


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    hosts = [block_entry(text) for text in args.hosts]
    answer = order(args.folder, {"ask": "block", "hosts": hosts})
    lines = [f"blocked {host}" if host in answer["blocked"] else f"{host} was blocked before" for host in hosts]
    return tell(args, answer, lines)
