from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import URL_PARSED_LENGTH_MAX
from gossamer.core.url.parse import (
    Url,
    authority_of,
    from_href,
    host_of,
    parse,
    resolve,
    resolve_all,
    target_of,
)


def test_a_url_taken_apart() -> None:
    assert parse("HTTPS://Example.COM:8443/a/../b?x=1#part") == Url(
        href="https://example.com:8443/b?x=1",
        scheme="https",
        host="example.com",
        port=8443,
        authority="https://example.com:8443",
        path="/b",
        query="x=1",
    )


@pytest.mark.parametrize(
    ("text", "host", "port", "authority"),
    [
        ("http://example.com", "example.com", 80, "http://example.com"),
        ("https://example.com:443/", "example.com", 443, "https://example.com"),
        ("http://example.com:443/", "example.com", 443, "http://example.com:443"),
        ("http://[2001:DB8::1]:81/", "2001:db8::1", 81, "http://[2001:db8::1]:81"),
        ("http://[::ffff:1.2.3.4]/", "::ffff:102:304", 80, "http://[::ffff:102:304]"),
        ("http://0x7f.1/", "127.0.0.1", 80, "http://127.0.0.1"),
        ("http://exampl%65.org/", "example.org", 80, "http://example.org"),
        ("http://bücher.example/", "xn--bcher-kva.example", 80, "http://xn--bcher-kva.example"),
        ("http://example.com./", "example.com", 80, "http://example.com."),
        ("http://./", ".", 80, "http://."),
        ("http:////example.com///a", "example.com", 80, "http://example.com"),
        # An empty label before the final dot: not the name without it, whose gap it would not share.
        ("http://example.com../", "example.com..", 80, "http://example.com.."),
        ("http://../", "..", 80, "http://.."),
    ],
)
def test_host_port_and_authority(text: str, host: str, port: int, authority: str) -> None:
    url = parse(text)
    assert url is not None
    assert (url.host, url.port, url.authority) == (host, port, authority)


@pytest.mark.parametrize(
    "text",
    ["", "/relative", "example.com", "mailto:a@b.example", "javascript:1", "ftp://h/", "http://[::1", "http://a b/"],
)
def test_what_is_no_web_url(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    "text", ["http://user:secret@h.example/p", "http://user@h.example/p", "http://:secret@h.example/p"]
)
def test_credentials_are_dropped(text: str) -> None:
    url = parse(text)
    assert url is not None
    assert url.href == "http://h.example/p"


def test_an_at_sign_in_a_path_is_no_credential() -> None:
    assert resolve("https://h.example/", ["/@user:x@y"]) == ["https://h.example/@user:x@y"]


def test_references_are_resolved_in_order_and_the_rest_counted() -> None:
    urls, dropped = resolve_all(
        "https://h.example/a/b?q",
        [
            "c",
            "?",
            "#top",
            "//other.example/x#y",
            "mailto:a@b",
            " JavaScript:void(0)",
            "http://[",
            "made-up:1",
            "tel:1",
        ],
    )
    assert urls == [
        "https://h.example/a/c",
        "https://h.example/a/b?",
        "https://h.example/a/b?q",
        "https://other.example/x",
        "",
        "",
        "",
        "",
        "",
    ]
    assert dropped == {"mailto": 1, "javascript": 1, "invalid": 1, "other scheme": 1, "tel": 1}


def test_an_unusable_base_leaves_absolute_references() -> None:
    for base in ("", "not a url", "x" * (URL_PARSED_LENGTH_MAX + 1)):
        assert resolve_all(base, ["http://h.example/a", "b"]) == (["http://h.example/a", ""], {"invalid": 1})


def test_long_references_are_not_parsed() -> None:
    long = "a" * (URL_PARSED_LENGTH_MAX + 1)
    assert resolve_all("http://h.example/", [long, "data:" + long]) == (["", ""], {"too long": 1, "data": 1})


def test_lone_surrogates_become_replacement_characters() -> None:
    assert resolve("http://h.example/", ["a\ud800b"]) == ["http://h.example/a%EF%BF%BDb"]


@pytest.mark.parametrize(
    ("base", "reference", "expected"),
    [
        ("http://h.example/a%2Fb/c", "d", "http://h.example/a%2Fb/d"),
        ("http://h.example/a/..", "b", "http://h.example/b"),
        ("https://f.example/fr/", '/"%url%/"', "https://f.example/%22%url%/%22"),
        ("http://old.example/robots.txt", "https:////sites.example/x", "https://sites.example/x"),
        ("http://bank.example/", "nb\\nb.nsf/a", "http://bank.example/nb/nb.nsf/a"),
        ("http://bank.example/", "nb%5Cnb.nsf/a", "http://bank.example/nb%5Cnb.nsf/a"),
    ],
)
def test_resolving_by_the_standard(base: str, reference: str, expected: str) -> None:
    assert resolve(base, [reference]) == [expected]


@given(st.text(), st.text())
def test_nothing_raises_and_what_comes_out_is_normalised(base: str, reference: str) -> None:
    for href in resolve("http://h.example/" + base, [reference, base, "http://" + reference]):
        if href:
            url = parse(href)
            assert url is not None
            assert url.href == href
            assert url == from_href(href)
            assert (host_of(href), authority_of(href), target_of(href)) == (url.host, url.authority, url.target)
            assert "#" not in href


@pytest.mark.parametrize(
    ("base", "reference", "expected"),
    [
        # Mapped by Unicode 16 and later, refused or mapped otherwise by earlier tables.
        ("", "http://fa\u1e9e.example/", "http://xn--fa-hia.example/"),
        ("", "http://fa%E1%BA%9E.example/", "http://xn--fa-hia.example/"),
        ("http://h.example/", "//\u10a0.example:81/\u10a0", "http://xn--rkj.example:81/%E1%82%A0"),
        ("", "https://me:pw@\u2132.example", "https://xn--73g.example/"),
        ("", "http://a\u180eb.example/", "http://ab.example/"),
        # The same characters where they are no host.
        ("http://h.example/", "/\u1e9e", "http://h.example/%E1%BA%9E"),
        ("http://h.example/", "http:\u1e9e", "http://h.example/%E1%BA%9E"),
        ("http://h.example/", "?\u1e9e", "http://h.example/?%E1%BA%9E"),
        ("", "http://h.example/\u1e9e", "http://h.example/%E1%BA%9E"),
        # Invalid by any tables: a mark first, a joiner alone, a slash from a mapping, mixed directions.
        ("", "http://\u0300a.example/", ""),
        ("", "http://a\u200cb.example/", ""),
        ("", "http://\u2100.example/", ""),
        ("", "http://0\u05d0.example/", ""),
        ("", "http://xn--a.\xdf/", ""),
    ],
)
def test_hosts_by_todays_unicode(base: str, reference: str, expected: str) -> None:
    assert resolve(base, [reference]) == [expected]


def test_a_host_of_ascii_alone_is_taken_as_it_stands() -> None:
    urls = ["http://XN--a/x?xn--b#c", "http://user@a.xn--/", "//xn--a.example:81"]
    expected = ["http://xn--a/x?xn--b", "http://a.xn--/", "http://xn--a.example:81/"]
    assert resolve("http://h.example/", urls) == expected
    assert [url.href for href in expected if (url := parse(href))] == expected
    assert resolve("", ["http://é.xn--a/", "http://xn--a%20/", "http://xn--a zq--/", "http://xn--a:x/"]) == [""] * 4
