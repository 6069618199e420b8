"""What a crawl of the python3.11-doc site costs: CPU per page by stage beside native floors, and peak memory.

Run: `./dev bench crawl_cost [--quick] [--check] [--record]`. The site is served on loopback, without a gap. The floors
are what the libraries underneath need for the same bytes, in the same run: fetching with libcurl in a plain loop,
parsing, compressing and hashing alone. `--check` compares with bench/ratchet.json and fails when the crawl became
dearer; what is compared is the ratio to the floors, so that a slower machine is no failure. `--record` writes it anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.metering import STAGES, Meters

if TYPE_CHECKING:
    from collections.abc import Callable

RATCHET = Path(__file__).with_name("ratchet.json")
SITE, SITE_QUICK = "python3.11-doc", "stl-manual"
TOLERANCE = {"cpu_over_floor": 1.35, "peak_mib": 1.25}
"""How much dearer a run may be than the ratchet: runs on a busy machine differ by a quarter."""


def main() -> int:
    """Measure, print, compare; the exit code."""
    parser = argparse.ArgumentParser(description="CPU per page by stage, and peak memory, of one crawl.")
    parser.add_argument("--quick", action="store_true", help="a small site instead")
    parser.add_argument("--check", action="store_true", help="fail when dearer than the ratchet")
    parser.add_argument("--record", action="store_true", help="write the ratchet anew")
    parser.add_argument("--metered", metavar="FILE", help=argparse.SUPPRESS)
    arguments, rest = parser.parse_known_args()
    if arguments.metered:
        return metered(Path(arguments.metered), rest)
    name = SITE_QUICK if arguments.quick else SITE
    measured = measure(name)
    print("\n".join(table(name, measured)))
    figures = compared(measured)
    known: dict[str, dict[str, float]] = json.loads(RATCHET.read_bytes()) if RATCHET.exists() else {}
    if arguments.record:
        RATCHET.write_text(json.dumps({**known, name: figures}, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return check(figures, known.get(name)) if arguments.check else 0


def metered(out: Path, command: list[str]) -> int:
    """In a process of its own: a crawl with meters; writes seconds by stage and in all."""
    from gossamer.app.cli import main as crawl

    meters = Meters()
    meters.install()
    began = time.process_time()
    code = crawl(command)
    whole = time.process_time() - began
    out.write_text(json.dumps({"whole": whole, "seconds": meters.seconds, "calls": meters.calls}), encoding="utf-8")
    return code


def measure(name: str) -> dict[str, Any]:
    """One metered crawl, one without meters for memory and the whole, and the floors."""
    from proofs import documentation
    from tests import crawls
    from tests.servers import debian

    site = debian.site(name)
    with tempfile.TemporaryDirectory(prefix="gossamer-cost-") as temporary:
        folder = Path(temporary)
        with documentation.served({"cost.test": site}, folder / "server") as (_, [one]):
            plain = crawls.run(*documentation.flags([one], folder / "plain"))
            arguments = documentation.flags([one], folder / "metered", "--quiet")
            child = [sys.executable, "-m", "bench.crawl_cost", "--metered", str(folder / "meters.json"), *arguments]
            done = subprocess.run(child, capture_output=True, text=True, check=False, env=crawls.environment())
            if plain.code or done.returncode:
                raise RuntimeError(f"a crawl failed: {plain.stderr[-500:]} {done.stderr[-1500:]}")
            urls = [row["url"] for row in crawls.Crawl(folder / "plain").pages() if row["outcome"] == "fetched"]
            fetching, bodies = floor_of_fetching(urls, one.port)
        meters = json.loads((folder / "meters.json").read_bytes())
        return {
            "pages": len(urls),
            "bytes": sum(map(len, bodies)),
            "links": crawls.Crawl(folder / "plain").table("links").num_rows,
            "meters": meters,
            "summary": plain.numbers,
            "floors": {"network": fetching, **floors(bodies)},
        }


def floor_of_fetching(urls: list[str], port: int) -> tuple[float, list[bytes]]:
    """CPU seconds of libcurl alone, one request after the other on one connection; and the bodies."""
    import pycurl

    curl = pycurl.Curl()
    curl.setopt(pycurl.CONNECT_TO, [f"::127.0.0.1:{port}"])
    bodies: list[bytes] = []
    began = time.process_time()
    for url in urls:
        parts: list[bytes] = []
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.WRITEFUNCTION, parts.append)
        curl.perform()
        bodies.append(b"".join(parts))
    seconds = time.process_time() - began
    curl.close()
    return seconds, bodies


def floors(bodies: list[bytes]) -> dict[str, float]:
    """CPU seconds of the main libraries alone, over the same bodies."""
    import turbohtml
    from isal import isal_zlib

    texts = [body.decode("utf-8", "replace") for body in bodies]
    return {
        "parse": _cpu(lambda: [turbohtml.parse(text, positions=False) for text in texts]),
        "archive": _cpu(lambda: [isal_zlib.compress(body, 1, 31) for body in bodies]),
        "decode, digest": _cpu(lambda: [hashlib.sha256(body).digest() for body in bodies]),
        "charset": _cpu(lambda: [body.decode("utf-8", "replace") for body in bodies]),
    }


def _cpu(work: Callable[[], object]) -> float:
    """The least CPU time of three runs."""
    times: list[float] = []
    for _ in range(3):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def table(name: str, measured: dict[str, Any]) -> list[str]:
    """The figures, a stage a line."""
    pages, meters, summary = measured["pages"], measured["meters"], measured["summary"]
    kilobytes, links = measured["bytes"] / pages / 1000, measured["links"] / pages
    lines = [f"{name}: {pages} pages of {kilobytes:.0f} kB and {links:.0f} links", ""]
    lines += [f"{'stage':18}{'ms a page':>10}{'share':>8}{'floor':>8}{'times':>8}"]
    whole = meters["whole"]
    rest = {"loop": whole - sum(meters["seconds"].values())}
    for stage in (*STAGES, "loop"):
        seconds = meters["seconds"].get(stage, rest.get(stage, 0.0))
        floor = measured["floors"].get(stage)
        beside = f"{floor / pages * 1e3:8.2f}{seconds / floor:8.1f}" if floor else ""
        lines.append(f"{stage:18}{seconds / pages * 1e3:10.2f}{seconds / whole:8.1%}{beside}")
    floor = sum(measured["floors"].values())
    lines.append(f"{'whole':18}{whole / pages * 1e3:10.2f}{1:8.0%}{floor / pages * 1e3:8.2f}{whole / floor:8.1f}")
    lines.append("")
    lines.append(f"without meters: {summary['pages'] / summary['seconds']:.0f} pages/s on one host, one at a time")
    lines.append(f"peak memory: {summary['memory_bytes_peak'] / 2**20:.0f} MiB; commits: {summary['commits']}")
    return lines


def compared(measured: dict[str, Any]) -> dict[str, float]:
    """What the ratchet holds."""
    whole, floor = measured["meters"]["whole"], sum(measured["floors"].values())
    return {
        "cpu_over_floor": round(whole / floor, 2),
        "cpu_ms_per_page": round(whole / measured["pages"] * 1e3, 2),
        "peak_mib": round(measured["summary"]["memory_bytes_peak"] / 2**20, 1),
    }


def check(figures: dict[str, float], known: dict[str, float] | None) -> int:
    """Compare with the ratchet; 1 when dearer than it allows."""
    if known is None:
        print("no ratchet for this site yet: --record makes one")
        return 1
    dearer = [key for key, factor in TOLERANCE.items() if figures[key] > known[key] * factor]
    for key, factor in TOLERANCE.items():
        state = "DEARER" if key in dearer else "holds"
        print(f"{state:7}{key}: {figures[key]} against {known[key]}, at most {known[key] * factor:.2f}")
    return 1 if dearer else 0


if __name__ == "__main__":
    sys.exit(main())
