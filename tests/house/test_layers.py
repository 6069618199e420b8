"""The layers hold, and the check that says so catches what it must."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PLANTED = [
    # file, what is planted in it, the contract that must be named
    ("core/limits.py", "import time", "core is pure"),
    ("core/limits.py", "import random", "core is pure"),
    ("core/limits.py", "import asyncio", "core is pure"),
    ("core/limits.py", "import pycurl", "core is pure"),
    ("core/limits.py", "import gossamer.ports.clock", "layers: "),
    ("core/planted/__init__.py", "from pathlib import Path", "core is pure"),
    ("ports/clock.py", "import gossamer.flow", "layers: "),
    ("ports/clock.py", "import socket", "ports and flow touch no file"),
    ("flow/planted.py", "import gossamer.adapters", "layers: "),
    ("flow/planted.py", "import threading", "ports and flow touch no file"),
    ("adapters/planted.py", "import gossamer.flow", "layers: "),
    ("adapters/planted.py", "import gossamer.plugins", "layers: "),
    ("adapters/planted.py", "import gossamer.adapters.planted_other", "adapters import neither each other"),
    ("plugins/planted.py", "import gossamer.flow", "layers: "),
    ("simulation/planted.py", "import gossamer.adapters.planted_other", "simulation is made of its own stand-ins"),
    ("simulation/planted.py", "import gossamer.app", "layers: "),
    ("helpers/__init__.py", "", "layers: "),
]


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    command = [str(program), "--no-logo", "--no-cache", "--config", str(tree / "pyproject.toml")]
    # The folder it runs in comes first on its path, before the source that the environment links to.
    return subprocess.run(command, cwd=tree / "src", capture_output=True, text=True, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the package that may be spoiled."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_tree_keeps_its_layers(tree: Path) -> None:
    done = lint(tree)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("file", "line", "contract"), PLANTED)
def test_a_planted_import_is_caught(tree: Path, file: str, line: str, contract: str) -> None:
    package = tree / "src" / "gossamer"
    (package / "adapters" / "planted_other.py").write_text("")
    path = package / file
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as spoiled:
        spoiled.write(f"\n{line}\n")
    done = lint(tree)
    assert done.returncode != 0, "the planted import went unseen"
    broken = [row for row in done.stdout.splitlines() if row.endswith("BROKEN")]
    assert any(row.startswith(contract) for row in broken) or (not line and contract.strip(": ") in done.stdout), (
        done.stdout
    )
