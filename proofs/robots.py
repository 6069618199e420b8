"""No live robots.txt takes more than 5 ms to parse: each of some four thousand, and then asked for its first verdicts.

Parsing finds groups, delays, sitemaps and statements on use; the rules of the group that counts are made a table when
they are first asked, which is shown beside it. Processor time, the best of five, for other programs share the machine.
"""

from __future__ import annotations

import gc
import time
from typing import Final

from gossamer.core.robots.parse import RobotsRules
from tests.conformance.suites.robots import live_files
from tests.published import ABSENT, SHARED

BOUND_SECONDS: Final = 0.005
QUICK_FILES: Final = 500
SHOWN: Final = 5
TIMES: Final = 5
TARGETS: Final = ("/a/page.html?with=query&and=%2Fescape", "/")


def run(quick: bool) -> int:
    """Parse them all; 1 when one is too slow."""
    if not SHARED.is_dir():
        print(ABSENT)
        return 1
    parsing: list[tuple[float, int, str]] = []
    asking: list[tuple[float, int, str]] = []
    for number, (host, body) in enumerate(live_files(SHARED / "data")):
        if quick and number >= QUICK_FILES:
            break
        parsed, asked = (min(seconds) for seconds in zip(*(_timed(body) for _ in range(TIMES)), strict=True))
        parsing.append((parsed, len(body), host))
        asking.append((asked, len(body), host))
    _show("parsed", parsing)
    _show("first verdicts", asking)
    worst = max(parsing)[0]
    print(
        f"{'QUICK: ' if quick else ''}{len(parsing):,} live robots.txt files, slowest first verdicts "
        f"{max(asking)[0] * 1000:.2f} ms"
    )
    print(f"slowest parsed in {worst * 1000:.2f} ms, bound {BOUND_SECONDS * 1000:.0f} ms")
    return int(worst > BOUND_SECONDS)


def _show(what: str, rows: list[tuple[float, int, str]]) -> None:
    print(f"{what}: {sum(seconds for seconds, _, _ in rows):.2f} s in all")
    for seconds, size, host in sorted(rows, reverse=True)[:SHOWN]:
        print(f"  {seconds * 1000:6.2f} ms  {size:>9,} bytes  {host}")


def _timed(body: bytes) -> tuple[float, float]:
    """Seconds to parse, and seconds to the first verdicts."""
    gc.disable()
    began = time.thread_time()
    rules = RobotsRules.parse(body, "gossamer")
    parsed = time.thread_time()
    for target in TARGETS:
        rules.verdict(target)
        rules.usage(target)
    ended = time.thread_time()
    gc.enable()
    return parsed - began, ended - parsed
