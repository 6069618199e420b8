"""Tables of Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, with a line end behind every row."""
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in (heads, ["---"] * len(heads), *rows))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
