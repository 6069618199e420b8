"""Filters: what is not wanted although it is in scope. Settings become one frozen value here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final

from gossamer.core.limits import URL_LENGTH_MAX
from gossamer.core.page.links import FOLLOWED_BY_DEFAULT, NOT_IN_PAGES, LinkKind
from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.patterns import Patterns

DEPTH_MAX: Final = 20
"""Default depth (architecture, section 8)."""


@dataclass(frozen=True, slots=True)
class FilterRules:
    """What the settings say of single URLs."""

    include: Patterns = field(default_factory=lambda: Patterns(()))
    """Where there are any, a URL must match one."""
    exclude: Patterns = field(default_factory=lambda: Patterns(()))
    extensions: frozenset[str] = frozenset()
    """Refused file name extensions, lower case, without dot (`extensions.refused_extensions`)."""
    url_length_max: int = URL_LENGTH_MAX
    depth_max: int | None = DEPTH_MAX
    """None: no limit."""
    kinds: frozenset[LinkKind] = FOLLOWED_BY_DEFAULT
    obey_nofollow: bool = True
    blocked: BlockList = field(default_factory=BlockList)


SOURCES: Final = {
    "links": FOLLOWED_BY_DEFAULT - NOT_IN_PAGES,
    "sitemaps": frozenset({LinkKind.SITEMAP, LinkKind.TO_SITEMAP}),
    "feeds": frozenset({LinkKind.FEED, LinkKind.TO_FEED}),
}
"""What URLs may be taken from -> the kinds of links that stand there."""
ALL_SOURCES: Final = tuple(SOURCES)


def followed_kinds(more: Iterable[str], sources: Iterable[str] = ALL_SOURCES) -> frozenset[LinkKind]:
    """The kinds that `sources` have and those named ("image", "script"). Raises ValueError for an unknown name.

    What people name and where redirects lead is followed always.
    """
    by_name = {kind.name.lower(): kind for kind in LinkKind}
    kinds = {LinkKind.SEED, LinkKind.OPERATOR, LinkKind.REDIRECT}.union(*(SOURCES[source] for source in sources))
    for name in more:
        if name.lower() not in by_name:
            near = get_close_matches(name.lower(), by_name, n=1)
            raise ValueError(f"there is no link kind {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        kinds.add(by_name[name.lower()])
    return frozenset(kinds)
