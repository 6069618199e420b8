"""One finding of the doctor: a line for people, a record for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.escape import inert

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS: Final = 400
NAME_COLUMNS: Final = 13


class Grade(StrEnum):
    """How it stands."""

    OK = "ok"
    WARN = "warn"
    """Works, but not as well as it could, or not everywhere."""
    FAIL = "fail"
    MENDED = "mended"
    """Failed, and was put right."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    grade: Grade
    name: str
    words: str
    hint: str = ""
    """What helps, or what is lost; may be empty."""

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {**asdict(self), "grade": self.grade.value}


def ok(name: str, words: str) -> Finding:
    """All is well."""
    return Finding(Grade.OK, name, words)


def warn(name: str, words: str, hint: str = "") -> Finding:
    """Something is less than it could be."""
    return Finding(Grade.WARN, name, words, hint)


def fail(name: str, words: str, hint: str = "") -> Finding:
    """Something is wrong."""
    return Finding(Grade.FAIL, name, words, hint)


def mended(name: str, words: str, hint: str = "") -> Finding:
    """Something was wrong and is not any more."""
    return Finding(Grade.MENDED, name, words, hint)


def lines_of(findings: Iterable[Finding]) -> list[str]:
    """A line each, its hint indented below."""
    lines: list[str] = []
    for each in findings:
        lines.append(
            f"{each.grade.value:7} {inert(each.name, NAME_COLUMNS):{NAME_COLUMNS}} {inert(each.words, COLUMNS)}"
        )
        if each.hint:
            lines.append(f"{'':7} {'':{NAME_COLUMNS}} {inert(each.hint, COLUMNS)}")
    return lines
