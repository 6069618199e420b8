"""`gossamer simulate`: the real crawl loop in made-up webs with made-up trouble; a failure prints what replays it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit

if TYPE_CHECKING:
    import argparse

SEEDS: Final = 20
KILLS: Final = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("numbers", metavar="NUMBER", nargs="*", help="simulation seeds to run; each makes one world")
    parser.add_argument("--seeds", metavar="N", default=str(SEEDS), help=f"run 1 to N; by default {SEEDS}")
    parser.add_argument("--kills", metavar="N", default=str(KILLS), help=f"kills of each crawl; by default {KILLS}")
    parser.add_argument("--json", action="store_true", help="one JSON object a simulation")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.simulation.run import Rehearsal  # noqa: PLC0415 - the whole crawler; no help text should wait for it
    from gossamer.simulation.run import run as simulate  # noqa: PLC0415 - as above

    numbers = [_number(text) for text in args.numbers] or range(1, _number(args.seeds) + 1)
    rehearsal = Rehearsal(kills=_number(args.kills))
    failed = 0
    for number in numbers:
        verdict = simulate(number, rehearsal)
        failed += not verdict.passed
        shown = [json.dumps({**asdict(verdict), "passed": verdict.passed})] if args.json else verdict.lines()
        print("\n".join(shown), flush=True)
    if not args.json:
        print(f"{len(numbers) - failed} passed, {failed} failed")
    return Exit.BUG if failed else Exit.DONE


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise UserError(f"{text[:40]!r} is no number", "for example: gossamer simulate 17 --kills 3")
    return int(text)
