"""Politeness as the servers saw it: gap, one request at a time, Crawl-delay, 429, 503, Retry-After, shared authorities.

Every figure is of a server's own log. The crawls run side by side; each has hosts of its own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

from proofs import documentation
from tests import crawls, gaps, ledgers
from tests.servers import debian, small_site
from tests.servers.nginx import Hit
from tests.servers.small_site import Answer, Asked, Behaviour, page, redirect, robots

SITES = ("haskell98-report", "debian-policy", "povray-doc", "debian-reference-ja_index.ja")


@dataclass(frozen=True)
class Shown:
    """What one scenario showed."""

    name: str
    problems: list[str]
    requests: int
    least: float
    """The shortest wait between two requests to a host."""
    due: float
    """What was due."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Scenario:
    """A small site and what its hosts are owed."""

    name: str
    table: dict[str, Behaviour]
    due: Callable[[Hit], float]
    """Seconds owed after a request."""
    flags: tuple[str, ...] = ("--gap", "0")
    ports: int = 1
    must: tuple[int, ...] = (200,)
    """Statuses that must have been seen, so that nothing holds by not happening."""


def site(count: int, first: Behaviour | None = None, **more: Behaviour) -> dict[str, Behaviour]:
    """A start page, `count` leaves, and a first link that behaves as it likes."""
    leaves = {f"/{number}": page(title=f"leaf {number}") for number in range(count)}
    links = (["/first"] if first else []) + list(leaves)
    special = {"/first": first} if first else {}
    return {"/": page(*links), **special, **leaves, **{f"/{name}": answer for name, answer in more.items()}}


def once(answer: Answer, times: int = 1) -> Behaviour:
    """An answer given so many times; a page after that."""

    def behave(_asked: Asked, before: int) -> Answer:
        return answer if before < times else page(title="at last")

    return behave


def dated(seconds: float) -> Behaviour:
    """A 429 with a date so many seconds ahead, once."""

    def behave(_asked: Asked, before: int) -> Answer:
        date = formatdate(time.time() + seconds, usegmt=True)
        return page(title="at last") if before else Answer(b"", 429, fields=(("Retry-After", date),))

    return behave


def after(status: int, seconds: float) -> Callable[[Hit], float]:
    """So many seconds are due after that status, nothing after others."""
    return lambda hit: seconds if hit.status == status else 0.0


def ladder(first: float) -> Callable[[Hit], float]:
    """After the first failure `first` seconds are due, after each further one twice as many."""
    failures: list[Hit] = []

    def due(hit: Hit) -> float:
        if hit.status != 503:
            return 0.0
        if hit not in failures:
            failures.append(hit)
        return first * 2 ** failures.index(hit)

    return due


def resets(seconds: float) -> Callable[[Hit], float]:
    """A reset of the first request of a connection slows the host; on a kept one it says nothing."""
    met: set[int] = set()
    known: dict[tuple[float, int], float] = {}

    def due(hit: Hit) -> float:
        key = (hit.started, hit.connection)
        if key not in known:
            known[key] = seconds if hit.status == 0 and hit.connection not in met else 0.0
            met.add(hit.connection)
        return known[key]

    return due


def scenarios(*, quick: bool) -> list[Scenario]:
    """All small ones. Dates in Retry-After are whole seconds, so up to one of them is lost."""
    count = 3 if quick else 12
    delay = {"robots.txt": robots("User-agent: *", "Crawl-delay: 2")}
    asked = (("Retry-After", "8"),)
    slow = {path: replace(answer, seconds=0.4) for path, answer in site(count).items() if isinstance(answer, Answer)}
    moved = {"/a": redirect("/b"), "/b": page(title="b")}
    dying, polite = once(Answer(reset=True)), ("--gap", "1")
    return [
        Scenario("Crawl-delay 2 at gap 1", site(count, **delay), lambda _: 2.0, polite),
        Scenario("Crawl-delay 2 at gap 0", site(count, **delay), lambda _: 2.0),
        Scenario("429, Retry-After: 8", site(2, once(Answer(b"", 429, fields=asked))), after(429, 8), must=(200, 429)),
        Scenario("429, Retry-After: a date", site(2, dated(10)), after(429, 9), must=(200, 429)),
        Scenario("503, Retry-After: 8", site(2, once(Answer(b"", 503, fields=asked))), after(503, 8), must=(200, 503)),
        Scenario(
            "503 slows, twice more",
            site(2, once(Answer(b"", 503), 1 if quick else 2)),
            ladder(5.0),
            must=(200, 503),
        ),
        Scenario("a kept connection is reset", site(2, dying), lambda _: 1.0, polite, must=(0, 200)),
        Scenario("a new connection is reset", site(2, once(Answer(reset=True), 2)), resets(5.0), must=(0, 200)),
        Scenario("answers of 0.4 s at gap 1", {**slow, "/robots.txt": slow["/"]}, lambda _: 2.0, polite),
        Scenario("redirects at gap 1", {**site(1, redirect("/a")), **moved}, lambda _: 1.0, ()),
    ]


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-politeness-") as name:
        folder = Path(name)
        work: list[Callable[[], Shown]] = [lambda: several_hosts(folder / "several", quick=quick)]
        work.append(lambda: two_authorities(folder / "authorities", 3 if quick else 10))
        for number, scenario in enumerate(scenarios(quick=quick)):
            work.append(lambda scenario=scenario, number=number: play(scenario, folder / str(number)))
        with ThreadPoolExecutor(12) as pool:
            shown = list(pool.map(lambda act: act(), work))
    problems = [f"{one.name}: {text}" for one in shown for text in one.problems]
    print("\n".join(problems[:40]))
    for one in shown:
        print(f"{one.name:32} {one.requests:4} requests, shortest wait {one.least:6.3f} s of {one.due:g} s due")
    print(f"{len(problems)} requests too soon, or scenarios that did not happen")
    return 1 if problems else 0


def play(scenario: Scenario, folder: Path) -> Shown:
    """One crawl of one small site."""
    with small_site.serve(scenario.table, scenario.ports) as served:
        flags = (*scenario.flags, *crawls.LOOPBACK, *crawls.FEW_SHARDS)
        ended = crawls.run("crawl", served.url("/"), "-o", folder, *flags, "--json")
        hits = served.hits()
    problems = gaps.too_soon(hits, scenario.due)
    problems += [
        f"no answer {status} was given" for status in scenario.must if status not in {hit.status for hit in hits}
    ]
    if ended.code:
        problems.append(f"exit {ended.code}: {ended.stderr[-300:]}")
    problems += ledgers.problems(crawls.Crawl(folder))
    owed = [(seconds, scenario.due(earlier)) for earlier, _, seconds in gaps.waits(hits)]
    seconds, due = min((pair for pair in owed if pair[1]), default=(float("inf"), 0.0))
    return Shown(scenario.name, problems, len(hits), seconds, due)


def several_hosts(folder: Path, *, quick: bool) -> Shown:
    """Four sites in one crawl at the default gap, judged from nginx's log; they must go on side by side."""
    sites: dict[str, debian.Site] = {}
    for name in SITES:
        host = f"{name.partition('_')[0]}.test"
        kind = documentation.site_of(name)
        sites[host] = debian.Site(kind.truth, debian.with_bytes_of_its_own(kind.root, folder / "roots" / host, host))
    with documentation.served(sites, folder / "server") as (server, hosts):
        command = [part for part in documentation.flags(hosts, folder / "crawl") if part not in {"--gap", "0"}]
        limits = ("--max-time", "15s") if quick else ("--copies", "always")
        ended = crawls.run(*command, *limits)
        hits = server.hits()
    crawl = crawls.Crawl(folder / "crawl")
    problems = gaps.too_soon(hits, 1.0) + documentation.sound(crawl, "several")
    if not quick:
        rows = crawl.pages()
        problems += [f"not every page of {one.host} was fetched" for one in hosts if not _has_all_pages(rows, one)]
    if ended.code:
        problems.append(f"exit {ended.code}: {ended.stderr[-300:]}")
    together = {hit.host for hit in hits[: len(sites) * 4]}
    if len(together) < len(sites):
        problems.append(f"only {sorted(together)} were asked in the beginning")
    return Shown("several hosts at gap 1", problems, len(hits), gaps.least(hits), 1.0)


def _has_all_pages(rows: list[dict[str, Any]], one: documentation.Served) -> bool:
    return documentation.paths(rows, one.host, "fetched").keys() == one.site.truth.pages.keys()


def two_authorities(folder: Path, count: int) -> Shown:
    """Two ports of one host: two robots.txt, one gap."""
    with small_site.serve({}, ports=2) as served:
        first = [f"/a{number}" for number in range(count)]
        second = [served.url(f"/b{number}", listener=1) for number in range(count)]
        served.table |= {"/": page(*(link for pair in zip(first, second, strict=True) for link in pair))}
        served.table |= {path: page(title=path) for path in first}
        served.table |= {f"/b{number}": page(title=f"b {number}") for number in range(count)}
        flags = ("--gap", "1", *crawls.LOOPBACK, *crawls.FEW_SHARDS)
        ended = crawls.run("crawl", served.url("/"), "-o", folder, *flags, "--json")
        hits = served.hits()
    problems = gaps.too_soon(hits, 1.0)
    asked = [hit.port for hit in hits if hit.uri == "/robots.txt"]
    if sorted(asked) != sorted(served.ports):
        problems.append(f"robots.txt was asked for on ports {asked}")
    if ended.code or len(hits) != 2 * count + 3:
        problems.append(f"exit {ended.code} after {len(hits)} requests")
    return Shown("two ports of one host at gap 1", problems, len(hits), gaps.least(hits), 1.0)
