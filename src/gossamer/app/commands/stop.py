"""`gossamer stop`: end a running crawl as Ctrl-C does: what is in flight is finished, everything can be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.order_words import add_folder, order, tell

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    answer = order(args.folder, {"ask": "stop"})
    if answer["stopping"]:
        return tell(args, answer, [f"stopping (process {answer['process']}); gossamer status {args.folder} says when"])
    return tell(args, {**answer, "state": "not running"}, ["no crawl runs there"])
