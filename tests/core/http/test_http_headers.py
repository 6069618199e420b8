"""A raw head as status and fields (RFC 9112), whatever was sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core import limits
from gossamer.core.http import headers
from gossamer.core.http.headers import field_values, parse_head

if TYPE_CHECKING:
    from pathlib import Path

OK = b"HTTP/1.1 200 OK\r\n"

HEADS = [
    ("plain", OK + b"A: 1\r\nB:2\r\n\r\n", [("A", "1"), ("B", "2")], ()),
    ("no fields", OK + b"\r\n", [], ()),
    ("empty value", OK + b"A:\r\n\r\n", [("A", "")], ()),
    ("blanks around", OK + b"A: \t 1 \t\r\n\r\n", [("A", "1")], ()),
    ("latin-1", OK + b"A: caf\xe9\r\n\r\n", [("A", "caf\xe9")], ()),
    ("bare LF", b"HTTP/1.1 200 OK\nA: 1\n\n", [("A", "1")], ()),
    ("no empty line", OK + b"A: 1", [("A", "1")], ()),
    ("folded", OK + b"A: 1\r\n  2\r\n\t3\r\n\r\n", [("A", "1 2 3")], ("folded line",)),
    ("folded first", OK + b" A: 1\r\nB: 2\r\n\r\n", [("B", "2")], ("junk line",)),
    ("blank before colon", OK + b"A : 1\r\n\r\n", [("A", "1")], ("blank before colon",)),
    ("no colon", OK + b"junk\r\nA: 1\r\n\r\n", [("A", "1")], ("junk line",)),
    ("bad name", OK + b"A B: 1\r\nC: 2\r\n\r\n", [("C", "2")], ("junk line",)),
    ("no name", OK + b": 1\r\n\r\n", [], ("junk line",)),
    ("CR in value", OK + b"A: 1\rB: 2\r\n\r\n", [("A", "1 B: 2")], ("control character in value",)),
    ("NUL in value", OK + b"A: 1\x002\r\n\r\n", [("A", "1 2")], ("control character in value",)),
    ("repeated name", OK + b"A: 1\r\na: 2\r\n\r\n", [("A", "1"), ("a", "2")], ()),
]


@pytest.mark.parametrize(("raw", "fields", "problems"), [case[1:] for case in HEADS], ids=[case[0] for case in HEADS])
def test_fields(raw: bytes, fields: list[tuple[str, str]], problems: tuple[str, ...]) -> None:
    head = parse_head(raw)
    assert (head.status, list(head.fields), head.problems) == (200, fields, problems)


STATUS_LINES = [
    (b"HTTP/1.1 200 OK", ("http/1.1", 200, "OK")),
    (b"HTTP/1.0 404 Not Found", ("http/1.0", 404, "Not Found")),
    (b"HTTP/1.1 200", ("http/1.1", 200, "")),
    (b"HTTP/1.1 200 ", ("http/1.1", 200, "")),
    (b"HTTP/1.1  200   Fine  ", ("http/1.1", 200, "Fine")),
    (b"HTTP/1.1 20 OK", ("", 0, "")),
    (b"HTTP/1.1 2000 OK", ("", 0, "")),
    (b"HTTP/1.1 \xb2\xb2\xb2 OK", ("", 0, "")),
    (b"ICY 200 OK", ("", 0, "")),
    (b"", ("", 0, "")),
]


@pytest.mark.parametrize(("line", "expected"), STATUS_LINES)
def test_status_line(line: bytes, expected: tuple[str, int, str]) -> None:
    head = parse_head(line + b"\r\n\r\n")
    assert (head.protocol, head.status, head.reason) == expected
    assert (not expected[1]) == ("unreadable status line" in head.problems)


LENGTHS = [
    (["42"], ()),
    (["42", "42"], ("repeated Content-Length",)),
    (["42, 42"], ("repeated Content-Length",)),
    (["42", "30"], ("conflicting Content-Length",)),
    (["-1"], ("bad Content-Length",)),
    (["1" * 30], ("bad Content-Length",)),
    (["\u00b2".encode().decode("latin-1")], ("bad Content-Length",)),
]


@pytest.mark.parametrize(("values", "problems"), LENGTHS)
def test_lengths_that_contradict_each_other_are_noted(values: list[str], problems: tuple[str, ...]) -> None:
    fields = "".join(f"Content-Length: {value}\r\n" for value in values)
    assert parse_head(OK + fields.encode("latin-1") + b"\r\n").problems == problems


def test_length_beside_transfer_coding_is_noted() -> None:
    head = parse_head(OK + b"content-length: 1\r\nTRANSFER-ENCODING: chunked\r\n\r\n")
    assert head.problems == ("Content-Length with Transfer-Encoding",)


@pytest.mark.parametrize("fault", [b"", b"junk\r\n"])
def test_too_many_fields_are_cut(fault: bytes) -> None:
    head = parse_head(OK + fault + b"A: 1\r\n" * (limits.HEADER_FIELDS_MAX + 5) + b"\r\n")
    assert len(head.fields) == limits.HEADER_FIELDS_MAX
    assert "too many fields" in head.problems


def test_published_odd_answers(shared: Path) -> None:
    cases = json.loads((shared / "data" / "wpt-http" / "h1-inputs.json").read_text())["cases"]
    for case in cases:
        head = parse_head(case["raw"].encode("latin-1"))
        assert head.status in (0, 200), case


def test_long_lines_of_blanks_cost_no_time() -> None:
    head = parse_head(OK + b"A: x" + b" " * limits.HEADER_BYTES_MAX + b"y\rz\r\n\r\n")
    assert len(head.fields) == 1


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,8}", fullmatch=True)
VALUES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=20)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=8))
def test_what_is_written_is_read(fields: list[tuple[str, str]]) -> None:
    raw = OK + "".join(f"{name}: {value}\r\n" for name, value in fields).encode("latin-1") + b"\r\n"
    assert list(parse_head(raw).fields) == fields


@given(st.binary(max_size=300))
def test_never_raises(raw: bytes) -> None:
    for bytes_sent in (raw, OK + raw, raw + b"\r\n\r\n"):
        head = parse_head(bytes_sent)
        assert all("\r" not in value and "\n" not in value and "\0" not in value for _, value in head.fields)


@given(st.lists(st.sampled_from([b"A: 1", b" fold", b"junk", b"B:2 ", b"C : 3", b"D: \x00", b"E: a\rb"]), max_size=6))
def test_faults_do_not_depend_on_the_line_ends(lines: list[bytes]) -> None:
    strict = parse_head(OK + b"".join(line + b"\r\n" for line in lines) + b"\r\n")
    lax = parse_head(b"HTTP/1.1 200 OK\n" + b"".join(line + b"\n" for line in lines) + b"\n")
    assert strict == lax


def test_field_values() -> None:
    fields = (("Set-Cookie", "a=1"), ("X", "y"), ("set-cookie", "b=2"))
    assert field_values(fields, "SET-COOKIE") == ["a=1", "b=2"]


@given(
    st.lists(
        st.sampled_from(
            ["\r\n", "\n", "\r", " ", "A", "b-c", ":", ": ", "1", "\0", "(", "\xe9", "A: 1\r\n", "A: 2\r\n"]
        )
    )
)
def test_a_head_without_fault_is_read_as_the_careful_way_reads_it(pieces: list[str]) -> None:
    rest = "".join(pieces)
    problems: dict[str, None] = {}
    quickly, carefully = headers._plain_fields(rest), headers._fields(rest.split("\n"), problems)
    if quickly is not None:
        assert quickly == carefully
        assert not problems


def test_values_are_found_by_name_in_any_case() -> None:
    head = parse_head(OK + b"A: 1\r\nb: 2\r\na: 3\r\n\r\n")
    assert head.values == {"a": ["1", "3"], "b": ["2"]}
