"""`gossamer pause`: lease nothing more, of one host or at all, until continued."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.order_words import add_folder, order, tell
from gossamer.app.orders import host_name

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)
    parser.add_argument("hosts", metavar="HOST", nargs="*", help="a host to pause; the whole crawl without any")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    hosts = [host_name(text) for text in args.hosts]
    answer = order(args.folder, {"ask": "pause", "hosts": hosts})
    lines = [f"paused {host}" if host in answer["paused"] else f"{host} was paused before" for host in hosts]
    lines += ["paused the crawl: what is in flight ends, nothing more is asked for"] if answer["crawl"] else []
    return tell(args, answer, lines)
