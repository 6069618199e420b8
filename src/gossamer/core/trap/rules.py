"""What the settings and a person's word say about traps: one value for all shards of a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from gossamer.core.page.links import LinkKind
from gossamer.core.trap.novelty import NoveltyRules


class Word(StrEnum):
    """What a person has said of a suspect."""

    CONFIRM = "confirm"
    """It is a trap, whatever it brings."""
    EXCLUDE = "exclude"
    """It is none, whatever it brings."""


SPARED: Final = frozenset(
    {LinkKind.SEED, LinkKind.OPERATOR, LinkKind.SITEMAP, LinkKind.TO_SITEMAP, LinkKind.FEED, LinkKind.TO_FEED}
)
"""Ways to a URL that no trap has: a person named it, or its site lists it."""


@dataclass(frozen=True, slots=True)
class TrapRules:
    """How traps are told, and what is known of them by word."""

    novelty: NoveltyRules = field(default_factory=NoveltyRules)
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Text of a row -> `Word`."""
