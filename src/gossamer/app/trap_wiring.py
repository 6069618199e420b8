"""From the settings `traps.*` and a person's words to the rules that tell traps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer.core.trap.link_traps import LinkTraps
from gossamer.core.trap.novelty import NoveltyRules
from gossamer.core.trap.rules import TrapRules
from gossamer.core.trap.shape import limits_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.app.settings.tree import TrapSettings
    from gossamer.core.url.site import SiteList


def trap_rules(settings: TrapSettings, words: Mapping[str, str]) -> TrapRules | None:
    """How templates are judged; None where they are not watched."""
    if not settings.watch:
        return None
    novelty = NoveltyRules(settings.throttle_below, settings.close_below, settings.close_after, settings.site_share)
    return TrapRules(novelty, dict(words))


def link_traps(settings: TrapSettings, sites: SiteList, words: Mapping[str, str]) -> LinkTraps | None:
    """How links are judged by their looks; None where they are not."""
    if not settings.shapes:
        return None
    years = settings.years_back, settings.years_ahead
    return LinkTraps(limits_at(time.time(), *years), sites.site_of, years, dict(words))
