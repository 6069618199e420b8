"""The tags of a page as the HTML tokenizer finds them (HTML standard section 13.2.5), without building anything.

What stands in comments, in attribute values and in the text of scripts and their kin is no tag. Which text that is
depends on the tree in three places only: within `svg` and `math`, behind `plaintext`, and behind a script in a comment
in a script. There `tags_of` says from where on its answer is no longer certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SPACE: Final = r"\t\n\f\r "
_VALUE: Final = rf"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|(?=>)|\Z|[^{_SPACE}>"'][^{_SPACE}>]*+)"""
_ATTRIBUTE: Final = rf"[{_SPACE}/]*+[^{_SPACE}/>][^{_SPACE}/>=]*+(?:[{_SPACE}]*+=[{_SPACE}]*+{_VALUE})?+"
_REST: Final = rf"(?:{_ATTRIBUTE})*+[{_SPACE}/]*+"
_MARKUP: Final = re.compile(
    rf"<(?:(/?)([a-z][^{_SPACE}/>]*+){_REST}(?:>|\Z)|!--(?:-?>|.*?(?:--!?>|\Z))|(?:[!?]|/[^a-z>])[^>]*+)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
"""A tag, with its slash and name; or a comment, a doctype, or what counts as a comment."""
WHOLE_TAG: Final = re.compile(rf"<[a-z][^{_SPACE}/>]*+{_REST}>", re.IGNORECASE | re.ASCII)
"""A start tag from its first to its last character, if it matches all of a text."""

_PLAIN_REST: Final = rf"""(?:[{_SPACE}]++[a-z:-]++="[^"<>]*+")*+[{_SPACE}]*+/?>"""
_PLAIN_DRAWING: Final = re.compile(
    rf"<svg{_PLAIN_REST}(?:[^<]|<title>[^<]*+</title>|</?(?:path|g|use|rect|circle|ellipse|line|polyline|polygon|defs"
    rf"|stop|lineargradient|radialgradient|clippath|symbol){_PLAIN_REST})*+</svg>",
    re.IGNORECASE | re.ASCII,
)
"""A drawing in which nothing can be read in two ways, as icons are."""
_RAW_ENDS: Final = {
    name: re.compile(rf"</{name}(?=[{_SPACE}/>])", re.IGNORECASE | re.ASCII)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
"""Elements with nothing but text in them. `noscript` is none: to us, who run no scripts, its tags are tags."""
_DOUBTFUL: Final = frozenset({"svg", "math", "plaintext", "frameset"})


def tags_of(text: str) -> Iterator[tuple[int, bool, str]]:
    """Where each tag begins, whether it is an end tag, and its name in lower case.

    The last one may have no name: what follows it may be read in more ways than one.
    """
    place = 0
    while (found := _MARKUP.search(text, place)) is not None:
        start, place = found.start(), found.end()
        name = found[2]
        if name is None:
            continue
        name = name.lower()
        is_end = bool(found[1])
        if not is_end and name in _DOUBTFUL:
            drawing = _PLAIN_DRAWING.match(text, start)
            if drawing is None:
                yield start, False, ""
                return
            place = drawing.end()
            continue
        yield start, is_end, name
        if not is_end and name in _RAW_ENDS:
            end = _RAW_ENDS[name].search(text, place)
            if end is None or (name == "script" and "<!--" in text[place : end.start()]):
                yield place, False, ""
                return
            place = end.start()
