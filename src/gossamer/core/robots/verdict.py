"""What a robots.txt says of one URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.robots.answer import RobotsKind, RobotsState

if TYPE_CHECKING:
    from gossamer.core.robots.parse import RobotsRules

ROBOTS_TARGET: Final = "/robots.txt"


@dataclass(frozen=True, slots=True)
class RobotsVerdict:
    """Allowed or not, and the line that decided."""

    allowed: bool
    line: str = ""
    """The deciding rule ("Disallow: /private/"), cut to a length fit for a report; empty when no rule matched."""
    line_number: int = 0
    """Counted from 1; 0 when no rule matched."""


ALLOWED: Final = RobotsVerdict(allowed=True)
UNREACHABLE: Final = RobotsVerdict(allowed=False, line="robots.txt unreachable")


def verdict_of(state: RobotsState, rules: RobotsRules | None, target: str) -> RobotsVerdict:
    """The verdict for `target` (path and query of a normalised URL) under `state`.

    `rules` are those of `state.body`; None where `state` has none.
    """
    if target == ROBOTS_TARGET:
        return ALLOWED
    if state.kind is RobotsKind.UNREACHABLE:
        return UNREACHABLE
    return ALLOWED if rules is None or state.kind is RobotsKind.ALLOW_ALL else rules.verdict(target)
