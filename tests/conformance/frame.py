"""Published suites: their cases as values, the bar each suite is held to, and why single cases differ.

How to add one is in README.md beside this file.
"""

from __future__ import annotations

import functools
import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from tests.published import SHARED

DETAIL_LENGTH = 160
"""Characters of a case's detail that the page shows."""


class Bar(Enum):
    """What a suite is held to: (least share of cases passed, how the page puts it)."""

    ALL = (1.0, "every case")
    STANDARD = (0.97, "97 %")
    FACTS = (0.0, "agree or differ with a reason")
    SURVIVES = (1.0, "no crash, no bound exceeded")


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a suite and what came of it."""

    id: str
    """Unique in its suite and stable: file and line, or file and test name."""
    passed: bool
    kind: str = ""
    """What it shares with cases that one reason explains."""
    detail: str = ""
    """One line: got and expected."""


@dataclass(frozen=True)
class Suite:
    """One published suite."""

    name: str
    source: str
    """Where it lies under shared/data."""
    bar: Bar
    cases: Callable[[Path], Iterable[Case]]
    """Judges every case; its argument is shared/data."""
    differences: Mapping[str, str] = field(default_factory=dict)
    """Id or kind of cases not passed -> the clause that says why."""
    shared: Mapping[str, str] = field(default_factory=dict)
    """More of these, that several suites share: not each must be needed here."""
    left_out: Mapping[str, int] | Callable[[Path], Mapping[str, int]] = field(default_factory=dict)
    """Reason -> number of rows that are no cases for a crawler."""


@dataclass(frozen=True)
class Result:
    """A suite, run."""

    suite: Suite
    cases: tuple[Case, ...]
    left_out: Mapping[str, int]

    @property
    def passed(self) -> int:
        """How many cases passed."""
        return sum(case.passed for case in self.cases)

    @property
    def missed(self) -> list[Case]:
        """The cases that did not."""
        return [case for case in self.cases if not case.passed]

    def clause(self, case: Case) -> str:
        """Why a case differs; empty where nobody has said. A kind "a + b" needs the clauses of both."""
        known = {**self.suite.shared, **self.suite.differences}
        parts = [known.get(part, "") for part in case.kind.split(" + ")]
        return known.get(case.id) or known.get(case.kind) or ("; ".join(parts) if all(parts) else "")

    def faults(self) -> list[str]:
        """What keeps this result from being fit to publish, in words."""
        found = [f"twice: {name}" for name, times in Counter(case.id for case in self.cases).items() if times > 1]
        found += [f"no clause: {case.id} ({case.kind}): {case.detail}" for case in self.missed if not self.clause(case)]
        used = {name for case in self.missed for name in (case.id, case.kind, *case.kind.split(" + "))}
        found += [f"needed by no case: {name}" for name in self.suite.differences if name not in used]
        least = self.suite.bar.value[0]
        if not self.cases or self.passed < least * len(self.cases):
            found.append(f"{self.passed} of {len(self.cases)} passed, wanted: {self.suite.bar.value[1]}")
        return found


def compare(name: str, *, got: object, expected: object, kind: str = "", given: object = "") -> Case:
    """A case that passes when what was got equals what was expected; `given` is its input, for the detail."""
    if got == expected:
        return Case(name, passed=True, kind=kind)
    start = f"{shown(given)}: " if given != "" else ""
    return Case(name, passed=False, kind=kind, detail=f"{start}got {shown(got)}, expected {shown(expected)}")


def shown(value: object) -> str:
    """A value on one line of printable ASCII, shortened."""
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("unicode_escape", "surrogatepass").decode("ascii")
    return text if len(text) <= DETAIL_LENGTH else text[: DETAIL_LENGTH - 3] + "..."


def jsonl(path: Path) -> Iterator[tuple[str, Any]]:
    """The rows of a file of JSON lines, each with its id (`name:line`)."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield f"{path.name}:{number}", json.loads(line)


def suites() -> list[Suite]:
    """All suites, by module and then in the order of its list."""
    folder = Path(__file__).with_name("suites")
    modules = [importlib.import_module(f"tests.conformance.suites.{path.stem}") for path in sorted(folder.glob("*.py"))]
    return [suite for module in modules for suite in module.SUITES]


@functools.cache
def results(data: Path = SHARED / "data") -> tuple[Result, ...]:
    """Every suite, run once a process."""
    return tuple(run(suite, data) for suite in suites())


def run(suite: Suite, data: Path = SHARED / "data") -> Result:
    """One suite, judged."""
    left_out = suite.left_out(data) if callable(suite.left_out) else suite.left_out
    return Result(suite, tuple(suite.cases(data)), left_out)
