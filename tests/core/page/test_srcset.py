from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import SRCSET_CANDIDATES_MAX
from gossamer.core.page.srcset import srcset_urls
from tests.published import SHARED, needs_shared


@pytest.mark.parametrize(
    ("value", "urls"),
    [
        ("a.jpg 800w,\n  b.jpg 480w, c.jpg", ["a.jpg", "b.jpg", "c.jpg"]),
        ("https://n.example/1.png, https://n.example/2.png", ["https://n.example/1.png", "https://n.example/2.png"]),
        ("data:,a 1x", ["data:,a"]),
        ("a,b", ["a,b"]),
        ("a 1x 2x, b", ["b"]),
        ("a 1w 2h, b 1h", ["a"]),
        ("a (x, y) , b", ["b"]),
        (" , ,", []),
        ("", []),
    ],
)
def test_candidates(value: str, urls: list[str]) -> None:
    assert srcset_urls(value) == urls


def test_candidates_are_bounded() -> None:
    assert len(srcset_urls("a 1x, " * 10_000)) == SRCSET_CANDIDATES_MAX


@needs_shared
def test_published_values() -> None:
    for case in json.loads((SHARED / "data/wpt-html/srcset.json").read_text(encoding="utf-8"))["cases"]:
        urls = srcset_urls(case["srcset"])
        assert urls[:1] == ([case["chosen"]] if case["chosen"] else []), case


@given(st.text(alphabet="a1.xwh,() \t-eE", max_size=60))
def test_never_raises(value: str) -> None:
    assert all(srcset_urls(value))
