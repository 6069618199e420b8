"""Link forms that few pages have: each is found, with its kind, in document order."""

from __future__ import annotations

import pytest

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.page.links import LinkKind

BASE = "https://site.example/"


def found(html: str) -> list[tuple[str, LinkKind]]:
    links = TurboParser().parse(html.encode(), BASE, "text/html", ()).links
    return [(url.removeprefix(BASE), LinkKind(kind)) for url, kind in zip(links.urls, links.kinds, strict=True)]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        (
            "<link rel=preload as=image href=a imagesrcset='b 1x, a 2x'>",
            [("a", LinkKind.RESOURCE), ("b", LinkKind.IMAGE)],
        ),
        ("<link rel=preload as=image imagesrcset='b 100w'>", [("b", LinkKind.IMAGE)]),
        ("<link rel=alternate type='application/atom+xml' href=f>", [("f", LinkKind.TO_FEED)]),
        ("<link rel=alternate hreflang=de href=de>", [("de", LinkKind.ALTERNATE)]),
        ("<math><mrow href=m><mi xlink:href=n>x</mi></mrow></math>", [("m", LinkKind.A), ("n", LinkKind.A)]),
        ("<svg><a xlink:href=s></a><image href=i /></svg>", [("s", LinkKind.A), ("i", LinkKind.IMAGE)]),
        (
            "<table background=t><tr><td BACKGROUND = d><a href=x>",
            [("t", LinkKind.IMAGE), ("d", LinkKind.IMAGE), ("x", LinkKind.A)],
        ),
        ("<a href=x>1</a><blockquote cite=q><p>2</blockquote>", [("x", LinkKind.A), ("q", LinkKind.CITATION)]),
        ("<img src=i longdesc=l>", [("i", LinkKind.IMAGE), ("l", LinkKind.CITATION)]),
        ("<form><button formaction=f></button><input formaction=g formmethod=post></form>", [("f", LinkKind.FORM)]),
        ('<script type=\'application/ld+json\'>{"url": "j"}</script>', [("j", LinkKind.JSON_LD)]),
        ("<script>var url = '/no'</script><template><a href=no></a></template>", []),
        ("<bgsound src=b>", [("b", LinkKind.MEDIA)]),
    ],
)
def test_forms(html: str, rows: list[tuple[str, LinkKind]]) -> None:
    assert found(html) == rows
