"""Links and paths in the documentation lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)
PATH_IN_TABLE = re.compile(r"^(?:src|docs|tests|tools|proofs|bench|requirements)/\S*$|^\./(?:gossamer|dev)$")


def documents(root: Path) -> list[Path]:
    """The pages that people read: those at the top and those in docs/."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def find(root: Path) -> list[str]:
    """Links to pages, files or headings that are not there; paths in tables that do not exist."""
    findings: list[str] = []
    for page in documents(root):
        text = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), page.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            place = f"{page.relative_to(root)}:{number}"
            findings += (f"{place} {fault}" for fault in _faults(root, page, line))
    return findings


def _faults(root: Path, page: Path, line: str) -> Iterator[str]:
    for target in LINK.findall(line):
        if not target.startswith(("http:", "https:", "mailto:")) and not _leads_somewhere(page, target):
            yield f"links to {target}, which is not there"
    if line.startswith("|"):
        for span in CODE_SPAN.findall(line):
            if PATH_IN_TABLE.match(span) and not _path_exists(root, span):
                yield f"names {span}, which is not there"


def _leads_somewhere(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    there = page if not name else (page.parent / name)
    if not there.exists():
        return False
    if not anchor or there.suffix != ".md":
        return True
    return anchor in {anchor_of(heading) for heading in HEADING.findall(there.read_text(encoding="utf-8"))}


def anchor_of(heading: str) -> str:
    """The fragment that a heading gets where these pages are shown: lower case, spaces as hyphens, no other marks."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()))


def _path_exists(root: Path, span: str) -> bool:
    return any(root.glob(span)) if "*" in span else (root / span).exists()
