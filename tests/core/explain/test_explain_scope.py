"""The verdict of scope and filters comes with the rule that decides it."""

from __future__ import annotations

import pytest

from gossamer.core.explain.scope import judged_anew
from gossamer.core.frontier.records import PageRecord
from gossamer.core.page.links import LinkKind
from gossamer.core.scope.block_list import read_block_list
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.patterns import Patterns
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules

SEED = "http://www.example.org/docs/"


def site_of(host: str) -> str:
    return ".".join(host.split(".")[-2:])


def judge(kind: ScopeKind = ScopeKind.HOST, domains: tuple[str, ...] = ()) -> LinkJudge:
    filters = FilterRules(
        exclude=Patterns(("/secret/", "x+$")),
        include=Patterns((r"^http",)),
        extensions=frozenset({"png"}),
        url_length_max=60,
        depth_max=3,
        blocked=read_block_list("blocked.example.org")[0],
    )
    return LinkJudge(ScopeRules(Scope(kind, (SEED,), domains), site_of), filters, site_of)


@pytest.mark.parametrize(
    ("kind", "url", "verdict", "says"),
    [
        (ScopeKind.PAGE, SEED, "wanted", "scope.kind is page"),
        (ScopeKind.PAGE, "http://www.example.org/docs/a", "scope", "none of the seeds"),
        (ScopeKind.PREFIX, "http://www.example.org/docs/a", "wanted", "in the folder of a seed"),
        (ScopeKind.PREFIX, "http://www.example.org/b", "scope", "has a folder"),
        (ScopeKind.HOST, "http://www.example.org/b", "wanted", "a seed is on www.example.org"),
        (ScopeKind.HOST, "http://other.org/", "scope", "no seed is on other.org"),
        (ScopeKind.SITE, "http://a.example.org/", "wanted", "the site example.org"),
        (ScopeKind.SITE, "http://other.org/", "scope", "on the site of other.org"),
        (ScopeKind.ANY, "http://other.org/", "wanted", "scope.kind is any"),
        (ScopeKind.HOST, "http://a.listed.org/", "wanted", "scope.domains"),
        (ScopeKind.HOST, "http://www.example.org/secret/a", "excluded", "scope.exclude /secret/"),
        (ScopeKind.HOST, "http://www.example.org/a.png", "extension", ".png"),
        (ScopeKind.HOST, "http://www.example.org/" + "a" * 60, "url length", "limit 60"),
        (ScopeKind.HOST, "http://blocked.example.org/", "blocked", "block list"),
    ],
)
def test_the_rule_is_named(kind: ScopeKind, url: str, verdict: str, says: str) -> None:
    domains = ("listed.org",) if kind is not ScopeKind.ANY else ()
    found = judged_anew(judge(kind, domains), url, None, "example.org")
    assert (found.verdict, says in found.text) == (verdict, True), found.text
    assert "it has no record" in found.judged_as


@pytest.mark.parametrize(
    ("hops", "depth", "verdict", "judged_as"),
    [
        ("", 0, "wanted", "a seed"),
        ("L", 1, "wanted", "a link"),
        ("LLLL", 4, "depth", "a link"),
        ("LR", 1, "wanted", "a redirect's target"),
        ("LE", 2, "wanted", "a frame"),
    ],
)
def test_a_known_url_is_judged_as_it_was_found(hops: str, depth: int, verdict: str, judged_as: str) -> None:
    url = "http://www.example.org/b"
    found = judged_anew(judge(), url, PageRecord(url, depth=depth, hops=hops), "example.org")
    assert (found.verdict, judged_as in found.judged_as) == (verdict, True)


def test_a_seed_is_wanted_for_itself() -> None:
    found = judged_anew(judge(), "http://elsewhere.net/", PageRecord("http://elsewhere.net/"), "elsewhere.net")
    assert (found.verdict, found.text) == ("wanted", "it is a seed")


@pytest.mark.parametrize(
    ("kinds", "judged_as"),
    [
        ({LinkKind.A, LinkKind.SITEMAP}, "as a plain link one step"),
        ({LinkKind.SITEMAP}, "as an entry of a sitemap one step"),
        ({LinkKind.FEED}, "as an entry of a feed one step"),
    ],
)
def test_without_a_record_the_plainest_way_that_is_followed_is_judged(kinds: set[LinkKind], judged_as: str) -> None:
    rules = ScopeRules(Scope(ScopeKind.HOST, (SEED,)), site_of)
    judge = LinkJudge(rules, FilterRules(kinds=frozenset(kinds)), site_of)
    found = judged_anew(judge, "http://other.org/", None, "other.org")
    assert found.verdict == "scope"
    assert judged_as in found.judged_as
