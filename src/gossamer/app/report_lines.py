"""Numbers of a crawl as lines for people: what `status` prints, and what stands at the end of a crawl.

The numbers come as a mapping, as summary.json and the control socket have them. Keys known here come first, under a
name for people; any other key follows under its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from gossamer.app import figures
from gossamer.app.escape import inert
from gossamer.app.seeds import GIVEN

LABELS: Final = {
    "state": "state",
    "end_state": "ended",
    "reason": "why",
    "folder": "folder",
    "process": "process",
    "paused": "paused by",
    "started": "started",
    "ended": "ended at",
    "seconds": "took",
    "elapsed": "running for",
    "pages": "pages",
    "copies": "copies",
    "fetches": "fetches",
    "bytes": "received",
    "errors": "errors",
    "newest": "newest page",
    "statuses": "answers",
    "unarchived": "not archived",
    "group_pages": "pages by group",
    "known": "known URLs",
    "url_seen": "URL seen",
    "url_seen_lost": "lost by it",
    "queued": "queued",
    "leased": "in flight",
    "held": "held",
    "done": "done",
    "gone": "gone",
    "failed": "failed",
    "refused": "URLs refused",
    "found": "links found",
    "found_again": "found again",
    "new": "new URLs",
    "seen": "seen before",
    "sent": "sent away",
    "refused_links": "links refused",
    "received": "from elsewhere",
    "received_new": "new of those",
    "received_seen": "seen of those",
    "received_refused": "refused of those",
    "balanced": "ledgers balance",
    "ready": "hosts ready",
    "waiting": "hosts waiting",
    "parked": "hosts parked",
    "host_phases": "hosts by phase",
    "parked_hosts": "troubled hosts",
    "widened": "scope widened",
    "robots_ignored": "robots ignored",
    "connections_raised": "more at once",
    "commits": "commits",
    "commit_milliseconds_median": "commit, median",
    "commit_milliseconds_max": "commit, longest",
    "busiest_hosts": "busiest hosts",
    "slowest_hosts_milliseconds": "slowest hosts",
    "disk_free_bytes": "room on disk",
    "folder_bytes": "bytes on disk",
    "memory_bytes": "memory",
    "memory_bytes_peak": "memory at most",
    "cpu_seconds": "processor time",
    "release": "release",
}
"""key -> its name for people, in the order shown."""

UNSHOWN: Final = frozenset({"version", "resumed"})
"""For programs only."""
SHOWN_IF_ANY: Final = frozenset(
    {
        "copies",
        "errors",
        "unarchived",
        "leased",
        "held",
        "gone",
        "sent",
        "found_again",
        "received",
        "received_new",
        "received_seen",
        "received_refused",
    }
)
"""Not shown while 0."""
DURATIONS: Final = frozenset({"elapsed", "seconds", "cpu_seconds"})
NO_ANSWER: Final = "no answer"
TRUTH: Final = {True: "yes", False: "NO"}
LABEL_COLUMNS: Final = 16
VALUE_COLUMNS_MAX: Final = 160


def report_lines(numbers: Mapping[str, object]) -> list[str]:
    """One line a number; the entries of a mapping or list are indented below its name, a mapping's greatest first."""
    keys = [key for key in LABELS if key in numbers] + [key for key in numbers if key not in LABELS]
    lines: list[str] = []
    for key in keys:
        value = numbers[key]
        label = LABELS.get(key, inert(key.replace("_", " "), LABEL_COLUMNS))
        if _is_nothing(key, value):
            continue
        if isinstance(value, Mapping | list):
            lines.append(label)
            lines += [f"  {line}" for line in _entries(key, cast("Mapping[str, object] | list[object]", value))]
        else:
            lines.append(f"{label:{LABEL_COLUMNS}} {_value(key, value)}")
    return lines


def _is_nothing(key: str, value: object) -> bool:
    if key in UNSHOWN or (key in SHOWN_IF_ANY and value == 0):
        return True
    if key == "group_pages" and list(cast("Mapping[str, object]", value)) == [GIVEN]:
        return True  # seeds of the command line alone: the number of pages says it already
    return value is None or (isinstance(value, str | list | Mapping) and not value)


def _entries(name: str, entries: Mapping[str, object] | list[object]) -> list[str]:
    if isinstance(entries, list):
        return [_value(name, entry) for entry in entries]

    def weight(item: tuple[str, object]) -> tuple[float, str]:
        return (-item[1] if isinstance(item[1], int | float) else 0.0, item[0])

    return [f"{_value(name, value):>12}  {_entry(name, key)}" for key, value in sorted(entries.items(), key=weight)]


def _entry(name: str, key: str) -> str:
    """An entry's key for people; a visit without an answer has the status 0."""
    return NO_ANSWER if name == "statuses" and key == "0" else inert(key, 100)


def _value(key: str, value: object) -> str:
    if isinstance(value, bool):
        return TRUTH[value]
    if not isinstance(value, int | float):
        return inert(str(value), VALUE_COLUMNS_MAX)
    if key == "process":
        return str(value)
    if "bytes" in key.split("_"):
        return figures.size(value)
    if "milliseconds" in key.split("_"):
        return f"{value:,.0f} ms"
    if key in DURATIONS:
        return figures.duration(value)
    if key == "url_seen_lost":
        return f"about {value:,.0f} URLs" if value >= 1 else f"less than one URL ({value:.2g} expected)"
    return figures.count(value) if isinstance(value, int) else f"{value:,.2f}"
