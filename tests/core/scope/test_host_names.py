"""Hosts whose names no name server can be asked for are refused where a URL is found, and never queued."""

from __future__ import annotations

import pytest

from gossamer.core.page.links import LinkKind
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules
from gossamer.core.url.parse import parse
from gossamer.core.url.site import SiteList

SITES = SiteList()
LONG_NAME = ".".join(["a" * 60] * 5)

CASES = [
    ("http://a..example/", "host name"),
    ("http://.example/", "host name"),
    ("http://./", "host name"),
    (f"http://{'a' * 64}.example/", "host name"),
    (f"http://{LONG_NAME}/", "host name"),
    (f"http://{'a' * 63}.example/", ""),
    ("http://example./", ""),
    ("http://under_score.example/", ""),
    ("http://192.0.2.1/", ""),
    ("http://[2001:db8::1]/", ""),
]


@pytest.mark.parametrize("kind", [LinkKind.A, LinkKind.REDIRECT, LinkKind.SEED])
@pytest.mark.parametrize(("text", "reason"), CASES)
def test_hosts_that_cannot_be_looked_up(text: str, reason: str, kind: LinkKind) -> None:
    judge = LinkJudge(ScopeRules(Scope(ScopeKind.ANY, ()), SITES.site_of), FilterRules(), SITES.site_of)
    url = parse(text)
    assert url is not None, "the URL standard allows it"
    assert judge.judge_one(url.href, kind, 1) == reason


def test_also_where_scope_would_refuse_it() -> None:
    scope = ScopeRules(Scope(ScopeKind.HOST, ("http://h.example/",)), SITES.site_of)
    judge = LinkJudge(scope, FilterRules(), SITES.site_of)
    assert judge.judge_one("http://a..example/", LinkKind.A, 1) == "host name"
