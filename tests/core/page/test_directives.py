from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.directives import read_directives
from gossamer.core.page.document import Directives

CASES: list[tuple[list[tuple[str, str]], list[str], Directives]] = [
    ([], [], Directives()),
    ([("robots", "NOINDEX, NoFollow")], [], Directives(noindex=True, nofollow=True)),
    ([("ROBOTS", "none")], [], Directives(noindex=True, nofollow=True)),
    ([("robots", "index,follow"), ("robots", "noindex")], [], Directives(noindex=True)),
    ([("robots", "noindex nofollow")], [], Directives(noindex=True, nofollow=True)),
    ([("Gossamer", "noarchive")], [], Directives(noarchive=True)),
    ([("googlebot", "none"), ("description", "noindex")], [], Directives()),
    ([("robots", "all, max-snippet:20, unknown")], [], Directives()),
    ([], ["noindex"], Directives(noindex=True)),
    ([], ["noarchive", "nofollow"], Directives(nofollow=True, noarchive=True)),
    ([], ["googlebot: noindex, nofollow"], Directives()),
    ([], ["otherbot: noindex, gossamer: nofollow, noarchive"], Directives(nofollow=True, noarchive=True)),
    ([], ["GOSSAMER : none"], Directives(noindex=True, nofollow=True)),
    ([], ["*: noindex"], Directives(noindex=True)),
    ([], ["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], Directives(nofollow=True)),
    ([], ["max-image-preview: none"], Directives()),
    ([("robots", "index")], ["noindex"], Directives(noindex=True)),
]


@pytest.mark.parametrize(("metas", "robots_tags", "directives"), CASES)
def test_most_restrictive_wins(metas: list[tuple[str, str]], robots_tags: list[str], directives: Directives) -> None:
    assert read_directives(metas, robots_tags) == directives


@given(st.lists(st.tuples(st.text(), st.text())), st.lists(st.text(alphabet="noindexflwgsamr:,* \t")))
def test_never_raises(metas: list[tuple[str, str]], robots_tags: list[str]) -> None:
    read_directives(metas, robots_tags)
