"""What a damaged or missing file, or a full disk, is called; and what is a bug of ours all the same."""

from __future__ import annotations

import errno

import pytest

from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.exit_codes import Exit
from gossamer.ports.files import CrawlDamaged
from gossamer.ports.store import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly


@pytest.mark.parametrize(
    ("error", "code", "words", "hint"),
    [
        (OSError(errno.ENOSPC, "no space", "/d/f"), Exit.DISK, "/d/f: the disk is full", "resume"),
        (OSError(errno.EMFILE, "too many"), Exit.DISK, "too many open files", "ulimit -n"),
        (FileNotFoundError(errno.ENOENT, "gone", "/d/journal/x"), Exit.FOLDER, "/d/journal/x: it is missing", "doctor"),
        (
            IsADirectoryError(errno.EISDIR, "dir", "/d/state/lock"),
            Exit.FOLDER,
            "a folder stands where a file",
            "doctor",
        ),
        (OSError(errno.ELOOP, "loop", "/d/f"), Exit.FOLDER, "in a circle", "doctor"),
        (PermissionError(errno.EACCES, "no", "/d"), Exit.BAD_INPUT, "not permitted", "may write"),
        (
            CrawlDamaged({"pages/x.parquet": "cannot be read"}),
            Exit.FOLDER,
            "pages/x.parquet cannot be read",
            "--repair",
        ),
        (StoreBusy("locked"), Exit.FOLDER, "locked", "other crawl"),
        (StoreFull("full"), Exit.DISK, "full", "make room"),
        (StoreReadOnly("read-only"), Exit.DISK, "read-only", "writable"),
        (StoreDamaged("bad sst"), Exit.FOLDER, "bad sst", "--repair"),
        (StoreError("IO error: CURRENT is a directory"), Exit.FOLDER, "IO error", "--repair"),
    ],
    ids=str,
)
def test_trouble_is_named(error: Exception, code: Exit, words: str, hint: str) -> None:
    known = disk_trouble(error)
    assert known is not None
    assert known.exit_code is code
    assert words in known.message
    assert hint in known.hint


@pytest.mark.parametrize(
    "error", [OSError(errno.EBADF, "bad descriptor"), OSError("no number"), KeyError("x"), ValueError()]
)
def test_what_nobody_can_put_right_is_ours(error: Exception) -> None:
    assert disk_trouble(error) is None
