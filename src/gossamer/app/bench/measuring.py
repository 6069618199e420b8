"""A crawl of a measured web in this process, and what it took."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvloop

from gossamer.app.bench.sampler import Sampler
from gossamer.app.bench.stages import PARTS, STAGES, STORE
from gossamer.app.collection import seldom_collected
from gossamer.app.folder import FixedFacts, make_folder
from gossamer.app.live_line import LiveLine, Loudness
from gossamer.app.running import crawl_folder

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.app.running import Run
    from gossamer.app.seeds import Seed
    from gossamer.app.settings import Settings


@dataclass(frozen=True, slots=True)
class Measured:
    """What a crawl took, from its first turn until its files were closed."""

    seconds: float
    cpu_seconds: float
    stages: dict[str, float]
    """CPU seconds by stage, in the order of STAGES."""
    summary: dict[str, Any]
    """The crawl's own."""

    @property
    def pages(self) -> int:
        """Pages fetched."""
        return int(self.summary["pages"])


def measure(settings: Settings, seeds: list[Seed], path: Path) -> Measured:
    """Crawl into a new folder. Raises UserError as a crawl does, RuntimeError when the books do not balance."""
    folder, lock = make_folder(path, settings, seeds, FixedFacts.new(settings.keys))
    sampler = Sampler(PARTS, store=STORE)
    began: list[float] = []

    def begin(_: Run) -> None:
        began.extend((time.perf_counter(), time.process_time()))
        sampler.start()

    silent = LiveLine(sys.stderr, Loudness.QUIET)
    try:
        with lock, seldom_collected(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(crawl_folder(settings, folder, resume=False, ui=silent, joined=begin))
    finally:
        found = sampler.stop()
    seconds, cpu = time.perf_counter() - began[0], time.process_time() - began[1]
    summary = folder.read_summary()
    if not summary or not summary.get("balanced"):
        raise RuntimeError("the books of the measured crawl do not balance")
    stages = {stage: found[stage] for stage in STAGES if stage in found}
    return Measured(seconds, cpu, stages, summary)
