"""Shapes of URLs that traps have and pages hardly ever: a table of rules, each with its limit and where it comes from.

Every rule looks at a URL once, in linear time, and knows nothing else but today's year. What it says is final: such a
URL is refused where it is found. So each is set where no documentation site known to us has a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from gossamer.core.limits import (
    TRAP_HOST_LABELS_MAX,
    TRAP_PARAMETER_REPEATS_MAX,
    TRAP_PARAMETERS_MAX,
    TRAP_PATH_SEGMENTS_MAX,
    TRAP_SEGMENT_GROUP_REPEATS_MAX,
    TRAP_SEGMENT_REPEATS_MAX,
    TRAP_SHAPES_CACHED_MAX,
    TRAP_URL_CHARACTERS_MAX,
    TRAP_YEARS_AHEAD,
    TRAP_YEARS_BACK,
)
from gossamer.core.url.parse import host_of

_YEAR: Final = r"([12][0-9]{3})"
_MONTH: Final = r"(?:0?[1-9]|1[0-2])"
_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])"
_CALENDAR_NAMES: Final = r"(?:agenda|archiv|blog|cal|date|day|diary|event|kalender|month|news|schedule|termin|week)"
_PATH_DATE: Final = re.compile(
    rf"/{_YEAR}[/-]{_MONTH}[/-]{_DAY}/?$|/{_YEAR}-(?:0[1-9]|1[0-2])/?$"
    rf"|(?:^|/[^/]*{_CALENDAR_NAMES}[^/]*)/{_YEAR}/{_MONTH}/?$",
    re.IGNORECASE,
)
"""A path that ends in a year and month, or a day: what calendars link to. An article has its name behind the date. Two
numbers alone may as well be a topic and a page of it, `/t/1850/2`: they are a date where the name before them says so.
"""
_QUERY_DATE: Final = re.compile(
    rf"(?:^|[&;])(?:[a-z_.]*(?:date|month)|(?:[a-z_.]*[_.])?(?:day|start|from|end|until))=[^&;]*?(?<![0-9])"
    rf"(?:{_YEAR}[-/](?:0?[1-9]|1[0-2])(?![0-9])|((?:1[89]|2[01])[0-9]{{2}})(?:0[1-9]|1[0-2])"
    rf"(?:0[1-9]|[12][0-9]|3[01])(?![0-9]))"
    rf"|(?:^|[&;])[a-z_.]*(?:date|month)=((?:1[89]|2[01])[0-9]{{2}})(?:0[1-9]|1[0-2])(?=[&;]|$)",
    re.IGNORECASE,
)
"""Six digits may be an offset (`start=100025`), and are a month only where the name says so."""
_QUERY_YEAR: Final = re.compile(rf"(?:^|[&;])(?:year|yr|cal_year|calyear)={_YEAR}(?=[&;]|$)", re.IGNORECASE)
_QUERY_MONTH: Final = re.compile(r"(?:^|[&;])[a-z_.]*(?:month|mon|week|day)=", re.IGNORECASE)
"""A year alone may be that of a film or a paper; a calendar has months."""
_SECOND_SESSION: Final = re.compile(r"sess(?:ion)?_?id=|[;/?&]sid=|/\(s\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShapeLimits:
    """How far a URL may go. Each is a setting or a limit; see `core/limits.py` for why."""

    first_year: int
    last_year: int
    segments: int = TRAP_PATH_SEGMENTS_MAX
    characters: int = TRAP_URL_CHARACTERS_MAX


def limits_at(now: float, years_back: int = TRAP_YEARS_BACK, years_ahead: int = TRAP_YEARS_AHEAD) -> ShapeLimits:
    """The limits at a moment (seconds since the epoch)."""
    year = datetime.fromtimestamp(now, UTC).year
    return ShapeLimits(year - years_back, year + years_ahead)


def repeated_segments(path: str, _: str, __: str, ___: ShapeLimits) -> bool:
    """A group of segments three times in a row, or one segment five times: relative links on pages that exist anywhere.

    Heritrix's PathologicalPathDecideRule (groups), Nutch's default URL filter (segments). Numbers repeat in dates.
    """
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > 2 * TRAP_PATH_SEGMENTS_MAX:
        return False  # `depth` has it
    names = [segment for segment in segments if not segment.isdigit()]
    if len(names) - len(set(names)) < TRAP_SEGMENT_GROUP_REPEATS_MAX - 1:
        return False
    if max(map(names.count, set(names))) > TRAP_SEGMENT_REPEATS_MAX:
        return True
    return any(_has_run(segments, size) for size in range(1, len(segments) // TRAP_SEGMENT_GROUP_REPEATS_MAX + 1))


def _has_run(segments: list[str], size: int) -> bool:
    """Whether a group of `size` segments, one of them no number, follows itself so often."""
    wanted, equal = size * (TRAP_SEGMENT_GROUP_REPEATS_MAX - 1), 0
    for place in range(size, len(segments)):
        equal = equal + 1 if segments[place] == segments[place - size] else 0
        if equal >= wanted and any(not each.isdigit() for each in segments[place - size + 1 : place + 1]):
            return True
    return False


def depth(path: str, _: str, __: str, limits: ShapeLimits) -> bool:
    """More segments than any page has: paths that grow with each link. Heritrix: TooManyPathSegmentsDecideRule, 20."""
    return path.count("/") > limits.segments


def length(path: str, query: str, host: str, limits: ShapeLimits) -> bool:
    """Longer than pages' URLs are: paths and queries that grow. StormCrawler's BasicURLFilter, 1,024."""
    return len(path) + len(query) + len(host) > limits.characters


def calendar(path: str, query: str, _: str, limits: ShapeLimits) -> bool:
    """A page of a calendar beyond the years in which anything can be on: it has a next month for ever."""
    by_month = _QUERY_YEAR.search(query) if query and _QUERY_MONTH.search(query) else None
    for found in (_PATH_DATE.search(path), _QUERY_DATE.search(query) if query else None, by_month):
        if found is not None:
            year = int(next(filter(None, found.groups())))
            if not limits.first_year <= year <= limits.last_year:
                return True
    return False


def parameters(_: str, query: str, __: str, ___: ShapeLimits) -> bool:
    """More parameters than forms make, or one of them again and again: links that add theirs to what is there.

    The same pair twice says nothing that it did not say once.
    """
    if "&" not in query:
        return False
    pairs = query.split("&")
    if len(pairs) > TRAP_PARAMETERS_MAX:
        return True
    filled = [pair for pair in pairs if pair]
    if len(set(filled)) < len(filled):
        return True
    names = [pair.partition("=")[0] for pair in filled]
    return len(names) - len(set(names)) >= TRAP_PARAMETER_REPEATS_MAX


def sessions(path: str, query: str, __: str, ___: ShapeLimits) -> bool:
    """Two session ids in one URL: each page adds its own. One alone may be the only way into a site."""
    return len(_SECOND_SESSION.findall(f"{path}?{query}")) > 1


def subdomains(_: str, __: str, host: str, ___: ShapeLimits) -> bool:
    """A host name of many labels, or with one twice in a row below its last two: names that servers answer all to."""
    labels = host.split(".")
    if len(labels) > TRAP_HOST_LABELS_MAX:
        return not labels[-1].isdigit()
    below = labels[:-2]
    return any(one == two and not one.isdigit() for one, two in pairwise(below))


ShapeRule = Callable[[str, str, str, ShapeLimits], bool]
"""Of a path, a query, a host and the limits: whether the shape is a trap's."""

PATH_RULES: Final[dict[str, ShapeRule]] = {
    "depth": depth,
    "length": length,
    "repeated segments": repeated_segments,
    "calendar": calendar,
    "sessions": sessions,
}
QUERY_RULES: Final[dict[str, ShapeRule]] = {
    "length": length,
    "calendar": calendar,
    "parameters": parameters,
    "sessions": sessions,
}
HOST_RULES: Final[dict[str, ShapeRule]] = {"subdomains": subdomains}
"""Name, as reports and `explain` tell it -> rule, by the part of a URL that can break it; the first one is told."""
LIMITS_TOLD: Final[dict[str, Callable[[ShapeLimits], str]]] = {
    "depth": lambda limits: f"more than {limits.segments} segments in its path",
    "length": lambda limits: f"more than {limits.characters:,} characters",
    "repeated segments": lambda _: "the same segments in its path again and again",
    "calendar": lambda limits: f"a date before {limits.first_year} or after {limits.last_year}",
    "parameters": lambda _: f"more than {TRAP_PARAMETERS_MAX} parameters, or the same again and again",
    "sessions": lambda _: "two session ids",
    "subdomains": lambda _: f"more than {TRAP_HOST_LABELS_MAX} labels in its host name, or one twice in a row",
}
"""Rule -> what it found, in words."""


@dataclass(slots=True)
class Shapes:
    """The rules, with what they said of the URLs met lately: nine links in ten have been met before."""

    limits: ShapeLimits
    exempt: Callable[[str, str], bool] = lambda _, __: False
    """Whether a person has said that a URL is in no trap, or that a rule is not to be asked about its site."""
    _known: dict[str, str] = field(default_factory=dict[str, str])

    def rule_of(self, url: str) -> str:
        """The rule by which a normalised URL is refused; empty for none."""
        rule = self._known.get(url)
        if rule is None:
            if len(self._known) >= TRAP_SHAPES_CACHED_MAX:
                self._known.clear()
            rule = shape_of(url, self.limits)
            if rule and self.exempt(url, rule):
                rule = ""
            self._known[url] = rule
        return rule

    def words(self, url: str) -> str:
        """The rule and what it found, in words; empty for none."""
        rule = self.rule_of(url)
        return f"{rule}: {LIMITS_TOLD[rule](self.limits)}" if rule else ""


def shape_of(url: str, limits: ShapeLimits) -> str:
    """The name of the first rule that a normalised URL breaks; empty for none."""
    start = url.index("/", 8)
    if _is_plain(url, start) or _is_usual(url, start, limits):
        return ""
    path, _, query = url[start:].partition("?")
    host = host_of(url)
    rules: dict[str, ShapeRule] = {}
    # Most URLs are short names in few folders: no rule can be broken by them.
    if (
        len(path) > _PLAIN_CHARACTERS
        or path.count("/") > _PLAIN_SEGMENTS
        or ";" in path
        or path[-2:].strip("/").isdigit()
    ):
        rules |= PATH_RULES
    if query:
        rules |= QUERY_RULES
    if host.count(".") > 2:
        rules |= HOST_RULES
    return next((name for name, rule in rules.items() if rule(path, query, host, limits)), "")


def _is_plain(url: str, start: int) -> bool:
    """Whether a URL, whose path begins at `start`, is as most are: then it is not taken apart."""
    return (
        len(url) <= _PLAIN_CHARACTERS
        and "?" not in url
        and ";" not in url
        and url.count("/", start) <= _PLAIN_SEGMENTS
        and url.count(".", 0, start) <= _PLAIN_DOTS
        and not url[-2:].strip("/").isdigit()
    )


def _is_usual(url: str, start: int, limits: ShapeLimits) -> bool:
    """Whether a URL in more folders has nothing that a rule could find: mere looks that cost less than the rules do."""
    if (
        len(url) > min(_PLAIN_CHARACTERS, limits.characters)
        or _RULED_SIGNS.search(url) is not None
        or url.count(".", 0, start) > _PLAIN_DOTS
        or (url[-2:].strip("/").isdigit() and _YEAR_WITHIN.search(url, start) is not None)
    ):
        return False
    segments = url[start:].split("/")
    return len(segments) - 1 <= limits.segments and len(segments) - len(set(segments)) < _REPEATED_MIN


_RULED_SIGNS: Final = re.compile(r"[?;=(]")
"""A query; and without one of these there is no session id."""
_YEAR_WITHIN: Final = re.compile(r"/[12][0-9]{3}[/-]")
"""What every date in a path begins with; it ends in a digit, and perhaps a slash."""
_REPEATED_MIN: Final = TRAP_SEGMENT_GROUP_REPEATS_MAX - 1
"""Of the segments, with the empty ones and the numbers, as many must be repetitions before a rule asks for them."""
_PLAIN_CHARACTERS: Final = 200
_PLAIN_DOTS: Final = 2
_PLAIN_SEGMENTS: Final = 2
