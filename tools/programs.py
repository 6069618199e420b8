"""Programs of the operating system that tests and proofs use: found, or installed where we may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

WANTED_BY_TESTS = ("nginx", "strace")
"""Program names; on Debian each is in the package of the same name."""

SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where servers are installed, which is not on every user's path."""


def in_ci() -> bool:
    """Does this run in CI, where a missing part is a failure and not a reason to skip?"""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def find(name: str) -> str | None:
    """Full path of a program, or None."""
    return shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":" + SYSTEM_FOLDERS)


def ensure(names: tuple[str, ...]) -> dict[str, str]:
    """Install what is missing where we can; returns what is missing still, each with the reason."""
    missing = [name for name in names if not find(name)]
    if not missing:
        return {}
    reason = _install(missing)
    return {name: reason or "its package does not bring it" for name in missing if not find(name)}


def _install(packages: list[str]) -> str:
    """Install Debian packages; returns why that failed, or nothing."""
    if not find("apt-get"):
        return "no apt-get here: install it by hand"
    if os.geteuid() != 0:
        return f"not root: apt install {' '.join(packages)}"
    print(f"installing {', '.join(packages)}", file=sys.stderr, flush=True)
    # The lists of a fresh machine are empty or old.
    install = ["install", "-y", "--no-install-recommends", "-q"]
    for command in (["update", "-q"], [*install, *packages]):
        done = subprocess.run(
            ["apt-get", *command],
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            return f"apt-get {command[0]} failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
    return ""
