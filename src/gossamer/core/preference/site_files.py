"""The statements of a site's files for one URL."""

from __future__ import annotations

from gossamer.core.preference.preferences import NOTHING, ROBOTS_TXT, Preferences, Statement, preferences_of
from gossamer.core.preference.tdm_file import TdmRules
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.usage import NOTHING_STATED


def site_preferences(rules: RobotsRules | None, tdm: TdmRules | None, target: str) -> Preferences:
    """What robots.txt and tdmrep.json state of the URL with this path and query."""
    usage = rules.usage(target) if rules is not None else NOTHING_STATED
    if usage is NOTHING_STATED and tdm is None:
        return NOTHING
    stated = tdm.statements(target) if tdm is not None else []
    stated += [
        Statement(ROBOTS_TXT, "content-signal", usage.content_signal),
        Statement(ROBOTS_TXT, "content-usage", usage.content_usage),
        Statement(ROBOTS_TXT, "license", usage.license),
    ]
    return preferences_of(stated)
