"""No tracked file names a registry's host or a machine's path, and the check that says so catches what it must."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.house import tracked

ROOT = Path(__file__).resolve().parents[2]


def test_the_tree_names_none() -> None:
    assert tracked.find(ROOT) == []


@pytest.mark.parametrize(
    "name", [*(".".join(parts) for parts in tracked.HOSTS), *(f"/{folder}/x" for folder in tracked.FOLDERS)]
)
@pytest.mark.parametrize("versioned", [False, True])
def test_a_planted_name_is_caught(tmp_path: Path, name: str, versioned: bool) -> None:
    if versioned:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "innocent.txt").write_text("nothing here\n")
    (tmp_path / "planted.lock").write_text(f"first line\nindex = {name}\n")
    (found,) = tracked.find(tmp_path)
    assert found.startswith("planted.lock:2 ")


def test_what_git_ignores_is_not_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("ignored.txt\n")
    (tmp_path / "ignored.txt").write_text(".".join(tracked.HOSTS[0]))
    assert tracked.find(tmp_path) == []
