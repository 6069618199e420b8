"""How large a page's tree can become, judged before it is built.

The HTML parser opens unclosed formatting elements (`<font>`, `<b>` and kin) again in every paragraph, cell or list item
that follows (HTML standard section 13.2.4.3, "reconstruct the active formatting elements"). Five hundred of them before
twenty thousand `<p>` are 90 KB that grow to 10 million elements and 1.6 GB. The tree's depth bounds how many are opened
at once, and at most three with the same name and attributes stay active (the "Noah's Ark clause").

Four bounds, each dearer and closer than the one before; a page is let through by the first that it passes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

import numpy as np

from gossamer.core.limits import HTML_DEPTH_MAX, HTML_NODES_MAX

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
_EVENT: Final = re.compile(
    rf"<(/?)(?:({_NAMES})|(applet|object|marquee|template|td|th|caption))(?=([\t\n\f\r />]))", re.IGNORECASE | re.ASCII
)


_Codes = np.ndarray[tuple[int, ...], np.dtype[np.uint8]] | np.ndarray[tuple[int, ...], np.dtype[np.uint32]]


def _table() -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """By the two characters after "<": whether a formatting element's start tag may begin so."""
    table = np.zeros((256, 256), dtype=np.bool_)
    for name in ("big", "code", "em", "font", "small", "strike", "strong", "tt"):
        for first in name[0], name[0].upper():
            for second in name[1], name[1].upper():
                table[ord(first), ord(second)] = True
    for first in "bisuBISU":
        for second in "\t\n\f\r />":
            table[ord(first), ord(second)] = True
    return table


_BEGINNINGS: Final = _table()


def nodes_at_most(text: str) -> int:
    """An upper estimate of the elements that `text` becomes.

    Where it is beyond HTML_NODES_MAX it says so and nothing more exact.
    """
    tags = text.count("<")
    if tags > HTML_NODES_MAX or tags * min(tags, HTML_DEPTH_MAX) <= HTML_NODES_MAX:
        return tags
    starts = _beginnings(text)
    for distinct in (_distinct, _distinct_left_open):
        bound = tags * min(_active_at_most(distinct(text, starts)), HTML_DEPTH_MAX)
        if bound <= HTML_NODES_MAX:
            return bound
    return tags + _reopened(text)


def _active_at_most(distinct: Collection[str]) -> int:
    """How many formatting elements can be active together, by the different start tags in the page."""
    # A ">" within quotes cuts a tag short, and then different tags look the same.
    if any(not tag.endswith(">") or tag.count('"') % 2 or tag.count("'") % 2 for tag in distinct):
        return HTML_DEPTH_MAX
    return _ALIKE_ACTIVE_MAX * len(distinct) + 2


def _beginnings(text: str) -> list[int]:
    """Where start tags of formatting elements are, and of some others that begin as they do."""
    codes = _codes(text)
    places = np.flatnonzero(codes[:-2] == ord("<"))
    first, second = np.minimum(codes[places + 1], 255), np.minimum(codes[places + 2], 255)
    starts: list[int] = places[_BEGINNINGS[first, second]].tolist()
    return starts


def _codes(text: str) -> _Codes:
    """The characters as numbers, one for each, so that places are the same."""
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _distinct(text: str, starts: list[int]) -> set[str]:
    """The different start tags at these places."""
    ends = [text.find(">", start, start + _TAG_CHARACTERS_MAX) + 1 for start in starts]
    return {text[start : end or start + _TAG_CHARACTERS_MAX] for start, end in zip(starts, ends, strict=True)}


def _distinct_left_open(text: str, starts: list[int]) -> set[str]:
    """Those of them that are formatting elements and not closed at once."""
    found = (_START_TAG.match(text, start) for start in starts)
    return {tag[2] for tag in found if tag is not None and tag[2]}


def _reopened(text: str) -> int:
    """Elements opened again, if each tag opened all that are active at its place.

    An end tag closes nothing that was opened outside the innermost cell or object (a "marker"): there the number of
    active elements does not fall below what it was.
    """
    active: dict[str, int] = {}
    floor: dict[str, int] = {}
    markers: list[tuple[str, dict[str, int]]] = []
    total = reopened = last = 0
    for event in _EVENT.finditer(text):
        start, (slash, name, marker) = event.start(), event.group(1, 2, 3)
        reopened += min(total, HTML_DEPTH_MAX) * text.count("<", last, start) if total else 0
        last = start
        if marker:
            floor = _floor(markers, floor, active, slash + marker.lower())
            continue
        name = name.lower()
        count = active.get(name, 0)
        step = (-1 if count > floor.get(name, 0) else 0) if slash else 1
        active[name] = count + step
        total += step
    return reopened + min(total, HTML_DEPTH_MAX) * text.count("<", last)


def _floor(
    markers: list[tuple[str, dict[str, int]]], floor: dict[str, int], active: dict[str, int], tag: str
) -> dict[str, int]:
    """The floor after the tag of a marker; an end tag that closes another than the innermost one changes nothing."""
    if not tag.startswith("/"):
        if len(markers) < HTML_DEPTH_MAX:
            markers.append((tag, floor))
            return dict(active)
        return floor
    if markers and markers[-1][0] == tag[1:]:
        return markers.pop()[1]
    return floor
