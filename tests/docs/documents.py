"""What the documentation names: its pages, code blocks, code spans and tables, as plain values."""

from __future__ import annotations

import itertools
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tools.house import pages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Line:
    """A command line in a code block."""

    page: str
    words: tuple[str, ...]


def documents() -> dict[str, str]:
    """Path below the root -> text, of every page."""
    return {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages.documents(ROOT)}


def spans(text: str) -> list[str]:
    """The code spans outside code blocks."""
    return SPAN.findall(FENCE.sub("", text))


def command_lines(program: str, text: str, page: str) -> list[Line]:
    """The lines of code blocks that call `program`, as `./program`, as `program` or after a prompt."""
    found: list[Line] = []
    for _, block in FENCE.findall(text):
        for line in block.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True) if program in line else []
            # Where it goes is the shell's affair.
            words = list(itertools.takewhile(lambda word: word not in {">", "&"}, words))
            if words and words[0].removeprefix("./") == program and not {"[", "|"} & set("".join(words)):
                found.append(Line(page, tuple(words[1:])))
    return found


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    part = re.split(rf"^#+ {re.escape(heading)}\n", text, flags=re.MULTILINE)[1]
    part = re.split(r"^#+ ", part, flags=re.MULTILINE)[0]
    lines = re.search(r"(?:^\|.*\n)+", part, re.MULTILINE)
    assert lines, f"no table under {heading}"
    return [[cell.strip() for cell in line.strip("|\n").split(" | ")] for line in lines[0].splitlines()[2:]]
