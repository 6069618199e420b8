r"""The URL key: the spelling on which two URLs count as one. We fetch the URL as found and compare its key.

A key is a pure function of the URL and of rules fixed when the crawl is made. What a version folds never changes;
better rules are a new version, and the old ones stay callable because folders were written with them. The URL parser
has folded before, because the URL standard does: letter case of scheme and host, default port, dot segments.

Version 1 folds only spellings that RFC 3986 section 6.2.2 calls equivalent and that the URL standard leaves apart:

* the two hexadecimal digits of an escape are upper case: `%7e` is `%7E`;
* an escaped unreserved character (letter, digit, `-._~`) is that character: `%7E` is `~`;
* a character that no URI may hold (`"<>\^`{|}`) is its escape: `|` is `%7C`.

Version 2 folds besides what changes no page anywhere that we know of:

* the host's final dot: `example.com.` is `example.com`;
* parameters that only track, and session ids, in the query and in the path (`core.url.key_parameters`);
* the order of parameters: they are sorted by name, those of one name keeping their order, which may matter;
* empty parameters, and a query without any: `/a?`, `/a?&` and `/a` are one.

Reserved characters are never touched, in either direction (`%2F` is not `/`, `+` is not `%20`), nor are a final slash,
an index page's name, `www.`, the scheme, letter case of the path, or a `%` that starts no escape. What of these makes
no difference on one host is learned there (`core.url.alias`).
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from gossamer.core.limits import PARAMETER_NAMES_CACHED
from gossamer.core.url.key_parameters import (
    SESSION_IN_QUERY_2,
    SESSION_SEGMENT_2,
    SESSION_SUFFIX_2,
    SESSION_VALUE_2,
    SESSIONS_2,
    SESSIONS_BY_VALUE_2,
    name_matcher,
    tracking_names,
)

KEY_RULES_NEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class KeyRules:
    """What makes two URLs one. Fixed for the life of a crawl folder. Raises ValueError for an unknown version."""

    version: int = KEY_RULES_NEWEST
    drop: tuple[str, ...] = ()
    """Names of parameters left out beyond the version's own; `*` at the end stands for any ending."""
    keep: tuple[str, ...] = ()
    """Names of parameters that are not left out although the version or `drop` says so."""

    def __post_init__(self) -> None:
        if self.version not in VERSIONS:
            known = ", ".join(map(str, sorted(VERSIONS)))
            raise ValueError(f"key rules version {self.version} is not known here (known: {known})")


def url_key(href: str, rules: KeyRules) -> str:
    """The key of a normalised URL (`core.url.parse`). The key of a key is itself."""
    return _key_function(rules)(href)


def url_keys(hrefs: Iterable[str], rules: KeyRules) -> list[str]:
    """`url_key` of each."""
    return list(map(_key_function(rules), hrefs))


@functools.lru_cache(maxsize=16)
def _key_function(rules: KeyRules) -> Callable[[str], str]:
    return VERSIONS[rules.version](rules)


# --- version 1 ------------------------------------------------------------------------------------------------------

_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_FOLDED_1: Final = re.compile(r"""%[0-9A-Fa-f]{2}|["<>\\^`{|}]""")


def _key_1(href: str) -> str:
    return href if _FOLDED_1.search(href) is None else _FOLDED_1.sub(_fold_1, href)


def _fold_1(found: re.Match[str]) -> str:
    spelling = found[0]
    if len(spelling) == 1:
        return f"%{ord(spelling):02X}"
    character = chr(int(spelling[1:], 16))
    start = found.start()
    # After a stray percent sign a decoded character could complete an escape that is not there: "%%32e" is not "%2e".
    after_stray = "%" in found.string[max(start - 2, 0) : start]
    return character if character in _UNRESERVED and not after_stray else spelling.upper()


# --- version 2 ------------------------------------------------------------------------------------------------------

_OWN_KEY_2: Final = re.compile(r"""https?://[^?;(%"<>\\^`{|}:/]++(?<!\.)[^?;(%"<>\\^`{|}]++""")
"""A URL that is its own key: nothing in it that could be folded, and a host without final dot."""
_FINAL_DOT_2: Final = re.compile(r"(?<=[^./])\.(?=(?::[0-9]+)?$)")
"""Not after an empty label: such a name is none, and stays apart from the one that is."""


def _keys_2(rules: KeyRules) -> Callable[[str], str]:
    fate_of, is_own_key = _fates_2(rules), _OWN_KEY_2.fullmatch

    def key(href: str) -> str:
        if is_own_key(href) is not None:
            return href
        base, _, query = _key_1(href).partition("?")
        start = base.index("/", 8)
        if base[start - 1] == "." or ".:" in base or ";" in base or "(" in base:
            base = _FINAL_DOT_2.sub("", base[:start]) + _path_2(base[start:])
        if ";" in query:
            query = SESSION_IN_QUERY_2.sub("", query)
        left: list[tuple[str, str]] = []
        for parameter in query.split("&") if query else ():
            name, _, value = parameter.partition("=")
            fate = fate_of(name)
            if parameter and (fate == _STAYS or (fate == _STAYS_BY_VALUE and not SESSION_VALUE_2.fullmatch(value))):
                left.append((name, parameter))
        if len(left) > 1:
            left.sort(key=_NAME)
        return f"{base}?{'&'.join([parameter for _, parameter in left])}" if left else base

    return key


_STAYS: Final = 0
_STAYS_BY_VALUE: Final = 1
_GOES: Final = 2
_NAME: Final = operator.itemgetter(0)


def _fates_2(rules: KeyRules) -> Callable[[str], int]:
    """What becomes of a parameter, by its name."""
    dropped = name_matcher((*tracking_names(), *SESSIONS_2.split(), *rules.drop))
    by_value = name_matcher(SESSIONS_BY_VALUE_2.split())
    kept = name_matcher(rules.keep)

    @functools.lru_cache(maxsize=PARAMETER_NAMES_CACHED)
    def fate(name: str) -> int:
        name = name.lower()
        if kept(name):
            return _STAYS
        return _GOES if dropped(name) else _STAYS_BY_VALUE if by_value(name) else _STAYS

    return fate


def _path_2(path: str) -> str:
    path = SESSION_SEGMENT_2.sub("", path)
    left = SESSION_SUFFIX_2.sub("", path)
    # A segment of dots alone would be another place.
    return path if any(segment in (".", "..") for segment in left.split("/")) else left


VERSIONS: Final[Mapping[int, Callable[[KeyRules], Callable[[str], str]]]] = MappingProxyType(
    {1: lambda _rules: _key_1, 2: _keys_2}
)
"""Version -> what makes its key function. Entries are added, never changed."""
