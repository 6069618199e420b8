"""`gossamer doctor`: checks this machine; with a crawl folder, checks and mends that."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.app.command_settings import add_setting_flags, given
from gossamer.app.errors import UserError
from gossamer.app.escape import json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.settings import check, load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gossamer.app.doctor.finding import Finding
    from gossamer.app.settings import Settings

KEYS: Final = frozenset({"fetch.ca_file"})
"""The settings that matter to the machine's check and have a flag; --set reaches the others."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, help="a crawl folder; without it, this machine")
    parser.add_argument("--repair", action="store_true", help="mend the folder, and say what is lost")
    parser.add_argument("--quick", action="store_true", help="do not count records nor read the archive and data sets")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    add_setting_flags(parser, new_crawl=False, only=KEYS)


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    if args.folder is None and (args.repair or args.quick):
        raise UserError("--repair and --quick are for a crawl folder", "gossamer doctor DIR --repair")
    if args.repair and args.quick:
        raise UserError("--repair looks at everything: leave --quick out")
    if args.folder is None:
        settings = load(given(args))
        check(settings)
        return _tell(_of_machine(settings), Exit.BAD_INPUT, as_json=args.json)
    return _tell(_of_folder(args.folder, repair=args.repair, quick=args.quick), Exit.FOLDER, as_json=args.json)


def _of_machine(settings: Settings) -> Iterator[Finding]:
    from gossamer.app.doctor.machine import machine_findings  # noqa: PLC0415 - loads every library
    from gossamer.app.doctor.network import network_findings  # noqa: PLC0415 - as above

    yield from machine_findings(settings, Path.cwd())
    yield from network_findings(settings)


def _of_folder(path: Path, *, repair: bool, quick: bool) -> Iterator[Finding]:
    from gossamer.app.doctor.folder import folder_findings  # noqa: PLC0415 - the stores' and the data sets' libraries

    return folder_findings(path, repair=repair, quick=quick, say=_say_progress)


def _say_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def _tell(findings: Iterator[Finding], worst: Exit, *, as_json: bool) -> int:
    """Show findings as they come; the exit code."""
    from gossamer.app.doctor.finding import Grade, lines_of  # noqa: PLC0415 - as above

    shown: list[Finding] = []
    for finding in findings:
        shown.append(finding)
        if not as_json:
            print("\n".join(lines_of([finding])), flush=True)
    failed = any(each.grade is Grade.FAIL for each in shown)
    if as_json:
        print(json_line({"ok": not failed, "findings": [each.as_dict() for each in shown]}))
    return worst if failed else Exit.DONE
