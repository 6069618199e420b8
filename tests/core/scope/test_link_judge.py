from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.links import LinkFlag, LinkKind, Links
from gossamer.core.scope import judge as judging
from gossamer.core.scope.block_list import read_block_list
from gossamer.core.scope.extensions import HTML_MEDIA, NO_PAGE, extension_of, refused_extensions
from gossamer.core.scope.filters import FilterRules, followed_kinds
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.patterns import Patterns
from gossamer.core.scope.reasons import EXPLANATIONS, Reason
from gossamer.core.scope.refusal import Finding
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules
from gossamer.core.url.site import SiteList

SITES = SiteList()
SEED = "http://h.example/"


def judge(filters: FilterRules | None = None, kind: ScopeKind = ScopeKind.HOST) -> LinkJudge:
    scope = ScopeRules(Scope(kind, (SEED,)), SITES.site_of)
    return LinkJudge(scope, filters or FilterRules(), SITES.site_of)


def one(judged: LinkJudge, url: str, kind: LinkKind = LinkKind.A, depth: int = 1) -> str:
    return judged.judge_one(url, kind, depth)


FILTERS = FilterRules(
    include=Patterns(["/docs/", r"\?page=\d+$"]),
    exclude=Patterns(["/print/", "é"]),
    extensions=refused_extensions(HTML_MEDIA),
    url_length_max=100,
    depth_max=3,
    blocked=read_block_list("blocked.example\nhttp://h.example/docs/secret/")[0],
)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://h.example/docs/a", ""),
        ("http://h.example/list?page=12", ""),
        ("http://h.example/list?page=x", "not included"),
        ("http://h.example/docs/print/a", "excluded"),
        ("http://h.example/docs/" + "a" * 90, "url length"),
        ("http://other.example/docs/", "scope"),
        ("http://blocked.example/docs/", "blocked"),
        ("http://h.example/docs/secret/x", "blocked"),
        ("http://h.example/docs/map.PNG", "extension"),
        ("http://h.example/docs/map.png?size=1", "extension"),
        ("http://h.example/docs/File:Map.png", ""),
        ("http://h.example/docs/get?file=map.png", ""),
        ("http://h.example/docs/.hidden", ""),
        ("http://h.example/docs/v1.2", ""),
    ],
)
def test_reasons_of_urls(url: str, reason: str) -> None:
    assert one(judge(FILTERS), url) == reason


@pytest.mark.parametrize(
    ("kind", "depth", "reason"),
    [
        (LinkKind.A, 3, ""),
        (LinkKind.A, 4, "depth"),
        (LinkKind.IMAGE, 1, "kind not followed"),
        (LinkKind.REDIRECT, 3, ""),
        (LinkKind.SEED, 9, ""),
        (LinkKind.OPERATOR, 9, ""),
    ],
)
def test_reasons_of_kinds(kind: LinkKind, depth: int, reason: str) -> None:
    assert one(judge(FILTERS), "http://h.example/docs/a", kind, depth) == reason


def test_no_depth_limit() -> None:
    assert one(judge(FilterRules(depth_max=None)), "http://h.example/a", depth=1_000_000) == ""


def test_what_people_name_is_not_judged_as_a_link() -> None:
    for kind in judging.NAMED_BY_PEOPLE:
        assert one(judge(FILTERS), "http://elsewhere.example/map.png", kind) == ""
        assert one(judge(FILTERS), "http://blocked.example/", kind) == "blocked"
        assert one(judge(FILTERS), "http://h.example/docs/secret/", kind) == "blocked"
        assert one(judge(FILTERS), "http://h.example/print/", kind) == "excluded"


def rows(*links: tuple[LinkKind, LinkFlag]) -> Links:
    batch = Links()
    for kind, flag in links:
        batch.add("http://h.example/a", kind, flag, "")
    return batch


NOFOLLOW_ROWS = (
    (LinkKind.A, LinkFlag.NOFOLLOW),
    (LinkKind.A, LinkFlag.UGC),
    (LinkKind.REDIRECT, LinkFlag.NOFOLLOW),
    (LinkKind.A, LinkFlag.NOFOLLOW | LinkFlag.SPONSORED),
)


@pytest.mark.parametrize(
    ("obey", "page", "expected"),
    [
        (True, False, ["nofollow", "", "", "nofollow"]),
        (True, True, ["nofollow", "nofollow", "", "nofollow"]),
        (False, True, ["", "", "", ""]),
    ],
)
def test_nofollow(obey: bool, page: bool, expected: list[str]) -> None:
    judged = judge(FilterRules(obey_nofollow=obey))
    assert judged.judge(rows(*NOFOLLOW_ROWS), 1, page_nofollow=page) == expected


def test_an_empty_batch() -> None:
    assert judge().judge(Links(), 1) == []


def test_widening_is_seen_at_once() -> None:
    judged = judge()
    assert one(judged, "http://www.h.example/") == "scope"
    assert judged.widen(SEED, "http://www.h.example/")
    assert one(judged, "http://www.h.example/") == ""
    assert one(judged, "http://later.example/") == "scope"
    judged.add_seed("http://later.example/")
    assert one(judged, "http://later.example/") == ""


@pytest.mark.parametrize("kind", [ScopeKind.PAGE, ScopeKind.PREFIX])
def test_scopes_that_depend_on_the_url(kind: ScopeKind) -> None:
    judged = judge(kind=kind)
    assert one(judged, SEED) == ""
    assert one(judged, "http://h.example/x") == ("scope" if kind is ScopeKind.PAGE else "")


def test_memory_of_hosts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "HOST_VERDICTS_MAX", 5)
    judged = judge()
    for number in range(50):
        assert one(judged, f"http://h{number}.other.example/") == "scope"
    assert len(judged._hosts) <= 5


def test_extensions() -> None:
    assert extension_of("http://example.com/") == ""
    assert extension_of("http://example.com/a.tar.GZ") == "gz"
    assert extension_of("http://example.com/a.b/c") == ""
    assert extension_of("http://example.com/a.") == ""
    assert refused_extensions(None) == frozenset()
    assert refused_extensions(None, ["xml"]) == {"xml"}
    assert refused_extensions(HTML_MEDIA | {"application/pdf"}) == frozenset()
    assert refused_extensions(HTML_MEDIA, ["xml"]) == NO_PAGE | {"xml"}
    assert not NO_PAGE & {"html", "htm", "xhtml", "php", "asp", "jsp", "cgi", "com", "org", "xml", "txt", "json", "js"}


def test_kinds_by_name() -> None:
    assert followed_kinds(["image", "Script"]) - followed_kinds([]) == {LinkKind.IMAGE, LinkKind.SCRIPT}
    with pytest.raises(ValueError, match="did you mean 'image'"):
        followed_kinds(["imgae"])


def test_patterns_are_linear_and_checked() -> None:
    assert Patterns([]).find("x") is None
    assert Patterns(["b", "a"]).find("xab") == "b"
    assert Patterns(["(a+)+$"]).find("a" * 2000 + "!") is None
    with pytest.raises(ValueError, match=r"'\('.*missing"):
        Patterns(["("])
    with pytest.raises(ValueError, match="RE2"):
        Patterns(["(?=x)"])


def test_every_reason_is_explained() -> None:
    assert set(EXPLANATIONS) == set(Reason)


def test_what_the_operator_blocks_stands_beside_the_filters_own_list() -> None:
    judged = judge(FILTERS, ScopeKind.ANY)
    url = "http://now.example/docs/"
    assert one(judged, url) == ""
    judged.block(read_block_list("now.example")[0])
    assert [one(judged, each) for each in (url, "http://blocked.example/docs/")] == ["blocked", "blocked"]
    judged.block(read_block_list("")[0])
    assert [one(judged, each) for each in (url, "http://blocked.example/docs/")] == ["", "blocked"]


def test_verdicts_remembered_from_page_to_page_are_those_of_a_fresh_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "URL_VERDICTS_MAX", 30)
    kept = judge(FilterRules(extensions=NO_PAGE))
    kinds = (LinkKind.A, LinkKind.SEED, LinkKind.TO_SITEMAP, LinkKind.TO_FEED, LinkKind.IMAGE)
    for page in range(12):
        links = Links()
        for number in range(20):
            host = ("example.com", "other.test")[number % 2]
            ending = (".zip", "", ".html")[number % 3]
            links.add(f"http://{host}/{(page + number) % 15}{ending}", kinds[number % 5], LinkFlag(number % 3), "")
        fresh = judge(FilterRules(extensions=NO_PAGE))
        for depth in (1, 25):
            assert kept.judge(links, depth) == fresh.judge(links, depth)


ROWS = st.lists(
    st.tuples(
        st.sampled_from(
            [f"http://{host}/{path}" for host in ("h.example", "o.example") for path in ("docs/a", "x.png")]
        ),
        st.sampled_from(list(LinkKind)),
        st.sampled_from([LinkFlag.NONE, LinkFlag.NOFOLLOW, LinkFlag.UGC, LinkFlag.UGC | LinkFlag.NOFOLLOW]),
    ),
    max_size=8,
)


@given(ROWS, ROWS, st.booleans(), st.sampled_from([1, 9]))
def test_rows_judged_together_get_what_each_gets_alone(
    before: list[tuple[str, LinkKind, LinkFlag]],
    rows: list[tuple[str, LinkKind, LinkFlag]],
    page_nofollow: bool,
    depth: int,
) -> None:
    together = judge(FILTERS)
    alone: list[str] = []
    for page in (before, rows):
        links = Links()
        alone.clear()
        for row in page:
            links.add(*row, "")
            single = Links()
            single.add(*row, "")
            alone += judge(FILTERS).judge(single, depth, page_nofollow=page_nofollow)
        assert together.judge(links, depth, page_nofollow=page_nofollow) == alone


@given(
    url=st.sampled_from(
        [
            "http://h.example/docs/a",
            "http://h.example/docs/print/a",
            "http://h.example/docs/map.png",
            "http://h.example/docs/secret/x",
            "http://h.example/elsewhere",
            "http://h.example/docs/" + "a" * 90,
            "http://blocked.example/docs/",
            "http://other.example/docs/",
        ]
    ),
    kinds=st.lists(st.sampled_from(LinkKind), min_size=1, max_size=3, unique=True),
    nofollow=st.booleans(),
    depth=st.integers(0, 5),
)
def test_a_url_alone_is_judged_as_among_others(url: str, kinds: list[LinkKind], nofollow: bool, depth: int) -> None:
    links = Links()
    for kind in kinds:
        links.add(url, kind, LinkFlag.NOFOLLOW if nofollow else LinkFlag.NONE, "")
    verdicts = judge(FILTERS).judge(links, depth)
    alone = judge(FILTERS).judge_finding(Finding(url, tuple(kinds), nofollow, depth, ""))
    assert alone == ("" if "" in verdicts else verdicts[0])
