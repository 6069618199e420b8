"""URLs in a page's JSON-LD blocks (`script type=application/ld+json`): what is described there, and what it names.

Only properties whose value is a URL by schema.org are read; a URL in a text is none. A vocabulary's own addresses
(`@context`, `@type`) name no document of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

import msgspec

from gossamer.core.limits import JSON_LD_CHARACTERS_MAX, JSON_LD_NODES_MAX

MEDIA_TYPE: Final = "application/ld+json"

_URL_PROPERTIES: Final = frozenset(
    {
        *("@id", "url", "item", "mainEntityOfPage", "sameAs", "relatedLink", "significantLink", "isPartOf", "hasPart"),
        *("contentUrl", "embedUrl", "thumbnailUrl", "image", "logo", "discussionUrl", "downloadUrl", "installUrl"),
        *("mainEntity", "license", "citation", "isBasedOn", "codeRepository", "archivedAt", "ticketUrl"),
    }
)
"""schema.org properties that expect a URL, or a thing that may be given by its URL."""


def json_ld_urls(text: str) -> list[str]:
    """The URLs of one block, unresolved, in document order; nothing for a block that is broken or too long."""
    if len(text) > JSON_LD_CHARACTERS_MAX:
        return []
    try:
        tree: Any = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return []
    return list(dict.fromkeys(_urls(tree)))


def _urls(tree: Any) -> Iterator[str]:
    """Depth first, in document order, without recursion."""
    waiting: list[tuple[str, Any]] = [("", tree)]
    for _ in range(JSON_LD_NODES_MAX):
        if not waiting:
            return
        name, value = waiting.pop()
        if isinstance(value, dict):
            pairs = cast("dict[str, Any]", value).items()
            waiting += [(key, each) for key, each in reversed(pairs) if key not in ("@context", "@type")]
        elif isinstance(value, list):
            waiting += [(name, each) for each in reversed(cast("list[object]", value))]
        elif isinstance(value, str) and name in _URL_PROPERTIES and _is_reference(value):
            yield value


def _is_reference(value: str) -> bool:
    """Whether a value can be a reference: names of nodes ("#me", "_:b0") lead nowhere, texts hold blanks."""
    return bool(value) and not value.startswith(("#", "_:")) and not any(blank in value.strip() for blank in " \n\t")
