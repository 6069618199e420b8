"""`gossamer crawl`: check everything, make the folder, crawl, say how it ended."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.app.command_settings import add_setting_flags, given
from gossamer.app.cores import workers_of
from gossamer.app.escape import json_line
from gossamer.app.exit_codes import EXIT_OF, Exit
from gossamer.app.folder import CrawlFolder, FixedFacts, make_folder, refuse_existing
from gossamer.app.live_line import make_progress
from gossamer.app.program import program
from gossamer.app.report_lines import report_lines
from gossamer.app.seeds import Seed, read_seeds
from gossamer.app.settings import Settings, check, load
from gossamer.app.settings.shown import settings_toml
from gossamer.core.ending import EndState
from gossamer.core.url.parse import host_of

if TYPE_CHECKING:
    import argparse

    from gossamer.adapters.folder_lock import FolderLock
    from gossamer.app.live_line import Progressing

NEXT: Final = {
    EndState.COMPLETE: "{program} status {folder}   shows these numbers again",
    EndState.LIMIT: "{program} resume {folder}{change}   goes on",
    EndState.NOTHING_FETCHED: "{program} explain {folder} URL   says why; what is queued goes on with {program} resume",
    EndState.STALLED: "{program} resume {folder}   goes on later",
    EndState.INTERRUPTED: "{program} resume {folder}   goes on",
    EndState.DISK: "make room, then: {program} resume {folder}",
}
"""What to do after each end."""
RAISED: Final = {
    "--max-pages": " --max-pages N",
    "--max-bytes": " --max-bytes SIZE",
    "public hosts": " --contact ADDRESS",
}
"""How the reason of a limit begins -> what raises it; the time of a run begins anew by itself."""
PER_HOST: Final = (" --set crawl.max_pages_per_host=N", " --set crawl.max_bytes_per_host=SIZE")
"""What raises the caps per host: pages, bytes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("seeds.urls", metavar="URL", nargs="*", help="a seed: where to start")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--show-settings", action="store_true", help="print the settings in force as TOML, and end")
    instead.add_argument(
        "--dry-run",
        action="store_true",
        help="say what would be fetched first; only robots.txt is fetched, nothing is kept",
    )
    add_setting_flags(parser, new_crawl=True)


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    settings = load(given(args))
    if args.show_settings:
        print(settings_toml(settings), end="")
        return Exit.DONE
    check(settings)
    seeds = read_seeds(settings.seeds)
    return rehearse_only(settings, seeds) if args.dry_run else crawl_into(settings, seeds)


def rehearse_only(settings: Settings, seeds: list[Seed]) -> int:
    """Say what a crawl would begin with; the exit code."""
    from gossamer.app.rehearsal import as_json, lines_of, rehearse  # noqa: PLC0415 - the parsers; as below

    path = chosen_folder(settings, seeds)
    found = rehearse(settings, seeds)
    if settings.output.json:
        print(json_line(as_json(found, settings, path)))
    else:
        print("\n".join(lines_of(found, settings, path)))
    return Exit.DONE if found.first or found.unasked else Exit.NOTHING_FETCHED


def crawl_into(settings: Settings, seeds: list[Seed]) -> int:
    """Make the crawl folder and crawl; the exit code."""
    path = chosen_folder(settings, seeds)
    folder, lock = make_folder(path, settings, seeds, FixedFacts.new(settings.keys))
    with lock:
        return run_and_report(settings, folder, lock, resume=False)


def run_and_report(
    settings: Settings, folder: CrawlFolder, lock: FolderLock, *, resume: bool, notes: tuple[str, ...] = ()
) -> int:
    """Run a crawl in a folder that is locked, show its progress and its end; the exit code."""
    line = make_progress(sys.stderr, quiet=settings.output.quiet)
    try:
        for note in notes:
            line.say(note)
        ending = run_crawl(settings, folder, lock, resume=resume, ui=line)
    finally:
        line.close()
    report(settings, folder, ending)
    return EXIT_OF[ending]


def run_crawl(settings: Settings, folder: CrawlFolder, lock: FolderLock, *, resume: bool, ui: Progressing) -> EndState:
    """Crawl in this process, or on as many workers as the settings say. Raises UserError and OSError."""
    # No help text should wait for the whole crawler.
    if workers_of(settings) > 1:
        from gossamer.app.supervisor.run import run_on_workers  # noqa: PLC0415 - as said above

        return run_on_workers(settings, folder, lock, resume=resume, ui=ui)
    from gossamer.app import running  # noqa: PLC0415 - as said above

    return running.run_crawl(settings, folder, resume=resume, ui=ui)


def report(settings: Settings, folder: CrawlFolder, ending: EndState) -> None:
    """The summary on standard output, and what to do next on standard error."""
    summary = folder.read_summary() or {"end_state": ending.value}
    shown = {"folder": str(folder.path), **summary}
    if settings.output.json:
        print(json_line(shown))
    else:
        print("\n".join(report_lines(shown)))
    if not settings.output.json and not settings.output.quiet:
        change = raising(settings, str(summary.get("reason", "")))
        print(NEXT[ending].format(program=program(), folder=folder.path, change=change), file=sys.stderr)


def raising(settings: Settings, reason: str) -> str:
    """The flags that raise the cap which a crawl has reached, by the reason in its summary."""
    if "cap per host" in reason:
        crawl = settings.crawl
        caps = zip(PER_HOST, (crawl.max_pages_per_host, crawl.max_bytes_per_host), strict=True)
        return "".join(words for words, cap in caps if cap is not None)
    return next((words for begin, words in RAISED.items() if reason.startswith(begin)), "")


def chosen_folder(settings: Settings, seeds: list[Seed]) -> Path:
    """Where the crawl folder is to be made. Raises UserError (exit 7) where none can be."""
    path = Path(settings.output.folder) if settings.output.folder else default_folder(seeds[0])
    refuse_existing(CrawlFolder(path.absolute()))
    return path


def default_folder(seed: Seed) -> Path:
    """./HOST-DATE, for the first seed."""
    # A colon (IPv6) is no part of a file name everywhere.
    host = host_of(seed.url).replace(":", "_")
    return Path(f"{host}-{datetime.now().astimezone():%Y-%m-%d}")
