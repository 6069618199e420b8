from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.url import key as keying
from gossamer.core.url.key import KEY_RULES_NEWEST, KeyRules, url_key, url_keys
from gossamer.core.url.key_parameters import SESSIONS_2, SESSIONS_BY_VALUE_2, tracking_names
from gossamer.core.url.parse import parse

RULES = KeyRules(1)
NEWEST = KeyRules(2)
H = "http://h.example"
SESSION = "0123456789abcdefABCDEF0123456789"


@pytest.mark.parametrize(
    ("href", "key"),
    [
        ("http://h.example/a", "http://h.example/a"),
        ("http://h.example/%7eann/%41%2d%2E%5f", "http://h.example/~ann/A-._"),
        ("http://h.example/a%2fb%3f", "http://h.example/a%2Fb%3F"),
        ("http://h.example/a%2Fb?x=%26%3d%2b", "http://h.example/a%2Fb?x=%26%3D%2B"),
        ("http://h.example/caf%c3%a9", "http://h.example/caf%C3%A9"),
        ("http://h.example/a|b?c={d}^e`f", "http://h.example/a%7Cb?c=%7Bd%7D%5Ee%60f"),
        ("http://h.example/100%?x=%zz", "http://h.example/100%?x=%zz"),
        # Decoding must not complete an escape that was not there.
        ("http://h.example/%%32e", "http://h.example/%%32e"),
        ("http://h.example/%%32%65", "http://h.example/%%32e"),
        ("http://h.example/%4%31", "http://h.example/%4%31"),
        ("http://h.example/%25%32%65", "http://h.example/%252e"),
    ],
)
def test_what_folds(href: str, key: str) -> None:
    assert url_key(href, RULES) == key
    assert url_keys([href, href], RULES) == [key, key]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://h.example/", "https://h.example/"),
        ("http://h.example/a", "http://h.example/a/"),
        ("http://h.example/a", "http://h.example/a?"),
        ("http://h.example/a", "http://h.example/A"),
        ("http://h.example/a/b", "http://h.example/a%2Fb"),
        ("http://h.example/?a&b", "http://h.example/?b&a"),
        ("http://h.example/?a+b", "http://h.example/?a%20b"),
        ("http://h.example/a//b", "http://h.example/a/b"),
        ("http://h.example/%", "http://h.example/%25"),
    ],
)
def test_what_does_not_fold(one: str, other: str) -> None:
    assert url_key(one, RULES) != url_key(other, RULES)


@pytest.mark.parametrize(
    ("tail", "key"),
    [
        # What version 1 folds.
        ("/%7eann/a%2fb|", "/~ann/a%2Fb%7C"),
        # Tracking, in any letter case and with escapes; beginnings; nothing left.
        ("/a?utm_source=x&id=1&UTM_Medium=y", "/a?id=1"),
        ("/a?gclid=1", "/a"),
        ("/a?%75tm_source=1&fbclid", "/a"),
        ("/a?mtm_campaign=1&pk_kwd=2&_openstat=3", "/a"),
        ("/a?utm=1&myutm_source=2&source=3&ref=4", "/a?myutm_source=2&ref=4&source=3&utm=1"),
        # Session ids in the query, by name and by value.
        (f"/a?PHPSESSID={SESSION}&x=1", "/a?x=1"),
        ("/a?jsessionid=1&x=1", "/a?x=1"),
        ("/a?ASPSESSIONIDABCDEFGH=x", "/a"),
        (f"/viewtopic.php?t=1&sid={SESSION}", "/viewtopic.php?t=1"),
        ("/story?sid=123456", "/story?sid=123456"),
        ("/story?sid=09/11/26/2051219", "/story?sid=09/11/26/2051219"),
        ("/story?session=keynote-of-the-second-day", "/story?session=keynote-of-the-second-day"),
        # Session ids in the path.
        ("/a;jsessionid=1A530637289A03B07199A44E8D531427?x=1", "/a?x=1"),
        ("/a;JSessionID=1.node2/b;sid=2", "/a/b"),
        ("/a;v=1;jsessionid=1/b", "/a;v=1/b"),
        ("/a;jsessionids=1", "/a;jsessionids=1"),
        ("/.;jsessionid=1/b", "/.;jsessionid=1/b"),
        ("/(S(lit3py55t21z5v55vlm25s55))/orderform.aspx", "/orderform.aspx"),
        ("/x/(lit3py55t21z5v55vlm25s55)/a", "/x/a"),
        ("/(S(short))/a", "/(S(short))/a"),
        # Order, and emptiness.
        ("/a?b=2&a=1", "/a?a=1&b=2"),
        ("/a?b=2&a=2&b=1&a=1", "/a?a=2&a=1&b=2&b=1"),
        ("/a?&&b&&a=&", "/a?a=&b"),
        ("/a?", "/a"),
        ("/a?&", "/a"),
        ("/a?x=1?utm_source=2&y=3", "/a?x=1?utm_source=2&y=3"),
        ("/a?x=1;utm_source=2", "/a?x=1;utm_source=2"),
        ("/a?x=%26utm_source%3D1", "/a?x=%26utm_source%3D1"),
    ],
)
def test_what_version_2_folds(tail: str, key: str) -> None:
    assert url_key(H + tail, NEWEST) == H + key
    assert url_key(H + key, NEWEST) == H + key


@pytest.mark.parametrize(
    ("authority", "key"),
    [
        ("http://h.example.", "http://h.example"),
        ("https://h.example.:8443", "https://h.example:8443"),
        ("http://h.example..", "http://h.example.."),
        ("http://.", "http://."),
        ("http://[::1]:81", "http://[::1]:81"),
        ("http://1.2.3.4:81", "http://1.2.3.4:81"),
    ],
)
def test_the_final_dot_of_a_host(authority: str, key: str) -> None:
    assert url_key(authority + "/a?b", NEWEST) == key + "/a?b"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://h.example/", "https://h.example/"),
        ("http://h.example/", "http://www.h.example/"),
        ("http://h.example/", "http://h.example:81/"),
        ("http://h.example/a", "http://h.example/a/"),
        ("http://h.example/", "http://h.example/index.html"),
        ("http://h.example/a", "http://h.example/A"),
        ("http://h.example/a/b", "http://h.example/a%2Fb"),
        ("http://h.example/?a+b", "http://h.example/?a%20b"),
        ("http://h.example/?a", "http://h.example/?a="),
        ("http://h.example/?a=1&a=2", "http://h.example/?a=2&a=1"),
        ("http://h.example/?a=1&a=1", "http://h.example/?a=1"),
        ("http://h.example/a//b", "http://h.example/a/b"),
        ("http://h.example/%", "http://h.example/%25"),
    ],
)
def test_what_version_2_leaves_apart(one: str, other: str) -> None:
    assert url_key(one, NEWEST) != url_key(other, NEWEST)


def test_a_crawl_may_drop_and_keep_more() -> None:
    rules = KeyRules(2, drop=("Lang", "x-*", "ref"), keep=("utm_term", "ref"))
    assert url_key(H + "/?lang=de&x-a=1&utm_term=2&utm_source=3&ref=4", rules) == H + "/?ref=4&utm_term=2"


def test_no_name_in_the_tables_is_there_twice_or_holds_capitals() -> None:
    names = [*tracking_names(), *SESSIONS_2.split(), *SESSIONS_BY_VALUE_2.split()]
    assert len(set(names)) == len(names)
    assert [name for name in names if name != name.lower()] == []


PIECES = st.lists(
    st.sampled_from(
        [
            *("%", "%2", "%25", "%41", "%7e", "%2f", "%2E", "2", "e", "F", "/", "?", "&", "|", '"', "é", ".", "~"),
            *("=", ";", "(", "b", "a", "utm_source", "sid", SESSION, ";jsessionid=1", "(S(lit3py55t21z5v55vlm25s55))"),
        ]
    )
)


@pytest.mark.parametrize("rules", [KeyRules(1), KeyRules(2), KeyRules(2, drop=("a", "e*"), keep=("sid",))])
@given(st.one_of(PIECES.map("".join), st.text()), st.sampled_from(["http://h.example", "http://h.example.:81"]))
def test_the_key_of_a_key_is_itself_and_is_a_normalised_url(rules: KeyRules, tail: str, start: str) -> None:
    url = parse(f"{start}/{tail}")
    if url is not None:
        key = url_key(url.href, rules)
        assert url_key(key, rules) == key
        parsed = parse(key)
        assert parsed is not None
        assert parsed.host == url.host
        assert url_key(parsed.href, rules) == key


@given(st.permutations(["a=1", "b=2", "c=%41", "C=1", "utm_id=1", "", "d"]))
def test_the_order_of_names_never_matters(parameters: list[str]) -> None:
    assert url_key(f"{H}/?{'&'.join(parameters)}", NEWEST) == H + "/?C=1&a=1&b=2&c=A&d"


def test_version_1_still_answers_as_it_did() -> None:
    url = "http://h.example./a;jsessionid=1?utm_source=x&b&a&"
    assert url_key(url, KeyRules(1)) == url


def test_an_unknown_version_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="version 99"):
        KeyRules(99)
    assert KeyRules().version == KEY_RULES_NEWEST


@given(
    st.sampled_from(
        ["http://h.example", "https://h.example.:81", "http://h.example:81", "http://[::1]:81", "http://h.."]
    ),
    st.text("a./:?;(%&=~|'", max_size=12),
)
def test_a_url_taken_for_its_own_key_is_it(authority: str, rest: str) -> None:
    href = f"{authority}/{rest}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keying, "_OWN_KEY_2", re.compile("(?!)"))
        thorough = keying._keys_2(KeyRules())
    assert url_key(href, KeyRules()) == thorough(href)
