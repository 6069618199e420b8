"""`gossamer report`: what a crawl has found out about the web it crawls, for a person to act on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.escape import inert, json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.figures import count, moment
from gossamer.app.folder import open_folder

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings

LINE_COLUMNS: Final = 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    parser.add_argument("kind", metavar="KIND", choices=tuple(REPORTS), help=f"which: {', '.join(REPORTS)}")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    folder, settings = open_folder(args.folder)
    find, lines_of = REPORTS[args.kind]
    rows = find(folder, settings)
    for line in map(json_line, rows) if args.json else lines_of(str(args.folder), rows):
        print(line if args.json else inert(line, LINE_COLUMNS))
    return Exit.DONE


def _suspects(folder: CrawlFolder, settings: Settings) -> list[dict[str, Any]]:
    from gossamer.app.suspects import suspects_of  # noqa: PLC0415 - no help text should wait for it

    return suspects_of(folder, settings)


def _suspect_lines(folder: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    if not rows:
        yield "no suspects: every template that was fetched often enough goes on bringing something new"
        return
    for row in rows:
        said = f", and by a person's word: {row['word']}" if row["word"] else ""
        yield f"{row['suspect']}: {row['verdict']} by {row['rule'] or 'nothing any more'}{said}"
        if row["fetches"]:
            share = f"{100 * row['share']:.1f} % of the last"
            yield f"  {count(row['novel'])} of {count(row['fetches'])} fetches brought something new ({share})"
        if row["refused"]:
            yield f"  {count(row['refused'])} URLs refused"
        if row["first"] is not None:
            yield f"  first {moment(row['first'])}, last {moment(row['last'])}"
        yield from (f"  such as {url}" for url in row["examples"])
    yield ""
    yield "to decide about one:"
    name = shlex.quote(str(rows[0]["suspect"]))
    for word, meaning in (("confirm", "it is a trap"), ("exclude", "it is none"), ("free", "judge it anew")):
        yield f"  gossamer traps {shlex.quote(folder)} {word} {name}    {meaning}"


REPORTS: Final = {
    "traps": (_suspects, _suspect_lines),
}
"""Kind -> how its rows are found, and how they are told."""
