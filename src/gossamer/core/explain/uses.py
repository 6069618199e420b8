"""What a site's files, as known now, state of the use of one URL, and whether a purpose of the crawl is denied."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.core.explain.explanation import UsesPart
from gossamer.core.preference.site_files import site_preferences
from gossamer.core.preference.tdm_file import TdmRules
from gossamer.core.robots.answer import RobotsState
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.url.parse import target_of


def uses_part(url: str, state: RobotsState | None, product: str, purposes: Sequence[str]) -> UsesPart | None:
    """The statements of robots.txt and tdmrep.json; None where nothing was read yet or nothing is stated."""
    if state is None:
        return None
    rules = RobotsRules.parse(state.body, product) if state.body else None
    tdm = TdmRules.parse(state.tdm) if state.tdm else None
    stated = site_preferences(rules, tdm, target_of(url))
    if not stated.statements:
        return None
    refused = stated.refusal(purposes)
    return UsesPart(
        purposes=list(purposes),
        statements=[f"{each.source} {each.signal}: {each.text}" for each in stated.statements],
        denied={purpose.value: words for purpose, words in stated.denied.items()},
        refused=refused.purpose if refused is not None else "",
    )
