from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.url.key import KEY_RULES_NEWEST, KeyRules, url_key, url_keys
from gossamer.core.url.parse import parse

RULES = KeyRules(1)


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


PIECES = st.lists(
    st.sampled_from(
        ["%", "%2", "%25", "%41", "%7e", "%2f", "%2E", "2", "e", "F", "/", "?", "&", "|", '"', "é", ".", "~"]
    )
)


@given(st.one_of(PIECES.map("".join), st.text()))
def test_the_key_of_a_key_is_itself_and_is_a_normalised_url(tail: str) -> None:
    url = parse("http://h.example/" + tail)
    if url is not None:
        key = url_key(url.href, RULES)
        assert url_key(key, RULES) == key
        parsed = parse(key)
        assert parsed is not None
        assert parsed.host == url.host
        assert url_key(parsed.href, RULES) == key


def test_an_unknown_version_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="version 99"):
        KeyRules(99)
    assert KeyRules().version == KEY_RULES_NEWEST
