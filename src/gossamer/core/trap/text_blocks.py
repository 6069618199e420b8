"""Whether a page says something that its template has not said lately, although its bytes differ.

A calendar's next month, the same list in another order, the same page under another host name: their bytes are new,
what they say is not. Compared are the pieces of text between tags, without numbers; of those that were not met before,
what the page's own URL says does not count, nor dates, nor what looks like a hash. Documentation, however templated,
has a sentence of its own on each page; a facet has the sentences of its neighbours.

This reads the whole body, 1 ms and more for 55 KB, and is asked for few pages: see `flow/templates.py`.
"""

from __future__ import annotations

import re
from typing import Final
from zlib import crc32

from gossamer.core.limits import (
    TRAP_BLOCKS_PER_PAGE_MAX,
    TRAP_LETTERS_JUDGED_MIN,
    TRAP_LETTERS_NEW_MIN,
    TRAP_NEW_BLOCKS_MAX,
    TRAP_ROWS_NEW_MIN,
    TRAP_ROWS_PER_PAGE_MAX,
    TRAP_TEXT_BYTES_MAX,
)

MEMORY_BITS: Final = 1 << 14
"""Places for blocks in one generation of a memory: 2 KiB."""
GENERATION_BLOCKS_MAX: Final = 2_000
"""Blocks of one generation before the next begins: then one place in eight is taken, so that an eighth of what is new
is missed."""

_BLOCK: Final = re.compile(rb">\s*([^<\s][^<]{2,})")
_DIGITS: Final = b"0123456789"
_WORD: Final = re.compile(rb"[a-z\x80-\xff]*[0-9][0-9a-z\x80-\xff]*|([a-z\x80-\xff]{3,})")
"""A word of letters, or one with digits in it, which is empty then: a page may be one long word, and is read in linear
time."""
_IMAGE: Final = re.compile(
    rb"""<img(?=[\s/])[^<>]{0,300}?[\s/-]src\s*=\s*["']?(?!data:)([^"'\s>?#]{1,300})(?=["'\s>])""", re.IGNORECASE
)
"""The address of an image; one with a query is made for the page as often as not."""
_ROW: Final = re.compile(rb"<tr(?=[\s>])", re.IGNORECASE)
_CELL: Final = re.compile(rb">\s*([^<\s][^<]*)")
_FIGURE: Final = re.compile(
    rb"(?<![0-9.,])(?!(?:0[1-9]|[12][0-9]|3[01])[.,](?:0[1-9]|1[0-2])(?![0-9]))[0-9]{1,9}[.,][0-9]{1,9}(?![0-9.,])"
    rb"|(?<![0-9.,:/-])(?![12][0-9]{3}(?![0-9]))[0-9]{3,12}(?![0-9.,:/-])"
)
"""A number of three digits or with a decimal point; no year, no date, no time."""
_IMAGE_MARK: Final = b"\1"
_ROW_MARK: Final = b"\2"
"""Begin a block: the address of an image, or a row of a table. Letters stand for the digits in it, for they count."""
_MARKS: Final = (_IMAGE_MARK, _ROW_MARK)
_LETTERS_FOR_DIGITS: Final = bytes.maketrans(b"0123456789", b"qrstuvwxyz")
_NAMELESS: Final = b"\0"
"""Begins a block without names, which is another one than the same words in a block as it stands."""
_DATES: Final = frozenset(
    b"jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov "
    b"november dec december mon monday tue tuesday wed wednesday thu thursday fri friday sat saturday sun sunday gmt "
    b"utc".split()
)


class BlockMemory:
    """The blocks of text that a template's pages had lately: a small filter in two generations."""

    __slots__ = ("_before", "_count", "_now")

    def __init__(self) -> None:
        self._now = bytearray(MEMORY_BITS // 8)
        self._before = bytes(MEMORY_BITS // 8)
        self._count = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was put into it yet."""
        return not self._count

    def new_of(self, blocks: list[bytes]) -> list[bytes]:
        """Those of `blocks` that were not met lately, numbers apart; all of them are met now."""
        if self._count >= GENERATION_BLOCKS_MAX:
            self._before, self._now, self._count = bytes(self._now), bytearray(MEMORY_BITS // 8), 0
        new: list[bytes] = []
        now, before = self._now, self._before
        for block in blocks:
            place = crc32(block.translate(None, _DIGITS)) % MEMORY_BITS
            byte, bit = place >> 3, 1 << (place & 7)
            if not now[byte] & bit:
                now[byte] |= bit
                self._count += 1
                if not before[byte] & bit:
                    new.append(block)
        return new


def blocks_of(body: bytes) -> list[bytes]:
    """The pieces of text of a decoded page, as far as they are compared, and the images in it."""
    images = _IMAGE.findall(body, 0, TRAP_TEXT_BYTES_MAX)[:TRAP_ROWS_PER_PAGE_MAX]
    texts = _BLOCK.findall(body, 0, TRAP_TEXT_BYTES_MAX)[:TRAP_BLOCKS_PER_PAGE_MAX]
    marked = [*(_IMAGE_MARK + image for image in images), *_rows_of(body)]
    return [*texts, *(each.translate(_LETTERS_FOR_DIGITS) for each in marked)]


def _rows_of(body: bytes) -> list[bytes]:
    """What the rows of tables say, those with figures in them: their words and figures, whatever their order."""
    rows: list[bytes] = []
    for row in _ROW.split(body[:TRAP_TEXT_BYTES_MAX], TRAP_ROWS_PER_PAGE_MAX)[1:TRAP_ROWS_PER_PAGE_MAX]:
        cells = b" ".join(_CELL.findall(row))
        if figures := _FIGURE.findall(cells):
            rows.append(_ROW_MARK + b" ".join([*figures, *_WORD.findall(cells.lower())]))
    return rows


def says_something_new(blocks: list[bytes], url: str, memory: BlockMemory, *, combined: bool = False) -> bool:
    """Whether a page has an image, rows of figures, or words that `memory` did not hold; they are put into it.

    A page of few words is not judged by them and counts as new, unless its URLs are `combined` (see `Kind`).
    """
    is_first = memory.is_empty
    texts = [block for block in blocks if not block.startswith(_MARKS)]
    images = memory.new_of([block for block in blocks if block.startswith(_IMAGE_MARK)])
    rows = memory.new_of([block for block in blocks if block.startswith(_ROW_MARK)])
    new = memory.new_of(texts)
    # The same sentence with another name in it is new as it stands, and not without what the URL says.
    new = memory.new_of(_without_names(new[:TRAP_NEW_BLOCKS_MAX], url)) if new else new
    if is_first or images or len(rows) >= TRAP_ROWS_NEW_MIN:
        return True
    if not combined and sum(map(len, texts)) < TRAP_LETTERS_JUDGED_MIN:
        return True
    words = {word for block in new for word in block.removeprefix(_NAMELESS).split()}
    return sum(map(len, words)) >= TRAP_LETTERS_NEW_MIN


def _without_names(blocks: list[bytes], url: str) -> list[bytes]:
    """The words of some blocks in lower case, without those of the URL and of dates, and without what has digits."""
    named = _DATES.union(_WORD.findall(url.lower().encode()), {b""})
    return [
        _NAMELESS + b" ".join([word for word in _WORD.findall(each.lower()) if word not in named]) for each in blocks
    ]
