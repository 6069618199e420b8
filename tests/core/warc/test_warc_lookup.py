from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.warc.lookup import journal_lines, moment_seconds, parse_line, sorted_lines

SURTS = st.text("abc,)/", min_size=1, max_size=4)


@given(st.lists(SURTS, max_size=30), SURTS)
def test_the_search_finds_what_a_walk_finds(surts: list[str], wanted: str) -> None:
    lines = sorted(f"{surt} 2026113013470{number % 10} {{}}" for number, surt in enumerate(surts))
    index = "".join(f"{line}\n" for line in lines).encode()
    walked = [line.encode() for line in lines if line.startswith(f"{wanted} ")]
    assert list(sorted_lines(index, wanted)) == walked
    journal = "".join(f"3 7\t{line}\n" for line in lines).encode()
    assert list(journal_lines(journal, wanted)) == walked


def test_dropped_and_unfinished_lines_are_passed_over() -> None:
    journal = b"1 2\ta) 20261130134700 {}\n# 2\ta) 20261130134701 {}\n1 3\ta) 20261130134702 {}"
    assert list(journal_lines(journal, "a)")) == [b"a) 20261130134700 {}"]


def test_a_line_is_taken_apart() -> None:
    line = parse_line(
        b'org,example)/ 20261130134700 {"url": "http://example.org/", "mime": "warc/revisit", "length": "9",'
        b' "offset": "7", "filename": "../../x.warc.gz"}'
    )
    assert line is not None
    assert (line.url, line.is_revisit, line.place.file, line.place.offset) == (
        "http://example.org/",
        True,
        "archive/x.warc.gz",
        7,
    )
    assert line.at == 1_796_046_420


@given(st.binary(max_size=120))
def test_no_line_raises(line: bytes) -> None:
    parse_line(line)
    parse_line(b"a) 20261130134700 " + line)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970", 0.0),
        ("19700102", 86400.0),
        ("19700101000001", 1.0),
        ("1970-01-01", 0.0),
        ("1970-01-01T00:00:01.5Z", 1.5),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01 00:01", 60.0),
        ("0001-01-01", -62135596800.0),
        ("9999", 253370764800.0),
        ("197013", None),
        ("yesterday", None),
        ("", None),
        ("0000", None),
    ],
)
def test_moments(text: str, seconds: float | None) -> None:
    assert moment_seconds(text) == seconds
