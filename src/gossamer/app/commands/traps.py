"""`gossamer traps`: say of suspects that they are traps, that they are none, or that they may try again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.errors import UserError
from gossamer.app.folder import open_folder
from gossamer.app.order_words import add_folder, order, tell
from gossamer.app.suspects import FREE, WORDS, remarks_on
from gossamer.core.trap.rules import Word

if TYPE_CHECKING:
    import argparse

LINES = {
    Word.CONFIRM.value: "{} is a trap: its URLs are refused",
    Word.EXCLUDE.value: "{} is no trap: its URLs are refused no more; known ones that were are queued",
    FREE: "{} is free until it is suspected again; known URLs that it refused are queued",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    add_folder(parser)
    parser.add_argument(
        "word",
        choices=WORDS,
        help="confirm: it is a trap; exclude: it is none, whatever it brings; free: judge it anew",
    )
    parser.add_argument("suspects", metavar="SUSPECT", nargs="+", help="as gossamer report DIR traps names it")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    remarks = [] if args.json else _remarks(args)
    answer = order(args.folder, {"ask": "traps", "word": args.word, "suspects": args.suspects})
    return tell(args, answer, [*(LINES[args.word].format(text) for text in answer["suspects"]), *remarks])


def _remarks(args: argparse.Namespace) -> list[str]:
    folder, settings = open_folder(args.folder)
    try:
        return remarks_on(folder, settings, args.word, args.suspects)
    except UserError:  # a crawl that opens or closes just now; the order waits for it, and says what is wrong
        return []
