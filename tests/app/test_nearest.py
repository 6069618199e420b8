from __future__ import annotations

import pytest

from gossamer.app.nearest import WORD_MAX, nearest

WORDS = ["status", "explain", "politeness.gap", "limits.pages"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("statsu", "status"),
        ("gap", "politeness.gap"),
        ("zzz", None),
        ("", None),
        ("status" + "s" * WORD_MAX, None),
        ("status" * 1_000_000, None),
    ],
    ids=range(6),
)
def test_the_nearest_word(word: str, found: str | None) -> None:
    assert nearest(word, WORDS) == found
