"""URLs that are let through by their looks are those in which no rule finds anything."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.core.trap import shape
from gossamer.core.trap.shape import ShapeLimits, shape_of

SEGMENTS = st.sampled_from(
    ("a", "b", "", "12", "1850", "2300-01-02", "2300-01", "cal", "05", "7", "x.html", "(s(1)", "sid=1", "a;sid=2", "~u")
)
LIMITS = st.sampled_from((ShapeLimits(1970, 2040), ShapeLimits(1970, 2040, segments=4, characters=60)))


def written(host: str, segments: list[str], query: str) -> str:
    return f"http://{host}/{'/'.join(segments)}{query}"


URLS = st.builds(
    written,
    st.sampled_from(("a.test", "a.b.c.d.test", "h")),
    st.lists(SEGMENTS, max_size=9),
    st.sampled_from(("", "?", "?sid=1", "?date=2300-01-01")),
)


def never(*_: object) -> bool:
    return False


@given(URLS, LIMITS)
@example("http://a.test/cal/2300/01/02", ShapeLimits(1970, 2040))
@example("http://a.test/x/y/2300-01/", ShapeLimits(1970, 2040))
@example("http://a.test/a/b/a/b/a/b", ShapeLimits(1970, 2040))
def test_usual_urls_break_no_rule(url: str, limits: ShapeLimits) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shape, "_is_usual", never)
        by_rules = shape_of(url, limits)
    assert shape_of(url, limits) == by_rules
