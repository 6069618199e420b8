"""`gossamer continue`: end a pause, of one host or of the crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.order_words import add_folder, order, tell
from gossamer.app.orders import host_name

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)
    parser.add_argument("hosts", metavar="HOST", nargs="*", help="a paused host; the whole crawl without any")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    hosts = [host_name(text) for text in args.hosts]
    answer = order(args.folder, {"ask": "continue", "hosts": hosts})
    lines = [f"continued {host}" if host in answer["continued"] else f"{host} was not paused" for host in hosts]
    if answer["crawl"]:
        paused = answer["still_paused"]
        lines.append("continued the crawl" + (f"; still paused: {', '.join(paused)}" if paused else ""))
    return tell(args, answer, lines)
