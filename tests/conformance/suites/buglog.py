"""Small inputs behind public bug reports of crawlers and their libraries, each given to the crawler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.conformance import buglog_crawls, buglog_values
from tests.conformance.frame import Bar, Case, Suite, compare, jsonl

NOTES: Final = frozenset({"note", "optional"})
"""Keys of an expectation that explain it."""


def _fits_text(got: object, wanted: object) -> bool:
    return got == wanted


def _at_most(got: object, wanted: object) -> bool:
    return isinstance(got, int) and isinstance(wanted, int) and got <= wanted


def _same_name(got: object, wanted: object) -> bool:
    return wanted is None or str(got).lower() == str(wanted).lower()


def _unless_unsaid(got: object, wanted: object) -> bool:
    return wanted is None or got == wanted


FITS: Final[dict[str, Callable[[object, object], bool]]] = {
    "fetches_at_most": _at_most,
    "encoding": _same_name,
    "text": _unless_unsaid,
    # Expectations in prose, and what the answer says where it holds.
    "writer": lambda got, _: got == "either the field is removed or the chunks are kept",
    "validator": lambda got, _: got == "error",
    "written_as": lambda got, _: got == "resource",
    "scope_after": lambda got, _: got is True,
}
"""Keys whose values are not compared as they stand."""


def _cases(data: Path) -> Iterator[Case]:
    for _, row in jsonl(data / "buglog.jsonl"):
        given, expected = row["input"], {key: row["expected"][key] for key in row["expected"] if key not in NOTES}
        got = _answer(row["id"], given)
        amiss = {
            key: got.get(key) for key, wanted in expected.items() if not FITS.get(key, _fits_text)(got.get(key), wanted)
        }
        wanted = {key: expected[key] for key in amiss}
        yield compare(row["id"], got=amiss, expected=wanted, given=row["description"], kind=row["area"])


def _answer(name: str, given: dict[str, Any]) -> dict[str, Any]:
    kind = given["kind"]
    answer = buglog_crawls.BY_ROW.get(name) or buglog_crawls.ANSWERS.get(kind) or buglog_values.ANSWERS[kind]
    return answer(given)


SUITES = [
    Suite(
        "bug reports",
        "buglog.jsonl",
        Bar.STANDARD,
        _cases,
        differences={
            "b067": "the index is keyed as pywb keys it, which finds captures by it: addresses are turned round and"
            " www. is folded there; the report's fault, a leading dot, is not made"
        },
    )
]
