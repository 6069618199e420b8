"""Which attributes of which elements are links, and what a link's rel says. Tables; nothing here reads a page."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from gossamer.core.limits import REL_CHARACTERS_MAX
from gossamer.core.page.links import LinkFlag, LinkKind
from gossamer.core.sitemap.discovery import announces_feed


class LinkRule(NamedTuple):
    """One attribute that names another document."""

    attribute: str
    kind: LinkKind
    text: str = ""
    """The attribute that describes the target; empty for none."""


ELEMENT_RULES: Final[dict[str, tuple[LinkRule, ...]]] = {
    "frame": (LinkRule("src", LinkKind.FRAME, "title"), LinkRule("longdesc", LinkKind.CITATION)),
    "iframe": (LinkRule("src", LinkKind.IFRAME, "title"), LinkRule("longdesc", LinkKind.CITATION)),
    "img": (LinkRule("src", LinkKind.IMAGE, "alt"),),
    "image": (LinkRule("href", LinkKind.IMAGE), LinkRule("xlink:href", LinkKind.IMAGE)),
    "input": (LinkRule("src", LinkKind.IMAGE, "alt"),),
    "body": (LinkRule("background", LinkKind.IMAGE),),
    "audio": (LinkRule("src", LinkKind.MEDIA, "title"),),
    "video": (LinkRule("src", LinkKind.MEDIA, "title"), LinkRule("poster", LinkKind.IMAGE)),
    "source": (LinkRule("src", LinkKind.MEDIA),),
    "track": (LinkRule("src", LinkKind.MEDIA, "label"),),
    "embed": (LinkRule("src", LinkKind.MEDIA, "title"),),
    "object": (LinkRule("data", LinkKind.MEDIA, "title"),),
    "bgsound": (LinkRule("src", LinkKind.MEDIA),),
}
"""By element: HTML standard section 15 (obsolete ones included) and SVG 2 section 16. An empty value is no link here
(an image without a source, section 4.8.3). `a`, `area`, `link`, `form` and `meta` ask more of a page than one attribute
and are read apart; srcset has a grammar of its own (srcset.py)."""

_MATHML: Final = (
    "math mrow mfrac msqrt mroot mstyle merror mpadded mphantom mfenced menclose msub msup msubsup munder mover "
    "munderover mmultiscripts mtable mtr mtd maction mi mn mo mtext mspace ms semantics"
)
RARE_RULES: Final[dict[str, dict[str, tuple[LinkRule, ...]]]] = {
    **{
        f"{tag}[background]": {tag: (LinkRule("background", LinkKind.IMAGE),)}
        for tag in ("table", "thead", "tbody", "tfoot", "tr", "td", "th")
    },
    **{f"{tag}[cite]": {tag: (LinkRule("cite", LinkKind.CITATION),)} for tag in ("blockquote", "q", "ins", "del")},
    "math": dict.fromkeys(_MATHML.split(), (LinkRule("href", LinkKind.A), LinkRule("xlink:href", LinkKind.A))),
    "img[longdesc]": {"img": (LinkRule("longdesc", LinkKind.CITATION),)},
}
"""Elements that are many and seldom links: looked at only in a page with an element that the selector finds (MathML 3
section 2.1.6 has links on any element)."""

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


def kind_of_link(rel: str, media_type: str = "") -> LinkKind:
    """The kind of a `link` element by its rel (section 4.6.7: tokens, in any case and order) and its type."""
    kind = _kind_of_link(rel[:REL_CHARACTERS_MAX])
    return LinkKind.TO_FEED if kind is LinkKind.ALTERNATE and announces_feed(media_type) else kind


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
