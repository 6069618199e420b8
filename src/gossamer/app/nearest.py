"""The nearest known word to one that somebody typed."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


WORD_MAX: Final = 100
"""Characters of a word that is compared: no name of ours is longer, and to compare a million takes a second."""


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The one of `words` that `word` was most likely meant to be. Dotted words are also found by their last part."""
    if len(word) > WORD_MAX:
        return None
    known = list(words)
    by_tail = {item.rpartition(".")[2]: item for item in known}
    tail = word.rpartition(".")[2].replace("-", "_")
    found = difflib.get_close_matches(word, known, 1, 0.75)
    if found:
        return found[0]
    found = difflib.get_close_matches(tail, by_tail, 1, 0.75)
    if found:
        return by_tail[found[0]]
    return next(iter(difflib.get_close_matches(word, known, 1, 0.5)), None)
