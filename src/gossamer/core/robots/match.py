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
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple


class Rule(NamedTuple):
    """One allow or disallow line of our group."""

    allow: bool
    pattern: str
    """As written, octets as Latin-1 characters."""
    line_number: int


_ESCAPE: Final = re.compile(r"""%[0-9A-Fa-f]{2}|[^\x21-\x7e]|["<>\\^`{|}]""")
_UNUSUAL: Final = re.compile(r"""[%$*"<>\\^`{|}]|[^\x21-\x7e]""")
_USUAL_OCTETS: Final = b"\n" + bytes(octet for octet in range(256) if _UNUSUAL.search(chr(octet)) is None)
_HEAD_CHARACTERS: Final = 12
_UNUSUAL_SEARCHED_MAX: Final = 6
"""Unusual characters whose lines are searched for; with more of them each line is looked at."""
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

    Patterns without wildcard or escape stand in sets of prefixes, asked once for each length that occurs. The others
    are filed under what they begin with up to the first unusual character, so that a target meets only those that
    may match it; a file of them is taken apart and sorted, longest first, when first met.
    """

    __slots__ = ("_heads", "_lengths", "_plain", "_sorted")

    def __init__(self, allows: list[str], disallows: list[str]) -> None:
        """Patterns as written, octets as Latin-1 characters."""
        kinds = [(True, _told_apart(allows)), (False, _told_apart(disallows))]
        # Allow first: of equal patterns it counts.
        self._plain: Final = [(allow, frozenset(plain)) for allow, (plain, _) in kinds if plain]
        self._lengths: Final = sorted(
            {length for _, (plain, _) in kinds for length in set(map(len, plain))}, reverse=True
        )
        self._heads: Final[dict[str, list[tuple[bool, str]]]] = {}
        self._sorted: Final[dict[str, list[_Odd]]] = {}
        for allow, (_, odd) in kinds:
            for pattern in odd:
                self._heads.setdefault(_head_of(pattern), []).append((allow, pattern))

    def deciding(self, target: str) -> tuple[bool, str] | None:
        """Allow and pattern of the rule that decides for `target` (path and query), or None when none matches."""
        found = [row for spelling in target_spellings(target) for row in self._matches(spelling)]
        if not found:
            return None
        _, allow, pattern = min(found, key=lambda row: (-row[0], not row[1]))
        return allow, pattern

    def _matches(self, target: str) -> Iterator[tuple[int, bool, str]]:
        """The best rule without wildcard, and the best of each file of the others: length, allow, pattern."""
        plain = self._longest_plain(target)
        longest = 0
        if plain is not None:
            longest = len(plain[1])
            yield longest, *plain
        for head in self._heads:
            if target.startswith(head):
                for odd in self._file(head):
                    if odd.length < longest:
                        break
                    if odd.parts.matches(target):
                        yield odd.length, odd.allow, odd.pattern
                        break

    def _longest_plain(self, target: str) -> tuple[bool, str] | None:
        for length in self._lengths:
            prefix = target[:length]
            for allow, plain in self._plain:
                if prefix in plain:
                    return allow, prefix
        return None

    def _file(self, head: str) -> list[_Odd]:
        """The patterns that begin with `head`, the most octets first, allow before disallow."""
        rows = self._sorted.get(head)
        if rows is None:
            rows = [
                _Odd(length, allow, pattern, part)
                for allow, pattern in self._heads[head]
                for length, part in taken_apart(pattern)
            ]
            rows.sort(key=lambda row: (-row.length, not row.allow))
            self._sorted[head] = rows
        return rows


class _Odd(NamedTuple):
    """A pattern with wildcard or escape, ready to be tried."""

    length: int
    allow: bool
    pattern: str
    parts: Pattern


def _head_of(pattern: str) -> str:
    found = _UNUSUAL.search(pattern)
    # Few distinct heads, long enough to keep most patterns of a large file away from most targets.
    return pattern[: min(found.start(), _HEAD_CHARACTERS)] if found is not None else pattern[:_HEAD_CHARACTERS]


def _told_apart(patterns: list[str]) -> tuple[list[str], Iterable[str]]:
    """Patterns of usual characters alone, and the others."""
    joined = "\n".join(patterns)
    # One pass over all of them tells which unusual characters occur at all: mostly none, or only a star.
    unusual = set(joined.encode("latin-1").translate(None, _USUAL_OCTETS))
    if not unusual:
        return patterns, ()
    if len(unusual) > _UNUSUAL_SEARCHED_MAX:
        odd = {pattern for pattern in patterns if _UNUSUAL.search(pattern) is not None}
    else:
        odd = {line for octet in unusual for line in _holding(joined, chr(octet))}
    return [pattern for pattern in patterns if pattern not in odd], odd


def _holding(joined: str, character: str) -> Iterator[str]:
    """The lines that hold a character."""
    position = 0
    while (found := joined.find(character, position)) >= 0:
        start = joined.rfind("\n", 0, found) + 1
        end = joined.find("\n", found)
        position = len(joined) if end < 0 else end
        yield joined[start:position]


def taken_apart(written: str) -> Iterator[tuple[int, Pattern]]:
    """The one or two spellings of a pattern, each with the length that the pattern counts for."""
    spelled = _spelled(written)
    anchored = spelled[-1] == "$"
    body = (spelled[:-1] if anchored else spelled).replace("$", "%24")
    for spelling in _with_open_query(body) if "%" in body else (body,):
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
