"""Sitemaps and feeds of every kind, in order and broken; bounds; the same answer for any pieces."""

from __future__ import annotations

import gzip
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.core.limits import SITEMAP_BYTES_MAX, SITEMAP_URLS_MAX
from gossamer.core.sitemap.hints import NO_HINTS, Hints
from gossamer.core.sitemap.listing import Listing, ListingFormat, Problem
from gossamer.core.sitemap.reader import ListingReader, read_listing

HERE = "https://site.example/maps/map.xml"
A, B, C = (f"https://site.example/{name}" for name in "abc")


def read(body: str | bytes, content_type: str = "", *, text: bool = True) -> Listing:
    return read_listing(body.encode() if isinstance(body, str) else body, HERE, content_type, text=text)


def in_urlset(inner: str) -> str:
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{inner}</urlset>'


NAMED = [
    ("a plain entry", in_urlset(f"<url><loc>{A}</loc></url>"), [A]),
    ("white space", in_urlset(f"<url><loc>\n  {A}\t</loc></url>"), [A]),
    ("an entity", in_urlset(f"<url><loc>{A}?x=1&amp;y=&#50;</loc></url>"), [f"{A}?x=1&y=2"]),
    ("CDATA, whole and in part", in_urlset(f"<url><loc>{A}<![CDATA[?x=1&y=&amp;]]></loc></url>"), [f"{A}?x=1&y=&amp;"]),
    ("a bare ampersand", in_urlset(f"<url><loc>{A}?x=1&y=2&copy=3</loc></url>"), [f"{A}?x=1&y=2&copy=3"]),
    ("a relative address", in_urlset("<url><loc>../a</loc></url>"), [A]),
    ("a prefix", f"<s:urlset xmlns:s='x'><s:url><s:loc>{A}</s:loc></s:url></s:urlset>", [A]),
    ("upper case", f"<URLSET><URL><LOC>{A}</LOC></URL></URLSET>", [A]),
    (
        "a comment and an instruction",
        in_urlset(f"<!-- <url><loc>{B}</loc></url> --><?x y?><url><loc>{A}</loc></url>"),
        [A],
    ),
    ("white space before the declaration", "\n \ufeff" + in_urlset(f"<url><loc>{A}</loc></url>"), [A]),
    ("an image's address", in_urlset(f"<url><loc>{A}</loc><i:image><i:loc>{B}</i:loc></i:image></url>"), [A]),
    (
        "a video's address",
        in_urlset(f"<url><v:video><v:content_loc>{B}</v:content_loc></v:video><loc>{A}</loc></url>"),
        [A],
    ),
    ("no root", f"<url><loc>{A}</loc></url><url><loc>{B}</loc></url>", [A, B]),
    ("a missing end of loc", in_urlset(f"<url><loc>{A}<lastmod>2024-01-01</lastmod></url>"), [A]),
    ("a missing end of url", in_urlset(f"<url><loc>{A}</loc><url><loc>{B}</loc></url>"), [A, B]),
    ("an end that fits nothing", in_urlset(f"</x><url></y><loc>{A}</loc></url>"), [A]),
    ("no loc", in_urlset(f"<url>{A}</url><url>words</url>"), [A]),
    ("text behind the end", in_urlset(f"<url><loc>{A}</loc></url>") + "<p>served in 3 ms", [A]),
    ("a stray less-than sign", in_urlset(f"<url><title>1 < 2</title><loc>{A}</loc></url>"), [A]),
    (
        "RSS 2.0",
        f"<rss><channel><link>{C}</link><item><link>{A}</link></item><item><link>{B}</link></item></channel></rss>",
        [C, A, B],
    ),
    (
        "an RSS guid",
        (
            f"<rss><channel><item><guid>{A}</guid></item><item><guid isPermaLink='false'>{B}</guid></item>"
            "<item><guid>tag:x</guid></item></channel></rss>"
        ),
        [A],
    ),
    (
        "RSS 1.0",
        (
            f"<rdf:RDF><channel><link>{C}</link><items><rdf:li resource='{A}'/></items></channel>"
            f"<item rdf:about='x'><link>{A}</link></item></rdf:RDF>"
        ),
        [C, A],
    ),
    (
        "RSS 0.91 with its DTD",
        (
            '<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://x/rss-0.91.dtd" [<!ENTITY % L PUBLIC '
            f'"-//W3C//L" "http://x/l.ent"> %L;]><rss><channel><item><link>{A}</link></item></channel></rss>'
        ),
        [A],
    ),
    (
        "Atom",
        (
            f"<feed><link href='{C}'/><link rel='self' href='{HERE}'/><entry><link href='{A}'/>"
            f"<link rel='enclosure' href='{C}'/></entry><entry><link rel='alternate' href='{B}'/></entry></feed>"
        ),
        [C, A, B],
    ),
    (
        "an Atom author's uri and source",
        (
            f"<feed><entry><author><url>{B}</url></author><source><link href='{C}'/></source>"
            f"<link href='{A}'/></entry></feed>"
        ),
        [A],
    ),
    (
        "xml:base",
        (
            "<feed xml:base='https://site.example/x/'><entry xml:base='y/'><link href='z'/></entry>"
            "<entry><link href='z'/></entry></feed>"
        ),
        ["https://site.example/x/y/z", "https://site.example/x/z"],
    ),
    ("CDF", f"<CHANNEL HREF='{C}'><ITEM HREF='{A}'><TITLE>x</TITLE></ITEM></CHANNEL>", [C, A]),
    (
        "JSON Feed",
        (
            f'{{"version": "https://jsonfeed.org/version/1.1", "home_page_url": "{C}", "items": '
            f'[{{"id": 1, "url": "{A}"}}, {{"url": 7}}, 3, {{"url": "b"}}, {{"id": "{B}"}}, {{"id": "b"}}]}}'
        ),
        [C, A, "https://site.example/maps/b", B],
    ),
    (
        "an Atom relation by its IRI",
        (
            f"<feed><entry><link rel='http://www.iana.org/assignments/relation/alternate' href='{A}'/>"
            f"<link rel='http://www.iana.org/assignments/relation/via' href='{B}'/></entry></feed>"
        ),
        [A],
    ),
    ("text in columns", f"url\tdate\n{A}\t2024-01-01\n{B} \t{C}\n", [A, B]),
    ("text", f"{A}\r\n  {B} \rnonsense\nmailto:x@y\n{C}", [A, B, C]),
]


@pytest.mark.parametrize(("body", "urls"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED])
def test_what_a_file_names(body: str, urls: list[str]) -> None:
    assert read(body).urls == urls


@pytest.mark.parametrize("body", [row[1] for row in NAMED], ids=[row[0] for row in NAMED])
@pytest.mark.parametrize("size", [1, 2, 7])
def test_pieces_of_any_size_say_the_same(body: str, size: int) -> None:
    data = body.encode()
    reader = ListingReader(HERE)
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    assert reader.close() == read_listing(data, HERE)


def test_an_index_names_files() -> None:
    listing = read(f"<sitemapindex><sitemap><loc>{A}</loc></sitemap><sitemap>{B}</sitemap></sitemapindex>")
    assert (listing.format, listing.urls, listing.children) == (ListingFormat.INDEX, [], [A, B])


def test_a_feed_names_its_other_pages() -> None:
    assert read("<feed><link rel='next' href='?p=2'/></feed>").children == [f"{HERE}?p=2"]
    assert read('{"items": [], "next_url": "?p=2"}').children == [f"{HERE}?p=2"]


@pytest.mark.parametrize(
    ("inner", "hints"),
    [
        ("", NO_HINTS),
        ("<lastmod> 2024-05-06T07:08+02:00 </lastmod>", Hints(lastmod="2024-05-06T07:08+02:00")),
        ("<lastmod>&lt;b&gt;</lastmod><changefreq>often</changefreq><priority>7</priority>", NO_HINTS),
        ("<changefreq>Daily</changefreq><priority>0.5</priority>", Hints(changefreq="daily", priority=0.5)),
        ("<priority>.</priority>", NO_HINTS),
        ("<n:news><n:publication_date>2024-01-02</n:publication_date></n:news>", Hints(published="2024-01-02")),
        ("<x:link rel='alternate' hreflang='DE-ch' href='/c'/>", Hints(alternates=(("de-ch", C),))),
        ("<x:link rel='alternate' hreflang='de' href='mailto:x'/>", NO_HINTS),
    ],
)
def test_claims(inner: str, hints: Hints) -> None:
    assert read(in_urlset(f"<url><loc>{A}</loc>{inner}</url>")).hints == [hints]


def test_claims_of_feeds() -> None:
    item = f"<item><link>{A}</link><pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate></item>"
    assert read(f"<rss><channel>{item}</channel></rss>").hints == [Hints(published="Mon, 06 May 2024 10:00:00 GMT")]
    entry = f"<entry><link href='{A}'/><updated>2024-05-06</updated><published>2024-05-05</published></entry>"
    assert read(f"<feed>{entry}</feed>").hints == [Hints(lastmod="2024-05-06", published="2024-05-05")]


@pytest.mark.parametrize(
    ("body", "content_type", "charset"),
    [
        (f"\ufeff<urlset><url><loc>{A}?ä</loc></url></urlset>".encode(), "text/xml; charset=latin1", "utf-8"),
        (f"<urlset><url><loc>{A}?ä</loc></url></urlset>".encode("latin-1"), "text/xml; charset=latin1", "windows-1252"),
        (
            f"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>{A}?ä</loc></url></urlset>".encode(
                "latin-1"
            ),
            "",
            "windows-1252",
        ),
        (f"<?xml version='1.0' encoding='UTF-16'?><urlset><url><loc>{A}?ä</loc></url></urlset>".encode(), "", "utf-8"),
        (f"\ufeff<urlset><url><loc>{A}?ä</loc></url></urlset>".encode("utf-16-le"), "", "utf-16le"),
        (f"<urlset><url><loc>{A}?ä</loc></url></urlset>".encode("utf-16-be"), "", "utf-16be"),
        (
            f"{A}?ä".encode("shift_jis", "replace").replace(b"?", b"?\x83\x8a", 1)[:-1],
            "text/plain; charset=shift_jis",
            "shift_jis",
        ),
    ],
)
def test_encodings(body: bytes, content_type: str, charset: str) -> None:
    listing = read(body, content_type)
    assert listing.charset == charset
    assert listing.urls in ([f"{A}?%C3%A4"], [f"{A}?%E3%83%AA"])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", Problem.EMPTY),
        (b" \n", Problem.EMPTY),
        (b"<!doctype html><html><a href=/x>", Problem.NO_LISTING),
        (b"%PDF-1.4\n" + b"x y\n" * 200, Problem.NO_LISTING),
        (b"just words", Problem.NO_LISTING),
        (b'{"items": {}}', Problem.NO_LISTING),
        (b'{"items": [', Problem.NO_LISTING),
        (b"[" * 100_000, Problem.NO_LISTING),
        (b'{"a":' * 100_000, Problem.NO_LISTING),
        (b"<urlset>" + b"<a>" * 1000, Problem.TOO_DEEP),
        (b'<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><urlset/>', Problem.ENTITIES),
        (b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset/>', Problem.ENTITIES),
        (b'<!DOCTYPE a [<!ENTITY a "' + b"x" * 1000 + b'">]><urlset/>', Problem.ENTITIES),
        (b'<!DOCTYPE a [<!ENTITY a "&b;"' + b" " * 100_000 + b">]><urlset/>", Problem.ENTITIES),
        (gzip.compress(b"<urlset>" + b" " * 30_000_000), Problem.BOMB),
        (gzip.compress(gzip.compress(b"<urlset>" + b" " * 60_000_000)), Problem.BOMB),
    ],
)
def test_what_is_refused(body: bytes, problem: Problem) -> None:
    listing = read(body)
    assert (listing.problem, listing.urls, listing.children) == (problem, [], [])


def test_a_declared_entity_is_never_expanded() -> None:
    body = f'<!DOCTYPE a [<!ENTITY a "x">]><urlset><url><loc>{A}?&a;&amp;y</loc></url></urlset>'
    assert read(body).urls == [f"{A}?&a;&y"]


def test_a_feed_is_no_text_list() -> None:
    assert read(A, text=False).problem == Problem.NO_LISTING


@pytest.mark.parametrize("times", [1, 2])
def test_gzip_is_undone(times: int) -> None:
    body = in_urlset(f"<url><loc>{A}</loc></url>").encode()
    for _ in range(times):
        body = gzip.compress(body)
    listing = read(body)
    assert (listing.urls, listing.problem) == ([A], "")


def test_members_padding_and_rubbish() -> None:
    parts = gzip.compress(f"{A}\n".encode()) + gzip.compress(B.encode())
    assert (read(parts).urls, read(parts).problem) == ([A, B], "")
    assert read(parts + b"\0\0").problem == ""
    listing = read(parts + b"rubbish")
    assert (listing.urls, listing.problem) == ([A, B], Problem.BROKEN)


def test_what_came_before_the_fault_is_taken() -> None:
    body = in_urlset(f"<url><loc>{A}</loc></url><url><loc>{B}</loc></url>")
    listing = read(body[: body.index("</loc></url></urlset>")])
    assert (listing.urls, listing.problem) == ([A, B], Problem.BROKEN)
    cut = read(gzip.compress("".join(f"https://site.example/{n * n}\n" for n in range(5000)).encode())[:-2000])
    assert len(cut.urls) > 1000
    assert cut.problem == Problem.BROKEN


def test_bounds() -> None:
    many = read("".join(f"https://site.example/{n}\n" for n in range(SITEMAP_URLS_MAX + 5)))
    assert (len(many.urls), many.problem) == (SITEMAP_URLS_MAX, Problem.TOO_MANY)
    long = read(A.encode() + b"\n" + b" " * SITEMAP_BYTES_MAX + B.encode())
    assert (long.urls, long.problem) == ([A], Problem.TOO_LONG)


def test_what_is_no_web_address_is_counted() -> None:
    listing = read(in_urlset("".join(f"<url><loc>{url}</loc></url>" for url in ("mailto:x@y", "http://[", A))))
    assert (listing.urls, listing.dropped) == ([A], {"mailto": 1, "invalid": 1})


MARKUP = st.lists(
    st.sampled_from(
        [
            "<urlset>",
            "<url>",
            "<loc>",
            "</loc>",
            "</url>",
            "http://a/b?c&d",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<",
            ">",
            "&amp;",
            "<!DOCTYPE x [",
            "]>",
            "<!ENTITY a '&b;'>",
            "<rss>",
            "<channel>",
            "<item>",
            "<link>",
            "</link>",
            "<link href='/x'/>",
            "<?xml",
            "?>",
            '"',
            "'",
            " ",
            "<feed>",
            "<entry>",
            "\n",
            "\ufffd",
            "http://b/",
            "<loc/>",
            "<sitemap>",
        ]
    )
).map("".join)


@settings(max_examples=150, deadline=None)
@given(
    MARKUP.map(str.encode) | st.binary(max_size=300) | MARKUP.map(lambda text: gzip.compress(text.encode())),
    st.integers(1, 40),
)
def test_nothing_raises_and_pieces_make_no_difference(body: bytes, size: int) -> None:
    reader = ListingReader(HERE)
    for start in range(0, len(body), size):
        reader.feed(body[start : start + size])
    whole = read(body)
    assert reader.close() == whole
    assert len(whole.urls) == len(whole.hints)


def test_alternates_do_not_outgrow_the_file() -> None:
    """Short references beside a long base would become a hundred times the bytes of the file."""
    base = "https://site.example/" + "p" * 1_900 + "/map.xml"
    item = b"<url><loc>x</loc>" + b'<xhtml:link rel="alternate" hreflang="a" href="b"/>' * 100 + b"</url>"
    listing = read_listing(b"<urlset>" + item * 400 + b"</urlset>", base)
    assert len(listing) == 400
    made = [url for hints in listing.hints for _, url in hints.alternates]
    assert made
    assert sum(map(len, made)) <= SITEMAP_BYTES_MAX


def test_a_file_declares_its_type_a_few_times_at_most() -> None:
    begun = time.process_time()
    listing = read_listing(b"<urlset>" + b"<!DOCTYPE " * 30_000 + b"<url><loc>/a</loc></url></urlset>", HERE)
    assert time.process_time() - begun < 3
    assert len(listing) == 1
