from __future__ import annotations

import pytest

from gossamer.core.files.ledger import FileLedger
from gossamer.core.files.recovery import plan_recovery
from gossamer.core.warc.location import FileMark, FileState

OPEN, CLOSED, REMOVED = FileState.OPEN, FileState.CLOSED, FileState.REMOVED


def product_of(path: str) -> str | None:
    return path.replace("journal/", "final/") if path.startswith("journal/") else None


def plan(committed: dict[str, tuple[int, FileState]], found: dict[str, int]) -> dict[str, object]:
    """What is to be done, without what is empty; `live` by its paths."""
    marks = [FileMark(path, length, state) for path, (length, state) in committed.items()]
    made = plan_recovery(marks, found, product_of, tail_bytes_cut_max=10)
    told = {name: getattr(made, name) for name in ("damaged", "cut", "tails_aside", "aside", "remove")}
    return {name: value for name, value in told.items() if value} | {"live": sorted(made.live)}


@pytest.mark.parametrize(
    ("committed", "found", "done"),
    [
        ({}, {}, {"live": []}),
        ({"a/x": (5, OPEN)}, {"a/x": 5}, {"live": ["a/x"]}),
        ({"a/x": (5, OPEN)}, {"a/x": 15}, {"cut": {"a/x": 5}, "live": ["a/x"]}),
        ({"a/x": (5, OPEN)}, {"a/x": 16}, {"tails_aside": {"a/x": 5}, "live": ["a/x"]}),
        # Nothing is appended to a closed file, so nothing explains its tail.
        ({"a/x": (5, CLOSED)}, {"a/x": 6}, {"tails_aside": {"a/x": 5}, "live": ["a/x"]}),
        ({}, {"a/x": 5}, {"aside": ["a/x"], "live": []}),
        ({}, {"a/.tmp-x": 5}, {"remove": ["a/.tmp-x"], "live": []}),
        ({"journal/x": (0, REMOVED)}, {"journal/x": 9}, {"remove": ["journal/x"], "live": []}),
        ({"journal/x": (0, REMOVED)}, {}, {"live": []}),
        # Converted, but not committed: the journal has all.
        ({"journal/x": (9, CLOSED)}, {"journal/x": 9, "final/x": 3}, {"remove": ["final/x"], "live": ["journal/x"]}),
        # One shard's batch told of the final file, another's still of the journal.
        (
            {"journal/x": (9, CLOSED), "final/x": (3, CLOSED)},
            {"journal/x": 9, "final/x": 3},
            {"remove": ["journal/x"], "live": ["final/x"]},
        ),
        ({"journal/x": (9, CLOSED), "final/x": (3, CLOSED)}, {"final/x": 3}, {"live": ["final/x"]}),
    ],
)
def test_plan(committed: dict[str, tuple[int, FileState]], found: dict[str, int], done: dict[str, object]) -> None:
    assert plan(committed, found) == done


def test_damage_is_told_in_words() -> None:
    made = plan({"a/x": (5, OPEN), "a/y": (7, CLOSED)}, {"a/x": 4})
    assert made["damaged"] == {
        "a/x": "has 4 bytes; the last commit vouches for 5",
        "a/y": "is missing; the last commit vouches for its 7 bytes",
    }


def test_the_way_of_a_journal() -> None:
    ledger = FileLedger()
    ledger.note("journal/x", 5, OPEN)
    ledger.close_journal("journal/x", 9)
    assert ledger.marks() == [FileMark("journal/x", 9, CLOSED)]
    assert ledger.next_conversion() is None, "its rows are not committed yet"
    assert ledger.acknowledge() == []
    assert ledger.next_conversion() == "journal/x"
    assert ledger.next_conversion() is None
    assert ledger.marks() == []
    ledger.superseded("journal/x", "final/x", 3)
    assert ledger.acknowledge() == [], "what no marks have told is not acknowledged"
    assert ledger.marks() == [FileMark("final/x", 3, CLOSED), FileMark("journal/x", 0, REMOVED)]
    assert ledger.acknowledge() == ["journal/x"]
    assert ledger.marks() == []


def test_only_what_changed_is_told_and_until_it_is_acknowledged() -> None:
    ledger = FileLedger()
    ledger.note("a", 1, OPEN)
    ledger.note("b", 1, OPEN)
    assert len(ledger.marks()) == 2
    ledger.note("a", 2, OPEN)
    assert ledger.marks() == [FileMark("a", 2, OPEN), FileMark("b", 1, OPEN)]
    ledger.acknowledge()
    ledger.note("a", 2, OPEN)
    ledger.note("b", 3, OPEN)
    assert ledger.marks() == [FileMark("b", 3, OPEN)]


def test_the_end_waits_for_no_acknowledgement() -> None:
    ledger = FileLedger()
    ledger.convertible("journal/old")
    ledger.close_journal("journal/x", 9)
    ledger.release_all()
    assert [ledger.next_conversion() for _ in range(3)] == ["journal/old", "journal/x", None]
    ledger.superseded("journal/x", "final/x", 3)
    assert {mark.path: mark.state for mark in ledger.marks()} == {"journal/x": REMOVED, "final/x": CLOSED}
