"""The cost of a page by stage: its table names stages and parts that are there, and says what was measured."""

from __future__ import annotations

from bench import cost
from bench.composite import NETWORK, Composite
from gossamer.app.bench.stages import STAGES

FIGURES = {
    "crawler": {
        "pages": 100,
        "cpu_ms": 4.0,
        "pages_a_second": 250.0,
        "server_ms": 0.1,
        "memory_mib": 200.0,
        "stages": {"network": 1.0, "parse": 2.0, "flow": 1.0},
    },
    "composite": {"cpu_ms": 2.0, "links": 60.0, "parts": {NETWORK: 0.5, "parse": 1.0, "simhash": 0.4, "text": 0.1}},
    "ratio": 2.0,
    "ratio_without_text": 4.0 / 1.5,
    "decoded": 55_000,
    "coded": 11_000,
}


def test_floors_stand_for_stages_and_parts_that_there_are(tmp_path) -> None:
    composite = Composite(tmp_path)
    parts = {*composite.steps, NETWORK}
    composite.close()
    assert cost.FLOORS.keys() <= STAGES.keys()
    assert {*cost.FLOORS.values(), *cost.NOT_YET} == parts


def test_a_stage_stands_beside_its_floor() -> None:
    lines = cost.lines("55, plain-kept", FIGURES)
    assert lines[1].startswith("55, plain-kept: pages of 55.0 KB, 11.0 as sent, with 60 links; server 0.10 ms")
    assert [line.split() for line in lines[3:]] == [
        ["network", "1.000", "25.0%", "0.500", "2.0"],
        ["parse", "2.000", "50.0%", "1.000", "2.0"],
        ["flow", "1.000", "25.0%"],
        ["whole", "4.000", "100%", "2.000", "2.00"],
    ]


def test_the_summary_has_both_ratios() -> None:
    head, line = cost.summary({"55, plain-kept": FIGURES})
    assert head.split() == ["pages,", "way", "crawler", "pages/s", "composite", "ratio", "no", "text", "MiB"]
    assert line.split() == ["55,", "plain-kept", "4.000", "250", "2.000", "2.00", "2.67", "200"]


def test_the_middle_round_is_told() -> None:
    rounds = [{"ratio": 3.0}, {"ratio": 1.0}, {"ratio": 2.0}]
    assert cost.middle(rounds) == {"ratio": 2.0}
    assert cost.middle(rounds[:2]) == {"ratio": 1.0}
