"""Templates: what URLs of one supply have in common, and what keeps URLs that are one of a kind apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import TEMPLATE_CHARACTERS_MAX
from gossamer.core.trap.template import Kind, families_of, host_in, template_id, template_of
from gossamer.core.url.parse import parse


@pytest.mark.parametrize(
    ("url", "template"),
    [
        ("http://h.test/", "h.test/"),
        ("https://h.test:8443/about/us.html", "h.test/about/us.html"),
        ("http://h.test/item/4711", "h.test/item/N"),
        ("http://h.test/item/4711-red-shirt.html", "h.test/item/N-red-shirt.html"),
        ("http://h.test/2024/05/17/a-post/", "h.test/N/N/N/a-post/"),
        ("http://h.test/c/9f86d081884c7d65/x", "h.test/c/H/x"),
        ("http://h.test/u/123e4567-e89b-12d3-a456-426614174000", "h.test/u/H"),
        ("http://h.test/s/aZ3kP9qL2mX7vB1n/", "h.test/s/H/"),
        ("http://h.test/old/25242897/page", "h.test/old/N/page"),
        ("http://h.test/deadbeef/facade", "h.test/deadbeef/facade"),
        ("http://h.test/p?b=2&a=1&b=3", "h.test/p?a&b"),
        ("http://h.test/p?x1=2&x22=1", "h.test/p?x1&xN"),
        ("http://h.test/p;v=3/q;jsessionid=AB12?z", "h.test/p;v/q;jsessionid?z"),
        ("http://h7.test/x", "h7.test/x"),
        ("http://h.test/gtk4/v2/python3.11/refsu12.html", "h.test/gtk4/v2/python3.N/refsuN.html"),
    ],
)
def test_the_template_of_a_url(url: str, template: str) -> None:
    assert template_of(url) == template


@pytest.mark.parametrize(
    ("url", "families"),
    [
        ("http://site.test/docs/asyncio-task.html", []),
        ("http://www.site.test/docs/asyncio-task.html", []),
        ("http://site.test/item/7", [(Kind.PLAIN, ("site.test/item/N",))]),
        ("http://site.test/p?id=3", [(Kind.PLAIN, ("site.test/p?id",))]),
        ("http://site.test/cal/2024/05/", [(Kind.COMBINED, ("site.test/cal/N/N/", "site.test/cal/* (dates)"))]),
        ("http://site.test/p?day=3", [(Kind.COMBINED, ("site.test/p?day",))]),
        ("http://site.test/p?a=1&b=2", [(Kind.COMBINED, ("site.test/p?a&b", "site.test/p?*"))]),
        (
            "http://site.test/a/b/a/b/c",
            [(Kind.COMBINED, ("site.test/a/* (segments that come again)",))],
        ),
        ("http://x.site.test/", [(Kind.HOSTS, ("x.site.test (host)", "*.site.test"))]),
        (
            "http://x.site.test/item/7",
            [(Kind.PLAIN, ("x.site.test/item/N",)), (Kind.HOSTS, ("x.site.test (host)", "*.site.test"))],
        ),
    ],
)
def test_the_families_of_a_url(url: str, families: list[tuple[Kind, tuple[str, ...]]]) -> None:
    assert [(family.kind, family.rows) for family in families_of(url, "site.test")] == families


@given(st.text(min_size=1, max_size=3000))
def test_any_url_has_a_template_that_is_bounded_and_the_same_again(text: str) -> None:
    url = parse(f"http://h.test/{text}")
    if url is not None:
        template = template_of(url.href)
        assert template.startswith("h.test/")
        assert len(template) <= TEMPLATE_CHARACTERS_MAX
        assert template_id(template) == template_id(template_of(url.href))


@pytest.mark.parametrize(
    ("row", "host"),
    [
        ("site.test/item/N", "site.test"),
        ("*.site.test", "site.test"),
        ("site.test/cal/* (dates)", "site.test"),
        ("a.site.test (host)", "a.site.test"),
        ("site.test (calendar)", "site.test"),
        ("site.test (all other templates)", "site.test"),
    ],
)
def test_a_row_says_whose_it_is(row: str, host: str) -> None:
    assert host_in(row) == host
