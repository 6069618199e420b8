"""Reading a robots.txt (RFC 9309, section 2.2; lenient where Google's parser is).

Only what concerns one product token is kept: the rules of all groups that name it, merged, or else of those for `*`.
A group is a run of User-agent lines and the lines after it, up to the next User-agent line that follows a rule. Lines
that are no rule (Sitemap, unknown ones) end no run. Crawl-delay and Request-rate are no rules by the RFC either, so
they end no run for Allow and Disallow; but a delay is meant for the names right above it, so it does for later delays.

Most lines of a large file concern others. So the file is not read line by line: its User-agent lines are searched for,
which gives spans of text between them; only the spans of the group that counts are read, when first asked for.

Files are read to `ROBOTS_BYTES_MAX`; a line cut there is not read. Nothing raises.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice
from typing import Final

from gossamer.core.limits import CRAWL_DELAY_MAX_SECONDS, ROBOTS_BYTES_MAX, ROBOTS_LINE_SHOWN_MAX, ROBOTS_SITEMAPS_MAX
from gossamer.core.robots.match import Rule, RuleTable
from gossamer.core.robots.verdict import ALLOWED, ROBOTS_TARGET, RobotsVerdict


class _Key(Enum):
    AGENT = auto()
    ALLOW = auto()
    DISALLOW = auto()
    SITEMAP = auto()
    DELAY = auto()
    RATE = auto()


_KEYS: Final = {
    "user-agent": _Key.AGENT,
    "useragent": _Key.AGENT,
    "user agent": _Key.AGENT,
    "allow": _Key.ALLOW,
    "disallow": _Key.DISALLOW,
    "dissallow": _Key.DISALLOW,
    "dissalow": _Key.DISALLOW,
    "disalow": _Key.DISALLOW,
    "diasllow": _Key.DISALLOW,
    "disallaw": _Key.DISALLOW,
    "sitemap": _Key.SITEMAP,
    "site-map": _Key.SITEMAP,
    "crawl-delay": _Key.DELAY,
    "crawldelay": _Key.DELAY,
    "crawl delay": _Key.DELAY,
    "request-rate": _Key.RATE,
}
"""Line names in lower case; the misspelt ones are those that Google's parser takes."""

_AGENT_LINE: Final = re.compile(r"\n[^\S\n]*user[- ]?agent[^\S\n]*(:?)([^\n#]*)")
_SITEMAP_LINE: Final = re.compile(r"\n[^\S\n]*site-?map[^\S\n]*(:?)([^\n#]*)")
_IN_RULES: Final = ("llow", "alow", "allaw")
_IN_DELAYS: Final = ("delay", "-rate")
"""What every spelling of a name holds: lines without it need no closer look."""

_RULES: Final = frozenset({_Key.ALLOW, _Key.DISALLOW})
_DELAYS: Final = frozenset({_Key.DELAY, _Key.RATE})
_TOKEN: Final = re.compile(r"[A-Za-z_-]*")
_NUMBER: Final = re.compile(r"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}")
_RATE: Final = re.compile(r"(\d{1,6})\s*/\s*(\d{1,6})\s*([smh]?)", re.IGNORECASE)
_RATE_UNIT_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}
_ANYONE: Final = "*"

_Span = tuple[int, int]
"""Start and end in the text."""


class RobotsRules:
    """The rules of one file for one product token."""

    __slots__ = ("_allows", "_disallows", "_spans", "_table", "_text", "crawl_delay", "sitemaps")

    def __init__(self, text: str, spans: list[_Span], crawl_delay: float, sitemaps: tuple[str, ...]) -> None:
        self.crawl_delay: Final = crawl_delay
        """Seconds from Crawl-delay or Request-rate, at most `CRAWL_DELAY_MAX_SECONDS`; 0 without either."""
        self.sitemaps: Final = sitemaps
        """Values of Sitemap lines in order, whatever group they stand in; not checked, not resolved."""
        self._text = text
        self._spans = spans
        self._allows: Final[dict[str, int]] = {}
        self._disallows: Final[dict[str, int]] = {}
        self._table: RuleTable | None = None

    @staticmethod
    def parse(body: bytes, product: str) -> RobotsRules:
        """Read a content-decoded file for `product`, a product token ("gossamer"; a version after it is left off)."""
        text = _text_of(body)
        # Lower case by octets: names are ASCII, and the case of other letters must not change lengths (nor cost time).
        folded = text.encode("latin-1").lower().decode("latin-1")
        group = _group_of(text, folded, _token(product))
        delay = max((_delay_in(text, folded, span) for span in group.delay_spans), default=0.0)
        return RobotsRules(text, group.rule_spans, min(delay, CRAWL_DELAY_MAX_SECONDS), _sitemaps_in(text, folded))

    @property
    def rules(self) -> list[Rule]:
        """The rules that apply, in file order, each pattern once."""
        self._read()
        rows = [
            Rule(allow, pattern, number)
            for allow, lines in ((True, self._allows), (False, self._disallows))
            for pattern, number in lines.items()
        ]
        return sorted(rows, key=lambda rule: rule.line_number)

    def verdict(self, path_and_query: str) -> RobotsVerdict:
        """What the file says of a URL with this path and query (normalised, `Url.target`)."""
        if path_and_query == ROBOTS_TARGET:
            return ALLOWED
        if self._table is None:
            self._read()
            self._table = RuleTable(self._allows, self._disallows)
        rule = self._table.deciding(path_and_query)
        if rule is None:
            return ALLOWED
        return RobotsVerdict(rule.allow, _shown(rule), rule.line_number)

    def _read(self) -> None:
        """Read the rules, once, and let go of the text: there may be a hundred thousand of these."""
        for span in self._spans:
            _read_rules(self._text, span, self._allows, self._disallows)
        self._text, self._spans = "", []


@dataclass(slots=True)
class _Group:
    """Where all groups of one token say something."""

    rule_spans: list[_Span] = field(default_factory=list[_Span])
    delay_spans: list[_Span] = field(default_factory=list[_Span])


def _group_of(text: str, folded: str, product: str) -> _Group:
    """The merged group of our token where a line names it, even without rules; else that of `*`."""
    groups: dict[str, _Group] = {}
    ruled: set[str] = set()  # of the two tokens that matter those that a rule here belongs to
    delayed: set[str] = set()
    agents = _agents_in(text, folded)
    ends = [*(start for _, start in agents), len(text)][1:]
    for (token, start), end in zip(agents, ends, strict=True):
        if token in (product, _ANYONE):
            ruled.add(token)
            delayed.add(token)
        span = (start, end)
        for wanted in ruled:
            groups.setdefault(wanted, _Group()).rule_spans.append(span)
        for wanted in delayed:
            groups.setdefault(wanted, _Group()).delay_spans.append(span)
        if ruled and _has(text, folded, span, _IN_RULES, _RULES):
            ruled, delayed = set(), set()
        elif delayed and _has(text, folded, span, _IN_DELAYS, _DELAYS):
            delayed = set()
    return (groups.get(product) if product else None) or groups.get(_ANYONE) or _Group()


def _agents_in(text: str, folded: str) -> list[tuple[str, int]]:
    """Token and start of each User-agent line. A name that is no token is an empty one."""
    agents: list[tuple[str, int]] = []
    for start, name in _values(text, folded, _AGENT_LINE, _Key.AGENT):
        # "* anything" counts as "*", as with Google; of "bot/2.1" the token is "bot" (RFC 9309 section 2.2.1).
        anyone = name[:1] == _ANYONE and (len(name) == 1 or name[1].isspace())
        agents.append((_ANYONE if anyone else _token(name), start))
    return agents


def _values(text: str, folded: str, pattern: re.Pattern[str], key: _Key) -> Iterator[tuple[int, str]]:
    """Start and value of each line that `pattern` finds and that is a `key` line."""
    # The pattern begins with the line end before, so that only line starts are looked at: one is put before the first
    # line, and what is a place after a line end there is one less here.
    for found in pattern.finditer("\n" + folded):
        start, first, last = found.start(), found.start(2) - 1, found.end(2) - 1
        if found[1]:
            yield start, text[first:last].strip()
        else:
            named, value = _split(text[start:last])
            if named is key:
                yield start, value


def _has(text: str, folded: str, span: _Span, parts: tuple[str, ...], keys: frozenset[_Key]) -> bool:
    return any(_split(text[start:end])[0] in keys for part in parts for start, end in _lines_with(folded, part, span))


def _lines_with(folded: str, part: str, span: _Span) -> Iterator[_Span]:
    """The lines within `span` that hold `part`, each once. Spans begin at line starts."""
    position, last = span
    while (found := folded.find(part, position, last)) >= 0:
        start = folded.rfind("\n", position, found) + 1 or position
        end = folded.find("\n", found)
        end = len(folded) if end < 0 else end
        position = end + 1
        yield start, end


def _read_rules(text: str, span: _Span, allows: dict[str, int], disallows: dict[str, int]) -> None:
    """Enter the rules of a span: pattern -> line number. By whole columns, for spans of ten thousand lines."""
    start, end = span
    lines = text[start:end].split("\n")
    if text.find("#", start, end) >= 0:
        lines = [line.partition("#")[0] for line in lines]
    parts = [line.partition(":") if ":" in line else _two_words(line) for line in lines]
    keys = {name: _KEYS.get(name.strip().lower()) for name in {name for name, _, _ in parts}}
    first = 1 + text.count("\n", 0, start)
    for key, rules in ((_Key.ALLOW, allows), (_Key.DISALLOW, disallows)):
        names = {name for name, found in keys.items() if found is key}
        values = {value: number for number, (name, _, value) in enumerate(parts, first) if name in names}
        # A path begins with a slash, so a pattern that begins otherwise matches nothing, like an empty one.
        rules.update(
            {pattern: number for value, number in values.items() if (pattern := value.strip()).startswith(("/", "*"))}
        )


def _delay_in(text: str, folded: str, span: _Span) -> float:
    """The largest delay stated there: the file's author asked for it somewhere."""
    longest = 0.0
    for part in _IN_DELAYS:
        for start, end in _lines_with(folded, part, span):
            key, value = _split(text[start:end])
            if key is _Key.DELAY:
                longest = max(longest, _delay_seconds(value))
            elif key is _Key.RATE:
                longest = max(longest, _rate_seconds(value))
    return longest


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
    values = (value for _, value in _values(text, folded, _SITEMAP_LINE, _Key.SITEMAP) if value)
    some = islice(values, ROBOTS_SITEMAPS_MAX)
    return tuple(value.encode("latin-1").decode("utf-8", "replace") for value in some)


def _token(name: str) -> str:
    found = _TOKEN.match(name)
    return found[0].lower() if found else ""


def _split(line: str) -> tuple[_Key | None, str]:
    """Name and value of a line, comment and odd spacing seen to."""
    content = line.partition("#")[0]
    name, _, value = content.partition(":") if ":" in content else _two_words(content)
    return _KEYS.get(name.strip().lower()), value.strip()


def _two_words(line: str) -> tuple[str, str, str]:
    """A line without colon: name and value where it is two words, as Google's parser takes it, else neither."""
    words = line.split()
    return (words[0], ":", words[1]) if len(words) == 2 else ("", "", "")


def _text_of(body: bytes) -> str:
    """The file as Latin-1 text, one character an octet, so that no file is undecodable; lines end in LF."""
    cut = len(body) > ROBOTS_BYTES_MAX
    text = _without_mark(body[:ROBOTS_BYTES_MAX]).decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text[: text.rfind("\n") + 1] if cut else text


def _without_mark(body: bytes) -> bytes:
    """UTF-8 octets without byte order mark. A mark that lost its end is one too, as with Google; UTF-16 is turned."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if body.startswith(mark):
            return body[2:].decode(encoding, "replace").encode("utf-8", "replace")
    length = next((length for length in (3, 2, 1) if body.startswith(codecs.BOM_UTF8[:length])), 0)
    return body[length:]


def _shown(rule: Rule) -> str:
    pattern = rule.pattern.encode("latin-1").decode("utf-8", "replace")
    return f"{'Allow' if rule.allow else 'Disallow'}: {pattern}"[:ROBOTS_LINE_SHOWN_MAX]
