"""How a URL was found, as far as the judgement goes by it; and a refusal of one, as the dataset `refused` keeps it."""

from __future__ import annotations

from typing import Final, NamedTuple

from gossamer.core.page.links import LinkKind

_BY_LETTER: Final = {
    "R": LinkKind.REDIRECT,
    "E": LinkKind.IFRAME,
    "L": LinkKind.A,
    "M": LinkKind.SITEMAP,
    "F": LinkKind.FEED,
}
_BY_NAME: Final = {kind.name.lower(): kind for kind in LinkKind}


class Finding(NamedTuple):
    """A URL and the ways it was found: it is wanted as soon as it is wanted as one of its kinds."""

    url: str
    """Normalised."""
    kinds: tuple[LinkKind, ...]
    nofollow: bool
    """Every link to it, or its page, says nofollow."""
    depth: int
    group: str
    """Seed group."""


class Refusal(NamedTuple):
    """A row of `refused`."""

    url: str
    reason: str
    depth: int
    referrer: str
    hops: str
    group: str
    first: float
    """When it was first met, in seconds since the epoch."""
    kinds: tuple[LinkKind, ...] = ()
    """Empty in rows of older releases."""
    nofollow: bool = False

    @property
    def finding(self) -> Finding:
        """What the judge is asked about."""
        kinds = self.kinds or (kind_by_hops(self.hops),)
        return Finding(self.url, kinds, self.nofollow, self.depth, self.group)

    @property
    def redirects(self) -> int:
        """Redirects followed on the way to it, the last step included."""
        return len(self.hops) - len(self.hops.rstrip("R"))


def kind_by_hops(hops: str) -> LinkKind:
    """The kind of link that the last step of a hop path stands for, where nothing more exact was kept."""
    return _BY_LETTER.get(hops[-1:], LinkKind.A) if hops else LinkKind.SEED


def kind_words(kinds: tuple[LinkKind, ...]) -> str:
    """Kinds as the datasets write them."""
    return " ".join(kind.name.lower() for kind in kinds)


def read_kinds(words: str) -> tuple[LinkKind, ...]:
    """The kinds that `kind_words` wrote; words of other releases are left out."""
    return tuple(_BY_NAME[word] for word in words.split() if word in _BY_NAME)
