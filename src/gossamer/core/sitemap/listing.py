"""What reading a sitemap or a feed brings: URLs with hints, and further sitemaps or feed pages."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from typing import Final

from gossamer.core.limits import SITEMAP_BYTES_MAX, SITEMAP_URLS_MAX
from gossamer.core.sitemap.hints import NO_HINTS, Hints
from gossamer.core.url.parse import resolve_all


class ListingFormat(StrEnum):
    """How a file names its URLs."""

    URLSET = "urlset"
    INDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    JSON = "json feed"


FEED_FORMATS: Final = frozenset({ListingFormat.RSS, ListingFormat.ATOM, ListingFormat.JSON})


class Problem(StrEnum):
    """What is wrong with a file. Of those in `REFUSING` nothing is taken."""

    EMPTY = "empty"
    NO_LISTING = "neither sitemap nor feed"
    BOMB = "decompression bomb"
    ENTITIES = "entity declarations"
    TOO_DEEP = "nested too deep"
    TOO_LONG = "over the size limit"
    TOO_MANY = "over the number of URLs"
    BROKEN = "broken"
    """Ends early or is malformed; what stands before that, and what makes sense after it, is taken."""


REFUSING: Final = frozenset({Problem.EMPTY, Problem.NO_LISTING, Problem.BOMB, Problem.ENTITIES, Problem.TOO_DEEP})


@dataclass(slots=True)
class Listing:
    """One sitemap or feed, read. `hints` is parallel to `urls`."""

    format: ListingFormat | None = None
    urls: list[str] = field(default_factory=list[str])
    """Resolved fetch URLs without fragment, in the file's order, repetitions included."""
    hints: list[Hints] = field(default_factory=list[Hints])
    children: list[str] = field(default_factory=list[str])
    """Further files: an index's sitemaps, a feed's other pages (RFC 5005)."""
    charset: str = ""
    problem: str = ""
    """A word of `Problem`; empty for a file in order."""
    dropped: dict[str, int] = field(default_factory=dict[str, int])
    """What gave no URL, counted by reason: scheme name, "invalid", "too long"."""

    @property
    def is_feed(self) -> bool:
        """Whether this is a feed, and no sitemap."""
        return self.format in FEED_FORMATS

    def __len__(self) -> int:
        return len(self.urls) + len(self.children)


@dataclass(slots=True)
class ListingDraft:
    """References as they are met, each with the base that it is resolved against; bounded."""

    bases: list[str]
    """Bases met so far; the file's own URL first."""
    references: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    hints: list[Hints] = field(default_factory=list[Hints])
    children: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    is_full: bool = False
    """There was more than is taken."""

    def add(self, reference: str, hints: Hints, base: int = 0) -> None:
        """One URL that the file names."""
        if self._has_room():
            self.references.append((reference, base))
            self.hints.append(hints)

    def add_child(self, reference: str, base: int = 0) -> None:
        """One more file that it names."""
        if self._has_room():
            self.children.append((reference, base))

    def listing(self) -> Listing:
        """All references resolved; those that are no http or https URLs are counted."""
        listing = Listing()
        urls = self._resolved(self.references, listing)
        alternates = self._alternates()
        rows = zip(urls, self.hints, alternates, strict=True)
        kept = [(url, _with(hints, named)) for url, hints, named in rows if url]
        listing.urls, listing.hints = [url for url, _ in kept], [hints for _, hints in kept]
        listing.children = [url for url in self._resolved(self.children, listing) if url]
        return listing

    def _has_room(self) -> bool:
        if len(self.references) + len(self.children) < SITEMAP_URLS_MAX:
            return True
        self.is_full = True
        return False

    def _resolved(self, references: list[tuple[str, int]], listing: Listing) -> list[str]:
        """The URL of each, or ""; whole columns at once for each base."""
        urls = [""] * len(references)
        by_base: dict[int, list[int]] = {}
        for row, (_, base) in enumerate(references):
            by_base.setdefault(base, []).append(row)
        for base, rows in by_base.items():
            # A fragment names a part of a document and not another one.
            wanted = [references[row][0].partition("#")[0] for row in rows]
            found, dropped = resolve_all(self.bases[base], wanted)
            for row, url in zip(rows, found, strict=True):
                urls[row] = url
            for reason, number in dropped.items():
                listing.dropped[reason] = listing.dropped.get(reason, 0) + number
        return urls

    def _alternates(self) -> list[tuple[tuple[str, str], ...]]:
        """The alternates of each row, resolved; most rows have none."""
        flat = [href for hints in self.hints for _, href in hints.alternates]
        if not flat:
            return [()] * len(self.hints)
        taken = self._within_bounds(flat)
        resolved = iter(resolve_all(self.bases[0], flat[:taken])[0] + [""] * (len(flat) - taken))
        return [
            tuple(
                (language, url) for (language, _), url in [(each, next(resolved)) for each in hints.alternates] if url
            )
            for hints in self.hints
        ]

    def _within_bounds(self, hrefs: list[str]) -> int:
        """How many are resolved: short ones and a long base would make a hundred times the file's bytes of them."""
        base = len(self.bases[0])
        sizes = accumulate(len(href) + (0 if href[:4].lower() == "http" else base) for href in hrefs)
        return bisect_right(list(sizes), SITEMAP_BYTES_MAX)


def _with(hints: Hints, alternates: tuple[tuple[str, str], ...]) -> Hints:
    if hints.alternates == alternates:
        return hints
    bare = Hints(hints.lastmod, hints.changefreq, hints.priority, hints.published, alternates)
    return NO_HINTS if bare == NO_HINTS else bare
