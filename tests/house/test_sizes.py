"""Functions and files stay short, and the check that says so catches what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.house import sizes

ROOT = Path(__file__).resolve().parents[2]


def function(lines: int, prefix: str = "") -> str:
    return f"{prefix}def long():\n" + "    pass\n" * (lines - 1)


def plant(root: Path, text: str) -> list[str]:
    (root / "src").mkdir()
    (root / "src" / "planted.py").write_text(text)
    return sizes.find(root)


def test_the_tree_keeps_to_the_sizes() -> None:
    assert sizes.find(ROOT) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (function(sizes.FUNCTION_LINES_MAX + 1), "long has 71 lines"),
        (function(sizes.FUNCTION_LINES_MAX + 1, "async "), "long has 71 lines"),
        ("x = 1\n" * (sizes.FILE_LINES_MAX + 1), "has 601 lines"),
    ],
)
def test_what_is_too_long_is_caught(tmp_path: Path, text: str, finding: str) -> None:
    (found,) = plant(tmp_path, text)
    assert finding in found


@pytest.mark.parametrize("text", [function(sizes.FUNCTION_LINES_MAX), "x = 1\n" * sizes.FILE_LINES_MAX])
def test_what_just_fits_passes(tmp_path: Path, text: str) -> None:
    assert plant(tmp_path, text) == []
