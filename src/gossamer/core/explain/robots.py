"""What a stored robots.txt says of one URL, with the line that says it."""

from __future__ import annotations

from typing import Final

from gossamer.core.explain.explanation import RobotsPart
from gossamer.core.robots.answer import RobotsKind, RobotsState
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import verdict_of
from gossamer.core.url.parse import authority_of, target_of

NOT_ASKED: Final = "not asked for yet"
IGNORED: Final = "ignored: the host is the operator's own, and its setting robots says so"


def robots_part(url: str, state: RobotsState | None, product: str, now: float) -> RobotsPart:
    """The verdict of the file of the URL's authority; `state` is None where it was never asked for."""
    authority = authority_of(url)
    if state is None:
        return RobotsPart(authority=authority, kind=NOT_ASKED, allowed=None)
    rules = RobotsRules.parse(state.body, product) if state.kind is RobotsKind.RULES and state.body else None
    verdict = verdict_of(state, rules, target_of(url))
    return RobotsPart(
        authority=authority,
        kind=state.kind,
        allowed=verdict.allowed,
        line=verdict.line,
        line_number=verdict.line_number,
        fetched_at=state.fetched_at,
        age_seconds=max(0.0, now - state.fetched_at),
        expires_at=state.expires_at,
        good_at=state.good_at,
        reason=state.reason,
    )


def is_unreachable(part: RobotsPart, now: float) -> bool:
    """Whether everything waits because the file cannot be read, and is not to be asked for before `expires_at`."""
    return part.kind == RobotsKind.UNREACHABLE and part.expires_at > now
