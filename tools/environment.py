"""Makes `.venv` and installs a locked set into it. Run by ./gossamer and ./dev with the Python they found.

Standard library only, and no import from this repository: nothing is installed yet when it runs. Two at once are safe:
the second waits for the first and then finds its work done. The stamp is a copy of the lock file, written last.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT = Path(__file__).resolve().parent.parent

LOCKS = {
    # what is asked for: (environment, lock file, lock files whose sets it holds too, may packages be built)
    "run": (".venv", "run.lock", ("run.lock",), False),
    "dev": (".venv", "dev.lock", ("dev.lock", "run.lock"), False),
    "pywb": (".venv.pywb", "pywb.lock", ("pywb.lock",), True),
}
TRIES = 3
"""Times an installation is tried: a registry that answers badly once usually answers well a moment later."""
PAUSE_SECONDS = 3.0


def ready(name: str) -> bool:
    """Is the environment there, with the locked set as the lock file states it now?"""
    environment, _, stamps, _ = LOCKS[name]
    folder = ROOT / environment
    here = python_of(name).exists()
    return here and all(_same(ROOT / "requirements" / stamp, folder / stamp) for stamp in stamps)


def python_of(name: str) -> Path:
    """The interpreter of that environment."""
    return ROOT / LOCKS[name][0] / "bin" / "python"


def ensure(name: str) -> Path:
    """Make the environment if it is not ready; returns its interpreter. Exits with one clear line if it cannot."""
    if ready(name):
        return python_of(name)
    folder = ROOT / LOCKS[name][0]
    with _only_one(folder):
        if not ready(name):
            _make(folder, name)
    return python_of(name)


def _make(folder: Path, name: str) -> None:
    _, lock, stamps, builds = LOCKS[name]
    print(f"gossamer: installing the locked libraries into {folder.name} (once, about a minute)", file=sys.stderr)
    for stamp in stamps:
        (folder / stamp).unlink(missing_ok=True)
    if not _usable(folder):
        _run([sys.executable, "-m", "venv", "--clear", str(folder)], "making the environment failed")
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install += ["--no-input", "--require-hashes", "--no-deps", "--requirement", str(ROOT / "requirements" / lock)]
    _run(install if builds else [*install, "--only-binary", ":all:"], "installing failed", TRIES)
    _link_source(folder)
    for stamp in stamps:
        _write_synced(folder / stamp, (ROOT / "requirements" / stamp).read_bytes())


def _usable(folder: Path) -> bool:
    """Does the environment run, with pip, on the Python that was found now?"""
    python = folder / "bin" / "python"
    if not python.exists():
        return False
    ask = "import sys, pip; print('%d.%d' % sys.version_info[:2])"
    answer = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=False)
    found = answer.stdout.strip()
    return answer.returncode == 0 and "3.11" <= found <= "3.14"


def _link_source(folder: Path) -> None:
    """One line that puts src/ on the path: no build, and an edit is seen at once. Relative, so the tree may move."""
    for packages in folder.glob("lib/python3*/site-packages"):
        source = os.path.relpath(ROOT / "src", packages)
        _write_synced(packages / "gossamer_source.pth", source.encode() + b"\n")


def _run(command: list[str], what: str, tries: int = 1) -> None:
    """Run quietly; on failure show what it said, then one line, and exit 2."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    if tries > 1:
        time.sleep(PAUSE_SECONDS)
        _run(command, what, tries - 1)
        return
    print(done.stdout[-2000:] + done.stderr[-4000:], file=sys.stderr)
    print(f"gossamer: {what} (above is what it said); with the network there, run this again", file=sys.stderr)
    sys.exit(2)


@contextmanager
def _only_one(folder: Path) -> Generator[None]:
    """Hold the lock beside the environment; the system gives it back even when we are killed."""
    with folder.with_name(folder.name + ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write_synced(path: Path, data: bytes) -> None:
    """Whole or not at all: a stamp cut short by a crash would be compared as different anyway, but say so plainly."""
    aside = path.with_name(path.name + ".new")
    with aside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def _same(first: Path, second: Path) -> bool:
    try:
        return first.read_bytes() == second.read_bytes()
    except OSError:
        return False


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in LOCKS:
        print(f"usage: environment.py {'|'.join(LOCKS)}", file=sys.stderr)
        sys.exit(2)
    ensure(sys.argv[1])
