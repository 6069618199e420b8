"""Shapes of URLs: what each rule refuses, and that none refuses a URL of documentation."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.trap.shape import LIMITS_TOLD, Shapes, limits_at, shape_of
from gossamer.core.trap.template import SHAPE_ENDINGS
from gossamer.core.url.parse import parse

NOW = 1_796_000_000.0
"""In November 2026."""
LIMITS = limits_at(NOW)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://h.test/a/b/a/b/a/b/", "repeated segments"),
        ("http://h.test/x/a/a/a/y", "repeated segments"),
        ("http://h.test/a/1/a/2/a/3/a/4/a/5", "repeated segments"),
        ("http://h.test/" + "/".join(f"s{number}" for number in range(21)), "depth"),
        ("http://h.test/" + "x" * 1100, "length"),
        ("http://h.test/p?q=" + "x" * 1100, "length"),
        ("http://h.test/calendar/2031/05", "calendar"),
        ("http://h.test/calendar/2031-05-17/", "calendar"),
        ("http://h.test/calendar/1979/12/31", "calendar"),
        ("http://h.test/cal?year=2050&month=3", "calendar"),
        ("http://h.test/cal?date=2050-03-01", "calendar"),
        ("http://h.test/cal?view=week&start=19010101", "calendar"),
        ("http://h.test/p?a=1&b=2&a=1", "parameters"),
        ("http://h.test/p?" + "&".join(f"p{number}=1" for number in range(17)), "parameters"),
        ("http://h.test/p?" + "&".join(f"f={number}" for number in range(9)), "parameters"),
        ("http://h.test/(S(aaa))/(S(bbb))/x", "sessions"),
        ("http://h.test/p?sid=1&x=2&session_id=3", "sessions"),
        ("http://www.www.h.test/", "subdomains"),
        ("http://a.b.c.d.e.f.g.h.test/", "subdomains"),
    ],
)
def test_what_a_rule_refuses(url: str, rule: str) -> None:
    assert shape_of(url, LIMITS) == rule


@pytest.mark.parametrize(
    "url",
    [
        "http://h.test/",
        "http://h.test/2024/05/17/",
        "http://h.test/calendar/2027/12",
        "http://h.test/calendar/2006/01",
        "http://h.test/1999/12/msg00001.html",
        "http://h.test/item/1234/56/red",
        "http://h.test/2011/11/11/11/",
        "http://h.test/en/stable/en/latest/",
        "http://h.test/p?a=1&b=1&c=1",
        "http://h.test/p?f=1&f=2&f=3",
        "http://h.test/p?id=20310501",
        "http://h.test/p;jsessionid=AB12",
        "http://h.test/p?sid=9f86d081884c7d65",
        "http://10.10.1.1/",
        "http://a.b.c.example.test/",
        "http://h.test/blog/1999/12/",
        "http://h.test/lists/1998-05/",
        "http://h.test/t/1850/2",
        "http://h.test/topic/2100/12/",
        "http://h.test/films?year=1950",
        "http://h.test/viewforum?f=2&start=100025",
        "http://h.test/list?from=1000-1200",
        "http://h.test/user?friend=100112",
        "http://h.test/list?start=150010",
        "http://h.test/usr/share/doc/a/html/b/c/d/e/f.html",
    ],
)
def test_what_no_rule_refuses(url: str) -> None:
    assert shape_of(url, LIMITS) == ""


def test_no_url_of_the_published_documentation_sites_has_the_shape_of_a_trap(shared: Path) -> None:
    urls = 0
    for path in sorted((shared / "data" / "sites" / "ground_truth").glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            truth = json.load(file)
        for name in (*truth["pages"], *truth["dead"], *truth["redirects"]):
            assert shape_of(f"http://docs.test{name}", LIMITS) == "", name
            urls += 1
    assert urls > 20_000


@given(st.text(max_size=2_000))
def test_any_url_has_a_verdict_that_is_told_in_words(text: str) -> None:
    url = parse(f"http://h.test/{text}")
    if url is not None:
        rule = shape_of(url.href, LIMITS)
        assert rule == "" or (rule in LIMITS_TOLD and f" ({rule})" in SHAPE_ENDINGS)
        assert Shapes(LIMITS).rule_of(url.href) == rule


@pytest.mark.parametrize("hostile", ["/a" * 50_000, "/a/b" * 25_000, "?a=1" + "&b=2" * 50_000, "/2031/05" * 20_000])
def test_no_length_is_too_much(hostile: str) -> None:
    assert shape_of(f"http://h.test/{hostile}", LIMITS)


def test_a_person_may_exempt_a_site_from_a_rule() -> None:
    shapes = Shapes(LIMITS, lambda url, rule: rule == "calendar" and "museum" in url)
    assert shapes.rule_of("http://museum.test/1850/05") == ""
    assert shapes.words("http://h.test/1850/05") == "calendar: a date before 1990 or after 2027"
