"""What URL seen loses, for people: how many new URLs were taken for seen, and where `explain` cannot rule that out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from gossamer.core.explain.explain import NEVER_FOUND
from gossamer.core.seen.loss import bloom_losses, exact_losses

if TYPE_CHECKING:
    from gossamer.app.settings import Settings
    from gossamer.core.explain.explanation import Explanation

PERHAPS: Final = (
    "; or it was found and taken for seen, as this crawl does with a few new URLs (frontier.url_seen = bloom; "
    "gossamer status says with how many)"
)


def seen_numbers(settings: Settings, known: int) -> dict[str, Any]:
    """The mode, and about how many URLs it has taken for seen though they were new. Shards count as equally large."""
    shards, frontier = settings.crawl.shards, settings.frontier
    share = known // shards
    if frontier.url_seen == "bloom":
        lost = shards * bloom_losses(share, -(-frontier.urls_expected // shards))
    else:
        lost = shards * exact_losses(share)
    return {"url_seen": frontier.url_seen, "url_seen_lost": lost}


def with_losses(explanation: Explanation, settings: Settings) -> Explanation:
    """The explanation; of a URL never found it says that a filter may have taken it for seen, where there is one."""
    cause = explanation.cause
    if settings.frontier.url_seen != "bloom" or cause.code != NEVER_FOUND:
        return explanation
    return msgspec.structs.replace(explanation, cause=msgspec.structs.replace(cause, text=cause.text + PERHAPS))
