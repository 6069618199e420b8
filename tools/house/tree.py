"""The Python files of a tree, parsed."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SKIPPED = {"__pycache__", "node_modules"}


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path from the root, its text and its syntax tree."""

    name: str
    text: str
    syntax: ast.Module


def sources(root: Path, *folders: str) -> Iterator[Source]:
    """All Python files under the folders, in the order of their names. A folder that is not there has none."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).parts
            if not SKIPPED.intersection(parts) and not any(part.startswith(".") for part in parts):
                text = path.read_text(encoding="utf-8")
                yield Source("/".join(parts), text, ast.parse(text, str(path)))
