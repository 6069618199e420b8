from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.app.reference import PAGES, main
from gossamer.app.settings.tree import TRAITS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_page_is_what_the_code_says(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run: python -m gossamer.app.reference docs"


def test_every_key_is_on_the_page(tmp_path: Path) -> None:
    main(tmp_path)
    page = (tmp_path / "reference-settings.md").read_text(encoding="utf-8")
    assert all(f"`{key}`" in page for key in TRAITS)
