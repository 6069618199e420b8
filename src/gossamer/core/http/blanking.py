"""Secrets taken out of a head before it is archived. Only values change: names, order and line ends stay.

What stood there is replaced by a word that says so; a continuation line (RFC 9112 section 5.2) goes with its field.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

BLANKED: Final = b"[blanked]"
REQUEST_SECRETS: Final = ("Authorization", "Cookie", "Proxy-Authorization")
"""Request fields whose value lets its bearer in (RFC 9110 section 11, RFC 6265 section 4.2)."""
ANSWER_SECRETS: Final = ("Set-Cookie", "Set-Cookie2")

BLANKED_WORDS: Final = (
    "values of Authorization, Cookie and other secret request fields; of Set-Cookie where a host has a log-in or a jar"
)
"""What is blanked, for whoever reads an archive."""

_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")


def blanked(head: bytes, names: tuple[str, ...]) -> bytes:
    """`head` with the values of the fields called `names` (any case) replaced; the same bytes where there are none."""
    wanted = _compared(names)
    lowered = head.lower()
    for name in wanted:
        if name in lowered:
            break
    else:
        return head
    kept: list[bytes] = []
    dropping = False
    for number, line in enumerate(_LINE.findall(head)):
        if line[:1] in b" \t" and number > 0 and line.strip():
            if not dropping:
                kept.append(line)
            continue
        name, colon, _ = line.partition(b":")
        dropping = bool(number and colon) and name.strip().lower() in wanted
        kept.append(name + b": " + BLANKED + _line_end(line) if dropping else line)
    return b"".join(kept)


@lru_cache(maxsize=256)
def _compared(names: tuple[str, ...]) -> frozenset[bytes]:
    return frozenset(name.lower().encode("latin-1") for name in names)


def _line_end(line: bytes) -> bytes:
    return line[len(line.rstrip(b"\r\n")) :]
