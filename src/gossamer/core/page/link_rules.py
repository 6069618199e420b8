"""Which attributes of which elements are links, and what a link's rel says. Tables; nothing here reads a page."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from gossamer.core.limits import REL_CHARACTERS_MAX
from gossamer.core.page.links import LinkFlag, LinkKind


class LinkRule(NamedTuple):
    """One attribute that names another document."""

    attribute: str
    kind: LinkKind
    text: str = ""
    """The attribute that describes the target; empty for none."""


ELEMENT_RULES: Final[dict[str, tuple[LinkRule, ...]]] = {
    "frame": (LinkRule("src", LinkKind.FRAME, "title"),),
    "iframe": (LinkRule("src", LinkKind.IFRAME, "title"),),
    "img": (LinkRule("src", LinkKind.IMAGE, "alt"),),
    "image": (LinkRule("href", LinkKind.IMAGE), LinkRule("xlink:href", LinkKind.IMAGE)),
    "input": (LinkRule("src", LinkKind.IMAGE, "alt"),),
    "body": (LinkRule("background", LinkKind.IMAGE),),
    "script": (LinkRule("src", LinkKind.SCRIPT), LinkRule("href", LinkKind.SCRIPT)),
    "audio": (LinkRule("src", LinkKind.MEDIA, "title"),),
    "video": (LinkRule("src", LinkKind.MEDIA, "title"), LinkRule("poster", LinkKind.IMAGE)),
    "source": (LinkRule("src", LinkKind.MEDIA),),
    "track": (LinkRule("src", LinkKind.MEDIA, "label"),),
    "embed": (LinkRule("src", LinkKind.MEDIA, "title"),),
    "object": (LinkRule("data", LinkKind.MEDIA, "title"),),
}
"""By element: HTML standard section 15 (obsolete ones included) and SVG 2 section 16. An empty value is no link here
(an image without a source, section 4.8.3). `a`, `area`, `link`, `form` and `meta` ask more of a page than one attribute
and are read apart; srcset has a grammar of its own (srcset.py)."""

SRCSET_ELEMENTS: Final = frozenset({"img", "source"})

RESOURCE_RELS: Final = frozenset(
    (
        *("stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image"),
        *("mask-icon", "fluid-icon", "manifest", "compression-dictionary"),
        *("preload", "modulepreload", "prefetch", "prerender", "preconnect", "dns-prefetch"),
    )
)
"""A `link` with one of these names something a page is made of, or work done ahead, and no document of its own
("shortcut icon" carries "icon")."""

_KINDS: Final = {
    "canonical": LinkKind.CANONICAL,
    "next": LinkKind.NEXT,
    "prev": LinkKind.PREV,
    "previous": LinkKind.PREV,
    "alternate": LinkKind.ALTERNATE,
}
"""By rel token; where a `link` has several, the first line that fits counts."""

_FLAGS: Final = {"nofollow": LinkFlag.NOFOLLOW, "ugc": LinkFlag.UGC, "sponsored": LinkFlag.SPONSORED}


def kind_of_link(rel: str) -> LinkKind:
    """The kind of a `link` element by its rel (section 4.6.7: tokens, in any case and order)."""
    return _kind_of_link(rel[:REL_CHARACTERS_MAX])


def flags_of(rel: str) -> LinkFlag:
    """What a link's rel says about following it."""
    return _flags_of(rel[:REL_CHARACTERS_MAX])


@lru_cache(maxsize=1024)
def _kind_of_link(rel: str) -> LinkKind:
    tokens = set(rel.lower().split())
    if tokens & RESOURCE_RELS:
        return LinkKind.RESOURCE
    return next((kind for token, kind in _KINDS.items() if token in tokens), LinkKind.LINK)


@lru_cache(maxsize=1024)
def _flags_of(rel: str) -> LinkFlag:
    flags = LinkFlag.NONE
    for token in rel.lower().split():
        flags |= _FLAGS.get(token, LinkFlag.NONE)
    return flags
