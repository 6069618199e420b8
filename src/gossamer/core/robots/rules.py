"""The allow and disallow lines of a group, read at the speed of splitting a text.

Files of twenty thousand rules are met, and a host's turn must not wait for them. Nearly all of their lines begin alike
("Disallow: /"), so lines are not taken apart one by one: the beginning of the first rule is cut off all lines that have
it; of those left over (other names, other spacing) the first gives the next beginning, and only what then remains is
looked at line by line. Line numbers are found when a rule has decided, not before.
"""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.robots.lines import BLANKS, RULES, Key, Span, key_of, split_line
from gossamer.core.robots.match import Rule, RuleTable

_WAYS_MAX: Final = 8
"""Ways of writing a rule that are split at; a file that has more is read by line from there on."""
_RULE: Final = re.compile(r"[ \t]*(?:dis{0,2}|dia)?(?:s?all?ow|allaw|sllow)[^:#]*:[ \t]?", re.IGNORECASE)


class RuleLines:
    """The rules in some spans of a text: read once, when first asked."""

    __slots__ = ("_lines", "_numbered", "_spans", "_table", "_text")

    def __init__(self, text: str, spans: list[Span]) -> None:
        self._text: Final = text if spans else ""
        self._spans: Final = spans
        self._table: RuleTable | None = None
        self._lines: dict[tuple[bool, str], Rule] | None = None
        self._numbered: Final[dict[tuple[bool, str], Rule]] = {}

    def deciding(self, target: str) -> Rule | None:
        """The rule that decides for `target` (path and query), or None when none matches."""
        if self._table is None:
            self._table = RuleTable(*rule_values("\n".join(self._text[start:end] for start, end in self._spans)))
        found = self._table.deciding(target)
        return self._rule(found) if found is not None else None

    def all(self) -> list[Rule]:
        """The rules in file order, each pattern once."""
        return sorted(self._by_line().values(), key=lambda rule: rule.line_number)

    def _rule(self, found: tuple[bool, str]) -> Rule:
        """A rule with the number of its first line."""
        rule = self._numbered.get(found)
        if rule is None:
            rule = self._numbered[found] = self._looked_up(*found) or self._by_line()[found]
        return rule

    def _looked_up(self, allow: bool, pattern: str) -> Rule | None:  # noqa: FBT001 - half of a rule
        """The rule where its pattern is first met at the end of a line, if that is its line; None if it is not."""
        for start, end in self._spans:
            at = self._text.find(pattern + "\n", start, end)
            if at >= 0:
                begin = self._text.rfind("\n", 0, at) + 1
                key = Key.ALLOW if allow else Key.DISALLOW
                if split_line(self._text[begin : at + len(pattern)]) == (key, pattern):
                    return Rule(allow, pattern, 1 + self._text.count("\n", 0, begin))
                return None
        return None

    def _by_line(self) -> dict[tuple[bool, str], Rule]:
        if self._lines is None:
            self._lines = {}
            for span in self._spans:
                first = 1 + self._text.count("\n", 0, span[0])
                for number, line in enumerate(self._text[slice(*span)].split("\n"), first):
                    key, pattern = split_line(line)
                    if key in RULES and pattern.startswith(("/", "*")):
                        allow = key is Key.ALLOW
                        self._lines.setdefault((allow, pattern), Rule(allow, pattern, number))
        return self._lines


def rule_values(text: str) -> tuple[list[str], list[str]]:
    """The patterns of the allow and of the disallow lines in `text`; those that can match nothing are left out."""
    values: dict[Key, list[str]] = {Key.ALLOW: [], Key.DISALLOW: []}
    lines = text.split("\n")
    for _ in range(_WAYS_MAX):
        found = next(filter(None, map(_RULE.match, lines)), None)
        key = key_of(found[0].partition(":")[0]) if found is not None else None
        if found is None or key not in values:
            break
        written, lines = _taken_out(lines, found[0])
        values[key] += _patterns(written)
    for line in lines:
        key, value = split_line(line)
        if key in values:
            values[key] += _patterns([value])
    return values[Key.ALLOW], values[Key.DISALLOW]


def _taken_out(lines: list[str], beginning: str) -> tuple[list[str], list[str]]:
    """The rest of every line that begins so, and the other lines."""
    size = len(beginning)
    values = [line[size:] for line in lines if line.startswith(beginning)]
    if len(values) == len(lines):
        return values, []
    return values, [line for line in lines if not line.startswith(beginning)]


def _patterns(values: list[str]) -> list[str]:
    """Values without comment and blanks; a path begins with a slash, so one that does not matches nothing."""
    joined = "\n".join(values)
    if "#" in joined:
        values = [value.partition("#")[0] for value in values]
    if any(blank in joined for blank in BLANKS):
        values = [value.strip(BLANKS) for value in values]
        joined = "\n".join(values)
    if joined.startswith("/") and joined.count("\n/") + 1 == len(values):
        return values
    return [value for value in values if value.startswith(("/", "*"))]
