"""The commands of the README, the tutorial and the how-to pages, run as they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.docs import page_commands
from tests.docs.documents import ROOT, documents
from tests.servers.debian import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = page_commands.pages()
FIRST = {"tutorial.md", "missing-page.md", "duckdb.md", "stop-a-host.md"}
NEEDED_FIRST = [page for page in PAGES if page.name in FIRST]
"""What a stranger needs first is run with every test; `./dev prove pages` runs all."""
SHELL = re.compile(r"^(?:\$ |\./(?:gossamer|dev) |gossamer )", re.MULTILINE)
NOT_RUN = {"", "text", "output", "toml", "sql", "python", "yaml"}
TESTS_NAMED = re.compile(r"`(test_\w+)`")


@pytest.fixture(scope="module")
def loopback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    if not page_commands.can_serve():
        pytest.skip(f"port 443 of {page_commands.ADDRESS} cannot be listened at")
    try:
        with page_commands.internet(tmp_path_factory.mktemp("internet") / "web") as (_, environment):
            yield environment
    except UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.mark.slow
@pytest.mark.parametrize("path", NEEDED_FIRST, ids=lambda path: path.name)
def test_a_pages_commands_run_as_written(path: Path, tmp_path: Path, loopback: dict[str, str]) -> None:
    page = page_commands.run(path, tmp_path / "fresh", loopback)
    assert page.problems == []
    assert page.ran > 0


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_of_a_page_is_in_a_marked_block(path: Path) -> None:
    page = page_commands.read(path)
    assert {block.kind for block in page.blocks} <= NOT_RUN | {"sh"}
    for block in page.blocks:
        assert block.kind == "sh" or not SHELL.search(block.text), block.text


def test_lines_codes_and_continuations_are_read() -> None:
    found = page_commands.commands("# a word\n./gossamer crawl \\\n  URL  # exit 7\n\nls\n")
    assert found == [page_commands.Command("./gossamer crawl    URL", 7), page_commands.Command("ls", 0)]


def test_outputs_are_compared_in_order() -> None:
    page = page_commands.Page(ROOT / "README.md", [])
    block = page_commands.Block("output", "ended   complete\n…\npages …\n")
    page_commands._compare(page, block, "x\nended complete\nmore\npages   30\n")
    assert page.problems == []
    page_commands._compare(page, block, "pages 30\nended complete\n")
    assert len(page.problems) == 1


def test_every_test_named_on_a_page_is_there() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for page, text in documents().items():
        for name in TESTS_NAMED.findall(text):
            assert f"def {name}(" in written, f"{page}: {name}"
