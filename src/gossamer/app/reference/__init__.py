"""The reference pages that are made from the code: `python -m gossamer.app.reference DOCS_FOLDER` writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app import exit_codes
from gossamer.app.reference.commands import commands_document
from gossamer.app.reference.facts import facts_document
from gossamer.app.reference.formats import fill
from gossamer.app.reference.metrics import metrics_document
from gossamer.app.reference.python import python_document
from gossamer.app.reference.reasons import reasons_document
from gossamer.app.reference.settings import settings_document

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGES: Final[dict[str, Callable[[], str]]] = {
    "reference-settings.md": settings_document,
    "reference-commands.md": commands_document,
    "reference-reasons.md": reasons_document,
    "reference-facts.md": facts_document,
    "reference-metrics.md": metrics_document,
    "reference-python.md": python_document,
    "exit-codes.md": exit_codes.document,
}
"""File name in docs/ -> what makes it, whole."""

FILLED: Final = ("file-formats.md",)
"""Pages written by hand, whose tables between `<!-- made: NAME -->` and `<!-- end -->` are made."""


def write(folder: Path) -> None:
    """Write every page that is made, and the made tables of those that are there."""
    for name, make in PAGES.items():
        (folder / name).write_text(make(), encoding="utf-8")
    for name in FILLED:
        page = folder / name
        if page.exists():
            page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
