"""The elements of sitemaps (urlset, index, with their news, image, video and hreflang parts), RSS, RDF, Atom and CDF.

Namespaces are not looked at: they are misspelt, outdated or missing in too many files that are otherwise in order. An
element counts by its local name and by where it stands, so an `image:loc` is never taken for a `loc`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from gossamer.core.limits import SITEMAP_ALTERNATES_MAX, SITEMAP_DEPTH_MAX, URL_PARSED_LENGTH_MAX
from gossamer.core.sitemap.hints import NO_HINTS, Hints, date_claim, frequency_claim, priority_claim
from gossamer.core.sitemap.listing import ListingDraft, ListingFormat, Problem
from gossamer.core.sitemap.markup import attribute, decoded
from gossamer.core.url.parse import resolve_all

ROOTS: Final = {
    "urlset": ListingFormat.URLSET,
    "url": ListingFormat.URLSET,
    "sitemapindex": ListingFormat.INDEX,
    "sitemap": ListingFormat.INDEX,
    "rss": ListingFormat.RSS,
    "rdf": ListingFormat.RSS,
    "channel": ListingFormat.RSS,
    "feed": ListingFormat.ATOM,
    "entry": ListingFormat.ATOM,
}
"""Root elements; files that lack their root begin with what it holds."""

_CONTAINERS: Final = frozenset({"url", "sitemap", "item", "entry"})
_LISTED: Final = frozenset({"url", "sitemap"})
_WHOLES: Final = frozenset({"channel", "feed"})
"""What describes a whole feed."""
_FIELDS: Final = {
    "loc": "url",
    "link": "url",
    "guid": "guid",
    "lastmod": "lastmod",
    "updated": "lastmod",
    "modified": "lastmod",
    "changefreq": "changefreq",
    "priority": "priority",
    "pubdate": "published",
    "published": "published",
    "issued": "published",
    "created": "published",
    "date": "published",
    "publication_date": "published",
}
"""Local name of an element with text -> the field it fills."""
_PARENTS: Final = {"publication_date": frozenset({"news"})}
"""Where another parent than a container is right."""
_BARE: Final = "bare"
"""The field of text that stands in an item itself."""
_ITSELF: Final = frozenset({"", "alternate", "http://www.iana.org/assignments/relation/alternate"})
"""Relations to the page itself; a relation's IRI is another name for it (RFC 4287 section 4.2.7.2)."""
_OTHER_PAGES: Final = frozenset({"next", "prev-archive"})
"""Relations to further pages of a feed (RFC 5005 sections 3 and 4)."""


@dataclass(slots=True)
class _Item:
    """One url, sitemap, item or entry being read."""

    name: str
    base: int
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """By field; of several the first."""
    hrefs: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    alternates: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class ListingElements:
    """Takes the events of one file (`MarkupSink`) and fills a draft."""

    def __init__(self, draft: ListingDraft) -> None:
        self.draft: Final = draft
        self.format: ListingFormat | None = None
        self.problem = ""
        """A word of `Problem` that ends the reading."""
        self._stack: list[str] = []
        self._bases: list[tuple[int, int]] = [(0, 0)]
        """(depth from which it holds, number) of each base in force."""
        self._item: _Item | None = None
        self._field = ""
        self._field_depth = 0
        self._pieces: list[str] = []
        self._length = 0

    @property
    def is_open(self) -> bool:
        """Whether elements are still open: the file ends early."""
        return bool(self._stack)

    def start(self, name: str, attributes: str) -> None:
        """See `MarkupSink`."""
        if self.problem or (self.format is None and not self._take_root(name)):
            return
        self._end_field()
        parent = self._stack[-1] if self._stack else ""
        if name in _CONTAINERS and self._is_container(name, parent):
            self._end_item()
            self._item = _Item(name, self._bases[-1][1])
        self._stack.append(name)
        if len(self._stack) > SITEMAP_DEPTH_MAX:
            self.problem = Problem.TOO_DEEP
            return
        if "base" in attributes:
            self._take_base(attributes)
        if name in _FIELDS:
            self._start_field(name, parent, attributes)
        elif name == "channel" and attributes:
            self._take_cdf(attributes)
        elif self._item is not None and self._item.name == name:
            self._take_cdf(attributes)
            # An address without its `loc`, right in the item, still makes sense.
            self._begin_field(_BARE)

    def end(self, name: str) -> None:
        """See `MarkupSink`. What is still open within it ends too; one that fits nothing changes nothing."""
        if name not in self._stack:
            return
        if self._field and self._stack[-1] != name and self._field_depth == len(self._stack):
            # The end of an outer element: the field's own end is missing.
            self._end_field()
        while self._stack.pop() != name:
            pass
        depth = len(self._stack)
        if self._field and depth < self._field_depth:
            self._end_field()
        while self._bases[-1][0] > depth:
            self._bases.pop()
        if self._item is not None and name == self._item.name and name not in self._stack:
            self._end_item()

    def text(self, text: str) -> None:
        """See `MarkupSink`."""
        if self._field and self._length <= URL_PARSED_LENGTH_MAX:
            self._pieces.append(text)
            self._length += len(text)
        elif self.format is None and not self.problem and text.strip(" \t\n\v\f\r\ufeff"):
            self.problem = Problem.NO_LISTING

    def declaration(self, subset: str) -> None:
        """See `MarkupSink`. An entity made of others, or loaded from elsewhere, has no place in such a file."""
        if declares_bomb(subset):
            self.problem = Problem.ENTITIES

    def close(self) -> None:
        """There is no more."""
        self._end_field()
        self._end_item()

    def _take_root(self, name: str) -> bool:
        self.format = ROOTS.get(name)
        if self.format is None:
            self.problem = Problem.NO_LISTING
        return self.format is not None

    def _is_container(self, name: str, parent: str) -> bool:
        """Whether this begins an item: not an `url` within another element's part, such as an Atom author's."""
        return parent in ROOTS or parent in ("", "items") or (self._item is not None and self._item.name == name)

    def _take_base(self, attributes: str) -> None:
        base = attribute(attributes, "xml:base")
        if base is None:
            return
        resolved = resolve_all(self.draft.bases[self._bases[-1][1]], [base])[0][0]
        if resolved and len(self.draft.bases) < SITEMAP_ALTERNATES_MAX:
            self.draft.bases.append(resolved)
            self._bases.append((len(self._stack), len(self.draft.bases) - 1))

    def _start_field(self, name: str, parent: str, attributes: str) -> None:
        item = self._item
        place = item.name if item is not None else ""
        allowed = _PARENTS.get(name)
        fits = parent in allowed if allowed is not None else parent == place or (not place and parent in _WHOLES)
        if name == "link" and attributes and (item is None or parent == place):
            self._take_link(attributes, item, parent)
        if not fits and parent not in _FIELDS:
            return
        if name == "guid" and (attribute(attributes, "isPermaLink") or "").strip().lower() == "false":
            return
        self._begin_field(_FIELDS[name])

    def _begin_field(self, name: str) -> None:
        self._field, self._field_depth, self._pieces, self._length = name, len(self._stack), [], 0

    def _take_link(self, attributes: str, item: _Item | None, parent: str) -> None:
        """A `link` with an href: Atom's, or a sitemap's hreflang alternate."""
        href = attribute(attributes, "href")
        if not href:
            return
        rel = (attribute(attributes, "rel") or "").strip().lower()
        base = self._bases[-1][1]
        if item is None:
            if rel in _OTHER_PAGES:
                self.draft.add_child(href, base)
            elif rel in _ITSELF and parent in _WHOLES:
                self.draft.add(href, NO_HINTS, base)
        elif item.name == "url":
            language = attribute(attributes, "hreflang")
            if language and rel == "alternate" and len(item.alternates) < SITEMAP_ALTERNATES_MAX:
                item.alternates.append((language.strip()[:35].lower(), href.strip()))
        elif rel in _ITSELF and len(item.hrefs) < SITEMAP_ALTERNATES_MAX:
            item.hrefs.append((href, base))

    def _take_cdf(self, attributes: str) -> None:
        """A Channel Definition Format's channel or item names its page in an attribute."""
        href = attribute(attributes, "href") if attributes else None
        if href and self._item is None:
            self.draft.add(href, NO_HINTS, self._bases[-1][1])
        elif href and self._item is not None and self._item.name == "item":
            self._item.hrefs.append((href, self._bases[-1][1]))

    def _end_field(self) -> None:
        if not self._field:
            return
        name, text = self._field, decoded("".join(self._pieces)[:URL_PARSED_LENGTH_MAX]).strip()
        self._field, self._pieces = "", []
        if not text:
            return
        if self._item is not None:
            self._item.texts.setdefault(name, text)
        elif name == "url":
            self.draft.add(text, NO_HINTS, self._bases[-1][1])

    def _end_item(self) -> None:
        item, self._item = self._item, None
        if item is None:
            return
        url = item.texts.get("url", "") or _bare_url(item)
        if item.name == "sitemap":
            if url:
                self.draft.add_child(url, item.base)
            return
        named = [(url, item.base)] if url else item.hrefs
        if not named and "guid" in item.texts and item.texts["guid"].lower().startswith(("http://", "https://")):
            named = [(item.texts["guid"], item.base)]
        hints = _hints_of(item) if named else NO_HINTS
        for reference, base in named:
            self.draft.add(reference, hints, base)


def _bare_url(item: _Item) -> str:
    bare = item.texts.get(_BARE, "")
    is_url = item.name in _LISTED and bare.lower().startswith(("http://", "https://"))
    return bare if is_url else ""


def declares_bomb(subset: str) -> bool:
    """Whether an internal subset declares what could expand without end or reach outside of the file.

    Parameter entities that name a public character set stood in RSS 0.91 by rule; they are never loaded.
    """
    position = 0
    while (position := subset.find("<!ENTITY", position)) >= 0:
        end = subset.find(">", position)
        words = subset[position + len("<!ENTITY") : end if end >= 0 else len(subset)]
        position += len("<!ENTITY")
        if words.lstrip().startswith("%"):
            continue
        value = words.lstrip().partition(" ")[2]
        plain_references = value.replace("&#", "")
        if "&" in plain_references or "%" in plain_references or "SYSTEM" in value or "PUBLIC" in value or end < 0:
            return True
        if len(value) > SITEMAP_ALTERNATES_MAX:
            return True
    return False


def _hints_of(item: _Item) -> Hints:
    texts = item.texts
    if not texts.keys() - {"url", "guid", _BARE} and not item.alternates:
        return NO_HINTS
    hints = Hints(
        lastmod=date_claim(texts.get("lastmod", "")),
        changefreq=frequency_claim(texts.get("changefreq", "")),
        priority=priority_claim(texts.get("priority", "")),
        published=date_claim(texts.get("published", "")),
        alternates=tuple(item.alternates),
    )
    return NO_HINTS if hints == NO_HINTS else hints
