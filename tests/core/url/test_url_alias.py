from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import ALIAS_PARAMETER_SAMPLES_MIN, ALIAS_RULES_MAX, ALIAS_SAMPLES_MIN, ALIAS_SPELLINGS_MAX
from gossamer.core.url.alias import (
    INDEX_PAGES,
    AliasKind,
    AliasRule,
    Spelling,
    Standing,
    learn,
    others,
    refute,
    spellings,
    without_useless,
)
from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import parse

H = "http://h.example"


@pytest.mark.parametrize(
    ("key", "kind", "name", "other"),
    [
        (f"{H}/a", "final slash", "", f"{H}/a/"),
        (f"{H}/a/?b=1", "final slash", "", f"{H}/a?b=1"),
        (f"{H}/a/", "index page", "index.php", f"{H}/a/index.php"),
        (f"{H}/index.html?b=1", "index page", "index.html", f"{H}/?b=1"),
        (f"{H}/a", "www", "", "http://www.h.example/a"),
        ("https://www.h.example/", "www", "", "https://h.example/"),
        (f"{H}/a", "scheme", "", "https://h.example/a"),
        (f"{H}/a?b=1&c=2&b=3", "parameter", "b", f"{H}/a?c=2"),
        (f"{H}/a?b", "parameter", "b", f"{H}/a"),
    ],
)
def test_spellings_that_differ_in_one_thing(key: str, kind: str, name: str, other: str) -> None:
    assert Spelling(AliasKind(kind), name, other) in spellings(key)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (f"{H}/", "final slash"),
        (f"{H}/a.html", "index page"),
        ("http://h.example:81/", "scheme"),
        ("http://[::1]/", "www"),
        ("http://127.0.0.1/", "scheme"),
        ("http://localhost/", "www"),
        (f"{H}/a?", "parameter"),
    ],
)
def test_what_has_no_other_spelling(key: str, kind: str) -> None:
    assert kind not in {spelling.kind for spelling in spellings(key)}


def in_force(kind: AliasKind, name: str = "") -> AliasRule:
    return AliasRule(kind, name, Standing.IN_FORCE)


def test_rules_in_force_are_taken_together() -> None:
    rules = [in_force(AliasKind.SLASH), in_force(AliasKind.SCHEME), in_force(AliasKind.PARAMETER, "ref")]
    assert dict(others(f"{H}/a?ref=1", rules)) == {
        f"{H}/a": True,
        f"{H}/a/?ref=1": True,
        f"{H}/a/": True,
        "https://h.example/a?ref=1": False,
        "https://h.example/a": False,
        "https://h.example/a/?ref=1": False,
        "https://h.example/a/": False,
    }
    assert without_useless(f"{H}/a?b=2&ref=1", rules) == f"{H}/a?b=2"
    assert others(f"{H}/a", [AliasRule(AliasKind.SLASH), AliasRule(AliasKind.SCHEME, "", Standing.REFUTED)]) == []


def test_an_index_rule_is_about_one_name() -> None:
    rules = [in_force(AliasKind.INDEX, "index.html")]
    assert dict(others(f"{H}/a/", rules)) == {f"{H}/a/index.html": True}
    assert dict(others(f"{H}/a/index.html", rules)) == {f"{H}/a/": True}
    assert others(f"{H}/a/index.php", rules) == []


@pytest.mark.parametrize(
    ("kind", "least"), [(AliasKind.SLASH, ALIAS_SAMPLES_MIN), (AliasKind.PARAMETER, ALIAS_PARAMETER_SAMPLES_MIN)]
)
def test_enough_samples_of_their_own_bring_a_rule_into_force(kind: AliasKind, least: int) -> None:
    rules: list[AliasRule] = []
    for number in range(least):
        spelling = Spelling(kind, "", f"{H}/{number}/")
        learned = learn(rules, spelling, f"{H}/{number}", bytes((number,)))
        assert learn(rules, spelling, f"{H}/again", bytes((number,))) is None  # the same body says nothing new
        assert (learned is not None) == (number == least - 1)
    assert rules[0].is_in_force
    assert rules[0].agreed >= least


def test_one_pair_that_differs_ends_a_rule_for_good() -> None:
    rules = [in_force(AliasKind.SLASH)]
    spelling = Spelling(AliasKind.SLASH, "", f"{H}/a/")
    assert refute(rules, spelling, f"{H}/a") is rules[0]
    assert rules[0].against == (f"{H}/a", f"{H}/a/")
    assert refute(rules, spelling, f"{H}/a") is None
    for number in range(2 * ALIAS_SAMPLES_MIN):
        assert learn(rules, spelling, f"{H}/b", bytes((number,))) is None
    assert others(f"{H}/b", rules) == []


def test_a_rule_refuted_while_watched_never_comes_into_force() -> None:
    rules: list[AliasRule] = []
    assert refute(rules, Spelling(AliasKind.PARAMETER, "id", f"{H}/"), f"{H}/?id=1") is None
    assert rules[0].standing == Standing.REFUTED


def test_the_number_of_rules_is_bounded() -> None:
    rules: list[AliasRule] = []
    for number in range(2 * ALIAS_RULES_MAX):
        learn(rules, Spelling(AliasKind.PARAMETER, str(number), f"{H}/"), f"{H}/?{number}", b"x")
    assert len(rules) == ALIAS_RULES_MAX


PIECES = st.lists(st.sampled_from(["/", "a", "index.html", "?", "&", "b=1", "c", "b", "="])).map("".join)


@given(PIECES, st.sampled_from(["http://h.example", "https://www.h.example", "http://h.example:81", "http://[::1]"]))
def test_other_spellings_are_keys_and_lead_back(tail: str, start: str) -> None:
    url = parse(f"{start}/{tail}")
    assert url is not None
    rules = [
        *map(in_force, (AliasKind.SLASH, AliasKind.WWW, AliasKind.SCHEME)),
        *(in_force(AliasKind.INDEX, name) for name in INDEX_PAGES),
        in_force(AliasKind.PARAMETER, "b"),
    ]
    key = url_key(url.href, KeyRules())
    met = others(key, rules)
    assert len(met) <= ALIAS_SPELLINGS_MAX
    for spelling in spellings(key):
        assert url_key(spelling.url, KeyRules()) == spelling.url != key
        if spelling.kind is not AliasKind.PARAMETER:
            back = {other.url: other.kind for other in spellings(spelling.url)}
            assert back[key] == spelling.kind
