"""Reading a robots.txt (RFC 9309, section 2.2; lenient where Google's parser is).

Only what concerns one product token is kept: the rules of all groups that name it, merged, or else of those for `*`.
A group is a run of User-agent lines and the lines after it, up to the next User-agent line that follows a rule. Lines
that are no rule (Sitemap, unknown ones) end no run. Crawl-delay, Request-rate and statements on use are no rules by the
RFC either, so they end no run for Allow and Disallow; but they are meant for the names right above them, so they do for
later lines of their kind.

Most lines of a large file concern others. So the file is not read line by line: its User-agent lines are searched for,
which gives spans of text between them; only the spans of the group that counts are read, when first asked for.

Files are read to `ROBOTS_BYTES_MAX`; a line cut there is not read. Nothing raises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Final

from gossamer.core.limits import CRAWL_DELAY_MAX_SECONDS, ROBOTS_LINE_SHOWN_MAX, ROBOTS_SITEMAPS_MAX
from gossamer.core.robots.lines import (
    AFTER_NAMES,
    BLANKS,
    IN_AFTER_NAMES,
    IN_RULES,
    RULES,
    Key,
    Span,
    folded_of,
    lines_with,
    split_line,
    text_of,
    utf8_of,
    values_of,
)
from gossamer.core.robots.match import Rule
from gossamer.core.robots.rules import RuleLines
from gossamer.core.robots.usage import NOTHING_STATED, RobotsUsage, UsageTable
from gossamer.core.robots.verdict import ALLOWED, ROBOTS_TARGET, RobotsVerdict

_TOKEN: Final = re.compile(r"[A-Za-z_-]*")
_NUMBER: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}")
_RATE: Final = re.compile(r"([0-9]{1,6})[ \t]*/[ \t]*([0-9]{1,6})[ \t]*([smh]?)", re.IGNORECASE)
_RATE_UNIT_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}
_ANYONE: Final = "*"
_AGENT: Final = "user-agent:"


SHORT_BYTES: Final = 1024
"""Up to this length the rules of a file are remembered by its bytes."""
SHORT_KEPT: Final = 2048
"""Files remembered so: 2 MB of their bytes at most, and what is read of them."""


class RobotsRules:
    """The rules of one file for one product token."""

    __slots__ = ("_rules", "_usage", "crawl_delay", "sitemaps")

    def __init__(
        self, rules: RuleLines, usage: UsageTable | None, crawl_delay: float, sitemaps: tuple[str, ...]
    ) -> None:
        self.crawl_delay: Final = crawl_delay
        """Seconds from Crawl-delay or Request-rate, at most `CRAWL_DELAY_MAX_SECONDS`; 0 without either."""
        self.sitemaps: Final = sitemaps
        """Values of Sitemap lines in order, whatever group they stand in; not checked, not resolved."""
        self._rules: Final = rules
        self._usage: Final = usage

    @staticmethod
    def parse(body: bytes, product: str) -> RobotsRules:
        """Read a content-decoded file for `product`, a product token ("gossamer"; a version after it is left off)."""
        return _read_short(body, product) if len(body) <= SHORT_BYTES else _read(body, product)

    @property
    def rules(self) -> list[Rule]:
        """The rules that apply, in file order, each pattern once."""
        return self._rules.all()

    def verdict(self, path_and_query: str) -> RobotsVerdict:
        """What the file says of a URL with this path and query (normalised, `Url.target`)."""
        if path_and_query == ROBOTS_TARGET:
            return ALLOWED
        rule = self._rules.deciding(path_and_query)
        if rule is None:
            return ALLOWED
        return RobotsVerdict(rule.allow, _shown(rule), rule.line_number)

    def usage(self, path_and_query: str) -> RobotsUsage:
        """What the file says of the use that may be made of what is fetched there."""
        return self._usage.stated(path_and_query) if self._usage is not None else NOTHING_STATED


def _read(body: bytes, product: str) -> RobotsRules:
    text = text_of(body)
    folded = folded_of(text)
    group = _group_of(text, folded, _token(product))
    delay = max((_delay_in(text, folded, span) for span in group.after_spans), default=0.0)
    usage = UsageTable.read(text, folded, [group.before, *group.after_spans])
    rules = RuleLines(text, group.rule_spans)
    return RobotsRules(rules, usage, min(delay, CRAWL_DELAY_MAX_SECONDS), _sitemaps_in(text, folded))


_read_short: Final = lru_cache(maxsize=SHORT_KEPT)(_read)
"""Most files are short, and very many are the same: what programs of sites put there. Their rules are shared."""


@dataclass(slots=True)
class _Group:
    """Where all groups of one token say something."""

    rule_spans: list[Span] = field(default_factory=list[Span])
    after_spans: list[Span] = field(default_factory=list[Span])
    before: Span = (0, 0)
    """What stands before all groups."""


def _group_of(text: str, folded: str, product: str) -> _Group:
    """The merged group of our token where a line names it, even without rules; else that of `*`."""
    groups: dict[str, _Group] = {}
    ruled: set[str] = set()  # of the two tokens that matter those that a rule here belongs to
    delayed: set[str] = set()
    agents = _agents_in(folded)
    ends = [*(start for _, start in agents), len(text)][1:]
    for (token, start), end in zip(agents, ends, strict=True):
        if token in (product, _ANYONE):
            ruled.add(token)
            delayed.add(token)
        span = (start, end)
        for wanted in ruled:
            groups.setdefault(wanted, _Group()).rule_spans.append(span)
        for wanted in delayed:
            groups.setdefault(wanted, _Group()).after_spans.append(span)
        if ruled and _has(text, folded, span, IN_RULES, RULES):
            ruled, delayed = set(), set()
        elif delayed and _has(text, folded, span, IN_AFTER_NAMES, AFTER_NAMES):
            delayed = set()
    group = (groups.get(product) if product else None) or groups.get(_ANYONE) or _Group()
    group.before = (0, agents[0][1] if agents else len(text))
    return group


def _agents_in(folded: str) -> list[tuple[str, int]]:
    """Token and start of each User-agent line. A name that is no token is an empty one."""
    agents: list[tuple[str, int]] = []
    for start, end in lines_with(folded, "agent", (0, len(folded))):
        line = folded[start:end]
        if line.startswith(_AGENT) and "#" not in line:
            # Some files name a thousand agents, nearly always so.
            name = line[len(_AGENT) :].strip(BLANKS)
        else:
            key, name = split_line(line)
            if key is not Key.AGENT:
                continue
        # "* anything" counts as "*", as with Google; of "bot/2.1" the token is "bot" (RFC 9309 section 2.2.1).
        anyone = name[:1] == _ANYONE and (len(name) == 1 or name[1] in BLANKS)
        agents.append((_ANYONE if anyone else _token(name), start))
    return agents


def _has(text: str, folded: str, span: Span, parts: tuple[str, ...], keys: frozenset[Key]) -> bool:
    return next(values_of(text, folded, span, parts, keys), None) is not None


def _delay_in(text: str, folded: str, span: Span) -> float:
    """The largest delay stated there: the file's author asked for it somewhere."""
    delays = values_of(text, folded, span, ("delay",), frozenset({Key.DELAY}))
    rates = values_of(text, folded, span, ("request",), frozenset({Key.RATE}))
    return max([*map(_delay_seconds, delays), *map(_rate_seconds, rates)], default=0.0)


def _delay_seconds(value: str) -> float:
    found = _NUMBER.match(value)
    return float(found[0]) if found else 0.0


def _rate_seconds(value: str) -> float:
    """Seconds a page from "pages/time", as in "1/10m"; a time of day after it is not looked at."""
    found = _RATE.match(value)
    if found is None or int(found[1]) == 0:
        return 0.0
    return int(found[2]) * _RATE_UNIT_SECONDS[found[3].lower()] / int(found[1])


def _sitemaps_in(text: str, folded: str) -> tuple[str, ...]:
    lines = (split_line(text[start:end]) for start, end in lines_with(folded, "map", (0, len(folded))))
    values = (value for key, value in lines if key is Key.SITEMAP and value)
    return tuple(map(utf8_of, islice(values, ROBOTS_SITEMAPS_MAX)))


def _token(name: str) -> str:
    found = _TOKEN.match(name)
    return found[0].lower() if found else ""


def _shown(rule: Rule) -> str:
    return f"{'Allow' if rule.allow else 'Disallow'}: {utf8_of(rule.pattern)}"[:ROBOTS_LINE_SHOWN_MAX]
