"""The published suites hold their bars, and docs/conformance.md says what is."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.conformance.coverage import JUDGED, REASONS, files, judge_of, reason_of
from tests.conformance.frame import Bar, Case, Result, Suite, compare, results, suites
from tests.conformance.page import PAGE, counted, table, text
from tests.published import SHARED, needs_shared


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(suites())), ids=[suite.name for suite in suites()])
def test_a_suite_holds_its_bar(number: int) -> None:
    faults = results()[number].faults()
    assert not faults, "\n".join(faults[:50])


@needs_shared
@pytest.mark.slow
def test_the_page_says_what_is() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(results()), "python -m tests.conformance writes it anew"


def test_the_page_counts_the_cases_where_they_are_absent() -> None:
    cases, number = counted()
    assert cases > 0
    assert number == len(suites())


@needs_shared
def test_every_file_is_judged_or_has_its_reason() -> None:
    names = {suite.name for suite in suites()}
    assert set(JUDGED.values()) <= names
    orphans = [file for file in files(SHARED / "data") if not reason_of(file) and not judge_of(file)]
    assert orphans == []


@needs_shared
def test_no_pattern_of_files_is_idle() -> None:
    everything = list(files(SHARED / "data"))
    assert [
        pattern for pattern in (*REASONS, *JUDGED) if not any(fnmatchcase(file, pattern) for file in everything)
    ] == []


def _cases(_data: Path) -> list[Case]:
    return [
        compare("a", got=1, expected=1),
        compare("b", got="`x`\n", expected=None, given="in", kind="odd"),
        compare("c", got=1, expected=2),
    ]


def _result(bar: Bar, differences: dict[str, str]) -> Result:
    suite = Suite("one", "one.json", bar, _cases, differences)
    return Result(suite, tuple(_cases(Path())), {"nobody asks": 3})


def test_every_case_not_passed_needs_its_clause_and_every_clause_a_case() -> None:
    assert _result(Bar.FACTS, {"odd": "they are odd", "c": "so it is"}).faults() == []
    assert _result(Bar.FACTS, {"odd": "they are odd", "d": "gone"}).faults() == [
        "no clause: c (): got 1, expected 2",
        "needed by no case: d",
    ]
    assert _result(Bar.STANDARD, {"odd": "x", "c": "y"}).faults() == ["1 of 3 passed, wanted: 97 %"]


def test_a_page_shows_each_row_with_its_clause() -> None:
    result = _result(Bar.FACTS, {"odd": "they are odd", "c": "so it is"})
    page = text([result])
    assert "**3 cases** in 1 suites." in page
    assert "**they are odd** (1)\n\n- `b` `` in: got `x`\\n, expected None ``\n" in page
    assert "Left out, 3: nobody asks." in page
    assert list(table([result]))[-1] == "| one | agree or differ with a reason | 3 | 1 | 33.3 % | 2 |"
