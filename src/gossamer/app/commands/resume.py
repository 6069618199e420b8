"""`gossamer resume`: open a crawl folder at its last commit and go on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.app.command_settings import add_setting_flags, given
from gossamer.app.commands.crawl import run_and_report
from gossamer.app.folder import open_folder, record_changes
from gossamer.app.settings import check, reload

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    add_setting_flags(parser, new_crawl=False)


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    folder, stored = open_folder(args.folder)
    with folder.hold():
        settings, changes = reload(stored, given(args))
        check(settings)
        record_changes(folder, settings, changes, time.time())
        notes = tuple(f"{key}: {before} is now {after} ({source.words})" for key, before, after, source in changes)
        return run_and_report(settings, folder, resume=True, notes=notes)
