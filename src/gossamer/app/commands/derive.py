"""`gossamer derive`: pages, links, texts and the index of an archive, from the archive alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.app.errors import UserError
from gossamer.app.escape import inert
from gossamer.app.exit_codes import Exit
from gossamer.app.figures import count, counted
from gossamer.app.folder import CrawlFolder

if TYPE_CHECKING:
    import argparse

    from gossamer.app.derive.deriving import Derived
    from gossamer.core.url.site import SiteList

ENDINGS: Final = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
_SHOWN: Final = 10
_COLUMNS: Final = 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("source", metavar="DIR", type=Path, help="a crawl folder, a folder of WARC files, or one file")
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="folder to make; by default DIR's name with -derived behind it"
    )
    parser.add_argument("--json", action="store_true", help="the numbers as one JSON object")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.app.derive.deriving import derive  # noqa: PLC0415 - the parsers; no help text should wait for them

    files = archive_files(args.source)
    out: Path = args.output or Path(f"{args.source.resolve().name.partition('.')[0]}-derived")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is there already", "name another folder with -o")
    out.mkdir(parents=True, exist_ok=True)
    derived = derive(files, out, _sites(args.source))
    if not derived.records:
        shutil.rmtree(out)  # it was empty before
        said = f": {inert(derived.problems[0]['problem'], _COLUMNS)}" if derived.problems else ""
        raise UserError(f"{inert(str(args.source), _COLUMNS)} holds no WARC or ARC record{said}")
    if args.json:
        print(json.dumps(derived.as_dict(), ensure_ascii=True))
    else:
        print("\n".join(_lines(derived, out)))
    return Exit.DONE


def archive_files(source: Path) -> dict[str, Path]:
    """The archive's files, by their paths below the source. Raises UserError where there are none."""
    if source.is_file():
        return {source.name: source}
    if not source.is_dir():
        raise UserError(f"{source} is not there", "name a crawl folder, a folder of WARC files, or one file")
    folder = source / "archive" if (source / "archive").is_dir() else source
    found = sorted(path for path in folder.rglob("*") if path.name.endswith(ENDINGS) and path.is_file())
    if not found:
        raise UserError(f"no archive files in {folder}", f"they end in {', '.join(ENDINGS)}")
    return {path.relative_to(source).as_posix(): path for path in found}


def _sites(source: Path) -> SiteList:
    """The list by which the crawl told sites apart; for a stranger's archive the library's."""
    from gossamer.core.url.site import SiteList  # noqa: PLC0415 - takes a while to load

    folder = CrawlFolder(source)
    return folder.read_sites() if folder.suffixes.is_file() else SiteList()


def _lines(derived: Derived, out: Path) -> list[str]:
    records = ", ".join(f"{count(number)} {inert(kind, 40)}" for kind, number in sorted(derived.records.items()))
    rows = ((derived.pages, "page"), (derived.links, "link"), (derived.texts, "text"))
    lines = [
        f"{counted(derived.files, 'file')}: {records}",
        f"{', '.join(counted(number, noun) for number, noun in rows)} in {out}",
    ]
    if derived.unresolved:
        lines.append(f"{count(derived.unresolved)} revisits whose body is not in this archive")
    if derived.left_out:
        lines.append(f"{count(derived.left_out)} answers left out: no HTTP, no date, or a URL that cannot be crawled")
    named = derived.problems[:_SHOWN]
    lines += [inert(f"{one['file']} at {one['offset']}: {one['problem']}", _COLUMNS) for one in named]
    if derived.problem_count > len(named):
        lines.append(f"and {count(derived.problem_count - len(named))} more; derive.json names the first hundred")
    from gossamer.app.derive.deriving import ABSENT  # noqa: PLC0415 - as above

    return [*lines, *(f"absent: {words}" for words in ABSENT)]
