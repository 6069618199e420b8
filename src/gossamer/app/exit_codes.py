"""How commands end: the exit codes, and which of them each end of a crawl has (architecture, section 8)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from gossamer.core.ending import EndState


class Exit(IntEnum):
    """Exit codes of every command."""

    DONE = 0
    BUG = 1
    BAD_INPUT = 2
    NOTHING_FETCHED = 3
    STALLED = 4
    INTERRUPTED = 5
    DISK = 6
    FOLDER = 7


MEANINGS: Final = {
    Exit.DONE: "complete, or a limit was reached, or nothing was due",
    Exit.BUG: "a bug of ours; the last line says where to report it",
    Exit.BAD_INPUT: "bad settings, seeds or arguments; nothing was started",
    Exit.NOTHING_FETCHED: "no page could be fetched; the reasons are in the summary",
    Exit.STALLED: "no host could be leased within crawl.patience; URLs stay queued and the crawl can be resumed",
    Exit.INTERRUPTED: "interrupted; the crawl can be resumed",
    Exit.DISK: "the disk is full or read-only; what was committed is safe and the crawl can be resumed",
    Exit.FOLDER: "the folder is in use, already a crawl, not a crawl, damaged, or of a newer format",
}


EXIT_OF: Final = {
    EndState.COMPLETE: Exit.DONE,
    EndState.LIMIT: Exit.DONE,
    EndState.NOTHING_FETCHED: Exit.NOTHING_FETCHED,
    EndState.STALLED: Exit.STALLED,
    EndState.INTERRUPTED: Exit.INTERRUPTED,
    EndState.DISK: Exit.DISK,
}


def document() -> str:
    """docs/exit-codes.md."""
    codes = "\n".join(f"| {code.value} | {meaning} |" for code, meaning in MEANINGS.items())
    ends = "\n".join(f"| {state.value} | {code.value} |" for state, code in EXIT_OF.items())
    return (
        "# Exit codes\n\nMade from `src/gossamer/app/exit_codes.py` by `python -m gossamer.app.reference docs`.\n\n"
        f"| exit | meaning |\n| --- | --- |\n{codes}\n\n"
        "A crawl says in `summary.json` and in its last lines how it ended (`end_state`):\n\n"
        f"| end state | exit |\n| --- | --- |\n{ends}\n"
    )
