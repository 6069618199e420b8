"""Both ledgers hold at the end of crawls of every kind, counted again from all rows, and at every simulated commit.

The crawls: complete, stopped by each cap and released, refused by robots.txt, interrupted, killed, over many shards and
hosts with outboxes in use, with failures and redirects. The simulator (when it is there) checks the equations at every
commit of every simulation, and recounts all rows every few commits.
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from proofs import documentation
from tests import crawls, ledgers
from tests.servers import debian, small_site
from tests.servers.nginx import free_port
from tests.servers.small_site import Answer, page, redirect, robots

SIMULATIONS, SIMULATIONS_QUICK = 60, 8
HOSTS = 12
LEAVES = 30


def run(quick: bool) -> int:
    problems: list[str] = []
    lines: list[str] = []
    with tempfile.TemporaryDirectory(prefix="gossamer-ledgers-") as name:
        folder = Path(name)
        kinds: list[Callable[[], Made]] = [
            lambda: many_hosts(folder / "hosts", quick=quick),
            lambda: trouble(folder / "trouble"),
            lambda: interrupted(folder / "interrupted"),
            lambda: documented(folder / "documented", quick=quick),
        ]
        for make in kinds:
            for what, crawl in make():
                found = ledgers.problems(crawl)
                books = ledgers.read_books(crawl)
                summary = crawl.summary()
                if not summary["balanced"]:
                    found.append("the summary says that the books do not balance")
                problems += [f"{what}: {text}" for text in found]
                lines.append(_line(what, summary, len(books.records)))
    simulated, more = simulations(SIMULATIONS_QUICK if quick else SIMULATIONS)
    problems += more
    print("\n".join(["", *problems[:40], *lines, simulated]))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


def _line(what: str, numbers: dict[str, int], known: int) -> str:
    states = f"{numbers['done']} done, {numbers['queued']} queued, {numbers['held']} held, {numbers['gone']} gone"
    links = f"{numbers['found']} links found, {numbers['sent']} sent, {numbers['new'] + numbers['received_new']} new"
    return f"{what:34} {known:6} known: {states}; {links}"


Made = list[tuple[str, crawls.Crawl]]


def many_hosts(folder: Path, *, quick: bool) -> Made:
    """Twelve hosts on all shards that link to each other; every cap, and its release."""
    names = [f"site-{number}.test" for number in range(HOSTS)]
    flags = ["--gap", "0", "--scope", "any", *crawls.LOOPBACK, "--json"]
    flags += [part for name in names for part in ("--resolve", f"{name}=127.0.0.1")]
    made: Made = []
    with small_site.serve({}) as site:
        homes = [site.url("/", name) for name in names]
        for name in names:
            leaves = [f"/{number}" for number in range(LEAVES)]
            site.table[f"//{name}/"] = page(*homes, *leaves, "/gone", "/picture.png", title=name)
            for leaf in leaves:
                site.table[f"//{name}{leaf}"] = page(*homes[:4], title=f"{name} {leaf}")
        caps = [
            "crawl.max_pages=40",
            "crawl.max_pages_per_host=7",
            "crawl.max_bytes_per_host=9k",
            "crawl.max_bytes=99k",
        ]
        for number, cap in enumerate(caps[:2] if quick else caps):
            crawl = crawls.Crawl(folder / str(number))
            _must(crawls.run("crawl", homes[0], "-o", crawl.folder, *flags, "--set", cap))
            made.append((f"{cap}", crawls.Crawl(_copied(crawl.folder))))
            _must(crawls.run("resume", crawl.folder, "--json", "--set", f"{cap.partition('=')[0]}=none"))
            made.append((f"{cap}, released", crawl))
    return made


def _copied(folder: Path) -> Path:
    """The folder as it is now, so that it can be judged when the crawl has gone on."""
    import shutil

    return Path(shutil.copytree(folder, folder.with_name(f"{folder.name}-then")))


def trouble(folder: Path) -> Made:
    """Refusals, failures, redirects in circles, a dead host, an unwanted type: a crawl that stalls."""
    names = [f"trouble-{number}.test" for number in range(5)]
    flags = ["--gap", "0", "--scope", "any", *crawls.LOOPBACK, "--json", "--set", "crawl.patience=1s"]
    flags += [part for name in names for part in ("--resolve", f"{name}=127.0.0.1")]
    with small_site.serve({}) as site:
        one, two, three, four, five = (site.url("", name) for name in names)
        dead = f"http://{names[4]}:{free_port()}/"
        busy = Answer(b"", 503, fields=(("Retry-After", "3600"),))
        links = [f"{two}/", f"{three}/", f"{four}/", dead, f"{five}/", "/loop", "/ping", "/text", "http://10.0.0.1/"]
        site.table |= {
            f"//{names[0]}/": page(*links, "/cut", "mailto:a@b", "/x.zip"),
            "/loop": redirect("/loop"),
            "/ping": redirect("/pong"),
            "/pong": redirect("/ping"),
            "/text": Answer(b"text", media_type="text/plain"),
            "/cut": Answer(b"<a href=/text>x</a>" + b"z" * 300_000),
            f"//{names[1]}/robots.txt": robots("User-agent: *", "Disallow: /"),
            f"//{names[2]}/robots.txt": Answer(b"", 500),
            f"//{names[3]}/": busy,
        }
        ended = crawls.run("crawl", f"{one}/", "-o", folder, *flags, "--set", "fetch.body_bytes=100k")
        if ended.code != 4:
            raise RuntimeError(f"stalling ended with {ended.code}: {ended.stderr[-500:]}")
    return [("refusals and failures, stalled", crawls.Crawl(folder))]


def interrupted(folder: Path) -> Made:
    """Ctrl-C once, twice, and a kill, at some moment of a crawl; then its end."""
    made: Made = []
    site = documentation.small_with_copies(folder / "part")
    with documentation.served({"stopped.test": site}, folder / "server") as (server, [one]):
        crawl = crawls.Crawl(folder / "crawl")
        command = documentation.flags([one], crawl.folder)
        for number, signals in enumerate([(signal.SIGINT,), (signal.SIGINT, signal.SIGINT), (signal.SIGKILL,)]):
            with crawls.start(*command) as process:
                wanted = len(server.hits()) + 30
                while len(server.hits()) < wanted and process.poll() is None:
                    time.sleep(0.02)
                for one_signal in signals:
                    process.send_signal(one_signal)
            command = ["resume", str(crawl.folder), "--json"]
            if signals != (signal.SIGKILL,):
                copy = crawls.Crawl(_copied(crawl.folder).rename(folder / f"stopped-{number}"))
                made.append((f"stopped by {'two signals' if len(signals) > 1 else 'one signal'}", copy))
        _must(crawls.run(*command))
    return [*made, ("stopped, killed, complete", crawl)]


def documented(folder: Path, *, quick: bool) -> Made:
    """A documentation site, whole."""
    site = debian.site("stl-manual" if quick else "cmake-doc")
    with documentation.served({"whole.test": site}, folder / "server") as (_, [one]):
        _must(crawls.run(*documentation.flags([one], folder / "crawl")))
    return [(site.truth.name, crawls.Crawl(folder / "crawl"))]


def simulations(count: int) -> tuple[str, list[str]]:
    """The simulator's own recount at every commit."""
    from gossamer.simulation.run import Rehearsal
    from gossamer.simulation.run import run as simulate

    commits: Counter[str] = Counter()
    problems: list[str] = []
    simulated: Callable[..., object] = simulate
    for number in range(1, count + 1):
        verdict = simulated(number, Rehearsal(kills=2))
        told = [text for text in getattr(verdict, "problems", []) if text.startswith("accounting")]
        problems += [f"simulation {number}: {text}" for text in told]
        commits["simulations"] += 1
        commits["pages"] += getattr(verdict, "pages", 0)
        commits["lives"] += getattr(verdict, "lives", 0)
    said = f"{commits['simulations']} simulations of {commits['lives']} lives and {commits['pages']} pages"
    return f"{said}: the ledgers at every commit", problems


def _must(ended: crawls.Ended) -> None:
    if ended.code:
        raise RuntimeError(f"a crawl ended with {ended.code}: {ended.stderr[-1000:]}")
