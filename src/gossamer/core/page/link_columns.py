"""Links as a parser finds them: four columns of references, then one resolving step for the whole page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Final

from gossamer.core.limits import (
    LINK_ROWS_PER_PAGE_MAX,
    LINK_TEXT_CHARACTERS_MAX,
    LINKS_PER_PAGE_MAX,
    URL_PARSED_LENGTH_MAX,
)
from gossamer.core.page.known_references import KnownReferences
from gossamer.core.page.links import LinkKind, Links
from gossamer.core.page.query_encoding import encode_query
from gossamer.core.url.parse import INVALID, resolve_all

TOO_MANY: Final = "too many"
_PLAIN: Final = int(LinkKind.A)
_PLAIN_BYTE: Final = bytes((_PLAIN,))
_FOLDED_SHARE: Final = 8
"""White space in a text that is cut: this many times the limit is looked at."""


def folded(text: str, characters_max: int) -> str:
    """White space folded to single spaces, cut."""
    if len(text) <= characters_max:
        return " ".join(text.split())
    return " ".join(text[: characters_max * _FOLDED_SHARE].split())[:characters_max]


class LinkColumns:
    """References of one page in document order, unresolved."""

    __slots__ = ("_unusual", "references", "texts", "too_many")

    def __init__(self) -> None:
        self.references: list[str] = []
        """Public, with `texts`, for who has a plain link (kind A, no flags) to append: most of a page's are."""
        self.texts: list[str] = []
        self.too_many = 0
        """Rows beyond LINK_ROWS_PER_PAGE_MAX, which are not kept."""
        self._unusual: list[tuple[int, int, int]] = []
        """Row, kind and flags of those that are no plain links."""

    def add(self, reference: str, kind: int, flags: int, text: str) -> None:
        """Append one row, as the page wrote it. `kind` and `flags` are a LinkKind and LinkFlags."""
        row = len(self.references)
        if row >= LINK_ROWS_PER_PAGE_MAX:
            self.too_many += 1
            return
        self.references.append(reference)
        self.texts.append(text)
        if flags or kind != _PLAIN:
            self._unusual.append((row, kind, flags))

    def resolve(self, base: str, encoding: str, known: KnownReferences | None = None) -> Links:
        """The rows that are http or https URLs, resolved against `base`; the others are counted by reason.

        `encoding`, the page's by its WHATWG name, decides how queries are written. `known` remembers from page to page.
        Empties the columns.
        """
        # A fragment names a part of a document and not another one; without it far fewer references differ.
        self.references = [reference.partition("#")[0] for reference in self.references]
        self.texts = [
            " ".join(text.split()) if len(text) <= LINK_TEXT_CHARACTERS_MAX else folded(text, LINK_TEXT_CHARACTERS_MAX)
            for text in self.texts
        ]
        urls = self._urls(base, encoding, known or KnownReferences())
        links = Links(urls, *self._kinds_and_flags(), self.texts)
        if "" in urls or len(urls) > LINKS_PER_PAGE_MAX:
            links = self._wanted(links, base)
        if self.too_many:
            links.dropped[TOO_MANY] = links.dropped.get(TOO_MANY, 0) + self.too_many
        return links

    def _urls(self, base: str, encoding: str, known: KnownReferences) -> list[str]:
        """The URL of each row, or "". A page names the same target many times: each spelling is resolved once."""
        url_of = dict.fromkeys(self.references, "")
        references = list(url_of)
        if encoding != "utf-8":
            references = [_with_query_in(encoding, reference) for reference in references]
        url_of = dict(zip(url_of, known.resolve(base, references), strict=True))
        return list(map(url_of.__getitem__, self.references))

    def _kinds_and_flags(self) -> tuple[bytearray, bytearray]:
        size = len(self.references)
        kinds, flags = bytearray(_PLAIN_BYTE * size), bytearray(size)
        for row, kind, flag in self._unusual:
            kinds[row], flags[row] = kind, flag
        return kinds, flags

    def _wanted(self, links: Links, base: str) -> Links:
        """The rows with a URL, as long as there are not too many distinct ones."""
        urls = links.urls
        kept: Sequence[object] = urls
        if len(urls) > LINKS_PER_PAGE_MAX:
            wanted = set(list(dict.fromkeys(filter(None, urls)))[:LINKS_PER_PAGE_MAX])
            kept = [url in wanted for url in urls]
        wanted_links = Links(
            list(compress(urls, kept)),
            bytearray(compress(links.kinds, kept)),
            bytearray(compress(links.flags, kept)),
            list(compress(links.texts, kept)),
        )
        reasons: dict[str, str] = {}
        for row, is_kept in enumerate(kept):
            if not is_kept:
                reason = TOO_MANY if urls[row] else _reason(self.references[row], base, reasons)
                wanted_links.dropped[reason] = wanted_links.dropped.get(reason, 0) + 1
        return wanted_links


def _with_query_in(encoding: str, reference: str) -> str:
    return encode_query(reference, encoding) if len(reference) <= URL_PARSED_LENGTH_MAX else reference


def _reason(reference: str, base: str, known: dict[str, str]) -> str:
    """Why a reference gave no URL."""
    if reference not in known:
        known[reference] = next(iter(resolve_all(base, [reference])[1]), INVALID)
    return known[reference]
