"""Orders from the command line: sent, and what came of them told in words or as JSON."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.control import ask
from gossamer.app.errors import UserError
from gossamer.app.escape import inert, json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import CrawlFolder, open_folder
from gossamer.core.limits import CONTROL_SECONDS_MAX

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

LINE_COLUMNS: Final = 300
ASK_AGAIN_SECONDS: Final = 0.1
STOPPED: Final = "the crawl does not run now; this is remembered, and holds when it is resumed"


def add_folder(parser: argparse.ArgumentParser) -> None:
    """What every order takes."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    parser.add_argument("--json", action="store_true", help="what came of it as one JSON object")


def order(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Ask a crawl folder's crawl, or do it ourselves when none runs; `state` in the answer says which.

    Raises UserError. A crawl that is just opening or closing has the folder and answers nobody; it is waited for.
    """
    folder, _ = open_folder(path)
    patience = time.monotonic() + CONTROL_SECONDS_MAX
    while True:
        if (answer := ask(folder, request)) is not None:
            return {"state": "running", **answer}
        try:
            with folder.hold():
                return {"state": "stopped", **_on_stopped(folder, request)}
        except UserError as error:
            if error.exit_code is not Exit.FOLDER or time.monotonic() > patience:
                raise
            time.sleep(ASK_AGAIN_SECONDS)


def _on_stopped(folder: CrawlFolder, request: dict[str, Any]) -> dict[str, Any]:
    from gossamer.app.operations import OPERATIONS, Operated  # noqa: PLC0415 - much code that a running crawl has loaded

    return OPERATIONS[str(request["ask"])](Operated(folder, folder.read_settings()), request)


def tell(args: argparse.Namespace, answer: dict[str, Any], lines: Iterable[str]) -> int:
    """Print the answer: JSON on standard output if asked for, else `lines` on standard error; the exit code."""
    if args.json:
        print(json_line(answer))
        return Exit.DONE
    strange: list[str] = answer.get("unknown", [])
    unknown = [f"nothing is known of {host} so far; the order holds for what may come" for host in strange]
    for line in (*lines, *unknown, *([STOPPED] if answer["state"] == "stopped" else [])):
        print(inert(line, LINE_COLUMNS), file=sys.stderr)
    return Exit.DONE
