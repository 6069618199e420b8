"""Orders to a crawl under full load take effect within a second: block, pause, add, set and their opposites.

A crawl without a gap asks twenty loopback hosts as fast as both ends can. Each order goes over the control socket, as
the commands send it, and the server's own log says when its effect began: for what must cease, no request may begin
later than a second after the order was sent; for what must begin, the first one may not come later.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gossamer.app.control import ask
from gossamer.app.folder import CrawlFolder
from tests.operator_crawl import Running, running, table
from tests.servers import small_site
from tests.servers.small_site import page

WITHIN = 1.0
WATCHED = 3.0
"""Seconds of the log that are looked at after an order."""
HOSTS = tuple(f"h{number:02}.test" for number in range(20))
HOSTS_QUICK = HOSTS[:5]
ADDED = "three.test"
SLOW_GAP = 30


@dataclass
class Proof:
    """The crawl under orders, and what was found."""

    crawl: Running
    folder: CrawlFolder
    found: list[str] = field(default_factory=list[str])

    def order(self, **request: Any) -> float:
        """Send an order; when."""
        sent = time.time()
        if ask(self.folder, request) is None:
            self.found.append(f"{request}: no answer")
        return sent

    def hits(self, since: float, host: str = "") -> list[float]:
        """Starts of requests after a moment, of one host or of all."""
        log = list(self.crawl.site.log)
        return sorted(hit.started for hit in log if hit.started > since and host in ("", hit.host))

    def ceases(self, what: str, host: str = "", *, each: int = 0, **request: Any) -> None:
        """After an order nothing more begins; with `each` no more than so much of every host."""
        sent = self.order(**request)
        time.sleep(WITHIN + WATCHED)
        late = self.hits(sent + WITHIN, host)
        last = [moment for moment in self.hits(sent, host) if moment not in late]
        allowed = each * len(HOSTS)
        self.say(what, (last[-1] - sent) if last else 0.0, ok=len(late) <= allowed)
        if host and not self.hits(sent + WITHIN):
            self.found.append(f"{what}: the other hosts have ceased too")

    def begins(self, what: str, host: str = "", **request: Any) -> None:
        """After an order something begins."""
        sent = self.order(**request)
        time.sleep(WITHIN + WATCHED / 2)
        first = self.hits(sent, host)
        self.say(what, first[0] - sent if first else float("inf"), ok=bool(first) and first[0] - sent <= WITHIN)

    def say(self, what: str, seconds: float, *, ok: bool) -> None:
        """One line, and a finding where it does not hold."""
        print(f"  {what:34} {seconds * 1000:8.0f} ms  {'ok' if ok else 'TOO LATE'}", flush=True)
        if not ok:
            self.found.append(f"{what}: after {seconds:.2f} s")


def run(quick: bool) -> int:
    hosts = HOSTS_QUICK if quick else HOSTS
    site_table = {**table(*hosts), f"//{ADDED}/": page(title="added")}
    with tempfile.TemporaryDirectory(prefix="gossamer-live-") as name, small_site.serve(site_table) as site:
        folder = Path(name) / "crawl"
        with running(folder, site, hosts, "--gap", "0") as crawl:
            proof = Proof(crawl, CrawlFolder(folder))
            before = time.time()
            time.sleep(WATCHED)
            print(f"load: {len(proof.hits(before)) / WATCHED:.0f} requests/s at {len(hosts)} hosts", flush=True)
            _orders(proof, hosts[0])
    for finding in proof.found:
        print(finding)
    print(f"{len(proof.found)} orders took longer than {WITHIN:g} s")
    return 1 if proof.found else 0


def _orders(proof: Proof, host: str) -> None:
    added = proof.crawl.site.url("/", ADDED)
    steps: list[Callable[[], None]] = [
        lambda: proof.ceases("block HOST", host, ask="block", hosts=[host]),
        lambda: proof.begins("unblock HOST", host, ask="unblock", hosts=[host]),
        lambda: proof.ceases("pause HOST", host, ask="pause", hosts=[host]),
        lambda: proof.begins("continue HOST", host, ask="continue", hosts=[host]),
        lambda: proof.begins("add URL", ADDED, ask="add", urls=[added]),
        lambda: proof.ceases("set politeness.gap=30s", each=1, ask="set", sets=[f"politeness.gap={SLOW_GAP}"]),
        lambda: proof.begins("set politeness.gap=0s", ask="set", sets=["politeness.gap=0"]),
        lambda: proof.ceases("pause", ask="pause", hosts=[]),
        lambda: proof.begins("continue", ask="continue", hosts=[]),
        lambda: proof.ceases("stop", ask="stop"),
    ]
    for step in steps:
        step()
