"""`gossamer bench` as people run it."""

from __future__ import annotations

import json

import pytest

from gossamer.app.bench.lines import Benched
from gossamer.app.bench.measuring import Measured
from gossamer.app.bench.stages import STAGES
from tests import crawls

SUMMARY = {"pages": 1000, "bytes": 8_000_000, "memory_bytes_peak": 190_000_000}


def test_a_measurement_in_words_and_for_programs() -> None:
    benched = Benched(Measured(4.0, 2.0, {"parse": 0.5, "flow": 1.5}, SUMMARY), 32, 0.1)
    found = benched.as_dict()
    assert (found["pages_a_second"], found["cpu_ms_a_page"], found["cpu_busy"]) == (250.0, 2.0, 0.5)
    assert found["stages_ms"] == {"parse": 0.5, "flow": 1.5}
    lines = benched.lines()
    assert lines[0] == "1,000 pages of 8.0 kB as received, 32 hosts, 4.0 s"
    assert lines[1] == "250 pages/s: 648 million in 30 days, where hosts allow it"
    assert [line.split() for line in lines[-2:]] == [["flow", "1.500", "75.0%"], ["parse", "0.500", "25.0%"]]


@pytest.mark.parametrize("given", ["0", "11m", "soon", "-1s"])
def test_a_time_that_makes_no_measurement_is_refused(given: str) -> None:
    assert crawls.silently(["bench", f"--max-time={given}"]) == 2


def test_a_folder_that_is_there_is_kept(tmp_path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "crawl.toml").touch()
    assert crawls.silently(["bench", "-o", str(tmp_path)]) == 7


@pytest.mark.slow
def test_a_short_measurement_says_what_a_page_costs_and_keeps_its_crawl(tmp_path) -> None:
    ended = crawls.run("bench", "--max-time", "1s", "-o", tmp_path / "kept", "--json")
    assert ended.code == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["pages"] > 0
    assert found["cpu_ms_a_page"] > 0
    assert set(found["stages_ms"]) <= set(STAGES)
    assert sum(found["stages_ms"].values()) == pytest.approx(found["cpu_ms_a_page"], rel=0.2)
    assert crawls.Crawl(tmp_path / "kept").summary()["pages"] == found["pages"]
