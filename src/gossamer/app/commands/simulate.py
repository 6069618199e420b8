"""`gossamer simulate`: the real crawl loop in made-up webs with made-up trouble; a failure prints what replays it."""

from __future__ import annotations

import itertools
import json
import os
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from gossamer.simulation.verdict import Verdict

SEEDS: Final = 20
JOBS_MAX: Final = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("numbers", metavar="NUMBER", nargs="*", help="simulation seeds to run; each makes one world")
    parser.add_argument("--seeds", metavar="N", help=f"run N of them; by default {SEEDS}")
    parser.add_argument("--hours", metavar="H", help="run one after the other for so many hours, 0.5 for half of one")
    parser.add_argument("--first", metavar="NUMBER", default="1", help="the number that --seeds and --hours begin with")
    parser.add_argument("--kills", metavar="N", help="kills of each crawl; by default the number decides, 0 to 5")
    parser.add_argument("--jobs", metavar="N", help="processes at once; by default one for every core")
    parser.add_argument("--log", metavar="FILE", help="also write what is printed to FILE")
    parser.add_argument("--json", action="store_true", help="one JSON object a simulation")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.simulation.many import run_many  # noqa: PLC0415 - the whole crawler; no help text should wait for it
    from gossamer.simulation.run import Rehearsal  # noqa: PLC0415 - as above

    numbers = _numbers(args)
    rehearsal = Rehearsal(kills=_number(args.kills) if args.kills is not None else None)
    jobs = min(_number(args.jobs) if args.jobs is not None else os.cpu_count() or 1, JOBS_MAX)
    with ExitStack() as stack:
        say = _teller(stack.enter_context(_opened(args.log)) if args.log is not None else None)
        passed = failed = 0
        for verdict in run_many(numbers, rehearsal, 1 if len(args.numbers) == 1 else jobs):
            passed += verdict.passed
            failed += not verdict.passed
            say(_json(verdict) if args.json else "\n".join(verdict.lines()))
        if not args.json:
            say(f"{passed} passed, {failed} failed")
    return Exit.BUG if failed else Exit.DONE


def _numbers(args: argparse.Namespace) -> Iterator[int]:
    """The simulation seeds asked for; with --hours until they are over."""
    chosen = [_number(text) for text in args.numbers]
    first = _number(args.first)
    if bool(chosen) + (args.seeds is not None) + (args.hours is not None) > 1:
        raise UserError("numbers, --seeds and --hours are three ways to say which to run", "give one of them")
    if chosen:
        return iter(chosen)
    if args.hours is None:
        return iter(range(first, first + (_number(args.seeds) if args.seeds is not None else SEEDS)))
    until = time.monotonic() + _hours(args.hours) * 3600
    return itertools.takewhile(lambda _: time.monotonic() < until, itertools.count(first))


def _opened(file: str) -> TextIO:
    try:
        return Path(file).open("w", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}") from error


def _teller(log: TextIO | None) -> Callable[[str], None]:
    def say(text: str) -> None:
        print(text, flush=True)
        if log is not None:
            log.write(text + "\n")
            log.flush()

    return say


def _json(verdict: Verdict) -> str:
    return json.dumps({**asdict(verdict), "passed": verdict.passed})


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise UserError(f"{text[:40]!r} is no number", "for example: gossamer simulate 17 --kills 3")
    return int(text)


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = -1.0
    if not 0 < hours < 1000:  # also refuses what is no number
        raise UserError(f"{text[:40]!r} is no number of hours", "for example: gossamer simulate --hours 0.5")
    return hours
