"""One million known hosts, 200,000 pages of about 51 kB: the worker always has a host to lease from, and cheaply so.

A loopback web of a million hosts on 2,000 addresses (tests/servers/many_hosts.py), names asked of our own name server;
robots.txt obeyed, the gap of a second kept, the ceilings of addresses in force. A thousand hub pages make all hosts
known within the first minutes. Once they are, it is measured in the crawl's own process:

* *dry*: the time between a turn of the loop that left fetch slots free, for want of a host that may be asked, and the
  next turn; and how many slots stood free in the mean;
* the share of the *frontier* in the CPU (bench/sampling.py): frontier, politeness, budgets, URL seen, admission,
  commits and the store, its threads included.

Gaps and rates are the server's own measurement.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HOSTS, ADDRESSES, HUBS, PAGES = 1_000_000, 2_000, 1_000, 200_000
QUICK = 20_000, 200, 20, 1_500
SECONDS_MAX, QUICK_SECONDS_MAX = 1_750, 45
SHARE_MAX = 0.15
DRY_MAX = 0.01
MAIN = "__main__"


def run(quick: bool) -> int:
    from tests import crawls, ledgers
    from tests.servers import many_hosts

    hosts, addresses, hubs, pages = QUICK if quick else (HOSTS, ADDRESSES, HUBS, PAGES)
    seconds = QUICK_SECONDS_MAX if quick else SECONDS_MAX
    with tempfile.TemporaryDirectory(prefix="gossamer-million-", dir=os.environ.get("GOSSAMER_PROOF_FOLDER")) as name:
        folder = Path(name)
        with many_hosts.serve(hosts=hosts, addresses=addresses, hubs=hubs) as web:
            seeds, out = folder / "seeds", folder / "measured.json"
            seeds.write_text("\n".join(web.seeds()) + "\n", encoding="utf-8")
            flags = ["crawl", "--seeds", str(seeds), "-o", str(folder / "crawl"), "--quiet", "--json"]
            flags += ["--scope", "any", "--set", f"dns.nameservers={web.nameserver}", "--max-pages", str(pages)]
            flags += ["--max-time", f"{seconds}s", *crawls.LOOPBACK]
            child = [sys.executable, "-m", "proofs.million_hosts", str(out), str(2 * hubs), str(hosts), *flags]
            began = time.monotonic()
            done = subprocess.run(child, capture_output=True, text=True, check=False, env=crawls.environment())
            whole = time.monotonic() - began
        if done.returncode or not out.exists():
            print(f"the crawl ended with {done.returncode}: {done.stderr[-2000:]}")
            return 1
        measured: dict[str, Any] = json.loads(out.read_bytes())
        summary = json.loads(done.stdout)
        problems = ledgers.problems(crawls.Crawl(folder / "crawl")) if quick else []
        problems += [] if summary["balanced"] else ["the summary says that the books do not balance"]
        _show(measured, web.stats, summary, whole)
        problems += _short(measured, web.stats, summary, hosts=hosts, pages=pages, quick=quick)
    print("\n".join(problems))
    print(f"million hosts: {'QUICK, ' if quick else ''}{'holds' if not problems else 'FAILS'}")
    return 1 if problems else 0


def _show(measured: dict[str, Any], web: dict[str, Any], summary: dict[str, Any], whole: float) -> None:
    cpu, pages = sum(measured["parts"].values()), max(1, measured["pages"])
    print(f"{web['hosts_asked']:,} hosts asked of {measured['hosts_known']:,} known, {summary['pages']:,} pages")
    print(f"  of {web['bytes_a_page'] / 1000:.0f} kB decoded, in {whole:.0f} s; hubs done at {web['hubs_seconds']} s")
    print(f"server: {web['cpu_seconds']:.0f} s of CPU ({web['cpu_seconds'] / whole:.0%} of a core), names included;")
    print(f"  least gap {web['least_gap']} s, {web.get('address_too_fast', 0)} requests beyond an address's rate")
    print(f"measured: {measured['seconds']:.0f} s, {pages:,} pages, {pages / measured['seconds']:.0f} pages/s,")
    print(f"  {cpu / measured['seconds']:.0%} of a core, {cpu / pages * 1e3:.2f} ms of CPU a page")
    for part, seconds in sorted(measured["parts"].items(), key=lambda item: -item[1]):
        print(f"  {part:18}{seconds / pages * 1e3:8.2f} ms a page {seconds / cpu:7.1%}")
    print(
        f"dry: {measured['dry'] / measured['seconds']:.2%} of the time; free slots in the mean {measured['free']:.2f}"
    )


def _short(
    measured: dict[str, Any], web: dict[str, Any], summary: dict[str, Any], *, hosts: int, pages: int, quick: bool
) -> list[str]:
    """What falls short of what is to be shown."""
    found: list[str] = []
    share = measured["parts"]["frontier"] / sum(measured["parts"].values())
    if summary["pages"] < pages * (0.5 if quick else 1):
        found.append(f"only {summary['pages']:,} of {pages:,} pages in the time allowed")
    if measured["hosts_known"] < hosts:
        found.append(f"only {measured['hosts_known']:,} hosts are known")
    if share > SHARE_MAX:
        found.append(f"the frontier takes {share:.1%} of the CPU, more than {SHARE_MAX:.0%}")
    if measured["dry"] > measured["seconds"] * DRY_MAX:
        found.append(f"dry for {measured['dry'] / measured['seconds']:.1%} of the time, more than {DRY_MAX:.0%}")
    if web.get("gaps_too_short") or web.get("address_too_fast"):
        found.append(f"{web.get('gaps_too_short', 0)} gaps too short, {web.get('address_too_fast', 0)} rates too high")
    return found


class Watch:
    """What is measured in the crawl's own process, from so many pages and so many known URLs on."""

    def __init__(self, from_pages: int, from_known: int) -> None:
        from bench.sampling import Sampler

        self.sampler = Sampler()
        self.sampler.meter_store()
        self.from_pages, self.from_known = from_pages, from_known
        self.began = self.dry = self.free = 0.0
        self.pages_before = self.pages = 0
        self.worker: Any = None

    def install(self) -> None:
        """Look at every turn of the loop; hold loopback addresses to the ceilings of public ones."""
        from gossamer.core.politeness.ceiling import Ceilings
        from gossamer.flow.worker import Worker

        wait, make = Worker.wait, Ceilings.__init__

        async def watched(worker: Any) -> None:
            room = worker.budget.room(worker.clock.now()).leases
            before = time.monotonic()
            await wait(worker)
            self.turn(worker, room, time.monotonic() - before)

        def strict(ceilings: Any, policy: Any, _allowed: Any = ()) -> None:
            make(ceilings, policy)

        setattr(Worker, "wait", watched)  # noqa: B010 - a method of the product, replaced knowingly
        setattr(Ceilings, "__init__", strict)  # noqa: B010

    def turn(self, worker: Any, room: int, seconds: float) -> None:
        """A turn left so many slots free for so long."""
        pages = worker.budget.pages
        self.worker = worker
        if self.began:
            self.pages = pages
            self.dry += seconds if room > 0 else 0.0
            self.free += seconds * room
        elif pages >= self.from_pages and sum(shard.ledger.known for shard in worker.shards) >= self.from_known:
            self.began, self.pages_before = time.monotonic(), pages
            self.sampler.start()

    def figures(self) -> dict[str, Any]:
        """After the crawl."""
        seconds = max(time.monotonic() - self.began, 1e-9)
        return {
            "seconds": seconds,
            "pages": self.pages - self.pages_before,
            "dry": self.dry,
            "free": self.free / seconds,
            "parts": self.sampler.stop(),
            "hosts_known": _hosts_known(self.worker),
        }


def _hosts_known(worker: Any) -> int:
    return sum(len(shard.rows.scan("host", b"", b"\xff" * 9, 1 << 40)) for shard in worker.shards)


def measured(out: Path, from_pages: int, from_known: int, command: list[str]) -> int:
    """In a process of its own: a crawl that is watched."""
    from gossamer.app import running
    from gossamer.app.cli import main
    from gossamer.flow.loop import crawl

    watch = Watch(from_pages, from_known)
    watch.install()

    async def watched_crawl(worker: Any) -> Any:
        try:
            return await crawl(worker)
        finally:
            _write(out, watch.figures())

    setattr(running, "crawl", watched_crawl)  # noqa: B010 - as above
    return main(command)


def _write(out: Path, figures: dict[str, Any]) -> None:
    out.write_text(json.dumps(figures), encoding="utf-8")


if __name__ == MAIN:
    sys.exit(measured(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
