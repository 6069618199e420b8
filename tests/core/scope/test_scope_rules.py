from __future__ import annotations

import msgspec
import pytest

from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules, read_domains
from gossamer.core.url.parse import host_of
from gossamer.core.url.site import SiteList

SITES = SiteList()


def rules(kind: ScopeKind, *seeds: str, domains: tuple[str, ...] = ()) -> ScopeRules:
    return ScopeRules(Scope(kind, seeds, domains), SITES.site_of)


def wanted(scope: ScopeRules, url: str) -> bool:
    host = host_of(url)
    reason = scope.judge(url, host, SITES.site_of(host))
    assert reason in ("", "scope")
    return not reason


SEED = "https://docs.example.org/guide/start.html?x=a/b"


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        (ScopeKind.PAGE, [SEED], ["https://docs.example.org/guide/start.html", "https://docs.example.org/"]),
        (
            ScopeKind.PREFIX,
            ["https://docs.example.org/guide/", "http://docs.example.org:81/guide/a/b?q", SEED],
            ["https://docs.example.org/guide", "https://docs.example.org/Guide/a", "https://example.org/guide/a"],
        ),
        (
            ScopeKind.HOST,
            ["https://docs.example.org/", "http://docs.example.org/", "https://docs.example.org:8443/a"],
            ["https://example.org/", "https://a.docs.example.org/", "https://docs.example.org.evil.example/"],
        ),
        (
            ScopeKind.SITE,
            ["https://example.org/", "http://a.b.example.org/"],
            ["https://example.com/", "https://notexample.org/"],
        ),
        (ScopeKind.ANY, ["https://elsewhere.example/"], []),
    ],
)
def test_kinds(kind: ScopeKind, inside: list[str], outside: list[str]) -> None:
    scope = rules(kind, SEED)
    assert [url for url in inside if not wanted(scope, url)] == []
    assert [url for url in outside if wanted(scope, url)] == []


def test_each_seed_adds_its_rule() -> None:
    scope = rules(ScopeKind.PREFIX, "http://h.example/a/x", "http://h.example/b/y", "http://other.example/")
    assert wanted(scope, "http://h.example/a/1")
    assert wanted(scope, "http://h.example/b/2")
    assert not wanted(scope, "http://h.example/c/3")


def test_domains_add_hosts_and_what_lies_below() -> None:
    scope = rules(ScopeKind.HOST, "http://h.example/", domains=("more.example",))
    assert [wanted(scope, f"http://{host}/") for host in ("h.example", "more.example", "a.b.more.example")] == [
        True
    ] * 3
    assert not wanted(scope, "http://evermore.example/")
    assert wanted(rules(ScopeKind.PAGE, "http://h.example/", domains=("more.example",)), "http://more.example/deep")


def test_any_with_domains_is_the_domains() -> None:
    scope = rules(ScopeKind.ANY, "http://h.example/", domains=("more.example",))
    assert wanted(scope, "http://www.more.example/")
    assert not wanted(scope, "http://h.example/")


def test_a_redirect_within_the_site_widens() -> None:
    scope = rules(ScopeKind.HOST, "http://example.com/")
    assert not wanted(scope, "https://www.example.com/a")
    assert scope.widen("http://example.com/", "https://www.example.com/")
    assert wanted(scope, "https://www.example.com/a")
    assert wanted(scope, "https://example.com/a")
    assert not scope.widen("http://example.com/", "https://www.example.com/")  # nothing new
    assert not scope.widen("http://example.com/", "https://www.example.com/other")  # inside already
    assert scope.scope.widenings == (("http://example.com/", "https://www.example.com/"),)


def test_a_redirect_to_another_site_widens_nothing() -> None:
    scope = rules(ScopeKind.HOST, "http://someone.github.io/")
    assert not scope.widen("http://someone.github.io/", "http://other.github.io/")
    assert not scope.widen("http://someone.github.io/", "http://github.com/")
    assert scope.scope.widenings == ()


@pytest.mark.parametrize("kind", list(ScopeKind))
def test_a_scope_survives_the_folder(kind: ScopeKind) -> None:
    scope = rules(kind, SEED, domains=("more.example",))
    scope.widen(SEED, "https://www.example.org/new/start.html")
    scope.add_seed("https://later.example/x/")
    stored = msgspec.json.decode(msgspec.json.encode(scope.scope), type=Scope)
    again = ScopeRules(stored, SITES.site_of)
    assert again.scope == scope.scope
    for url in ("https://www.example.org/new/start.html", "https://later.example/x/", SEED, "https://more.example/"):
        assert wanted(again, url) == wanted(scope, url)


def test_a_file_of_domains() -> None:
    domains, problems = read_domains(
        "# mine\nExample.ORG\n*.more.example # all\n\nhttps://x.example/a\nbü.example\na b\n"
    )
    assert domains == ("example.org", "more.example", "x.example", "xn--b-eha.example")
    assert problems == ["line 7: 'a b' is not a host name"]
