"""Other spellings of one URL: the first is followed, the others are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.links import LinkKind, Links
from gossamer.core.scope.reasons import Reason
from gossamer.core.trap import spelling
from gossamer.core.trap.link_traps import LinkTraps
from gossamer.core.trap.shape import limits_at
from gossamer.core.trap.spelling import Spellings

MANY = [
    *(f"http://h.test/p?{query}" for query in ("a=1&b=2", "b=2&a=1", "a=1", "", "b&a&b")),
    *(f"http://h.test/s/{session}/basket" for session in ("9f86d081884c7d65", "1f86d081884c7d66", "short")),
    "http://h.test/",
    "http://h.test/search.html",
    "http://h.test/(S(abcdefghijklmnopqrstuvwx))/a",
]


def test_permuted_parameters_are_one_page() -> None:
    spellings = Spellings()
    assert spellings.met("http://h.test/p?a=1&b=2") == ""
    assert spellings.met("http://h.test/p?b=2&a=1") == "permuted parameters"
    assert spellings.met("http://h.test/p?a=1&b=2") == ""
    assert spellings.met("http://h.test/p?a=1&b=3") == ""
    assert spellings.rule_of("http://h.test/p?b=3&a=1") == "permuted parameters"


def test_a_page_is_followed_under_one_session() -> None:
    spellings = Spellings()
    assert spellings.met("http://h.test/s/9f86d081884c7d65/basket") == ""
    assert spellings.met("http://h.test/s/1f86d081884c7d66/basket") == "session"
    assert spellings.met("http://h.test/s/1f86d081884c7d66/offer?x=1") == ""
    assert spellings.met("http://h.test/s/0f86d081884c7d66/offer?x=1") == "session"


def test_other_paths_are_not_taken_for_sessions() -> None:
    spellings = Spellings()
    for commit in ("9f86d081884c7d65", "1f86d081884c7d66"):
        assert spellings.met(f"http://h.test/commit/{commit}/readme") == ""
        assert spellings.met(f"http://h.test/src/{commit}/readme?raw=1") == ""


def test_asking_about_a_url_is_not_meeting_it() -> None:
    spellings = Spellings()
    assert spellings.rule_of("http://h.test/p?b=2&a=1") == ""
    assert spellings.met("http://h.test/p?a=1&b=2") == ""


def test_what_a_sitemap_names_is_spared() -> None:
    traps = LinkTraps(limits_at(1_796_000_000.0), lambda host: host)
    urls = ["http://h.test/p?a=1&b=2", "http://h.test/p?b=2&a=1", "http://h.test/p?b=2&a=1"]
    links = Links(urls, bytearray((LinkKind.A, LinkKind.SITEMAP, LinkKind.A)), bytearray(3), [""] * 3)
    verdicts = ["", "", ""]
    traps.judge_spellings(links, verdicts)
    assert verdicts == ["", "", Reason.TRAP]
    traps.adopt({"h.test (permuted parameters)": "exclude"})
    verdicts = ["", "", ""]
    traps.judge_spellings(links, verdicts)
    assert verdicts == ["", "", ""]


@given(st.lists(st.sampled_from(MANY), max_size=60))
def test_only_urls_with_other_spellings_need_be_asked_about(urls: list[str]) -> None:
    spellings = Spellings()
    for start in range(0, len(urls), 7):
        page = urls[start : start + 7]
        several = spellings.of_several(page)
        assert several == spellings.of_several(page) <= set(page)
        assert not [url for url in set(page) - several if spellings.met(url)]


def test_memory_of_urls_without_other_spellings_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "TRAP_SHAPES_CACHED_MAX", 10)
    spellings = Spellings()
    for number in range(50):
        assert spellings.of_several([f"http://h.test/{number}", "http://h.test/p?a=1&b=2"]) == {
            "http://h.test/p?a=1&b=2"
        }
    assert len(spellings._alone) <= 12  # pyright: ignore[reportPrivateUsage]
