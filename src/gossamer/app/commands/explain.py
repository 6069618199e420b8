"""`gossamer explain`: why a URL was or was not fetched, from a running crawl or a stopped one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.app.escape import json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import open_folder

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    parser.add_argument("url", metavar="URL", help="what to explain")
    parser.add_argument("--search", action="store_true", help="also read links/ and refused/; takes longer")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.app.explaining import explain_url  # noqa: PLC0415 - the crawler's parts; no help text should wait
    from gossamer.app.explanation_lines import explanation_lines  # noqa: PLC0415 - as above
    from gossamer.core.explain.explanation import as_plain  # noqa: PLC0415 - as above

    folder, settings = open_folder(args.folder)
    explanation = explain_url(folder, settings, args.url)
    if args.search:
        from gossamer.app.link_search import searched  # noqa: PLC0415 - the datasets' library

        explanation = searched(folder, explanation)
    if args.json:
        print(json_line(as_plain(explanation)))
    else:
        print("\n".join(explanation_lines(explanation)))
    return Exit.DONE
