"""`gossamer status`: ask a running crawl, or read what a stopped one left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.control import ask
from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.errors import UserError
from gossamer.app.escape import json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import CrawlFolder, open_folder
from gossamer.app.folder_bytes import folder_bytes
from gossamer.app.report_lines import report_lines
from gossamer.app.seen_losses import seen_numbers
from gossamer.ports.store import StoreUnwritable

if TYPE_CHECKING:
    import argparse

NO_END: Final = "its last run did not come to its end; gossamer resume goes on from the last commit"
BUSY: Final = "it starts, ends, or is mended by another process; its numbers can be asked for in a moment"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    folder, settings = open_folder(args.folder)
    numbers = read_status(folder)
    if "known" in numbers:
        numbers |= seen_numbers(settings, numbers["known"])
    numbers["folder_bytes"] = folder_bytes(folder.path)
    if args.json:
        print(json_line(numbers))
    else:
        print("\n".join(report_lines(numbers)))
    return Exit.DONE


def read_status(folder: CrawlFolder) -> dict[str, Any]:
    """The numbers of a crawl, running or not; `state` says which."""
    running = ask(folder, {"ask": "status"})
    if running is not None:
        return {"state": "running", "folder": str(folder.path), **running}
    try:
        with folder.hold():
            end = folder.read_summary() or {"reason": NO_END}
            return {"state": "stopped", "folder": str(folder.path), **end, **_stored(folder)}
    except (StoreUnwritable, OSError) as trouble:
        # Lock and store open by writing. On a full or read-only disk the last summary is all there is to say.
        known = disk_trouble(trouble)
        summary = folder.read_summary() or {}
        return {"state": "stopped", "folder": str(folder.path), **summary, "reason": known.message if known else ""}
    except UserError:
        # It is starting, stopping, or busy in one long step: its store is not ours to read now.
        return {"state": "busy", "folder": str(folder.path), "reason": BUSY}


def _stored(folder: CrawlFolder) -> dict[str, Any]:
    from gossamer.app.stopped import read_numbers  # noqa: PLC0415 - opens the store's library

    return read_numbers(folder)
