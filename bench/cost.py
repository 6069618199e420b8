"""What a page costs the whole crawler, stage by stage, beside the native floor of each stage and the composite.

Run: `./dev bench cost [--sets 10,55,220] [--ways plain-kept,...] [--max-pages N] [--rounds N] [--json]`.

The crawl is one of `gossamer crawl` with everything on: robots.txt, politeness (a gap of 0, which loopback is allowed),
scope, durable URL seen, content seen, archive, index, data sets, synced commits. Its web is that of the composite
(bench/web.py), on so many hosts that none is waited for; it starts from their first pages and finds the rest by links.
Both run on the first core in processes of their own, in turn, each round; nginx runs on the last core.

A stage's time is told by the sampling profiler of `gossamer bench`; what commits do on threads is a stage of its own.
`floor` is the composite's time for the same work on the same pages. The composite also takes texts and similarity
hashes, which no stage of the crawler has yet: the second ratio leaves these out of the composite.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench import composite, web
from bench.composite import NETWORK, WAYS
from bench.page_sets import SETS

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOORS: Final = {
    "network": NETWORK,
    "decode": "gunzip",
    "charset": "decode",
    "parse": "parse",
    "links": "links",
    "URLs, keys": "URL keys",
    "seen": "Bloom",
    "digest": "digest",
    "archive": "WARC",
    "store": "store",
}
"""Stage of the crawler -> part of the composite that does the same work."""
NOT_YET: Final = ("simhash", "text")
"""Parts of the composite that no stage of the crawler has."""
PAGES: Final = 2000


def main() -> int:
    """Measure and print; the exit code."""
    parser = argparse.ArgumentParser(description="CPU of a page, by stage, of the whole crawler and of the composite")
    parser.add_argument("--sets", default=",".join(SETS), help=f"sets of pages, of {', '.join(SETS)}; all by default")
    parser.add_argument("--ways", default=",".join(WAYS), help=f"of {', '.join(WAYS)}; all by default")
    parser.add_argument("--hosts", type=int, default=64)
    parser.add_argument("--max-pages", type=int, default=PAGES, help=f"pages of a crawl; by default {PAGES}")
    parser.add_argument("--rounds", type=int, default=1, help="the round of median ratio is told")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(work(json.load(sys.stdin))))
        return 0
    found: dict[str, dict[str, Any]] = {}
    for name in options.sets.split(","):
        shape = web.Shape(name, options.hosts, -(-options.max_pages // options.hosts))
        with web.written(shape) as files:
            for way in options.ways.split(","):
                tls, kept = WAYS[way]
                with web.served(files, tls=tls, kept=kept) as served:
                    figures = middle([one_round(served) for _ in range(options.rounds)])
                found[f"{name}, {way}"] = figures | {"decoded": files.decoded, "coded": files.coded}
                if not options.json:
                    print("\n".join(lines(f"{name}, {way}", found[f"{name}, {way}"])), flush=True)
    print(json.dumps(found) if options.json else "\n".join(["", *summary(found)]))
    return 0


def one_round(served: web.Web) -> dict[str, Any]:
    """The composite, then the crawler."""
    bar = composite.measure(served)
    crawled = measure(served)
    reduced = bar["cpu_ms"] - sum(bar["parts"][part] for part in NOT_YET)
    return {
        "crawler": crawled,
        "composite": bar,
        "ratio": crawled["cpu_ms"] / bar["cpu_ms"],
        "ratio_without_text": crawled["cpu_ms"] / reduced,
    }


def measure(served: web.Web) -> dict[str, Any]:
    """A whole crawl of a web, in a process of its own on the first core; the server's cost beside it."""
    task = {"seeds": served.seeds(), "names": served.names(), "ca_file": str(served.ca_file or "")}
    before = served.server_seconds()
    child = [sys.executable, "-m", "bench.cost", "--child"]
    done = subprocess.run(child, input=json.dumps(task), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the crawl failed: {done.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout)
    figures["server_ms"] = (served.server_seconds() - before) / figures["pages"] * 1e3
    expected = served.files.shape.count
    if figures["pages"] != expected or figures["copies"]:
        raise RuntimeError(f"{figures['pages']} pages and {figures['copies']} copies came of {expected} distinct pages")
    return figures


def work(task: dict[str, Any]) -> dict[str, Any]:
    """In the child: crawl, with the profiler; CPU milliseconds a page, whole and by stage."""
    from gossamer.app.bench.measuring import measure as measure_crawl
    from gossamer.app.seeds import read_seeds
    from gossamer.app.settings import Given, check, load

    web.pin(0, first=True)
    with tempfile.TemporaryDirectory(prefix="gossamer-cost-") as name:
        folder = Path(name)
        (folder / "hosts").write_text(task["names"], encoding="utf-8")
        flags: dict[str, Any] = {
            "seeds.urls": task["seeds"],
            "output.folder": str(folder / "crawl"),
            "output.quiet": True,
            "scope.kind": "host",
            "network.allow_address": ["127.0.0.0/8"],
            "dns.resolve_file": str(folder / "hosts"),
            "politeness.gap": "0",
        }
        if task["ca_file"]:
            flags["fetch.ca_file"] = task["ca_file"]
        settings = load(Given(flags=flags))
        check(settings)
        measured = measure_crawl(settings, read_seeds(settings.seeds), folder / "crawl")
    pages = measured.pages
    return {
        "pages": pages,
        "copies": measured.summary["copies"],
        "pages_a_second": pages / measured.seconds,
        "cpu_ms": measured.cpu_seconds / pages * 1e3,
        "stages": {stage: seconds / pages * 1e3 for stage, seconds in measured.stages.items()},
        "memory_mib": measured.summary["memory_bytes_peak"] / 2**20,
    }


def middle(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The round whose ratio is the median, the lower of two."""
    return sorted(rounds, key=lambda each: each["ratio"])[(len(rounds) - 1) // 2]


def lines(named: str, figures: dict[str, Any]) -> list[str]:
    """A measurement, a stage a line."""
    crawler, bar = figures["crawler"], figures["composite"]
    whole, sizes = crawler["cpu_ms"], f"{figures['decoded'] / 1000:.1f} KB, {figures['coded'] / 1000:.1f} as sent"
    found = [
        "",
        f"{named}: pages of {sizes}, with {bar['links']:.0f} links; server {crawler['server_ms']:.2f} ms a page",
        f"{'stage':14}{'ms a page':>10}{'share':>8}{'floor':>8}{'times':>7}",
    ]
    for stage, value in crawler["stages"].items():
        floor = bar["parts"].get(FLOORS.get(stage, ""))
        beside = f"{floor:8.3f}{value / floor:7.1f}" if floor else ""
        found.append(f"{stage:14}{value:10.3f}{value / whole:8.1%}{beside}")
    found.append(f"{'whole':14}{whole:10.3f}{1:8.0%}{bar['cpu_ms']:8.3f}{figures['ratio']:7.2f}")
    return found


def summary(found: dict[str, dict[str, Any]]) -> list[str]:
    """A line for each measurement."""
    head = f"{'pages, way':17}{'crawler':>9}{'pages/s':>9}{'composite':>11}{'ratio':>7}{'no text':>9}{'MiB':>6}"
    return [
        head,
        *(
            f"{named:17}{each['crawler']['cpu_ms']:9.3f}{each['crawler']['pages_a_second']:9.0f}"
            f"{each['composite']['cpu_ms']:11.3f}{each['ratio']:7.2f}{each['ratio_without_text']:9.2f}"
            f"{each['crawler']['memory_mib']:6.0f}"
            for named, each in found.items()
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
