"""Purposes of a crawl, and which signal speaks of which. The tables are the policy; docs/robots.md explains each row.

Sources: contentsignals.org and Cloudflare's `use` extension (July 2026); draft-ietf-aipref-vocab, sections 4 and 6,
with the labels of its earlier versions that sites still send; W3C TDM Reservation Protocol, final report of 10 May
2024; Really Simple Licensing 1.0. What a signal does not speak of it neither permits nor denies.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Purpose(StrEnum):
    """What an operator may say that a crawl's content is for. The values are settings and are stored."""

    SEARCH = "search"
    """An index that leads people to the pages themselves."""
    ARCHIVE = "archive"
    """Copies kept to be looked up later."""
    AI_INPUT = "ai-input"
    """Input to a model that answers from it: retrieval, grounding, summaries."""
    AI_TRAIN = "ai-train"
    """Training or tuning of models."""
    MINING = "mining"
    """Any other automated analysis of text and data."""


EVERY: Final = tuple(Purpose)
_AI: Final = (Purpose.AI_INPUT, Purpose.AI_TRAIN)

CONTENT_SIGNAL: Final[Mapping[str, tuple[Purpose, ...]]] = MappingProxyType(
    {
        "search": (Purpose.SEARCH,),
        "ai-input": (Purpose.AI_INPUT,),
        "search-ai": (Purpose.AI_INPUT,),
        "ai-train": (Purpose.AI_TRAIN,),
    }
)
"""Keys of Content-Signal with yes or no."""

USE_DENIES: Final[Mapping[str, tuple[Purpose, ...]]] = MappingProxyType(
    {"immediate": EVERY, "reference": _AI, "full": ()}
)
"""Values of `use` in Content-Signal: "immediate" stores nothing, which no crawl can promise; "reference" permits an
index with excerpts and links, no summaries; "full" permits both."""

CONTENT_USAGE: Final[Mapping[str, tuple[Purpose, ...]]] = MappingProxyType(
    {
        "bots": EVERY,
        "all": EVERY,
        "tdm": EVERY,
        "ai": _AI,
        "train-ai": (Purpose.AI_TRAIN,),
        "ai-train": (Purpose.AI_TRAIN,),
        "train-genai": (Purpose.AI_TRAIN,),
        "ai-use": (Purpose.AI_INPUT,),
        "ai-input": (Purpose.AI_INPUT,),
        "ai-output": (Purpose.AI_INPUT,),
        "search": (Purpose.SEARCH,),
    }
)
"""Labels of Content-Usage, general ones first: a narrower label in the same statement overrides a wider one."""

TDM_DENIES: Final = (Purpose.MINING, *_AI)
"""tdm-reservation: 1. Indexing that leads to the page, and copies for the record, are not what Article 4 of Directive
(EU) 2019/790 reserves."""
LICENSE_DENIES: Final = _AI
"""A licence to be read by a person before AI use; nobody here has read it."""
ROBOTS_DENIES: Final[Mapping[str, tuple[Purpose, ...]]] = MappingProxyType({"noai": _AI, "noml": (Purpose.AI_TRAIN,)})
"""Words of X-Robots-Tag and meta robots. `noimageai` speaks of images, which a crawl of pages has none of; it is kept
as data."""

USES_TDM_FILE: Final = frozenset(TDM_DENIES)
"""/.well-known/tdmrep.json is asked for only where one of these is a purpose: it could change nothing for others."""
