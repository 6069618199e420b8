"""Include and exclude patterns on RE2, whose time is linear in the URL whatever the pattern says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import re2


class Patterns:
    """A set of regular expressions, each searched for anywhere in a URL (anchor with `^` and `$`)."""

    __slots__ = ("_set", "patterns")

    def __init__(self, patterns: Sequence[str]) -> None:
        """Raises ValueError for a pattern that RE2 does not take, with its own words."""
        self.patterns: Final = tuple(patterns)
        options = re2.Options()
        options.log_errors = False
        self._set: Final = re2.Set.SearchSet(options)
        for pattern in self.patterns:
            try:
                re2.compile(pattern, options)
            except re2.error as error:
                raise ValueError(f"pattern {pattern!r} is not one of RE2's ({_words(error)})") from error
            self._set.Add(pattern)
        if self.patterns:
            self._set.Compile()

    def find(self, url: str) -> str | None:
        """The first pattern of the list with a match in `url`, or None."""
        found = self._set.Match(url) if self.patterns else None
        return self.patterns[min(found)] if found else None


def _words(error: Exception) -> str:
    first = error.args[0] if error.args else ""
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)
