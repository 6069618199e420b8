"""Links and paths in the documentation lead somewhere, and the check that says so catches what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.house import pages

ROOT = Path(__file__).resolve().parents[2]

PLANTED = [
    ("see [the design](docs/nowhere.md)", "links to docs/nowhere.md"),
    ("see [a section](docs/there.md#not-this)", "links to docs/there.md#not-this"),
    ("see [below](#not-this)", "links to #not-this"),
    ("| politeness | `src/gossamer/nowhere/` |", "names src/gossamer/nowhere/"),
    ("| proofs | `proofs/*.py` |", "names proofs/*.py"),
]
INNOCENT = [
    "see [the design](docs/there.md) and [its section](docs/there.md#the-gap-of-a-host) and [here](#top-of-it)",
    "see [RFC 9309](https://www.rfc-editor.org/rfc/rfc9309)",
    "| tests | `tests/*.txt` |",
    "```\n[not a link](nowhere.md)\n```",
]


def plant(root: Path, text: str) -> list[str]:
    (root / "docs").mkdir()
    (root / "docs" / "there.md").write_text("# The gap of a host\n")
    (root / "tests").mkdir()
    (root / "tests" / "a.txt").touch()
    (root / "README.md").write_text(f"# Top of it\n\n{text}\n")
    return pages.find(root)


def test_every_link_leads_somewhere() -> None:
    assert pages.find(ROOT) == []


@pytest.mark.parametrize(("text", "finding"), PLANTED)
def test_a_planted_dead_link_is_caught(tmp_path: Path, text: str, finding: str) -> None:
    (found,) = plant(tmp_path, text)
    assert finding in found


@pytest.mark.parametrize("text", INNOCENT)
def test_what_leads_somewhere_passes(tmp_path: Path, text: str) -> None:
    assert plant(tmp_path, text) == []


def test_the_two_commands_come_first() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("./gossamer demo") < readme.index("./dev test") < readme.index("\n## ")
