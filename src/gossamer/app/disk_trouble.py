"""Errors of the disk and of the store, in words for people."""

from __future__ import annotations

import errno
from typing import Final

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.ports.files import CrawlDamaged
from gossamer.ports.store import StoreBusy, StoreError, StoreFull, StoreReadOnly

RESUME: Final = "what was committed is safe; once that is put right, gossamer resume DIR goes on"

MEND: Final = "gossamer doctor DIR --repair   mends what can be mended; or restore the folder from a copy"

LOOK: Final = "gossamer doctor DIR   looks a crawl folder over and says what it lacks"

DISK_ERRORS: Final = {
    errno.ENOSPC: ("the disk is full", "make room; " + RESUME, Exit.DISK),
    errno.EDQUOT: ("the disk quota is used up", "make room; " + RESUME, Exit.DISK),
    errno.EFBIG: ("a file may not grow further here", "see the limit of your shell (ulimit -f); " + RESUME, Exit.DISK),
    errno.EROFS: ("the disk is read-only", "choose a folder that can be written", Exit.DISK),
    errno.EIO: ("the disk failed", "look after the disk before anything else", Exit.DISK),
    errno.EACCES: ("not permitted", "choose a folder that you may write", Exit.BAD_INPUT),
    errno.EPERM: ("not permitted", "choose a folder that you may write", Exit.BAD_INPUT),
    errno.ENOTDIR: ("part of the path is not a folder", "choose another folder", Exit.BAD_INPUT),
    errno.ENOENT: ("it is missing", LOOK, Exit.FOLDER),
    errno.EISDIR: ("a folder stands where a file belongs", LOOK, Exit.FOLDER),
    errno.ELOOP: ("symbolic links lead in a circle", LOOK, Exit.FOLDER),
    errno.ENAMETOOLONG: ("the path is too long", "choose a shorter one", Exit.BAD_INPUT),
    errno.EMFILE: ("too many open files", "raise the limit (ulimit -n 4096); " + RESUME, Exit.DISK),
}
"""Error number -> what it means, what helps, the exit code."""

STORE_ERRORS: Final[dict[type, tuple[str, Exit]]] = {
    StoreBusy: ("close the other crawl first", Exit.FOLDER),
    StoreFull: ("make room; " + RESUME, Exit.DISK),
    StoreReadOnly: ("make the folder writable; " + RESUME, Exit.DISK),
    # Damaged, or not to be read.
    StoreError: (MEND, Exit.FOLDER),
}
"""What helps, and the exit code; a kind without a line of its own has that of what it is a kind of."""


def disk_trouble(error: BaseException) -> UserError | None:
    """What to tell people of an error that they can put right; None for any other."""
    if isinstance(error, CrawlDamaged):
        return UserError(f"the crawl folder is damaged: {error}", MEND, Exit.FOLDER)
    if isinstance(error, StoreError):
        kind = next(kind for kind in type(error).__mro__ if kind in STORE_ERRORS)
        hint, code = STORE_ERRORS[kind]
        return UserError(str(error), hint, code)
    if isinstance(error, OSError) and error.errno in DISK_ERRORS:
        words, hint, code = DISK_ERRORS[error.errno]
        place = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return UserError(f"{place}{words}", hint, code)
    return None
