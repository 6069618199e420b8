"""Other spellings of a URL whose parameters, or whose session, alone differ: one of them is enough.

`?size=m&colour=red` and `?colour=red&size=m` are one page wherever forms are read as forms are; a segment that is a
session's id stands in front of the same pages for every session. The first spelling found is kept; another is refused
as long as that one is remembered. What is forgotten meanwhile is fetched once more, and novelty sees that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.limits import TRAP_SHAPES_CACHED_MAX, TRAP_SPELLINGS_CACHED_MAX

if TYPE_CHECKING:
    from collections.abc import Iterable

_SESSION: Final = re.compile(
    r"(?<=/)(?:(?:s|sid|sess|session|sessionid)[/-](?=[A-Za-z]{0,16}[0-9])[0-9A-Za-z]{16,64}|\(S\([0-9a-z]{24}\)\))(?=/)",
    re.IGNORECASE,
)
"""A session's segment: `/s/9f86d081884c7d65/`, `/session-9f86d081884c7d65/`, ASP.NET's `/(S(...))/`."""


class Spellings:
    """Which spelling of each such URL came first."""

    __slots__ = ("_alone", "_first")

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        """Oldest first."""
        self._alone: set[str] = set()
        """URLs met lately that have no other spelling: nearly all that there are."""

    def of_several(self, urls: Iterable[str]) -> set[str]:
        """Those that may have been met in another spelling; only they need be asked about."""
        unknown = set(urls).difference(self._alone)
        if not unknown:
            return unknown
        several = {url for url in unknown if ("?" in url or "/s" in url or "/(" in url) and _common(url)[1]}
        if len(self._alone) > TRAP_SHAPES_CACHED_MAX:
            self._alone.clear()
        self._alone |= unknown - several
        return several

    def met(self, url: str) -> str:
        """A wanted link: the rule by which it is refused as another spelling of one met before; empty for none."""
        common, rule = _common(url)
        if not rule:
            return ""
        first = self._first.setdefault(common, url)
        if len(self._first) > TRAP_SPELLINGS_CACHED_MAX:
            del self._first[next(iter(self._first))]
        return "" if first == url else rule

    def rule_of(self, url: str) -> str:
        """The same, asked by somebody who has not met it as a link."""
        common, rule = _common(url)
        return rule if self._first.get(common, url) != url else ""


def _common(url: str) -> tuple[str, str]:
    """What all spellings of a URL have in common, and by which rule; empty for a URL that has no others."""
    path, mark, query = url.partition("?")
    common, sessions = _SESSION.subn("*", path) if "/s" in path or "/(" in path or "/S" in path else (path, 0)
    several = "&" in query
    if several:
        common = f"{common}?{'&'.join(sorted(query.split('&')))}"
    elif mark:
        common = f"{common}?{query}"
    rule = SESSION if sessions else PERMUTED if several else ""
    return common, rule


SESSION: Final = "session"
PERMUTED: Final = "permuted parameters"
