"""What a page says to robots: `meta robots` and X-Robots-Tag; of several, the most restrictive counts.

There is no standard; this follows what the large search engines document: comma-separated rules in any case, rules for
all or for one crawler by its name, unknown rules without effect. A header field may name the crawler before a colon;
the name holds for the rest of that field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gossamer.core.limits import ROBOTS_RULES_CHARACTERS_MAX
from gossamer.core.page.document import Directives

PRODUCT_TOKEN: Final = "gossamer"  # noqa: S105 (a name, no secret)
"""The name under which a page may speak to this crawler alone."""

_EFFECTS: Final[dict[str, tuple[str, ...]]] = {
    "noindex": ("noindex",),
    "nofollow": ("nofollow",),
    "none": ("noindex", "nofollow"),
    "noarchive": ("noarchive",),
    "nocache": ("noarchive",),
}
_VALUED: Final = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""Rules with a value after a colon: their name is no crawler's."""
_SPLIT: Final = re.compile(r"[,\s]+")
_NAMED: Final = re.compile(r"\s*([A-Za-z0-9_.\-*/]+)\s*:\s*(.*)", re.DOTALL)


def read_directives(metas: Iterable[tuple[str, str]], robots_tags: Iterable[str]) -> Directives:
    """The directives of a page: `metas` are (name, content) of its meta elements, `robots_tags` its header values."""
    directives = Directives()
    for name, content in metas:
        if speaks_to_us(name):
            _apply(directives, content[:ROBOTS_RULES_CHARACTERS_MAX])
    for value in robots_tags:
        for rule in _rules_for_us(value[:ROBOTS_RULES_CHARACTERS_MAX]):
            _apply(directives, rule)
    return directives


def speaks_to_us(name: str) -> bool:
    """Whether a meta's name, or the name in a header field, means this crawler."""
    return name.strip().lower() in ("robots", "*", PRODUCT_TOKEN)


def _apply(directives: Directives, rules: str) -> None:
    for rule in _SPLIT.split(rules.lower()):
        for effect in _EFFECTS.get(rule, ()):
            setattr(directives, effect, True)


def _rules_for_us(value: str) -> Iterable[str]:
    """The rules of one header field that hold for us."""
    ours = True
    for part in value.split(","):
        named = _NAMED.fullmatch(part)
        if named is None:
            rule = part
        elif named[1].lower() in _VALUED:
            continue
        else:
            ours = speaks_to_us(named[1])
            rule = named[2]
        if ours:
            yield rule
