r"""The URL key: the spelling on which two URLs count as one. We fetch the URL as found and compare its key.

A key is a pure function of the URL and of rules fixed when the crawl is made. What a version folds never changes;
better rules are a new version, and the old ones stay callable because folders were written with them.

Version 1 folds only spellings that RFC 3986 section 6.2.2 calls equivalent and that the URL standard leaves apart:

* the two hexadecimal digits of an escape are upper case: `%7e` is `%7E`;
* an escaped unreserved character (letter, digit, `-._~`) is that character: `%7E` is `~`;
* a character that no URI may hold (`"<>\^`{|}`) is its escape: `|` is `%7C`.

Reserved characters are never touched, in either direction (`%2F` is not `/`), nor are a final slash, an empty query,
the scheme, letter case, or a `%` that starts no escape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

KEY_RULES_NEWEST: Final = 1


@dataclass(frozen=True, slots=True)
class KeyRules:
    """What makes two URLs one. Fixed for the life of a crawl folder. Raises ValueError for an unknown version."""

    version: int = KEY_RULES_NEWEST

    def __post_init__(self) -> None:
        if self.version not in VERSIONS:
            known = ", ".join(map(str, sorted(VERSIONS)))
            raise ValueError(f"key rules version {self.version} is not known here (known: {known})")


def url_key(href: str, rules: KeyRules) -> str:
    """The key of a normalised URL (`core.url.parse`). The key of a key is itself."""
    return VERSIONS[rules.version](href)


def url_keys(hrefs: Iterable[str], rules: KeyRules) -> list[str]:
    """`url_key` of each."""
    return list(map(VERSIONS[rules.version], hrefs))


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


VERSIONS: Final[Mapping[int, Callable[[str], str]]] = MappingProxyType({1: _key_1})
"""Version -> key function. Entries are added, never changed."""
