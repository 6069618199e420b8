"""`gossamer resume`: open a crawl folder at its last commit and go on."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.command_settings import add_setting_flags, given
from gossamer.app.commands.crawl import run_and_report
from gossamer.app.folder import open_folder, record_changes
from gossamer.app.program import program
from gossamer.app.settings import check, reload
from gossamer.core.ending import EndState

if TYPE_CHECKING:
    import argparse

NOTHING_LEFT: Final = """\
nothing was left to fetch, so nothing was fetched: every known URL is done, gone, failed or refused. To get more:
  {program} add {folder} URL   a further seed;   {program} forget {folder} URL   one URL again
  {program} resume {folder} --scope KIND, --max-depth N, ...   a wider scope"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    add_setting_flags(parser, new_crawl=False)


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    folder, stored = open_folder(args.folder)
    with folder.hold() as lock:
        settings, changes = reload(stored, given(args))
        check(settings)
        record_changes(folder, settings, changes, time.time())
        notes = tuple(f"{key}: {before} is now {after} ({source.words})" for key, before, after, source in changes)
        before = folder.read_summary()
        code = run_and_report(settings, folder, lock, resume=True, notes=notes)
        if before and not settings.output.json and fetched_nothing(before, folder.read_summary() or {}):
            print(NOTHING_LEFT.format(program=program(), folder=args.folder), file=sys.stderr)
        return code


def fetched_nothing(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a crawl came to its end without a fetch since the summary `before`."""
    complete = EndState.COMPLETE.value
    return after.get("end_state") == complete and after.get("fetches") == before.get("fetches")
