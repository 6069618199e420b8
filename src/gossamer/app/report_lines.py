"""Numbers of a crawl as lines for people: what `status` prints, and what stands at the end of a crawl.

The numbers come as a mapping, as summary.json and the control socket have them. Keys known here come first, under a
name for people; any other key follows under its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from gossamer.app import figures
from gossamer.app.escape import inert

LABELS: Final = {
    "state": "state",
    "end_state": "ended",
    "reason": "why",
    "folder": "folder",
    "process": "process",
    "seeds": "seeds",
    "elapsed": "running for",
    "seconds": "took",
    "started": "started",
    "ended": "ended at",
    "pages": "pages",
    "bytes": "received",
    "copies": "copies",
    "hosts": "hosts",
    "queued": "queued",
    "held": "held",
    "leased": "in flight",
    "ready": "hosts ready",
    "waiting": "hosts waiting",
    "parked": "hosts parked",
    "errors": "errors",
    "newest": "newest page",
    "refused": "refused",
    "failed": "failed",
    "known": "known URLs",
    "found": "links found",
}
"""key -> its name for people, in the order shown."""

SIZES: Final = frozenset({"bytes"})
DURATIONS: Final = frozenset({"elapsed", "seconds"})
LABEL_COLUMNS: Final = 16
VALUE_COLUMNS_MAX: Final = 160


def report_lines(numbers: Mapping[str, object]) -> list[str]:
    """One line a number; a mapping's entries are indented below its name, the greatest first."""
    keys = [key for key in LABELS if key in numbers] + [key for key in numbers if key not in LABELS]
    lines: list[str] = []
    for key in keys:
        value = numbers[key]
        label = LABELS.get(key, inert(key.replace("_", " "), LABEL_COLUMNS))
        if value is None or value in ({}, ""):
            continue
        if isinstance(value, Mapping):
            lines.append(label)
            lines += [f"  {line}" for line in _entries(cast("Mapping[str, Any]", value))]
        else:
            lines.append(f"{label:{LABEL_COLUMNS}} {_value(key, value)}")
    return lines


def _entries(entries: Mapping[str, Any]) -> list[str]:
    def weight(item: tuple[str, Any]) -> tuple[float, str]:
        return (-item[1] if isinstance(item[1], int | float) else 0.0, item[0])

    return [f"{_value('', value):>12}  {inert(key, 100)}" for key, value in sorted(entries.items(), key=weight)]


def _value(key: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return inert(str(value), VALUE_COLUMNS_MAX)
    if key in SIZES:
        return figures.size(value)
    if key in DURATIONS:
        return figures.duration(value)
    return figures.count(value) if isinstance(value, int) else f"{value:,.2f}"
