"""/.well-known/tdmrep.json (W3C TDM Reservation Protocol, section 6.1): rules by location, the first match counts.

A location is matched like a path of robots.txt. What is no such file, or no such rule, states nothing. Never raises.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, cast

from gossamer.core.limits import PREFERENCE_CHARACTERS_MAX, TDM_FILE_BYTES_MAX, TDM_RULES_MAX
from gossamer.core.preference.preferences import TDM_FILE, Statement, is_tdm
from gossamer.core.robots.match import Pattern, taken_apart, target_spellings

TDM_FILE_TARGET: Final = "/.well-known/tdmrep.json"


@dataclass(frozen=True, slots=True)
class _TdmRule:
    patterns: tuple[Pattern, ...]
    reservation: str
    policy: str


@dataclass(frozen=True, slots=True)
class TdmRules:
    """The rules of one file."""

    rules: tuple[_TdmRule, ...] = ()

    @staticmethod
    def parse(body: bytes) -> TdmRules:
        """Read a content-decoded file."""
        if len(body) > TDM_FILE_BYTES_MAX:
            return TdmRules()
        try:
            found: object = json.loads(body)
        except (ValueError, RecursionError):
            return TdmRules()
        rows = cast("list[object]", found) if isinstance(found, list) else [found]
        rules = (_rule(cast("dict[str, Any]", row)) for row in rows[:TDM_RULES_MAX] if isinstance(row, dict))
        return TdmRules(tuple(rule for rule in rules if rule is not None))

    def statements(self, target: str) -> list[Statement]:
        """What the first rule that matches says of a URL with this path and query."""
        spellings = target_spellings(target)
        for rule in self.rules:
            if any(pattern.matches(spelling) for pattern in rule.patterns for spelling in spellings):
                stated = [Statement(TDM_FILE, "tdm-reservation", rule.reservation)]
                return [*stated, Statement(TDM_FILE, "tdm-policy", rule.policy)] if rule.policy else stated
        return []


def _rule(row: dict[str, Any]) -> _TdmRule | None:
    location, policy = row.get("location"), row.get("tdm-policy", "")
    reservation = row.get("tdm-reservation")
    value = str(int(reservation)) if isinstance(reservation, bool | int) else str(reservation)
    if not isinstance(location, str) or not location.startswith(("/", "*")) or not is_tdm(value.strip()):
        return None
    octets = location.encode("utf-8", "replace").decode("latin-1")
    patterns = tuple(pattern for _, pattern in taken_apart(octets))
    shown = policy[:PREFERENCE_CHARACTERS_MAX] if isinstance(policy, str) else ""
    return _TdmRule(patterns, value.strip(), shown)
