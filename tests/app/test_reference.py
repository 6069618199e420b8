from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import gossamer
from gossamer.app.python.options import KEYWORDS
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


def test_what_may_be_left_out_stands_in_brackets() -> None:
    page = PAGES["reference-commands.md"]()
    assert "\ngossamer crawl [URL ...] [FLAG ...]\n" in page
    assert "\ngossamer hosts DIR [HOST] [FLAG ...]\n" in page
    assert "\ngossamer doctor [DIR] [FLAG ...]\n" in page
    assert "\ngossamer explain DIR URL [FLAG ...]\n" in page


def test_every_public_name_is_described() -> None:
    page = (DOCS / "reference-python.md").read_text(encoding="utf-8")
    for name in gossamer.__all__:
        item = getattr(gossamer, name)
        assert f"## gossamer.{name}" in page
        assert item.__doc__, name
        members = [each for each in vars(item) if not each.startswith("_")] if inspect.isclass(item) else []
        assert all(f"`{each}" in page or f"`await {each}" in page for each in members), name
    assert all(f"`{name}`" in page for name in [*gossamer.errors.__all__, *KEYWORDS])
