"""How large a page's tree can become, judged before it is built.

The HTML parser opens unclosed formatting elements (`<font>`, `<b>` and kin) again in every paragraph, cell or list item
that follows (HTML standard section 13.2.4.3, "reconstruct the active formatting elements"). Five hundred of them before
twenty thousand `<p>` are 90 KB that grow to 10 million elements. At most three with the same attributes stay active (the
"Noah's Ark clause"), and the tree's depth bounds the rest.
"""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.limits import HTML_DEPTH_MAX, HTML_NODES_MAX

_FORMATTING: Final = re.compile(r"<(/?)(big|b|code|em|font|i|small|strike|strong|s|tt|u)(?=([\s/>]))", re.I | re.A)
"""`a` and `nobr` are left out: one of each is active at most."""
_PLAIN_ACTIVE: Final = 3


def nodes_at_most(text: str) -> int:
    """An upper estimate of the elements that `text` becomes; exact only about its order of magnitude.

    Ordinary pages are judged by a count of their tags; only pages large enough to be dangerous are looked at closer.
    """
    tags = text.count("<")
    if tags * min(tags, HTML_DEPTH_MAX) <= HTML_NODES_MAX or tags > HTML_NODES_MAX:
        return tags
    return tags + _reopened(text)


def _reopened(text: str) -> int:
    """Elements opened again, if every tag opened all that is active then."""
    active = dict.fromkeys(_FORMATTING_NAMES, 0)
    total = reopened = last = 0
    for tag in _FORMATTING.finditer(text):
        name = tag[2].lower()
        start = tag.start()
        if total:
            reopened += min(total, HTML_DEPTH_MAX) * text.count("<", last, start)
        last = start
        if tag[1]:
            if active[name]:
                active[name] -= 1
                total -= 1
        elif tag[3] != ">" or active[name] < _PLAIN_ACTIVE:
            active[name] += 1
            total += 1
    return reopened + min(total, HTML_DEPTH_MAX) * text.count("<", last)


_FORMATTING_NAMES: Final = ("big", "b", "code", "em", "font", "i", "small", "strike", "strong", "s", "tt", "u")
