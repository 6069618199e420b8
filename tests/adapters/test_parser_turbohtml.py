from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.limits import HTML_DEPTH_MAX, LINK_TEXT_CHARACTERS_MAX, LINKS_PER_PAGE_MAX, TITLE_CHARACTERS_MAX
from gossamer.core.page.document import Directives, Document
from gossamer.core.page.links import LinkFlag, LinkKind
from gossamer.ports.parser import Parser
from tests.published import SHARED, needs_shared, rows

PAGE = "https://h.test/d/p.html?q"


def read(html: str | bytes, url: str = PAGE, content_type: str = "text/html; charset=utf-8") -> Document:
    parser: Parser = TurboParser()
    return parser.parse(html if isinstance(html, bytes) else html.encode(), url, content_type, ())


def found(html: str) -> list[tuple[str, str]]:
    links = read(html).links
    return [
        (LinkKind(kind).name, url.removeprefix("https://h.test"))
        for kind, url in zip(links.kinds, links.urls, strict=True)
    ]


KINDS = [
    ("<a href=x>", [("A", "/d/x")]),
    ("<a>no</a><a name=x>", []),
    ("<a href>", [("A", "/d/p.html?q")]),
    ("<a href='#top'>", [("A", "/d/p.html?q")]),
    ("<a href=' \n x\ty '>", [("A", "/d/xy")]),
    ("<a href='..\\x\\y'>", [("A", "/x/y")]),
    ("<a href='//b.test/x'>", [("A", "https://b.test/x")]),
    ("<a href='x?a=1&amp;b=2&copy=3'>", [("A", "/d/x?a=1&b=2&copy=3")]),
    ("<map><area href=x alt=y></map>", [("AREA", "/d/x")]),
    ("<frameset><frame src=x></frameset>", [("FRAME", "/d/x")]),
    ("<iframe src=x><a href=no></iframe>", [("IFRAME", "/d/x")]),
    ("<iframe src=''></iframe><iframe srcdoc='<a href=x>'>", []),
    ("<link rel=canonical href=x><link rel=stylesheet href=y>", [("CANONICAL", "/d/x"), ("RESOURCE", "/d/y")]),
    (
        "<link href=x><link rel=next href=y><link rel=prev href=z>",
        [("LINK", "/d/x"), ("NEXT", "/d/y"), ("PREV", "/d/z")],
    ),
    ("<link rel=alternate hreflang=de href=x><link rel=next>", [("ALTERNATE", "/d/x")]),
    ("<meta http-equiv=Refresh content='0; url=x'>", [("REFRESH", "/d/x")]),
    ("<meta http-equiv=refresh content=30>", []),
    ("<img src=a srcset='a 1x, b 2x'>", [("IMAGE", "/d/a"), ("IMAGE", "/d/b")]),
    ("<img src=''>", []),
    ("<script src=x></script><script>'<a href=no>'</script>", [("SCRIPT", "/d/x")]),
    (
        "<video src=v poster=p><source src=s><track src=t></video>",
        [("MEDIA", "/d/v"), ("IMAGE", "/d/p"), ("MEDIA", "/d/s"), ("MEDIA", "/d/t")],
    ),
    ("<object data=o><embed src=e></object>", [("MEDIA", "/d/o"), ("MEDIA", "/d/e")]),
    ("<form action=x><input></form><form method=post action=no></form>", [("FORM", "/d/x")]),
    (
        "<svg><a xlink:href=x></a><a href=y></a><image href=i /></svg>",
        [("A", "/d/x"), ("A", "/d/y"), ("IMAGE", "/d/i")],
    ),
    ("<noscript><a href=x></a></noscript>", [("A", "/d/x")]),
    ("<template><a href=no><template><a href=no></template></template><a href=x>", [("A", "/d/x")]),
    ("<div><template shadowrootmode=open><a href=no></template></div>", []),
    ("<!-- <a href=no> --><textarea><a href=no></textarea><title><a href=no></title><style><a href=no></style>", []),
    ("<xmp><a href=no></xmp><plaintext><a href=no>", []),
    ("<table><a href=x><tr><td><a href=y>", [("A", "/d/x"), ("A", "/d/y")]),
    ("<a href=x><a href=y>", [("A", "/d/x"), ("A", "/d/y")]),
    ("<A HREF=x HREF=no>", [("A", "/d/x")]),
]


@pytest.mark.parametrize(("html", "links"), KINDS)
def test_links_and_kinds(html: str, links: list[tuple[str, str]]) -> None:
    assert found(html) == links


def test_texts() -> None:
    html = """<a href=a> one
      <b>two</b></a><a href=b title=three> </a><a href=c><img alt=four src=i></a><a href=d></a>
      <map><area href=e alt=five></map>"""
    links = read(html).links
    texts = {url[-1]: text for url, text in zip(links.urls, links.texts, strict=True)}
    assert texts == {"a": "one two", "b": "three", "c": "four", "i": "four", "d": "", "e": "five"}


def test_texts_and_title_are_cut() -> None:
    document = read(f"<title>{'t ' * 2000}</title><a href=x>{'x' * 5000}</a>")
    assert len(document.links.texts[0]) == LINK_TEXT_CHARACTERS_MAX
    assert len(document.title) <= TITLE_CHARACTERS_MAX


def test_flags() -> None:
    links = read("<a href=a rel='ugc NOFOLLOW'><a href=b rel=sponsored><a href=c><area href=d rel=nofollow>").links
    flags = [LinkFlag(flag) for flag in links.flags]
    assert flags == [LinkFlag.UGC | LinkFlag.NOFOLLOW, LinkFlag.SPONSORED, LinkFlag.NONE, LinkFlag.NOFOLLOW]


def test_other_schemes_are_counted() -> None:
    html = "<a href=mailto:x><a href=mailto:y><a href=' JavaScript:z'><a href='http://['><a href=made-up:x><a href=ok>"
    links = read(html).links
    assert links.urls == ["https://h.test/d/ok"]
    assert links.dropped == {"mailto": 2, "javascript": 1, "invalid": 1, "other scheme": 1}


@pytest.mark.parametrize(
    ("html", "base"),
    [
        ("", PAGE),
        ("<base href=../x/>", "https://h.test/x/"),
        ("<base href=//b.test/y>", "https://b.test/y"),
        ("<base target=x><base href=/a/><base href=/b/>", "https://h.test/a/"),
        ("<base href=data:/,x><base href=/b/>", PAGE),
        ("<base href='javascript:x'>", PAGE),
        ("<base href='http://['>", PAGE),
        ("<base href=' '>", PAGE),
        ("<!-- <base href=/b/> --><template><base href=/c/></template>", PAGE),
        ("<p><base href=/late/>", "https://h.test/late/"),
    ],
)
def test_base(html: str, base: str) -> None:
    document = read(html + "<a href=x>")
    assert document.base == base
    assert document.links.urls == read("<a href=x>", url=base).links.urls


def test_a_base_of_another_scheme_leaves_absolute_links() -> None:
    links = read("<a href=x><a href=https://b.test/><base href=ftp://f.test/>").links
    assert links.urls == ["https://b.test/"]


@pytest.mark.parametrize(
    ("html", "title", "language"),
    [
        ("<html lang=de-AT><title> a\n&amp; b </title>", "a & b", "de-AT"),
        ("<title></title><title>second</title>", "second", ""),
        ("<svg><title>picture</title></svg>", "", ""),
        ("<meta http-equiv=content-language content=fr><html xml:lang=' it '>", "", "it"),
        ("<meta http-equiv=content-language content=fr>", "", "fr"),
        ("<html lang='<script>'>", "", ""),
    ],
)
def test_title_and_language(html: str, title: str, language: str) -> None:
    document = read(html)
    assert (document.title, document.language) == (title, language)


def test_directives_of_page_and_header() -> None:
    html = b"<!-- <meta name=robots content=noindex> --><meta name=robots content=noarchive>"
    html += b"<p><meta name=gossamer content=nofollow>"
    document = TurboParser().parse(html, PAGE, "text/html", ("otherbot: noindex",))
    assert document.directives == Directives(nofollow=True, noarchive=True, rules=("noarchive", "nofollow"))
    assert TurboParser().parse(b"", PAGE, "text/html", ("none",)).directives.noindex


def test_queries_are_written_in_the_encoding_of_the_page() -> None:
    body = "<meta charset=windows-1251><a href='/поиск?q=привет'>".encode("cp1251")
    document = read(body, content_type="text/html")
    assert document.charset == "windows-1251"
    assert document.links.urls == ["https://h.test/%D0%BF%D0%BE%D0%B8%D1%81%D0%BA?q=%EF%F0%E8%E2%E5%F2"]


def test_a_repeated_link_is_a_row_each_time() -> None:
    assert len(read("<a href=x>1</a><a href=x>2</a><a href='x#y'>3</a>").links) == 3


def test_too_many_links_are_counted() -> None:
    distinct = "".join(f"<a href={number}>" for number in range(LINKS_PER_PAGE_MAX + 5))
    document = read(distinct + "<a href=0>" * 10)
    assert len(document.links) == LINKS_PER_PAGE_MAX + 10
    assert document.links.dropped == {"too many": 5}


XHTML = [
    ("<script src='s'/><a href='x'/><title/><a href='y'>", ["s", "x", "y"]),
    ('<script\n src="s>t"\n/><a href="x"/>', ["s>t", "x"]),
    ("<script>a</script><br/><a href='x'/>", ["x"]),
    ("<script>if (a) b = '<a href=no>'; </script ><iframe src='f'/><a href='x'>y</a>", ["f", "x"]),
    ("<style></style><textarea/><a href='x'>", ["x"]),
]


@pytest.mark.parametrize(("html", "names"), XHTML, ids=range(len(XHTML)))
def test_empty_elements_of_xhtml_swallow_nothing(html: str, names: list[str]) -> None:
    links = read(html, content_type="application/xhtml+xml; charset=utf-8").links
    assert links.urls == [f"https://h.test/d/{name.replace('>', '%3E')}" for name in names]


def test_in_html_an_empty_script_swallows_what_follows() -> None:
    assert [*read("<script src=s /><a href=x>").links.urls] == ["https://h.test/d/s"]


@pytest.mark.slow
@pytest.mark.parametrize("html", ["<script " * 200_000, "<script x" + "a" * 1_000_000, "<style '>'/" * 100_000])
def test_hostile_xhtml_ends_soon(html: str) -> None:
    assert read(html, content_type="application/xhtml+xml").links.urls == []


DEEP = HTML_DEPTH_MAX - 2  # inside html and body
MALFORMED = [
    (b"", "empty"),
    (b"%PDF-1.4 <a href=x>", "binary"),
    (b"\x00\x01\x02\x03" * 100, "binary"),
    (b"\xff" * 100, "undecodable"),
    (b"<div>" * (DEEP + 1) + b"<a href=x>", "nested too deep"),
    (b"<div>" * DEEP, ""),
    (b"<b><i>" * DEEP + b"</i></b>" * DEEP, "nested too deep"),
    (b"<div>" * DEEP + b"</div>" * DEEP + b"<a href=x>", ""),
    (b"<span>" * 50_000 + b"</div>" * 50_000, "nested too deep"),
    (b"<p>" * 1_000_001, "too many elements"),
    (b"<p>" + b"".join(b"<font size=%d>" % n for n in range(490)) + b"<p>x" * 20_000, "too many elements"),
]


@pytest.mark.parametrize(("body", "malformed"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_pages_are_marked_and_give_no_links(body: bytes, malformed: str) -> None:
    document = read(body)
    assert document.malformed == malformed
    assert bool(document.links.urls) == (b"<a " in body and not malformed)


HOSTILE = [
    "<div>" * 200_000,
    "<div " + " ".join(f"a{number}=1" for number in range(100_000)) + ">",
    "<select>" + "<option>x" * 100_000,
    "<a href=x>" * 100_000,
    "<a href=x>y<table><td>" * 120 + "t" * 1_000_000,
    "<meta name=robots content='" + "noindex," * 200_000 + "'>",
    "<img srcset='" + "a 1x," * 200_000 + "'>",
    "<a rel='" + "nofollow " * 100_000 + "' href='" + "x" * 1_000_000 + "'>",
    "<meta http-equiv=refresh content='" + "1" * 1_000_000 + ";x'>",
    "<b '" * 200_000,
    "<!--" * 200_000,
    "<meta " * 100_000,
    "<template>" * 50_000,
    "<base href='" + "x" * 15_000 + "'>" + "".join(f"<a href={number}>" for number in range(3000)),
]


@pytest.mark.slow
@pytest.mark.parametrize("html", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_pages_end_soon(html: str) -> None:
    document = read(html)
    links = document.links
    assert len(links.urls) == len(links.kinds) == len(links.flags) == len(links.texts)


FRAGMENTS = [
    "<a href=x>",
    "<a href='y#z' rel=nofollow>t",
    "</a>",
    "<base href=/b/>",
    "<template>",
    "</template>",
    "<svg>",
]
FRAGMENTS += [
    "<table>",
    "<td>",
    "</table>",
    "<link rel=next href=n>",
    "<meta http-equiv=refresh content='0;r'>",
    "<!--",
    "-->",
]
FRAGMENTS += [
    "<select>",
    "<noscript>",
    "<iframe src=f>",
    "</iframe>",
    "<title>",
    "</title>",
    "&#xD800;",
    "\0",
    "<p ",
    "'",
    ">",
]


@given(
    st.one_of(
        st.binary(max_size=400), st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(lambda p: "".join(p).encode())
    )
)
def test_any_bytes_give_a_document_and_always_the_same(body: bytes) -> None:
    document = read(body, content_type="text/html")
    links = document.links
    assert document == read(body, content_type="text/html")
    assert len(links.urls) == len(links.kinds) == len(links.flags) == len(links.texts)
    assert all(url.startswith(("http://", "https://")) and "#" not in url for url in links.urls)
    for text in (document.title, document.language, document.base, *links.urls, *links.texts):
        text.encode()
    assert not (document.malformed and links.urls)


@given(st.text(max_size=50), st.text(max_size=50), st.lists(st.text(max_size=30)))
def test_any_headers_are_taken(content_type: str, href: str, robots_tags: list[str]) -> None:
    body = f'<a href="{href}">'.encode("utf-8", "replace")
    TurboParser().parse(body, PAGE, content_type, tuple(robots_tags))


@needs_shared
def test_published_bases() -> None:
    for case in json.loads((SHARED / "data/wpt-html/base.json").read_text(encoding="utf-8"))["cases"]:
        assert read(case["html"], url=case["page"]).base == case["base"].partition("#")[0], case


LINK_KINDS = ("html_links", "html_canonical", "html_refresh")
REPORTED = [
    row for row in rows("buglog.jsonl") if row["input"]["kind"] in LINK_KINDS and "found_as" not in row["input"]
]


@needs_shared
@pytest.mark.parametrize("row", REPORTED, ids=lambda row: row["id"])
def test_reported_faults(row: dict[str, Any]) -> None:
    links = read(row["input"]["html"], url=row["input"]["url"]).links
    expected = row["expected"]
    if "links" in expected:
        assert links.urls == expected["links"]
    elif "canonical" in expected:
        assert links.urls == ([expected["canonical"]] if expected["canonical"] else [])
    else:
        assert links.urls == [expected["url"]]


@needs_shared
def test_published_pages_agree_on_links() -> None:
    judged = 0
    for row in rows("link-extraction/heritrix-facts.jsonl"):
        # A frame outside a frameset is dropped by the HTML standard; the source of these cases takes it.
        if row["source"].startswith("ExtractorHTML") and "<frame" not in row["content"]:
            links = read(row["content"], url=row["base"]).links
            assert [url.rstrip("/") for url in links.urls] == [link.rstrip("/") for link in row["links"]], row
            judged += 1
    assert judged >= 8


@needs_shared
@pytest.mark.slow
def test_real_pages_are_read_whole() -> None:
    pages = sorted((SHARED / "data/main-text-readability").glob("*/source.html.gz"))
    assert len(pages) > 100
    for page in pages:
        document = read(gzip.decompress(page.read_bytes()), content_type="text/html")
        assert document.malformed == "", page


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252", "iso-2022-jp"])
def test_rare_links_are_found_in_any_encoding_and_case(encoding: str) -> None:
    text = '<!doctype html><p><Q CITE = "/said">x</q><img src=a longdesc="/long"><table BackGround=/ground></table>'
    found = TurboParser().parse(text.encode(encoding), "http://a.test/", f"text/html; charset={encoding}", ())
    assert [url for url in found.links.urls if url != "http://a.test/a"] == [
        "http://a.test/said",
        "http://a.test/long",
        "http://a.test/ground",
    ]
