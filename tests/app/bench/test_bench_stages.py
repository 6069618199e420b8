"""The stages: every place in the table exists, and every file that does a page's work belongs to a stage."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

import gossamer
from gossamer.app.bench.sampler import LOOP, OTHER_THREADS, REST, Sampler, part_of
from gossamer.app.bench.stages import PARTS, STAGES, STORE
from gossamer.core.url.parse import resolve_all

ROOT = Path(gossamer.__file__).parent
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


@pytest.mark.parametrize("start", [start for start, _ in PARTS])
def test_a_place_of_the_table_is_there(start: str) -> None:
    file, _, name = start.partition(":")
    found = [path for path in FILES if path.startswith(file)]
    assert found
    if name:
        source = (ROOT / found[0]).read_text(encoding="utf-8")
        assert all(f"class {part}" in source or f"def {part}(" in source for part in name.split("."))


def test_stages_are_those_of_the_table_and_what_has_no_place() -> None:
    assert {part for _, part in PARTS} | {LOOP, OTHER_THREADS, REST} == set(STAGES)


def test_the_narrower_place_comes_first() -> None:
    parser = str(ROOT / "adapters" / "parser_turbohtml.py")
    assert part_of(parser, "TurboParser.parse", PARTS) == "parse"
    assert part_of(parser, "_Reading.walk", PARTS) == "links"
    assert part_of(str(ROOT / "app" / "folder.py"), "open_folder", PARTS) == REST
    assert part_of("/elsewhere/gossamer.py", "x", PARTS) == ""


def test_every_file_of_the_flow_belongs_to_a_stage() -> None:
    assert [path for path in FILES if path.startswith("flow/") and part_of(str(ROOT / path), "", PARTS) == REST] == []


def test_cpu_is_charged_to_the_part_that_used_it() -> None:
    before = signal.getsignal(signal.SIGPROF)
    sampler = Sampler((("core/url/", "URLs"),), store=STORE)
    urls = ["../a/b.html", "c.html#d"] * 50
    sampler.start()
    try:
        began = time.process_time()
        while time.process_time() - began < 0.1:
            resolve_all("http://site.test/x/y", urls)
        whole = time.process_time() - began
    finally:
        parts = sampler.stop()
        signal.signal(signal.SIGPROF, before)
    assert parts["URLs"] > whole * 0.5
    assert set(parts) >= {"URLs", STORE, OTHER_THREADS}
