"""How large a page's tree can become, judged before it is built.

The HTML parser opens unclosed formatting elements (`<font>`, `<b>` and kin) again in every paragraph, cell or list item
that follows (HTML standard section 13.2.4.3, "reconstruct the active formatting elements"). Five hundred of them before
twenty thousand `<p>` are 90 KB that grow to 10 million elements and 1.6 GB. The tree's depth bounds how many are opened
at once, and at most three with the same name and attributes stay active (the "Noah's Ark clause").

Five bounds, each dearer and closer than the one before; a page is let through by the first that it passes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

import numpy as np

from gossamer.core.limits import HTML_DEPTH_MAX, HTML_NODES_MAX
from gossamer.core.page.html_tags import WHOLE_TAG, tags_of

_NAMES: Final = (
    "[bB](?:[iI][gG])?|[cC][oO][dD][eE]|[eE][mM]|[fF][oO][nN][tT]|[iI]|[sS](?:[mM][aA][lL]{2}|[tT][rR](?:[iI][kK][eE]"
    "|[oO][nN][gG]))?|[tT]{2}|[uU]"
)
"""`a` and `nobr` are left out: of each, one is active at most. Spelt in both cases, which is faster than the flag."""
_TAG_CHARACTERS_MAX: Final = 500
_PLAIN: Final = r"""(?:[\t\n\f\r ]++[A-Za-z-]++="[^"<>]*+")*+>"""
"""The rest of a start tag that cannot be read in two ways."""
_START_TAG: Final = re.compile(
    rf"<(?P<name>{_NAMES}){_PLAIN}[^<]*+(?:<span{_PLAIN}[^<]*+</span>[^<]*+)*+</(?P=name)>"
    rf"|(<(?:{_NAMES})(?:>|[\t\n\f\r /][^>]{{0,{_TAG_CHARACTERS_MAX}}}+>?))"
)
"""An element that its own end tag closes, with nothing but text and spans in it; or the start tag of another (the
second group). The first kind stays active nowhere: its tags are so plain that none can hide in an attribute, and where
all of them are within a comment, none counts."""
_ALIKE_ACTIVE_MAX: Final = 3
_ANY_START: Final = re.compile(rf"<(?:{_NAMES})(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)
_FORMATTING: Final = frozenset({"b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"})
_FENCES: Final = frozenset({"applet", "object", "marquee", "template", "td", "th", "caption", "table", "select"})
"""An end tag within one of these closes nothing that was opened outside ("scope", and "markers")."""
_SPECIAL: Final = frozenset(
    """
    address applet article aside blockquote body button caption center col colgroup dd details dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup html iframe li listing main marquee menu nav
    noembed noframes noscript object ol p pre search section select summary table tbody td template textarea tfoot th
    thead title tr ul xmp
    """.split()  # noqa: SIM905 - as text it can be read
)
"""Elements that are "special" and stay open (section 13.2.4.2)."""
_SPECIAL_WITHIN_MAX: Final = 8
"""An end tag moves its element into so many special ones that are open within it, and leaves it active there ("adoption
agency algorithm", step 4)."""


_Codes = np.ndarray[tuple[int, ...], np.dtype[np.uint8 | np.uint16 | np.uint32]]


def _table() -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """By the two characters after "<" (first * 256 + second): whether a formatting element's start tag may begin so."""
    table = np.zeros((256, 256), dtype=np.bool_)
    for name in ("big", "code", "em", "font", "small", "strike", "strong", "tt"):
        for first in name[0], name[0].upper():
            for second in name[1], name[1].upper():
                table[ord(first), ord(second)] = True
    for first in "bisuBISU":
        for second in "\t\n\f\r />":
            table[ord(first), ord(second)] = True
    return table.reshape(-1)


_BEGINNINGS: Final = _table()
_SIGN: Final = np.uint8(ord("<"))
_SIGN_IS_BYTE: Final = frozenset({"utf-8", "windows-1252"})
"""Encodings in which "<" is its ASCII byte and no other character holds that: bytes are counted six times as fast."""


def tags_at_most(text: str, body: bytes, encoding: str) -> int:
    """How many tags `text` may hold, which `body` decoded to from an encoding (by its WHATWG name)."""
    if encoding in _SIGN_IS_BYTE:
        return int(np.count_nonzero(np.frombuffer(body, dtype=np.uint8) == _SIGN))
    return text.count("<")


def nodes_at_most(text: str, tags: int | None = None) -> int:
    """An upper estimate of the elements that `text` becomes. `tags`: how many it has at most, where that is known.

    Where it is beyond HTML_NODES_MAX it says so and nothing more exact.
    """
    if tags is None:
        tags = text.count("<")
    if tags > HTML_NODES_MAX or tags * min(tags, HTML_DEPTH_MAX) <= HTML_NODES_MAX:
        return tags
    beginnings = _beginnings(text)
    # Each opens one; and of those that are active, an "a" and a "nobr" may be two.
    active = min(HTML_DEPTH_MAX, len(beginnings) + 2)
    if tags * active <= HTML_NODES_MAX:
        return tags * active
    starts: list[int] = beginnings.tolist()
    for distinct in (_distinct, _distinct_left_open):
        active = min(active, _active_at_most(distinct(text, starts)))
        if tags * active <= HTML_NODES_MAX:
            return tags * active
    return tags + _reopened(text, active)


def _active_at_most(distinct: Collection[str]) -> int:
    """How many formatting elements can be active together, by the different start tags in the page."""
    # A ">" within quotes cuts a tag short, and then different tags look the same.
    if any(WHOLE_TAG.fullmatch(tag) is None for tag in distinct):
        return HTML_DEPTH_MAX
    return _ALIKE_ACTIVE_MAX * len(distinct) + 2


def _beginnings(text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """Where start tags of formatting elements are, and of some others that begin as they do."""
    codes = _codes(text)
    places = np.flatnonzero(codes[:-2] == ord("<"))
    first, second = codes[places + 1], codes[places + 2]
    if codes.itemsize > 1:
        first, second = np.minimum(first, 255), np.minimum(second, 255)
    found: np.ndarray[tuple[int, ...], np.dtype[np.intp]] = places[
        _BEGINNINGS[first.astype(np.uint16) * np.uint16(256) + second.astype(np.uint16)]
    ]
    return found


def _codes(text: str) -> _Codes:
    """The characters as numbers, one for each, so that places are the same."""
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
        if len(units) == len(text):
            return units
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _distinct(text: str, starts: list[int]) -> set[str]:
    """The different start tags at these places."""
    ends = [text.find(">", start, start + _TAG_CHARACTERS_MAX) + 1 for start in starts]
    return {text[start : end or start + _TAG_CHARACTERS_MAX] for start, end in zip(starts, ends, strict=True)}


def _distinct_left_open(text: str, starts: list[int]) -> set[str]:
    """Those of them that are formatting elements and not closed at once."""
    found = (_START_TAG.match(text, start) for start in starts)
    return {tag[2] for tag in found if tag is not None and tag[2]}


def _reopened(text: str, active_max: int = HTML_DEPTH_MAX) -> int:
    """Elements opened again, if each tag opened all that are active at its place, `active_max` at most.

    Only an end tag that certainly closes something makes them fewer: see `_Active`.
    """
    active = _Active()
    reopened = last = 0
    for start, is_end, name in tags_of(text):
        reopened += min(active.total, active_max) * text.count("<", last, start) if active.total else 0
        last = start
        if not name:
            return reopened + _reopened_at_worst(text[start:], active.total, active_max)
        active.take(name, is_end=is_end)
        if reopened > HTML_NODES_MAX:
            break
    return reopened + min(active.total, active_max) * text.count("<", last)


def _reopened_at_worst(text: str, total: int, active_max: int) -> int:
    """The same of a text no end tag of which is to be believed."""
    reopened = last = 0
    for found in _ANY_START.finditer(text):
        reopened += min(total, active_max) * text.count("<", last, found.start())
        last, total = found.start(), total + 1
    return reopened + min(total, active_max) * text.count("<", last)


class _Active:
    """Which formatting elements may be active: never fewer than there are."""

    def __init__(self) -> None:
        self.total = 0
        self._open: dict[str, list[int]] = {}
        """Name -> of each that may be active, how many special elements had begun before it."""
        self._floor: dict[str, int] = {}
        """Name -> how many of them stand outside the innermost fence."""
        self._fences: list[tuple[str, dict[str, int]]] = []
        """Name and floor before it of each fence, the innermost last."""
        self._specials = 0

    def take(self, name: str, *, is_end: bool) -> None:
        """The next tag."""
        if name in _FORMATTING:
            opened = self._open.setdefault(name, [])
            if not is_end:
                opened.append(self._specials)
                self.total += 1
            elif len(opened) > self._floor.get(name, 0) and self._specials - opened[-1] < _SPECIAL_WITHIN_MAX:
                opened.pop()
                self.total -= 1
            return
        self._specials += not is_end and name in _SPECIAL
        if name not in _FENCES:
            return
        if is_end:
            self._end(name)
        elif len(self._fences) < HTML_DEPTH_MAX:
            self._fences.append((name, self._floor))
            self._floor = {each: len(opened) for each, opened in self._open.items()}

    def _end(self, name: str) -> None:
        """The end tag of a fence: that of a table ends its cells as well, any other only the innermost fence."""
        place = len(self._fences) - 1
        while name == "table" and place >= 0 and self._fences[place][0] in _CELLS:
            place -= 1
        if place >= 0 and self._fences[place][0] == name:
            self._floor = self._fences[place][1]
            del self._fences[place:]


_CELLS: Final = frozenset({"td", "th", "caption"})
