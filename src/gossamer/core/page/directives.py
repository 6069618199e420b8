"""What a page says to robots: `meta robots` and X-Robots-Tag; of several, the most restrictive counts.

There is no standard; this follows what the large search engines document (developers.google.com, "Robots meta tag
specifications"): rules between commas, in any case, for all or for one crawler by its name, unknown rules without
effect. A header field may name the crawler before a colon; the name holds for the rest of that field. What is only
said to others is no concern of ours.

`noindex`, `nofollow` and `noarchive` have effects or a column of their own; every rule that holds for us is kept as
data for whoever indexes the crawl.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from gossamer.core.limits import PREFERENCE_CHARACTERS_MAX, ROBOTS_RULES_CHARACTERS_MAX
from gossamer.core.page.document import Directives
from gossamer.core.page.moment import read_moment

PRODUCT_TOKEN: Final = "gossamer"  # noqa: S105 (a name, no secret)
"""The name under which a page may speak to this crawler alone."""

_EFFECTS: Final[dict[str, tuple[str, ...]]] = {
    "noindex": ("noindex",),
    "nofollow": ("nofollow",),
    "none": ("noindex", "nofollow"),
    "noarchive": ("noarchive",),
    "nocache": ("noarchive",),
}
_UNAVAILABLE: Final = "unavailable_after"
_VALUED: Final = frozenset({_UNAVAILABLE, "max-snippet", "max-image-preview", "max-video-preview"})
"""Rules with a value after a colon: their name is no crawler's."""
_RULES_KEPT_MAX: Final = 32
"""Rules of one page kept as data; a dozen exist."""
_STATED: Final = frozenset({"tdm-reservation", "tdm-policy"})
"""Names of metas that state preferences (W3C TDM Reservation Protocol, section 6.3)."""
_NAME: Final = re.compile(r"[^\s,;:]+")
_COLON: Final = re.compile(r"\s*:\s*")
_VALUE: Final = re.compile(r"[^\s,;]*")
_REST: Final = re.compile(r"[^,]*")


def read_directives(metas: Iterable[tuple[str, str]], robots_tags: Iterable[str]) -> Directives:
    """The directives of a page: `metas` are (name, content) of its meta elements, `robots_tags` its header values."""
    directives = Directives()
    for name, content in metas:
        folded = name.strip().lower()
        if speaks_to_us(folded):
            _apply(directives, _rules(content[:ROBOTS_RULES_CHARACTERS_MAX], named=False))
        elif folded in _STATED and len(directives.stated) < len(_STATED) * 2:
            directives.stated += ((folded, content.strip()[:PREFERENCE_CHARACTERS_MAX]),)
    for value in robots_tags:
        _apply(directives, _rules(value[:ROBOTS_RULES_CHARACTERS_MAX], named=True))
    return directives


def speaks_to_us(name: str) -> bool:
    """Whether a meta's name, or the name in a header field, means this crawler."""
    return name.strip().lower() in ("robots", "*", PRODUCT_TOKEN)


def _apply(directives: Directives, rules: Iterable[tuple[str, str]]) -> None:
    for rule, value in rules:
        for effect in _EFFECTS.get(rule, ()):
            setattr(directives, effect, True)
        if rule == _UNAVAILABLE:
            found = read_moment(value)
            if found is not None:
                # Of several the earliest is the most restrictive.
                known = directives.unavailable_after
                directives.unavailable_after = found.at if known is None else min(known, found.at)
        shown = f"{rule}:{value}" if value else rule
        if shown not in directives.rules and len(directives.rules) < _RULES_KEPT_MAX:
            directives.rules += (shown[:PREFERENCE_CHARACTERS_MAX],)


def _rules(text: str, *, named: bool) -> Iterator[tuple[str, str]]:
    """Each rule for us, in lower case, with its value; `named`: a name before a colon is a crawler's."""
    ours, position = True, 0
    while (found := _NAME.search(text, position)) is not None:
        name, position = found[0].lower(), found.end()
        colon = _COLON.match(text, position)
        if colon is None:
            if ours:
                yield name, ""
            continue
        position = colon.end()
        if name in _VALUED:
            value, position = _value(text, position, dated=name == _UNAVAILABLE)
            if ours:
                yield name, value
        elif named:
            ours = speaks_to_us(name)


def _value(text: str, start: int, *, dated: bool) -> tuple[str, int]:
    """The value of a rule and where it ends. Dates hold blanks and commas."""
    moment = read_moment(text, start) if dated else None
    if moment is not None:
        return text[start : moment.end], moment.end
    found = (_REST if dated else _VALUE).match(text, start)
    return (found[0].strip().lower(), found.end()) if found is not None else ("", start)
