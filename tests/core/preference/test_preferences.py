"""What statements deny: a row for every signal, and the rules by which several count together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.document import Directives
from gossamer.core.preference.heard import heard
from gossamer.core.preference.preferences import NOTHING, Preferences, Statement, preferences_of
from gossamer.core.preference.purpose import Purpose

ALL = set(Purpose)
AI = {Purpose.AI_INPUT, Purpose.AI_TRAIN}
TDM = {*AI, Purpose.MINING}


@pytest.mark.parametrize(
    ("signal", "text", "denied"),
    [
        ("content-signal", "search=yes, ai-train=no", {Purpose.AI_TRAIN}),
        ("content-signal", "search=no,ai-input=NO", {Purpose.SEARCH, Purpose.AI_INPUT}),
        ("content-signal", "ai-train = no ; x=1, use=full", {Purpose.AI_TRAIN}),
        ("content-signal", "search=yes, use=reference", AI),
        ("content-signal", "use=immediate", ALL),
        ("content-signal", "ai-train=maybe, unknown=no, ai-train", set()),
        ("content-usage", "train-ai=n", {Purpose.AI_TRAIN}),
        ("content-usage", "train-ai=y", set()),
        ("content-usage", "ai-use=n, search=y", {Purpose.AI_INPUT}),
        ("content-usage", "search=n;exp=1", {Purpose.SEARCH}),
        ("content-usage", "bots=n", ALL),
        ("content-usage", "search=y, bots=n", ALL - {Purpose.SEARCH}),
        ("content-usage", "train-ai=n, train-ai=y", set()),
        ("content-usage", 'train-ai="n"', {Purpose.AI_TRAIN}),
        ("content-usage", "nonsense", set()),
        ("tdm-reservation", "1", TDM),
        ("tdm-reservation", "0", set()),
        ("tdm-policy", "https://h.example/policy", set()),
        ("license", "https://h.example/license.xml", AI),
        ("robots", "noai", AI),
        ("robots", "noml", {Purpose.AI_TRAIN}),
        ("robots", "noimageai", set()),
    ],
)
def test_each_signal(signal: str, text: str, denied: set[Purpose]) -> None:
    assert set(preferences_of([Statement("header", signal, text)]).denied) == denied


def test_the_most_restrictive_statement_counts_and_is_named() -> None:
    stated = preferences_of(
        [
            Statement("robots.txt", "content-usage", "train-ai=y"),
            Statement("header", "content-usage", "train-ai=n"),
            Statement("robots.txt", "content-signal", "ai-train=no"),
        ]
    )
    assert stated.refusal(["search", "archive"]) is None
    refused = stated.refusal(["search", "ai-train"])
    assert refused == ("ai-train", "Content-Usage: train-ai=n (header)")
    assert stated.said("content-usage") == "robots.txt: train-ai=y; header: train-ai=n"


@pytest.mark.parametrize(
    ("file", "header", "page", "reserved"),
    [("1", "", "", True), ("1", "0", "", False), ("0", "1", "", True), ("1", "1", "0", False), ("1", "2", "", True)],
)
def test_of_tdm_the_nearest_valid_statement_decides(file: str, header: str, page: str, reserved: bool) -> None:
    files = preferences_of([Statement("tdmrep.json", "tdm-reservation", file)])
    fields = [("TDM-Reservation", header)] if header else []
    directives = Directives(stated=(("tdm-reservation", page),) if page else ())
    stated = heard(files, fields, directives)
    assert bool(stated.denied) is reserved
    assert stated.value("tdm-reservation") == (page or (header if header != "2" else "") or file)


def test_what_an_answer_states() -> None:
    fields = [
        ("content-usage", "train-ai=n"),
        ("Content-Usage", "search=y"),
        ("Content-Signal", "ai-input=no"),
        ("tdm-reservation", "1"),
        ("tdm-policy", "https://h.example/p"),
        ("Link", '<https://h.example/l.xml>; rel="license"; type="application/rsl+xml"'),
        ("Link", '<https://h.example/cc>; rel="license"'),
        ("Server", "nginx"),
    ]
    stated = heard(NOTHING, fields, Directives(rules=("noindex", "noai")))
    assert stated.said("content-usage") == "header: train-ai=n, search=y"
    assert stated.said("license") == "header: https://h.example/l.xml"
    assert stated.value("tdm-policy") == "https://h.example/p"
    assert set(stated.denied) == TDM
    assert heard(NOTHING, [("Server", "nginx")], Directives(rules=("noindex",))) is NOTHING


SIGNALS = st.sampled_from(["content-signal", "content-usage", "license", "robots", "other"])
WORDS = st.text(alphabet='abcdefghijklmnopqrstuvwxyz-=,; ?10"\x00\u2028', max_size=60)


@given(st.lists(st.tuples(SIGNALS, WORDS), max_size=6), st.tuples(SIGNALS, WORDS))
def test_never_raises_and_one_more_statement_denies_no_less(
    stated: list[tuple[str, str]], other: tuple[str, str]
) -> None:
    some = preferences_of([Statement("header", *each) for each in stated])
    more = preferences_of([Statement("header", *each) for each in [*stated, other]])
    assert isinstance(more, Preferences)
    assert set(some.denied) <= set(more.denied)
