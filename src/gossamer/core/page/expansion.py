"""How large a page's tree can become, judged before it is built.

The HTML parser opens unclosed formatting elements (`<font>`, `<b>` and kin) again in every paragraph, cell or list item
that follows (HTML standard section 13.2.4.3, "reconstruct the active formatting elements"). Five hundred of them before
twenty thousand `<p>` are 90 KB that grow to 10 million elements and 1.6 GB. The tree's depth bounds how many are opened
at once, and at most three with the same name and attributes stay active (the "Noah's Ark clause").

Three bounds, each dearer and closer than the one before; a page is let through by the first that it passes.
"""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.limits import HTML_DEPTH_MAX, HTML_NODES_MAX

_NAMES: Final = (
    "[bB](?:[iI][gG])?|[cC][oO][dD][eE]|[eE][mM]|[fF][oO][nN][tT]|[iI]|[sS](?:[mM][aA][lL]{2}|[tT][rR](?:[iI][kK][eE]"
    "|[oO][nN][gG]))?|[tT]{2}|[uU]"
)
"""`a` and `nobr` are left out: of each, one is active at most. Spelt in both cases, which is faster than the flag."""
_START_TAG: Final = re.compile(rf"<(?:{_NAMES})(?:>|[\t\n\f\r /][^>]{{0,500}}+>?)")
_ALIKE_ACTIVE_MAX: Final = 3
_EVENT: Final = re.compile(
    rf"<(/?)(?:({_NAMES})|(applet|object|marquee|template|td|th|caption))(?=([\t\n\f\r />]))", re.IGNORECASE | re.ASCII
)


def nodes_at_most(text: str) -> int:
    """An upper estimate of the elements that `text` becomes.

    Where it is beyond HTML_NODES_MAX it says so and nothing more exact.
    """
    tags = text.count("<")
    if tags > HTML_NODES_MAX or tags * min(tags, HTML_DEPTH_MAX) <= HTML_NODES_MAX:
        return tags
    bound = tags * min(_active_at_most(text), HTML_DEPTH_MAX)
    return bound if bound <= HTML_NODES_MAX else tags + _reopened(text)


def _active_at_most(text: str) -> int:
    """How many formatting elements can be active together, by the number of different ones in the page."""
    distinct = set(_START_TAG.findall(text))
    # A ">" within quotes cuts a tag short, and then different tags look the same.
    if any(not tag.endswith(">") or tag.count('"') % 2 or tag.count("'") % 2 for tag in distinct):
        return HTML_DEPTH_MAX
    return _ALIKE_ACTIVE_MAX * len(distinct) + 2


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
