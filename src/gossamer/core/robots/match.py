"""Matching a URL's path and query against the patterns of one robots.txt group (RFC 9309, section 2.2.2).

The longest pattern that matches decides; of equal ones, allow. A pattern is compared octet by octet from the first
octet of the path; `*` stands for any octets and a final `$` for the end.

Both sides are first brought to one spelling: escapes in upper case, escaped unreserved and escaped reserved characters
plain, octets outside ASCII and characters that no URI may hold escaped. Four characters keep their two spellings
apart, because they mean something plain: `/` and `?` divide a URL, `*` and `$` are the pattern language (a literal one
is written `%2A` and `%24`, and a plain one in a URL is read so). In a query, though, `/` and `?` divide nothing, so
there the escaped and the plain one are equal, as the RFC's own table has it; that is a second spelling, tried where it
differs.

No regular expression is made from foreign text: a pattern is a list of pieces, each searched once from where the last
one ended, which is exact for patterns of this kind and takes time in proportion to path times pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple


class Rule(NamedTuple):
    """One allow or disallow line of our group."""

    allow: bool
    pattern: str
    """As written, octets as Latin-1 characters."""
    line_number: int


_ESCAPE: Final = re.compile(r"""%[0-9A-Fa-f]{2}|[^\x21-\x7e]|["<>\\^`{|}]""")
_UNUSUAL: Final = re.compile(r"""[%$*"<>\\^`{|}]|[^\x21-\x7e]""")
_UNRESERVED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_PLAIN: Final = frozenset(_UNRESERVED + ":@[]!&'()+,;=")
"""Characters whose escaped and plain spellings are one (RFC 3986 section 2.2 and 2.3, less the four above and `#`)."""


def target_spellings(target: str) -> tuple[str, ...]:
    """The one or two spellings of a URL's path and query that patterns are compared with."""
    if _UNUSUAL.search(target) is None:
        return (target,)
    octets = target.encode("utf-8", "replace").decode("latin-1")
    return _with_open_query(_spelled(octets).replace("*", "%2A").replace("$", "%24"))


class Pattern(NamedTuple):
    """A pattern taken apart: the pieces between its stars (empty ones between adjacent stars do no harm)."""

    pieces: Sequence[str]
    anchored: bool

    def matches(self, target: str) -> bool:
        """Whether one spelling of a target matches."""
        first = self.pieces[0]
        if not target.startswith(first):
            return False
        position = len(first)
        if len(self.pieces) == 1:
            return not self.anchored or position == len(target)
        for piece in self.pieces[1:-1]:
            found = target.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        last = self.pieces[-1]
        if self.anchored:
            return len(target) - len(last) >= position and target.endswith(last)
        return target.find(last, position) >= 0


class RuleTable:
    """The rules of one group, arranged so that a verdict does not look at each of them.

    Patterns without wildcard stand in dictionaries of prefixes, asked once for each length that occurs; the others in a
    list, longest first, left as soon as one matches or none can be longer than what was found.
    """

    __slots__ = ("_lengths", "_plain", "_wild")

    def __init__(self, allows: Mapping[str, int], disallows: Mapping[str, int]) -> None:
        """Pattern as written (octets as Latin-1 characters) -> line number."""
        unusual = _UNUSUAL.search
        # Allow first: of equal patterns it counts.
        self._plain: Final = tuple(
            (allow, {pattern: number for pattern, number in lines.items() if unusual(pattern) is None})
            for allow, lines in ((True, allows), (False, disallows))
        )
        self._lengths: Final = sorted({length for _, plain in self._plain for length in map(len, plain)}, reverse=True)
        self._wild: Final = [
            (length, part, Rule(allow, pattern, number))
            for allow, lines in ((True, allows), (False, disallows))
            for pattern, number in lines.items()
            if unusual(pattern) is not None
            for length, part in _taken_apart(pattern)
        ]
        self._wild.sort(key=lambda row: _rank(row[0], row[2]))

    def deciding(self, target: str) -> Rule | None:
        """The rule that decides for `target` (path and query), or None when none matches."""
        found = [row for spelling in target_spellings(target) for row in self._matches(spelling)]
        return min(found, key=lambda row: _rank(*row))[1] if found else None

    def _matches(self, target: str) -> Iterator[tuple[int, Rule]]:
        """The best rule without and the best with wildcard, each with its length."""
        plain = self._longest_plain(target)
        if plain is not None:
            yield len(plain.pattern), plain
        longest = len(plain.pattern) if plain is not None else 0
        for length, pattern, rule in self._wild:
            if length < longest:
                break
            if pattern.matches(target):
                yield length, rule
                break

    def _longest_plain(self, target: str) -> Rule | None:
        for length in self._lengths:
            prefix = target[:length]
            for allow, plain in self._plain:
                if prefix in plain:
                    return Rule(allow, prefix, plain[prefix])
        return None


def _rank(length: int, rule: Rule) -> tuple[int, bool, int]:
    """Sort key: most octets first, allow before disallow, then file order."""
    return -length, not rule.allow, rule.line_number


def _taken_apart(written: str) -> Iterator[tuple[int, Pattern]]:
    """The one or two spellings of a pattern, each with the length that the pattern counts for."""
    spelled = _spelled(written)
    anchored = spelled[-1] == "$"
    body = (spelled[:-1] if anchored else spelled).replace("$", "%24")
    for spelling in _with_open_query(body):
        yield len(spelled), Pattern(spelling.split("*"), anchored)


def _spelled(octets: str) -> str:
    """Escapes normalised; `octets` are Latin-1 characters."""
    return _ESCAPE.sub(_fold, octets)


def _fold(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) == 1:
        return f"%{ord(text):02X}"
    character = chr(int(text[1:], 16))
    return character if character in _PLAIN else text.upper()


def _with_open_query(spelled: str) -> tuple[str, ...]:
    """`spelled`, and where its query has escaped dividers the spelling with them plain."""
    if "%" not in spelled:
        return (spelled,)
    path, mark, query = spelled.partition("?")
    opened = path + mark + query.replace("%2F", "/").replace("%3F", "?")
    return (spelled,) if opened == spelled else (spelled, opened)
