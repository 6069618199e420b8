"""A page's links as one columnar batch: no object per link travels from the parser to the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag


class LinkKind(IntEnum):
    """How one document names another. Numbers are stored; never renumber."""

    A = 1
    AREA = 2
    FRAME = 3
    IFRAME = 4
    REFRESH = 5
    LINK = 6
    """`link` with a rel that is no resource and has no kind of its own."""
    CANONICAL = 7
    ALTERNATE = 8
    NEXT = 9
    PREV = 10
    RESOURCE = 11
    """`link` with a resource rel: stylesheet, icons, preload and kin, manifest."""
    IMAGE = 12
    SCRIPT = 13
    MEDIA = 14
    """audio, video, source, track, embed, object."""
    FORM = 15
    REDIRECT = 16
    """A 3xx answer's Location."""
    SEED = 17
    SITEMAP = 18
    """An entry of a sitemap."""
    FEED = 19
    """An entry of a feed."""
    OPERATOR = 20
    TO_SITEMAP = 21
    """To a sitemap: a robots.txt, an index or a page names it."""
    TO_FEED = 22
    """To a feed: `link rel=alternate` with a feed's type, a feed's other pages."""
    JSON_LD = 23
    """A URL of a JSON-LD block."""
    CITATION = 24
    """Where a quotation or change comes from (`cite`), what describes a picture at length (`longdesc`)."""


class LinkFlag(IntFlag):
    """What rel says of a link."""

    NONE = 0
    NOFOLLOW = 1
    UGC = 2
    SPONSORED = 4


FOLLOWED_BY_DEFAULT = frozenset(
    {
        LinkKind.A,
        LinkKind.AREA,
        LinkKind.FRAME,
        LinkKind.IFRAME,
        LinkKind.REFRESH,
        LinkKind.LINK,
        LinkKind.CANONICAL,
        LinkKind.ALTERNATE,
        LinkKind.NEXT,
        LinkKind.PREV,
        LinkKind.REDIRECT,
        LinkKind.SEED,
        LinkKind.SITEMAP,
        LinkKind.FEED,
        LinkKind.OPERATOR,
        LinkKind.TO_SITEMAP,
        LinkKind.TO_FEED,
    }
)

NOT_IN_PAGES = frozenset(
    {
        LinkKind.REDIRECT,
        LinkKind.SEED,
        LinkKind.OPERATOR,
        LinkKind.SITEMAP,
        LinkKind.TO_SITEMAP,
        LinkKind.FEED,
        LinkKind.TO_FEED,
    }
)
"""Kinds that do not stand on pages, or do not lead to pages."""


@dataclass(slots=True)
class Links:
    """Parallel columns, one row per link in document order. All four have the same length."""

    urls: list[str] = field(default_factory=list[str])
    """Resolved fetch URLs without fragment, http and https only."""
    kinds: bytearray = field(default_factory=bytearray)
    flags: bytearray = field(default_factory=bytearray)
    texts: list[str] = field(default_factory=list[str])
    """Anchor text (or alt, or title), white space folded, cut to a limit; often empty."""
    dropped: dict[str, int] = field(default_factory=dict[str, int])
    """Links that are none of ours, counted by reason: scheme name ("mailto", "javascript"), "invalid", "too many"."""

    def add(self, url: str, kind: LinkKind, flag: LinkFlag, text: str) -> None:
        """Append one row."""
        self.urls.append(url)
        self.kinds.append(kind)
        self.flags.append(flag)
        self.texts.append(text)

    def extend(self, more: Links) -> None:
        """Append all rows of another batch, and its counts."""
        self.urls += more.urls
        self.kinds += more.kinds
        self.flags += more.flags
        self.texts += more.texts
        for reason, number in more.dropped.items():
            self.dropped[reason] = self.dropped.get(reason, 0) + number

    def __len__(self) -> int:
        return len(self.urls)
