"""How a person here calls this program, for commands that are shown to be typed."""

from __future__ import annotations

from pathlib import Path


def program() -> str:
    """`./gossamer` in a clone of the repository, where no `gossamer` is on the path; else `gossamer`."""
    return "./gossamer" if Path("gossamer").is_file() else "gossamer"
