"""Which scope a crawl was judged by: other rules have another digest, the same rules the same one."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.core.page.links import LinkKind
from gossamer.core.scope.block_list import read_block_list
from gossamer.core.scope.filters import FilterRules, followed_kinds
from gossamer.core.scope.identity import RULED, JudgedBy, decode_judged_by, encode_judged_by, rules_digest
from gossamer.core.scope.judge import GroupRules, LinkJudge
from gossamer.core.scope.patterns import Patterns
from gossamer.core.scope.refusal import Finding, Refusal, kind_words, read_kinds
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules
from gossamer.core.url.site import SiteList

SITES = SiteList()
SEED = "http://h.example/docs/"


def rules(kind: ScopeKind = ScopeKind.HOST, *seeds: str, domains: tuple[str, ...] = ()) -> ScopeRules:
    return ScopeRules(Scope(kind, seeds or (SEED,), domains), SITES.site_of)


def judge(scope: ScopeRules | None = None, groups: dict[str, GroupRules] | None = None, **filters: Any) -> LinkJudge:
    return LinkJudge(scope or rules(), FilterRules(**filters), SITES.site_of, groups or {})


OTHERS = [
    judge(rules(ScopeKind.SITE)),
    judge(rules(ScopeKind.PREFIX)),
    judge(rules(ScopeKind.PAGE)),
    judge(rules(ScopeKind.ANY)),
    judge(rules(ScopeKind.HOST, SEED, "http://other.example/")),
    judge(rules(domains=("more.example",))),
    judge(include=Patterns(["a"])),
    judge(exclude=Patterns(["a"])),
    judge(extensions=frozenset({"pdf"})),
    judge(url_length_max=10),
    judge(depth_max=1),
    judge(depth_max=None),
    judge(kinds=followed_kinds(["image"])),
    judge(obey_nofollow=False),
    judge(blocked=read_block_list("x.example")[0]),
    judge(blocked=read_block_list("*.x.example")[0]),
    judge(blocked=read_block_list("x.example/a/")[0]),
    judge(blocked=read_block_list("10.0.0.0/8")[0]),
    judge(groups={"north": GroupRules(rules(), 3)}),
    judge(groups={"north": GroupRules(rules(ScopeKind.SITE), 3)}),
    judge(groups={"north": GroupRules(rules(), 4)}),
]


def test_every_other_rule_is_another_digest() -> None:
    digests = [rules_digest(each) for each in [judge(), *OTHERS]]
    assert len(set(digests)) == len(digests)


def test_what_makes_no_difference_is_the_same_digest() -> None:
    one = judge(rules(ScopeKind.HOST, SEED, "http://h.example/other"), extensions=frozenset({"b", "a"}))
    two = judge(rules(ScopeKind.HOST, "http://h.example/"), extensions=frozenset({"a", "b"}))
    assert rules_digest(one) == rules_digest(two)
    assert rules_digest(judge(rules(ScopeKind.ANY, "http://a.example/"))) == rules_digest(judge(rules(ScopeKind.ANY)))
    widened = judge()
    assert widened.widen(SEED, "http://www.h.example/")
    assert rules_digest(widened) != rules_digest(judge())


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (JudgedBy(b"1"), JudgedBy(b"1"), frozenset[str]()),
        (JudgedBy(b"1"), JudgedBy(b"2"), RULED),
        (JudgedBy(b"1", copies="never"), JudgedBy(b"1", copies="always"), RULED),
        (JudgedBy(b"1", media=("a",)), JudgedBy(b"1", media=("a", "b")), {"media type"}),
        (JudgedBy(b"1", media=("a",)), JudgedBy(b"1", media=None), {"media type"}),
        (JudgedBy(b"1", media=None), JudgedBy(b"1", media=("a",)), frozenset[str]()),
        (JudgedBy(b"1", media=("a", "b")), JudgedBy(b"1", media=("a",)), frozenset[str]()),
        (JudgedBy(b"1"), JudgedBy(b"1", addresses=("10.0.0.0/8",)), {"address"}),
        (JudgedBy(b"1", addresses=("10.0.0.0/8",)), JudgedBy(b"1"), frozenset[str]()),
        (JudgedBy(b"1", barred=("10.0.0.0/8",)), JudgedBy(b"1"), {"address"}),
    ],
)
def test_what_is_reconsidered(before: JudgedBy, now: JudgedBy, expected: set[str]) -> None:
    assert now.reasons_to_reconsider(before) == expected
    assert decode_judged_by(encode_judged_by(now)) == now


def test_a_finding_is_wanted_as_soon_as_one_of_its_kinds_is() -> None:
    found = Finding("http://h.example/x", (LinkKind.IMAGE, LinkKind.A), nofollow=False, depth=1, group="")
    assert judge().judge_finding(found) == ""
    assert judge().judge_finding(found._replace(kinds=(LinkKind.IMAGE,))) == "kind not followed"
    assert judge().judge_finding(found._replace(nofollow=True)) == "kind not followed"
    assert judge().judge_finding(found._replace(kinds=(LinkKind.A,), nofollow=True)) == "nofollow"
    assert judge().judge_finding(found._replace(kinds=(LinkKind.REDIRECT,), nofollow=True)) == ""


def test_seed_groups_have_a_scope_and_a_depth_of_their_own() -> None:
    north = GroupRules(rules(ScopeKind.SITE, "http://north.example/"), 1)
    judged = judge(groups={"north": north})
    assert judged.judge_one("http://www.north.example/", LinkKind.A, 1, "north") == ""
    assert judged.judge_one("http://www.north.example/", LinkKind.A, 2, "north") == "depth"
    assert judged.judge_one("http://www.north.example/", LinkKind.A, 2, "given") == "scope"
    assert judged.judge_one("http://h.example/", LinkKind.A, 2, "north") == "depth"
    assert judged.judge_one("http://h.example/", LinkKind.A, 1, "north") == "scope"
    assert judged.judge_one("http://h.example/", LinkKind.A, 2, "given") == ""
    judged.add_seed("http://more.example/", "north")
    assert judged.judge_one("http://more.example/x", LinkKind.A, 1, "north") == ""
    assert judged.judge_one("http://more.example/x", LinkKind.A, 1) == "scope"


def test_kinds_and_redirects_of_a_row() -> None:
    kinds = (LinkKind.A, LinkKind.IMAGE)
    assert read_kinds(kind_words(kinds)) == kinds
    assert read_kinds("a of-the-future image") == kinds
    row = Refusal("http://a/", "scope", 2, "http://r/", "LLRR", "", 0.0)
    assert (row.redirects, row.finding.kinds) == (2, (LinkKind.REDIRECT,))
