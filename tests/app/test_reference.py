from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.app.reference import FILLED, PAGES, write
from gossamer.app.reference.formats import fill
from gossamer.app.settings.tree import TRAITS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_page_is_what_the_code_says(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run: python -m gossamer.app.reference docs"


@pytest.mark.parametrize("name", FILLED)
def test_the_made_tables_are_what_the_code_says(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == fill(written), "run: python -m gossamer.app.reference docs"


def test_a_part_that_nothing_makes_is_an_error() -> None:
    with pytest.raises(ValueError, match="no dataset 'pagez'"):
        fill("<!-- made: pagez -->\n\n<!-- end -->")


def test_every_key_is_on_the_page(tmp_path: Path) -> None:
    write(tmp_path)
    page = (tmp_path / "reference-settings.md").read_text(encoding="utf-8")
    assert all(f"`{key}`" in page for key in TRAITS)
