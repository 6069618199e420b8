"""What a shard costs at 1, 10 and 100 million known URLs: each step of the frontier, memory, disk, opening.

Run: `./dev bench frontier [URLS...]`, by default 1000000 10000000 100000000; `--folder DIR` keeps the filled folders
there and uses those that are there already. Each size is measured in a process of its own, paced like a crawl: a
hundred pages a second, each with a hundred links of which 85 are known, a commit every 0.25 s; once with a trace that
has site locality and once with keys drawn evenly. The last size is held against the first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bench.filled_shard import Shape, filled_folder
from bench.traces import TRACES, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.flow.shard import Shard
    from gossamer.flow.worker import Worker

SIZES: Final = (1_000_000, 10_000_000, 100_000_000)
SECONDS: Final = 40.0
"""How long each trace runs."""
SEEN_ROUNDS: Final = 600
MEAN_RATIO_MAX: Final = 2.0
P99_RATIO_MAX: Final = 4.0
RSS_MAX_MB: Final = 3000.0
OPENING_MAX_SECONDS: Final = 5.0
HEAD_DELETIONS: Final = 100_000
HEAD_RATIO_MAX: Final = 2.0
HEAD_LOOKS: Final = 200
NOISE_US: Final = 1.0
"""A step that takes no longer than this is as fast as can be told."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every size, print, compare; 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description="What a shard costs as the number of known URLs grows.")
    parser.add_argument("urls", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--folder", type=Path, help="keep the filled folders here")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each trace runs")
    parser.add_argument("--one", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        found = asyncio.run(measure(given.folder, given.seconds))
        given.one.write_text(json.dumps(found), encoding="utf-8")
        return 0
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        return compare(given.folder, given.urls, given.seconds)
    with tempfile.TemporaryDirectory(prefix="gossamer-frontier-") as name:
        return compare(Path(name), given.urls, given.seconds)


def compare(folder: Path, sizes: Sequence[int], seconds: float) -> int:
    """Every size in a process of its own; then the last against the first."""
    found: dict[int, dict[str, Any]] = {}
    for urls in sizes:
        began = time.monotonic()
        path = folder / f"filled-{urls}"
        fresh = not path.with_name(f"{path.name}.shape.json").exists()
        if fresh:
            now = time.time()
            filled_folder(path, Shape(urls, now - 90 * 86_400.0, now))
        built = time.monotonic() - began
        found[urls] = in_a_process(path, seconds)
        found[urls]["built_seconds"] = built if fresh else 0.0
        print("\n".join(table(urls, found[urls])), flush=True)
    first, last = found[sizes[0]], found[sizes[-1]]
    problems = broken(first, last) if len(sizes) > 1 else []
    problems += [text for urls, one in found.items() for text in bounds(urls, one)]
    if len(sizes) > 1:
        print("\n".join(["", f"{sizes[-1]:,} against {sizes[0]:,} known URLs", *ratios(first, last)]))
    print("\n".join(["", *problems, f"{len(problems)} bounds broken"]), flush=True)
    return 1 if problems else 0


def in_a_process(path: Path, seconds: float) -> dict[str, Any]:
    """What another process measures of a filled folder."""
    out = path.with_name(f"{path.name}.figures.json")
    command = [sys.executable, "-m", "bench.frontier", "--folder", str(path), "--seconds", str(seconds)]
    done = subprocess.run([*command, "--one", str(out)], check=False)
    if done.returncode:
        raise RuntimeError(f"measuring {path} ended with {done.returncode}")
    found: dict[str, Any] = json.loads(out.read_bytes())
    return found


async def measure(path: Path, seconds: float) -> dict[str, Any]:
    """Open a filled folder as a crawl is resumed, and drive it with both traces."""
    from bench.driving import Drive, Samples
    from bench.filled_shard import read_shape
    from gossamer.app.folder import open_folder
    from gossamer.app.wiring import make_worker

    shape = read_shape(path)
    folder, settings = open_folder(path)
    with folder.hold():
        began = time.perf_counter()
        worker, world, _ = make_worker(settings, folder, resume=True)
        opening = time.perf_counter() - began
        result: dict[str, Any] = {"opening_seconds": opening, "opened": memory(), "traces": {}, "pages": 0, "dry": 0}
        before = worker.shards[0].ledger.known - shape.urls
        try:
            added: dict[int, int] = {}
            # Nothing is noted of the first turns of hosts, which come all at once: names looked up, heads read.
            trace = Trace(shape, TRACES[0], np.random.default_rng(6), before=before, added=added)
            await Drive(worker, trace).warm()
            for kind in TRACES:
                trace = Trace(shape, kind, np.random.default_rng(7), before=before, added=added)
                drive = Drive(worker, trace, Samples())
                drive.ask_seen(SEEN_ROUNDS)
                await drive.crawl(seconds)
                result["traces"][kind] = drive.samples.figures()
                result["pages"] += drive.pages
                result["dry"] += drive.dry
                result[f"late, {kind}"] = drive.late
            result["memory"] = memory()
            result["problems"] = worker.shards[0].ledger.problems()
            result["head"] = await head_deletions(worker, shape)
            await worker.committer.commit()
        finally:
            await world.close()
    result["disk_mb"] = sum(file.stat().st_size for file in folder.state.rglob("*") if file.is_file()) / 1e6
    return result


async def head_deletions(worker: Worker, shape: Shape) -> dict[str, float]:
    """How long the first URLs of the largest host's queues take, before and after many deletions at their heads."""
    from bench.filled_rows import host_name
    from gossamer.core.frontier.records import PageState

    shard = worker.shards[0]
    host_id = shard.rules.ids.host_id(host_name(0, 0))
    state = shard.host_state(host_id)
    if state is None:
        raise RuntimeError(f"the largest of {shape.host_count} hosts is not there")
    heads, left = list(state.heads), list(state.queued)
    wanted = min(HEAD_DELETIONS, sum(left) // 2)
    queue = max(range(len(left)), key=left.__getitem__)
    before = looks(shard, host_id, queue, heads[queue])
    deleted = 0
    while deleted < wanted:
        # The longest queue is looked at; all of them are deleted from.
        each = queue if left[queue] > HEAD_LOOKS else max(range(len(left)), key=left.__getitem__)
        entries, _ = shard.head(host_id, each, heads[each])
        for entry in entries:
            shard.dequeue(host_id, each, entry.order)
            entry.record.state = PageState.GONE
            shard.save_page(host_id, entry.fingerprint, entry.record)
        heads[each] = entries[-1].order + 1
        left[each] -= len(entries)
        deleted += len(entries)
        shard.ledger.queued -= len(entries)
        shard.ledger.gone += len(entries)
        state.heads[each], state.queued[each] = heads[each], left[each]
        shard.frontier.working.touched[host_id] = state
        if deleted // 1000 != (deleted - len(entries)) // 1000:
            await worker.committer.commit()
    await worker.committer.commit()
    after = looks(shard, host_id, queue, heads[queue])
    return {"deleted": deleted, "before_us": before, "after_us": after}


def looks(shard: Shard, host_id: bytes, queue: int, order: int) -> float:
    """Median microseconds of CPU time for reading the first URLs of a queue: the store has them in memory by then."""
    taken: list[float] = []
    for _ in range(HEAD_LOOKS):
        began = time.thread_time()
        shard.head(host_id, queue, order)
        taken.append(time.thread_time() - began)
    return float(np.median(taken)) * 1e6


def memory() -> dict[str, float]:
    """Megabytes of this process: anonymous, of files, and in all."""
    status = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines() if ":" in line
    )
    return {
        name: int(status[key].split()[0]) * 1024 / 1e6
        for name, key in (("anonymous", "RssAnon"), ("files", "RssFile"), ("all", "VmRSS"))
    }


def table(urls: int, one: dict[str, Any]) -> list[str]:
    """The figures of one size."""
    now, opened, head = one["memory"], one["opened"], one["head"]
    filled = f"filled in {one['built_seconds']:.0f} s, " if one["built_seconds"] else ""
    just_opened = f"just opened {opened['anonymous']:,.0f} and {opened['all']:,.0f}"
    after = f"after {head['deleted']:,.0f} deletions {head['after_us']:.0f} us"
    lines = [
        "",
        f"{urls:,} known URLs: {filled}{one['disk_mb']:,.0f} MB of disk, opened in {one['opening_seconds']:.2f} s",
        f"  memory: {now['anonymous']:,.0f} MB anonymous, {now['all']:,.0f} MB in all ({just_opened})",
        f"  {one['pages']:,} pages; {one['dry']} times no host was ready",
        f"  first URLs of the largest host: {head['before_us']:.0f} us, {after}",
        f"  {'us':28} {'trace':8} {'mean':>10} {'p50':>10} {'p99':>10} {'max':>11} {'wall mean':>10} {'wall p99':>10}",
    ]
    for kind, figures in one["traces"].items():
        lines += [
            f"  {name:28} {kind:8} {each['mean']:10.2f} {each['p50']:10.2f} {each['p99']:10.2f} {each['max']:11.2f}"
            f" {each['wall mean']:10.2f} {each['wall p99']:10.2f}"
            for name, each in figures.items()
        ]
    return lines


def ratios(first: dict[str, Any], last: dict[str, Any]) -> list[str]:
    """How much dearer each step is at the last size than at the first."""
    return [
        f"  {name:28} {kind:8} mean {large['mean'] / small['mean']:5.2f}  p99 {large['p99'] / small['p99']:5.2f}"
        for kind, name, small, large in _pairs(first, last)
    ]


def broken(first: dict[str, Any], last: dict[str, Any]) -> list[str]:
    """Which steps have become dearer than they may."""
    found: list[str] = []
    for kind, name, small, large in _pairs(first, last):
        for which, most in (("mean", MEAN_RATIO_MAX), ("p99", P99_RATIO_MAX)):
            if large[which] > max(NOISE_US, most * small[which]):
                found.append(f"{name}, {kind}: {which} {large[which]:.1f} us, at the first size {small[which]:.1f} us")
    return found


def bounds(urls: int, one: dict[str, Any]) -> list[str]:
    """What is more than it may be at one size."""
    found = [f"{urls:,}: the books do not balance: {text}" for text in one["problems"]]
    if one["memory"]["all"] > RSS_MAX_MB:
        found.append(f"{urls:,}: {one['memory']['all']:,.0f} MB of memory, more than {RSS_MAX_MB:,.0f}")
    if one["opening_seconds"] > OPENING_MAX_SECONDS:
        found.append(f"{urls:,}: opened in {one['opening_seconds']:.1f} s, more than {OPENING_MAX_SECONDS:.0f}")
    head = one["head"]
    if head["after_us"] > HEAD_RATIO_MAX * head["before_us"]:
        found.append(f"{urls:,}: a queue's first URLs take {head['after_us']:.0f} us after deletions at its head")
    return found


def _pairs(first: dict[str, Any], last: dict[str, Any]) -> list[tuple[str, str, dict[str, float], dict[str, float]]]:
    return [
        (kind, name, first["traces"][kind][name], large)
        for kind, figures in last["traces"].items()
        for name, large in figures.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
