"""The Link field and JSON-LD: what is taken, what is not, and that nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import JSON_LD_CHARACTERS_MAX, LINK_HEADER_LINKS_MAX
from gossamer.core.page.json_ld import json_ld_urls
from gossamer.core.page.link_header import header_links
from gossamer.core.page.links import LinkFlag, LinkKind

PAGE = "https://site.example/d/page"


@pytest.mark.parametrize(
    ("field", "rows"),
    [
        ("</a>; rel=next", [("https://site.example/a", LinkKind.NEXT)]),
        ('<b>; rel="canonical"; title="a, b; c"', [("https://site.example/d/b", LinkKind.CANONICAL)]),
        (
            "< /a > ; REL=PREV , </b>",
            [("https://site.example/a", LinkKind.PREV), ("https://site.example/b", LinkKind.LINK)],
        ),
        ("</s.css>; rel=preload; as=style", [("https://site.example/s.css", LinkKind.RESOURCE)]),
        ('</f>; rel=alternate; type="application/rss+xml"', [("https://site.example/f", LinkKind.TO_FEED)]),
        ("</a>; rel=next; rel=prev", [("https://site.example/a", LinkKind.NEXT)]),
        ("</a>; rel=next; anchor=/other", []),
        ("</a", []),
        ("words", []),
        ("<mailto:x@y>; rel=author", []),
    ],
)
def test_link_fields(field: str, rows: list[tuple[str, LinkKind]]) -> None:
    links = header_links([field], PAGE)
    assert list(zip(links.urls, map(LinkKind, links.kinds), strict=True)) == rows


def test_flags_text_counts_and_bound() -> None:
    links = header_links(['<x>; rel="nofollow ugc"; title="a \\"b\\""', "<tel:1>"], PAGE)
    assert (links.flags[0], links.texts, links.dropped) == (LinkFlag.NOFOLLOW | LinkFlag.UGC, ['a "b"'], {"tel": 1})
    many = header_links([",".join(f"<{number}>" for number in range(LINK_HEADER_LINKS_MAX + 9))], PAGE)
    assert len(many) == LINK_HEADER_LINKS_MAX


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ('{"@context": "https://schema.org", "@type": "A", "url": "/a"}', ["/a"]),
        ('[{"url": "b", "image": {"url": "i.png"}, "sameAs": ["c", "c"]}]', ["b", "i.png", "c"]),
        ('{"@id": "#me", "url": "_:b0", "name": "https://x/", "item": "two words"}', []),
        ('{"@graph": [{"mainEntityOfPage": {"@id": "https://x/"}}]}', ["https://x/"]),
        ("{", []),
        ("[" * 100_000, []),
        ('{"url": "' + "x" * JSON_LD_CHARACTERS_MAX + '"}', []),
    ],
)
def test_json_ld(text: str, urls: list[str]) -> None:
    assert json_ld_urls(text) == urls


@given(st.text(alphabet='<>;,="\\ ab/rel:', max_size=60))
def test_no_field_raises(field: str) -> None:
    links = header_links([field], PAGE)
    assert len(links.urls) == len(links.kinds) == len(links.flags) == len(links.texts)
