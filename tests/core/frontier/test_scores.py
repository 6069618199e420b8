"""What a score is made of, and the level that it means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.priority import (
    BEST_LEVEL_FOUND,
    Candidates,
    PriorityPolicy,
    level_by,
    level_of,
    levels_by,
    linking_class,
    parts_of,
    shape_points,
)
from gossamer.core.frontier.records import LAST, LEVELS
from gossamer.core.sitemap.hints import Hints

NOW = 1_796_000_000.0  # 2026-11-29
PLAIN = "https://www.example.org/guide/chapter-1.html"
LONG = "https://www.example.org/" + "a/" * 12 + "?" + "&".join(f"word{number}=value{number}" for number in range(9))


def one(url: str = PLAIN, depth: int = 1, base: int | None = None, **columns: object) -> Candidates:
    given: dict[str, object] = {"hops": "L", "redirects": 0, "groups": "", "sources": "", **columns}
    return Candidates([url], [level_of(depth) if base is None else base], [depth], **{k: [v] for k, v in given.items()})  # type: ignore[arg-type]


def score(rows: Candidates, policy: PriorityPolicy | None = None) -> tuple[dict[str, float], int]:
    parts = parts_of(policy or PriorityPolicy(), rows, NOW)
    return {name: round(points[0], 3) for name, points in parts.items()}, levels_by(rows, parts)[0]


CASES = [
    ("nothing else is known", one(), {}, 1),
    ("a sitemap names it", one(hops="M"), {"hints": 0.25}, 1),
    ("and calls it important", one(depth=3, hops="M", hints=Hints(priority=0.9)), {"hints": 0.65}, 1),
    ("or unimportant", one(depth=3, hops="M", hints=Hints(priority=0.0)), {"hints": -0.25}, 2),
    ("a feed says it is new", one(depth=3, hops="F", hints=Hints(published="2026-11-28")), {"hints": 0.5}, 1),
    ("a date long gone", one(hints=Hints(lastmod="2020-01-01")), {}, 1),
    ("a date to come is no date", one(hints=Hints(lastmod="2099-01-01")), {}, 1),
    ("nor is another calendar's", one(hints=Hints(published="Mon, 30 Nov 2026")), {}, 1),
    ("redirects on the way", one(redirects=3), {"way": -0.3}, 1),
    ("an embedded page on the way", one(hops="LE"), {"way": -0.25}, 1),
    ("the way alone lowers nothing", one(hops="EEEE", redirects=9), {"way": -0.5}, 1),
    ("a long URL", one(LONG), {"shape": -1.0}, 2),
    ("three sites link to its site", one(depth=3, linking=3), {"sites": 0.4}, 2),
    ("four do", one(depth=3, linking=4), {"sites": 0.6}, 1),
    ("thousands do", one(depth=9, linking=5000), {"sites": 1.4}, 3),
    ("the file calls it important", one(depth=9, importance=1.0), {"importance": 2.0}, 2),
    ("the file calls it unimportant", one(depth=3, importance=0.0), {"importance": -2.0}, 4),
    ("the file says nothing", one(importance=-1.0), {}, 1),
    ("seeds are first", one(depth=0, hops="", importance=0.0), {"importance": -2.0}, 0),
    ("what is found is never among them", one(importance=1.0, linking=99), {"importance": 2.0, "sites": 1.4}, 1),
    ("a redirect's target stays with its source", one(base=2, hops="LR", importance=1.0), {"importance": 2.0}, 2),
    ("what is paid for stays last", one(base=LAST, importance=1.0), {"importance": 2.0}, 4),
    ("and so it does deep down", one(base=LAST, depth=8, linking=40), {"sites": 1.2}, 4),
    ("where what is deep may rise", one(base=4, depth=8, linking=40), {"sites": 1.2}, 3),
]


@pytest.mark.parametrize(("rows", "parts", "level"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_parts_and_level(rows: Candidates, parts: dict[str, float], level: int) -> None:
    assert score(rows) == (parts, level)


def test_a_groups_share_counts_for_its_urls() -> None:
    policy = PriorityPolicy(shares={"north": 4.0, "south": 0.5, "east": 1.0})
    found = {group: score(one(depth=3, groups=group), policy) for group in ("north", "south", "east", "")}
    assert found["north"] == ({"group": 1.0}, 1)
    assert found["south"] == ({"group": -0.5}, 2)
    assert found["east"] == found[""] == ({}, 2)


@pytest.mark.parametrize("name", ["way", "group", "hints", "shape", "sites", "importance"])
def test_a_weight_of_nothing_leaves_its_part_out(name: str) -> None:
    rows = one(LONG, depth=3, hops="EM", linking=9, importance=1.0, groups="north", hints=Hints(priority=1.0))
    shares = {"north": 4.0}
    assert name in score(rows, PriorityPolicy(shares=shares))[0]
    assert name not in score(rows, PriorityPolicy(shares=shares, **{name: 0.0}))[0]


SHAPES = [
    (PLAIN, 0.0),
    ("https://www.example.org/1/2/3/4/5/6/7/8/page", 0.0),
    ("https://www.example.org/1/2/3/4/5/6/7/8/9/page", -0.2),
    ("https://www.example.org/?a=1&b=2&c=3", 0.0),
    ("https://www.example.org/?a=1&b=2&c=3&d=4", -0.2),
    ("https://www.example.org/?q=" + "x" * 72, -0.1),
    ("https://www.example.org/" + "1" * 18, -0.1),
    ("https://www.example.org/é/" + "1" * 16, 0.0),
]


@pytest.mark.parametrize(("url", "points"), SHAPES)
def test_shapes(url: str, points: float) -> None:
    assert shape_points(url) == pytest.approx(points)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), max_size=400))
def test_no_shape_takes_more_than_a_level(text: str) -> None:
    assert -1.0 <= shape_points(f"http://a.test/{text}") <= 0.0


ROWS = st.builds(
    one,
    st.sampled_from([PLAIN, LONG, PLAIN + "?a=1"]),
    st.integers(0, 9),
    hops=st.text("LEMFR", max_size=5),
    redirects=st.integers(0, 10),
    linking=st.integers(0, 10_000),
    importance=st.sampled_from([-1.0, 0.0, 0.3, 0.5, 1.0]),
    groups=st.sampled_from(["", "north"]),
    hints=st.sampled_from([None, Hints(priority=0.9), Hints(lastmod="2026-11-20", priority=0.0)]),
)


@given(st.lists(ROWS, min_size=1, max_size=9))
def test_a_batch_is_scored_as_its_rows_are(rows: list[Candidates]) -> None:
    policy = PriorityPolicy(shares={"north": 2.0})
    names = ("urls", "bases", "depths", "hops", "redirects", "groups", "sources", "hints", "linking", "importance")
    batch = Candidates(**{name: [value for row in rows for value in getattr(row, name)] for name in names})
    together = levels_by(batch, parts_of(policy, batch, NOW))
    assert together == [score(row, policy)[1] for row in rows]
    assert all(0 <= level < LEVELS for level in together)


@given(st.floats(-1e300, 1e300))
def test_any_score_means_a_level(score: float) -> None:
    assert BEST_LEVEL_FOUND <= level_by(score) < LEVELS


@given(st.floats(-9, 9), st.floats(0, 9))
def test_a_better_score_is_no_worse_level(score: float, more: float) -> None:
    assert level_by(score + more) <= level_by(score)


def test_only_links_change_nothing_of_seeds_first_and_breadth() -> None:
    """A plain crawl: links of ordinary shape, nothing claimed, nothing known of sites."""
    for depth in range(40):
        assert score(one(depth=depth)) == ({}, level_of(depth))


@given(st.integers(0, 1_000_000))
def test_a_class_changes_when_the_sites_double(sites: int) -> None:
    assert linking_class(sites) <= linking_class(2 * sites) <= linking_class(sites) + 1
