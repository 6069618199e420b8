"""docs/conformance.md: the table of all suites, and every row not passed with the clause that says why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tests.conformance.coverage import left_out
from tests.conformance.frame import Bar, Case, Result
from tests.published import ROOT, SHARED

PAGE = ROOT / "docs/conformance.md"
ROWS_SHOWN = 40
"""Rows of one clause that are written with their detail; of the others the ids are listed."""
_TOTAL = re.compile(r"^\*\*(?P<cases>[\d,]+) cases\*\* in (?P<suites>\d+) suites", re.MULTILINE)

_HEAD = """\
# Conformance

How Gossamer does on published test suites that nobody of this project wrote. They are read in place (`../shared/data`
or `GOSSAMER_SHARED`), never copied. This page is written by `python -m tests.conformance` and held to the truth by
`./dev test`; [`./dev prove conformance`](architecture.md#guarantees) prints the table alone.

"""

_BARS = """\

A suite that judges a standard must pass whole, or at 97 %; of a suite that records what other software does, each row
*agrees* or *differs*, and no share is asked. Each row not passed stands below under the clause that says why.
"""


def text(results: Sequence[Result]) -> str:
    """The whole page."""
    total = sum(len(result.cases) for result in results)
    parts = [_HEAD, f"**{total:,} cases** in {len(results)} suites.\n\n", "\n".join(table(results)), "\n", _BARS]
    parts += ["\n" + "\n".join(_files()) + "\n"]
    parts += ["\n" + "\n".join(_section(result)) + "\n" for result in results]
    return "".join(parts)


def table(results: Sequence[Result]) -> Iterator[str]:
    """One line a suite."""
    yield "| suite | held to | cases | passed | share | not passed |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for result in results:
        cases, passed = len(result.cases), result.passed
        share = f"{100 * passed / cases:.1f} %" if cases else "-"
        bar = result.suite.bar.value[1]
        yield f"| {result.suite.name} | {bar} | {cases:,} | {passed:,} | {share} | {cases - passed:,} |"


def _files() -> Iterator[str]:
    """The files that no suite judges."""
    yield "## Files left out"
    yield ""
    yield "Every other file of `../shared/data` is read by a suite; `tests/conformance/coverage.py` says by which."
    yield ""
    yield from (f"- {', '.join(patterns)}: {reason}." for reason, patterns in left_out(SHARED / "data").items())


def counted() -> tuple[int, int]:
    """(cases, suites) by the page, for where the suites themselves are absent."""
    found = _TOTAL.search(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else None
    return (int(found["cases"].replace(",", "")), int(found["suites"])) if found else (0, 0)


def _section(result: Result) -> Iterator[str]:
    suite = result.suite
    yield f"## {suite.name}"
    yield ""
    word = "agree" if suite.bar is Bar.FACTS else "passed"
    yield f"Source: `{suite.source}`. {result.passed:,} of {len(result.cases):,} {word}."
    for reason, number in result.left_out.items():
        yield f"Left out, {number:,}: {reason}."
    by_clause: dict[str, list[Case]] = {}
    for case in result.missed:
        by_clause.setdefault(result.clause(case) or "(no clause)", []).append(case)
    for clause, cases in by_clause.items():
        yield ""
        yield f"**{clause}** ({len(cases):,})"
        yield ""
        yield from (f"- `{case.id}` {_code(case.detail)}".rstrip() for case in cases[:ROWS_SHOWN])
        rest = cases[ROWS_SHOWN:]
        if rest:
            yield "- and " + ", ".join(f"`{case.id}`" for case in rest)


def _code(detail: str) -> str:
    """Foreign text as code: nothing in it may become markup."""
    if not detail:
        return ""
    longest = max((len(run) for run in re.findall("`+", detail)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{detail}{space}{fence}"
