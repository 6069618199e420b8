"""The ratchet: what it says of counts, and that it counts what it should."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import gossamer
from bench import ratchet


def test_counts_are_held_to_those_that_were_reached() -> None:
    kept = {"crawl": 1000.0, "read": 2.0, "archive": 1.0}
    assert ratchet.compared(kept, kept)[1] == 0
    lines, code = ratchet.compared({"crawl": 1011.0, "read": 2.03, "archive": 0.9}, kept)
    assert code == 1
    assert [line.split()[0] for line in lines] == ["DEARER", "holds", "cheaper"]
    assert "--record keeps it" in lines[2]


def test_a_count_that_nobody_recorded_holds_nobody_up_silently() -> None:
    lines, code = ratchet.compared({"crawl": 1.0}, {})
    assert code == 1
    assert lines[0].startswith("UNKNOWN crawl")


def test_the_counts_reached_are_there_for_this_release_s_oldest_python() -> None:
    kept = json.loads(ratchet.KEPT.read_bytes())
    assert set(kept["3.11"]) == set(ratchet.TOLERANCE) == set(ratchet.WORDS)


def test_bytecodes_of_our_layers_count_and_no_others() -> None:
    counter = ratchet.Counter()

    def traced(work: object, *arguments: object) -> int:
        before, tracing = counter.executed, sys.gettrace()
        sys.settrace(counter.enter)
        try:
            work(*arguments)
        finally:
            sys.settrace(tracing)
        return counter.executed - before

    made: dict[str, object] = {}
    source = "def made(number):\n    return number + 1\n"
    exec(compile(source, f"{ratchet.COUNTED[0]}/made.py", "exec"), made)
    once = traced(made["made"], 1)
    assert once >= 3
    assert traced(made["made"], 1) == once
    assert traced(json.dumps, {"a": 1}) == 0
    assert all(Path(folder).is_relative_to(Path(gossamer.__file__).parent) for folder in ratchet.COUNTED)


def test_totals_are_read_from_a_dump(tmp_path: Path) -> None:
    dump = tmp_path / "counted.1"
    dump.write_text("events: Ir\n\nfn=(1)\n1 5\n\ntotals: 31251207\n")
    assert ratchet._total(dump) == 31_251_207
