"""The replayer of traces: what was synced is there after a loss of power, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from proofs.commit_order import Call
from proofs.disk_trace import TRACED, TracedFolder, copy_folder, steps
from tools import programs

if TYPE_CHECKING:
    from pathlib import Path


def folder(tmp_path: Path) -> TracedFolder:
    """The folder /crawl with one old file."""
    before = tmp_path / "before"
    (before / "state").mkdir(parents=True)
    (before / "old").write_bytes(b"0123456789")
    return TracedFolder("/crawl", before)


def laid_out(traced: TracedFolder, tmp_path: Path) -> dict[str, bytes]:
    """The files after a loss of power now."""
    target = tmp_path / "after"
    target.mkdir()
    traced.lay_out(target)
    return {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}


def did(traced: TracedFolder, *lines: str) -> None:
    """Calls, each whole: "write(3</crawl/a>, "x", 1) = 1"."""
    for line in lines:
        name, _, arguments = line.partition("(")
        traced.step(Call(name, arguments, ended=True, began=True))


MAKE = 'openat(AT_FDCWD</x>, "/crawl/new", O_WRONLY|O_CREAT, 0644) = 3</crawl/new>'
SYNC_FOLDER = "fsync(9</crawl>) = 0"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([MAKE, 'write(3</crawl/new>, "abc", 3) = 3', "fsync(3</crawl/new>) = 0"], {}),
        ([MAKE, 'write(3</crawl/new>, "abc", 3) = 3', SYNC_FOLDER], {"new": b""}),
        ([MAKE, 'write(3</crawl/new>, "abc", 3) = 3', "fdatasync(3</crawl/new>) = 0", SYNC_FOLDER], {"new": b"abc"}),
        (
            [MAKE, 'write(3</x>, "a\\0\\n\\"", 4) = 4', "fsync(3</x>) = 0", 'write(3</x>, "z", 1) = 1', SYNC_FOLDER],
            {"new": b'a\0\n"'},
        ),
        (
            [MAKE, 'pwrite64(3</x>, "end", 3, 4) = 3', "ftruncate(3</x>, 6) = 0", "fsync(3</x>) = 0", SYNC_FOLDER],
            {"new": b"\0\0\0\0en"},
        ),
        (
            [MAKE, 'writev(3</x>, [{iov_base="ab", iov_len=2}, {iov_base="c", iov_len=1}], 2) = 3', "fsync(3</x>) = 0",
             SYNC_FOLDER],
            {"new": b"abc"},
        ),
        ([MAKE, "fallocate(3</x>, FALLOC_FL_KEEP_SIZE, 0, 99) = 0", "fsync(3</x>) = 0", SYNC_FOLDER], {"new": b""}),
    ],
)  # fmt: skip
def test_what_was_synced_is_there(lines: list[str], expected: dict[str, bytes], tmp_path: Path) -> None:
    traced = folder(tmp_path)
    did(traced, *lines)
    assert laid_out(traced, tmp_path) == {"old": b"0123456789", **expected}


def test_a_rename_counts_from_the_sync_of_its_folder_on(tmp_path: Path) -> None:
    traced = folder(tmp_path)
    did(traced, 'rename("/crawl/old", "/crawl/newer") = 0')
    (tmp_path / "one").mkdir()
    assert laid_out(traced, tmp_path / "one") == {"old": b"0123456789"}
    did(traced, SYNC_FOLDER)
    assert laid_out(traced, tmp_path) == {"newer": b"0123456789"}


def test_a_removed_file_comes_back_until_its_folder_is_synced(tmp_path: Path) -> None:
    traced = folder(tmp_path)
    did(traced, 'unlinkat(AT_FDCWD</x>, "/crawl/old", 0) = 0')
    assert laid_out(traced, tmp_path) == {"old": b"0123456789"}


def test_a_sync_covers_what_was_written_before_it_began(tmp_path: Path) -> None:
    traced = folder(tmp_path)
    did(traced, MAKE, SYNC_FOLDER, 'write(3</x>, "a", 1) = 1')
    traced.step(Call("fsync", "3</crawl/new>", ended=False, began=True))
    did(traced, 'write(3</x>, "b", 1) = 1')
    traced.step(Call("fsync", "3</crawl/new>) = 0", ended=True, began=False))
    assert laid_out(traced, tmp_path)["new"] == b"a"


def test_a_file_in_a_folder_that_was_never_synced_is_gone(tmp_path: Path) -> None:
    traced = folder(tmp_path)
    did(
        traced,
        'mkdir("/crawl/made", 0777) = 0',
        'openat(AT_FDCWD</x>, "/crawl/made/a", O_WRONLY|O_CREAT, 0644) = 3</crawl/made/a>',
        "fsync(3</crawl/made/a>) = 0",
        "fsync(8</crawl/made>) = 0",
    )
    assert laid_out(traced, tmp_path) == {"old": b"0123456789"}


def test_an_old_file_that_is_written_to_keeps_its_rest(tmp_path: Path) -> None:
    traced = folder(tmp_path)
    did(
        traced,
        'openat(AT_FDCWD</x>, "/crawl/old", O_RDWR|O_APPEND) = 4</crawl/old>',
        'write(4</crawl/old>, "AB", 2) = 2',
        "fsync(4</crawl/old>) = 0",
        'pwrite64(4</crawl/old>, "x", 1, 0) = 1',
    )
    assert laid_out(traced, tmp_path) == {"old": b"0123456789AB"}
    assert traced.seen_now("old") == b"x123456789AB"


@pytest.mark.parametrize(
    "line",
    [
        MAKE + "|write",
        "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</crawl/old>, 0) = 0x7f",
        "copy_file_range(4</x/a>, NULL, 3</crawl/old>, NULL, 10, 0) = 10",
    ],
)
def test_what_a_trace_does_not_show_is_refused(line: str, tmp_path: Path) -> None:
    traced = folder(tmp_path)
    lines = [MAKE, 'write(3</crawl/new>, "ab"..., 9) = 9'] if line.endswith("|write") else [line]
    with pytest.raises(ValueError, match="trace"):
        did(traced, *lines)


def test_a_real_trace_is_replayed(tmp_path: Path) -> None:
    strace = programs.find("strace")
    if strace is None:
        pytest.skip("strace is not here")
    root = tmp_path / "crawl"
    root.mkdir()
    (root / "old").write_bytes(b"old")
    copy_folder(root, tmp_path / "before")
    program = (
        "import os, sys\n"
        "at = lambda name: os.path.join(sys.argv[1], name)\n"
        "f = open(at('draft'), 'wb', buffering=0); f.write(bytes(range(256))); os.fsync(f.fileno()); f.write(b'lost')\n"
        "os.rename(at('draft'), at('new')); d = os.open(at('.'), os.O_RDONLY); os.fsync(d)\n"
        "os.remove(at('old')); g = open(at('later'), 'wb', buffering=0); g.write(b'x')\n"
    )
    trace = tmp_path / "trace"
    command = [strace, *TRACED, "-o", str(trace), sys.executable, "-c", program, str(root)]
    done = subprocess.run(command, check=False)
    if done.returncode:
        pytest.skip("strace may not trace here")
    traced = TracedFolder(str(root), tmp_path / "before")
    for call in steps(trace):
        traced.step(call)
    assert laid_out(traced, tmp_path) == {"old": b"old", "new": bytes(range(256))}
    assert set(traced.names) == {"new", "later"}
