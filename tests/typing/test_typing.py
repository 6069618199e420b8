"""The Python interface type-checks in programs, strictly, under both type checkers; and wrong use of it does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(str(path) for path in Path(__file__).parent.glob("*_program.py"))
EXAMPLES = sorted(str(path) for path in (ROOT / "examples").glob("*.py"))
pytestmark = pytest.mark.slow


def program(name: str) -> str:
    path = Path(sys.executable).with_name(name)
    if not path.exists():
        pytest.skip(f"{name} is not installed")
    return str(path)


def test_there_are_programs() -> None:
    assert len(PROGRAMS) == 3


def test_under_mypy(tmp_path: Path) -> None:
    # Errors of the package itself are its own check's business; an ignore that hides nothing is an error here.
    settings = f"[mypy]\nstrict = true\nwarn_unused_ignores = true\nmypy_path = {ROOT / 'typings'}:{ROOT / 'src'}\n"
    (tmp_path / "mypy.ini").write_text(
        settings + "follow_imports = silent\nexplicit_package_bases = true\ndisable_error_code = unused-coroutine\n"
    )
    command = [program("mypy"), "--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run([*command, *PROGRAMS, *EXAMPLES], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_under_basedpyright(tmp_path: Path) -> None:
    settings = {
        "include": PROGRAMS,
        "typeCheckingMode": "strict",
        "reportUnnecessaryTypeIgnoreComment": True,
        "enableTypeIgnoreComments": False,
        "stubPath": str(ROOT / "typings"),
        "extraPaths": [str(ROOT / "src")],
        "pythonVersion": "3.11",
        "reportUnusedExpression": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [program("basedpyright"), "--project", str(tmp_path), "--pythonpath", sys.executable, "--level", "error"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
