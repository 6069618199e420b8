from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.app.escape import CUT, LINE_COLUMNS, UNSAFE, inert, inert_lines, json_line

HOSTILE = st.text(
    st.sampled_from("ab \x1b\x07\x9b\u202e\u2066\u200b\ufeff\n\r\t\u2028\ud800\u0300世\U000e0041\u115f%/")
)


@given(st.text() | HOSTILE, st.integers(-1, 60))
def test_nothing_acts_and_nothing_overflows(text: str, width: int) -> None:
    shown = inert(text, width)
    assert all(unicodedata.category(character) not in UNSAFE for character in shown)
    assert not set(shown) & set("\n\r\t\x1b\x7f\u115f\u00a0")
    columns = sum(
        0
        if unicodedata.category(c) in {"Mn", "Me"}
        else 2
        if unicodedata.east_asian_width(c) in "WFA" and c != CUT
        else 1
        for c in shown
    )
    assert columns <= max(width, 0)
    shown.encode()


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_plain_text_stays(text: str) -> None:
    assert inert(text, 60) == text


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("\x1b[2Jx", 40, "<001B>[2Jx"),
        ("a\u202egpj.exe", 40, "a<202E>gpj.exe"),
        ("a\nb\tc", 40, "a b c"),
        ("zero\u200bwidth", 40, "zero<200B>width"),
        ("e\u0301", 40, "e\u0301"),
        ("e" + "\u0301" * 4, 40, "e\u0301\u0301<0301><0301>"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("世界世界", 5, "世界…"),
        ("\x1b" * 9, 8, "<001B>…"),
        ("x", 0, ""),
        ("", 5, ""),
    ],
)
def test_cases(text: str, width: int, shown: str) -> None:
    assert inert(text, width) == shown


@given(st.text() | HOSTILE)
def test_json_is_one_line_of_printable_ascii(text: str) -> None:
    line = json_line({"title": text})
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line) == {"title": text}


def test_a_document_keeps_its_lines_and_nothing_else_that_acts() -> None:
    assert inert_lines(b"one\r\ntwo\x1b[2J\n\xff\n") == ["one", "two<001B>[2J", "\ufffd"]
    assert len(inert_lines(b"x" * 1_000_000)[0]) == LINE_COLUMNS
