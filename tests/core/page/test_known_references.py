"""What is remembered of references is what resolving them anew gives, whatever was asked before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page import known_references
from gossamer.core.page.known_references import KnownReferences
from gossamer.core.url.parse import resolve

BASES = (
    "http://a.test/",
    "http://a.test/d/p?q=/x",
    "https://a.test/d/p",
    "http://a.test:8080/d/e/",
    "http://b.test/d/p",
    "http://[::1]/d/",
    "",
    "ftp://a.test/",
)
WRITTEN = st.sampled_from(
    (
        *(
            "",
            "?",
            "?x",
            "a",
            "a?b",
            "./",
            "../c",
            "..",
            "/",
            "/r",
            "//",
            "//c.test/x",
            "///x",
            "/\\c.test",
            "\\r",
            "a\\b",
        ),
        *(
            "/\t/c.test",
            "\t/r",
            " a",
            "a b",
            "http:r",
            "http:/r",
            "http:?x",
            "HTTP://C.test/u",
            "https://c.test",
            "http://",
        ),
        *("mailto:x", "a:b", "%2e%2e/x", "%", "ä", "x;y=1", "~u", "-", ".a", "javascript:void(0)", "http:\\\\c.test"),
    )
) | st.text("abc/.:?\\\t %~", max_size=8)
PIECES = st.sampled_from(
    (
        *(
            "a",
            "B",
            ".",
            "..",
            "/",
            "//",
            "?",
            "&x=1",
            "xn--",
            "http://",
            "https://",
            "c.test",
            "C.test",
            "1.2",
            "0x7f",
        ),
        *(
            ":80",
            ":443",
            ":8080",
            ":0",
            "-",
            "_",
            "%2e",
            "%41",
            "(1)",
            "@",
            ";",
            " ",
            "com",
            "~",
            "!",
            "*",
            ",",
            "+",
            "$",
        ),
        *("'", '"', "<", "|", "{", "^", "`", "[", "ä", "\\", "./", "../", "index.html"),
    )
)
COMPOSED = st.lists(PIECES, max_size=7).map("".join)


@given(st.lists(st.tuples(st.sampled_from(BASES), st.lists(WRITTEN, max_size=8, unique=True)), max_size=6))
def test_answers_are_those_of_resolving_anew(pages: list[tuple[str, list[str]]]) -> None:
    known = KnownReferences()
    for base, references in pages:
        assert known.resolve(base, references) == resolve(base, references)


@given(st.sampled_from(BASES), st.lists(COMPOSED, max_size=8, unique=True))
def test_plain_references_are_joined_as_the_parser_resolves_them(base: str, references: list[str]) -> None:
    assert KnownReferences().resolve(base, references) == resolve(base, references)


@pytest.mark.parametrize(
    "reference", ["a", "a/b.html", "/", "/r?x=/../%2e", "./", "../../../c", "https://c.test:8080/u/"]
)
def test_plain_references_need_no_parser(reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = resolve("http://a.test/d/e/p", [reference])
    monkeypatch.setattr(known_references, "resolve", None)
    assert KnownReferences().resolve("http://a.test/d/e/p", [reference]) == expected


def test_what_was_resolved_once_is_not_resolved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(base: str, references: list[str]) -> list[str]:
        asked.extend(references)
        return resolve(base, references)

    monkeypatch.setattr(known_references, "resolve", counted)
    known = KnownReferences()
    references = ["%61", "/ä", "http://c.test", "?x", ""]
    for page in ("p", "q", "r?s=1"):
        assert known.resolve(f"http://a.test/d/{page}", references) == resolve(f"http://a.test/d/{page}", references)
    assert asked == [*references, "?x", "", "?x", ""], "a query alone depends on the page"


def test_no_more_than_two_generations_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_references, "REFERENCES_KEPT", 20)
    known = KnownReferences()
    for page in range(100):
        assert known.resolve(f"http://h{page}.test/", ["a", "/b"]) == resolve(f"http://h{page}.test/", ["a", "/b"])
        kept = [*known._present.values(), *known._former.values()]
        assert len(kept) + sum(map(len, kept)) <= 60
