"""Text from the web, made harmless for a terminal.

A page's title or URL may hold sequences that move the cursor, rename the window, paste commands, or reorder what is
read (Unicode Technical Report 36, section 2.5). Nothing of it reaches a terminal unescaped.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Final

UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are written as their code: controls (C0, C1, escape, line ends), format characters (bidi
controls, zero-width ones, tags), surrogates, private and unassigned ones, line and paragraph separators."""
BLANKS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
"""Letters and marks that show nothing."""
SELECTORS: Final = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Variation selectors: they make the character before them wider in some terminals and not in others."""
WIDE_SINCE_16: Final = frozenset(
    map(chr, (*range(0x2630, 0x2638), *range(0x268A, 0x2690), *range(0x4DC0, 0x4E00), *range(0x1D300, 0x1D377)))
)
"""Hexagrams, tetragrams and counting rods, two columns wide from Unicode 16 on; older tables say one."""
MARKS_MAX: Final = 2
"""Marks on one letter that are shown; taller stacks climb over the lines above."""
CUT: Final = "…"
LINE_COLUMNS: Final = 4000
"""Columns of one line of a document on a terminal; nobody reads further, and a page may be one line of a megabyte."""


def inert(text: str, width: int) -> str:
    """`text` on one line of at most `width` columns, every character that a terminal might act on written as its code.

    A tab or line end becomes a space. What does not fit is cut and marked.
    """
    shown: list[str] = []
    used = marks = 0
    for character in text[: width + 1] if width > 0 else "":
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        piece = _piece(character) if marks <= MARKS_MAX else _code(character)
        columns = _columns(piece)
        if used + columns > width:
            break
        shown.append(piece)
        used += columns
    else:
        if len(text) <= width:
            return "".join(shown)
    return _cut(shown, used, width)


def inert_lines(content: bytes) -> list[str]:
    """A document's lines, each made harmless and cut."""
    # Split at line ends only: other separators are for `inert` to show.
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n").split("\n")
    return [inert(line, LINE_COLUMNS) for line in lines]


def json_line(value: object) -> str:
    """A value as JSON on one line of printable ASCII: 7F (delete) is the one control character that JSON leaves."""
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")


def _piece(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character.isascii() and character.isprintable():
        return character
    if unicodedata.category(character) in UNSAFE or character in BLANKS or character in SELECTORS:
        return _code(character)
    return " " if unicodedata.category(character) == "Zs" else character


def _code(character: str) -> str:
    return f"<{ord(character):04X}>"


def _columns(piece: str) -> int:
    if len(piece) > 1:
        return len(piece)
    if unicodedata.category(piece) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(piece) in "WFA" or piece in WIDE_SINCE_16 else 1


def _cut(shown: list[str], used: int, width: int) -> str:
    if width <= 0:
        return ""
    while shown and used > width - 1:
        used -= _columns(shown.pop())
    return "".join(shown) + CUT
