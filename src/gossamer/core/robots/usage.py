"""What a robots.txt says of the use that may be made of what it lets be fetched.

Three lines, none of which changes what may be fetched (RFC 9309 knows them not): `Content-Signal` (contentsignals.org),
`Content-Usage` (draft-ietf-aipref-attach, section 3), both in groups and with or without a path before the statement;
and `License` (RSL 1.0), which concerns the whole file. The longest path that matches decides; lines of equal length
count together. Lines before all groups are for everybody. Only the statements are found here; `core/preference` reads
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final

from gossamer.core.limits import ROBOTS_LINE_SHOWN_MAX, ROBOTS_USAGE_LINES_MAX
from gossamer.core.robots.lines import Key, Span, utf8_of, values_of
from gossamer.core.robots.match import Pattern, taken_apart, target_spellings


@dataclass(frozen=True, slots=True)
class RobotsUsage:
    """The statements that hold for one URL, as written; several are joined by commas."""

    content_signal: str = ""
    content_usage: str = ""
    license: str = ""
    """URLs of licences, with blanks between."""


NOTHING_STATED: Final = RobotsUsage()


@dataclass(frozen=True, slots=True)
class _Statement:
    length: int
    patterns: tuple[Pattern, ...]
    """Empty for a statement without path, which holds everywhere."""
    text: str

    def matches(self, spellings: tuple[str, ...]) -> bool:
        return not self.patterns or any(
            pattern.matches(spelling) for pattern in self.patterns for spelling in spellings
        )


class UsageTable:
    """The statements of one file for one product token."""

    __slots__ = ("_license", "_signals", "_usages")

    def __init__(self, signals: list[_Statement], usages: list[_Statement], license_urls: str) -> None:
        self._signals: Final = signals
        self._usages: Final = usages
        self._license: Final = license_urls

    @staticmethod
    def read(text: str, folded: str, spans: list[Span]) -> UsageTable | None:
        """Read the lines within the spans of our group, and the licences of the file; None where nothing is stated."""
        if "content-" not in folded and "license" not in folded:
            return None
        signals = _statements(text, folded, spans, Key.CONTENT_SIGNAL)
        usages = _statements(text, folded, spans, Key.CONTENT_USAGE)
        values = values_of(text, folded, (0, len(text)), ("license",), frozenset({Key.LICENSE}))
        licenses = dict.fromkeys(utf8_of(value)[:ROBOTS_LINE_SHOWN_MAX] for value in islice(values, 8) if value)
        return UsageTable(signals, usages, " ".join(licenses)) if signals or usages or licenses else None

    def stated(self, target: str) -> RobotsUsage:
        """What holds for a URL with this path and query."""
        spellings = target_spellings(target)
        return RobotsUsage(_deciding(self._signals, spellings), _deciding(self._usages, spellings), self._license)


def _statements(text: str, folded: str, spans: list[Span], key: Key) -> list[_Statement]:
    found = (value for span in spans for value in values_of(text, folded, span, ("content-",), frozenset({key})))
    return [_statement(value) for value in islice(found, ROBOTS_USAGE_LINES_MAX) if value]


def _statement(value: str) -> _Statement:
    if not value.startswith(("/", "*")):
        return _Statement(0, (), _shown(value))
    path, _, stated = value.replace("\t", " ").partition(" ")
    parts = list(taken_apart(path))
    return _Statement(parts[0][0], tuple(pattern for _, pattern in parts), _shown(stated))


def _shown(stated: str) -> str:
    return " ".join(utf8_of(stated).split())[:ROBOTS_LINE_SHOWN_MAX]


def _deciding(statements: list[_Statement], spellings: tuple[str, ...]) -> str:
    matching = [each for each in statements if each.matches(spellings)]
    longest = max((each.length for each in matching), default=0)
    return ", ".join(dict.fromkeys(each.text for each in matching if each.length == longest and each.text))
