"""Imports, declarations, lock files and docs/dependencies.md agree, and the check that says so catches what it must."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.house import declared

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What the check reads, without the package: it may be spoiled."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "dependencies.md", tmp_path / "docs")
    (tmp_path / "src").mkdir()
    return tmp_path


def respell(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_tree_agrees_with_itself() -> None:
    assert declared.find(ROOT) == []


def test_an_undeclared_import_is_caught(tree: Path) -> None:
    (tree / "src" / "planted.py").write_text("def f():\n    import requests\n")
    assert declared.find(tree) == ["src/planted.py:2 imports requests, which pyproject.toml does not declare"]


def test_a_declaration_without_lock_or_reason_is_caught(tree: Path) -> None:
    respell(tree / "pyproject.toml", "dependencies = [\n", 'dependencies = [\n    "left-pad>=1",\n')
    assert [finding.partition(":")[0] for finding in declared.find(tree)] == [
        "requirements/run.lock",
        "docs/dependencies.md",
    ]


def test_lock_files_that_differ_are_caught(tree: Path) -> None:
    ((version, _),) = [(version, name) for name, version, _ in declared.locked(tree, "run.lock") if name == "pycurl"]
    respell(tree / "requirements" / "dev.lock", f"pycurl=={version}", "pycurl==0.1")
    assert declared.find(tree) == ["requirements/dev.lock:1 has another pycurl than run.lock: run requirements/lock.sh"]


@pytest.mark.parametrize("lock", ["run.lock", "dev.lock", "pywb.lock"])
def test_every_locked_release_has_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    assert "://" not in text
    entries = text.replace("\\\n", " ").splitlines()
    pinned = [entry for entry in entries if "==" in entry and not entry.lstrip().startswith("#")]
    assert pinned
    assert all("--hash=sha256:" in entry for entry in pinned)
