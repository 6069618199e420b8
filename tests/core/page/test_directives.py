from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.directives import read_directives

CASES: list[tuple[list[tuple[str, str]], list[str], set[str]]] = [
    ([], [], set()),
    ([("robots", "NOINDEX, NoFollow")], [], {"noindex", "nofollow"}),
    ([("ROBOTS", "none")], [], {"noindex", "nofollow"}),
    ([("robots", "index,follow"), ("robots", "noindex")], [], {"noindex"}),
    ([("robots", "noindex nofollow")], [], {"noindex", "nofollow"}),
    ([("robots", "noindex;nofollow")], [], {"noindex", "nofollow"}),
    ([("Gossamer", "noarchive")], [], {"noarchive"}),
    ([("robots", "nocache")], [], {"noarchive"}),
    ([("robots", "index"), ("gossamer", "noindex")], [], {"noindex"}),
    ([("robots", "noindex"), ("gossamer", "index")], [], {"noindex"}),
    ([("googlebot", "none"), ("description", "noindex")], [], set()),
    ([("robots", "all, max-snippet:20, unknown")], [], set()),
    ([("robots", "max-image-preview: none, noarchive")], [], {"noarchive"}),
    ([], ["noindex"], {"noindex"}),
    ([], ["noarchive", "nofollow"], {"nofollow", "noarchive"}),
    ([], ["googlebot: noindex, nofollow"], set()),
    ([], ["otherbot: noindex, gossamer: nofollow, noarchive"], {"nofollow", "noarchive"}),
    ([], ["gossamer: nofollow, otherbot: noindex"], {"nofollow"}),
    ([], ["GOSSAMER : none"], {"noindex", "nofollow"}),
    ([], ["*: noindex"], {"noindex"}),
    ([], ["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], {"nofollow"}),
    ([], ["unavailable_after: Friday, 25-Jun-10 15:00:00 PST, nofollow"], {"nofollow"}),
    ([], ["unavailable_after: some day, nofollow"], {"nofollow"}),
    ([], ["otherbot: unavailable_after: 2010-06-25, noindex"], set()),
    ([], ["max-image-preview: none"], set()),
    ([("robots", "index")], ["noindex"], {"noindex"}),
]


@pytest.mark.parametrize(("metas", "robots_tags", "effects"), CASES)
def test_most_restrictive_wins(metas: list[tuple[str, str]], robots_tags: list[str], effects: set[str]) -> None:
    directives = read_directives(metas, robots_tags)
    assert {name for name in ("noindex", "nofollow", "noarchive") if getattr(directives, name)} == effects


def test_what_holds_for_us_is_kept_as_data() -> None:
    metas = [("robots", "nosnippet, max-snippet : 20"), ("googlebot", "notranslate"), ("TDM-Reservation", " 1 ")]
    directives = read_directives(metas, ["noai, nosnippet", "bingbot: noimageindex", "gossamer: noimageindex"])
    assert directives.rules == ("nosnippet", "max-snippet:20", "noai", "noimageindex")
    assert directives.stated == (("tdm-reservation", "1"),)


def test_a_page_that_becomes_unavailable() -> None:
    early = datetime(2010, 6, 25, 22, tzinfo=UTC).timestamp()
    tags = ["unavailable_after: 2011-01-01", "unavailable_after: 25 Jun 2010 14:00:00 PST"]
    directives = read_directives([("robots", "unavailable_after: never")], tags)
    assert directives.unavailable_after == early
    assert [directives.is_unindexed(early + step) for step in (-1, 0, 1)] == [False, True, True]
    assert not read_directives([], ["otherbot: unavailable_after: 2011-01-01"]).is_unindexed(early * 2)


@given(
    st.lists(st.tuples(st.sampled_from(["robots", "gossamer", "x"]), st.text())),
    st.lists(st.text(alphabet="noindexflwgsamru_:,* \t0-9T")),
)
def test_never_raises_and_more_never_permits_more(metas: list[tuple[str, str]], robots_tags: list[str]) -> None:
    some, more = read_directives(metas, robots_tags), read_directives([*metas, ("robots", "none")], robots_tags)
    assert more.noindex
    assert more.nofollow
    assert more.noarchive == some.noarchive
