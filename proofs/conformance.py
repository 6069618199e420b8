"""Published suites, judged: the table of cases and passed, each suite at its bar, each row not passed explained.

The cases lie in ../shared/data and are read in place. docs/conformance.md is this table with every row not passed and
the clause that says why; it must say what is.
"""

from __future__ import annotations

from tests.conformance.frame import results
from tests.conformance.page import PAGE, table, text
from tests.published import ABSENT, SHARED


def run(quick: bool) -> int:  # noqa: ARG001 - the interface of a proof
    """All suites; a quick run is the same, for they take seconds."""
    if not SHARED.is_dir():
        print(f"nothing to judge: {ABSENT}")
        return 1
    found = [f"{result.suite.name}: {fault}" for result in results() for fault in result.faults()]
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text(results()):
        found.append(f"{PAGE.name} says something else: python -m tests.conformance writes it anew")
    print("\n".join(found or ["every suite is at its bar, every row not passed has its clause"]))
    print("\n".join(table(results())))
    return 1 if found else 0
