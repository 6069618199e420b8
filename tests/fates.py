"""A crawl of some twenty loopback hosts with every kind of fate, and what `explain` must say of each.

Shared by a test and a proof.
"""

from __future__ import annotations

import contextlib
import io
import json
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gossamer.app.cli import main
from tests import crawls
from tests.servers import small_site
from tests.servers.nginx import free_port
from tests.servers.small_site import Answer, page, redirect, robots

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

LISTED = (
    *("broken.test", "busy.test", "dead.test", "norobots.test", "private.test", "slow.test", "capped.test"),
    *("paused.test", "barred.test", "nine9.test", "north.test", "south.test", "east.test", "west.test"),
    *("copycat.test", "moved.test", "missing.test"),
)
PAGES_PER_HOST_MAX = 40
LONG = "/" + "x" * 2100
HOPS = 11
SECONDS_MAX = 60.0


@dataclass(frozen=True)
class Fate:
    """A URL, and what must be said of it while the crawl runs; when it has stopped, unless `stopped` says otherwise."""

    url: str
    state: str
    cause: str
    stopped: tuple[str, str] | None = None
    search: bool = False
    says: str = ""
    """Something that the sentence holds."""


def fill(site: small_site.Site, dead_port: int) -> None:
    main_links = [
        *("/leaf", "/same", "/deep/same", "/r1", "/loop", "/ftp", "/gone", "/over", "/no", "/500", "/private/x"),
        *("/d1", "/h0", "/words", "/picture.png", "/secret/a", LONG),
        *(site.url("/", name) for name in LISTED if name != "dead.test"),
        *(site.url("/second", "slow.test"), site.url("/", "blocked.test"), site.url("/", "outside.test")),
        f"http://dead.test:{dead_port}/",
    ]
    head = '<link rel=stylesheet href="/style"><a rel=nofollow href="/quiet">q</a><img src="/drawn">'
    site.table |= {
        "//norobots.test/robots.txt": Answer(b"", 500),
        "//main.test/robots.txt": robots("User-agent: *", "Disallow: /private", "Allow: /"),
        "//main.test/": page(*main_links, title="main", more=head),
        "//main.test/leaf": page(title="leaf"),
        "//main.test/same": page("next", title="same"),
        "//main.test/deep/same": page("next", title="same"),
        "//main.test/next": page(title="next"),
        "//main.test/r1": redirect("/r2"),
        "//main.test/r2": redirect("/r3"),
        "//main.test/r3": page(title="end of the chain"),
        "//main.test/loop": redirect("/loop", 302),
        "//main.test/ftp": redirect("ftp://main.test/"),
        "//main.test/over": Answer(b"", 410),
        "//main.test/no": Answer(b"", 403),
        "//main.test/500": Answer(b"", 500),
        "//main.test/words": Answer(b"words", media_type="text/plain"),
        "//main.test/d1": page("/d2", title="d1"),
        "//main.test/d2": page("/d3", title="d2"),
        "//main.test/d3": page("/d4", title="d3"),
        **{f"//main.test/h{number}": redirect(f"/h{number + 1}") for number in range(HOPS)},
        "//broken.test/": Answer(reset=True),
        "//busy.test/": Answer(b"", 503, fields=(("Retry-After", "3600"),)),
        "//norobots.test/": page(title="norobots"),
        "//slow.test/": Answer(page(title="slow").body, held=True),
        "//slow.test/second": page(title="second"),
        "//capped.test/": page(*(f"/{number}" for number in range(PAGES_PER_HOST_MAX + 20)), title="capped"),
        **{f"//capped.test/{number}": page(title=f"capped {number}") for number in range(PAGES_PER_HOST_MAX + 20)},
        "//paused.test/": Answer(b"", 503, fields=(("Retry-After", "3600"),)),
        "//barred.test/": Answer(b"", 503, fields=(("Retry-After", "3600"),)),
        **{f"//{name}.test/": page(title=name) for name in ("north", "south", "east", "west")},
        "//copycat.test/": redirect("/first/"),
        "//copycat.test/first/": page("second/", title="not a copy"),
        # Slow, so that the original comes first.
        "//copycat.test/first/second/": replace(page(title="north"), seconds=1.0),
        "//moved.test/": redirect(site.url("/", "east.test")),
    }


def fates(site: small_site.Site, dead_port: int) -> list[Fate]:
    def url(path: str, host: str = "main.test") -> str:
        return site.url(path, host)

    return [
        Fate(url("/"), "done", "fetched", says="status 200"),
        Fate(url("/leaf"), "done", "fetched"),
        Fate(url("/same"), "done", "fetched"),
        Fate(url("/deep/same"), "done", "copy", says=url("/same")),
        Fate(url("/r1"), "done", "redirected", says=url("/r2")),
        Fate(url("/r2"), "done", "redirected", says=url("/r3")),
        Fate(url("/r3"), "done", "fetched"),
        Fate(url("/loop"), "failed", "redirect loop", says="lead back"),
        Fate(url("/ftp"), "failed", "bad redirect: Location is ftp"),
        Fate(url("/gone"), "gone", "gone", says="404"),
        Fate(url("/over"), "gone", "gone", says="410"),
        Fate(url("/no"), "failed", "http 403"),
        Fate(url("/500"), "queued", "retry", says="http 500"),
        Fate(url("/private/x"), "refused", "robots", says="line 2: Disallow: /private"),
        Fate(url("/words"), "refused", "media type"),
        Fate(url("/d3"), "done", "fetched"),
        Fate(url("/d4"), "unknown", "depth", search=True, says=url("/d3")),
        Fate(url(f"/h{HOPS - 1}"), "done", "redirected"),
        Fate(url(f"/h{HOPS}"), "unknown", "redirect hops", search=True),
        Fate(url("/deep/next"), "unknown", "copy", search=True, says=url("/deep/same")),
        Fate(url("/next"), "done", "fetched"),
        Fate(url("/picture.png"), "unknown", "extension", says=".png"),
        Fate(url(LONG), "unknown", "url length", says="limit 2048"),
        Fate(url("/secret/a"), "unknown", "excluded", says="/secret/"),
        Fate(url("/quiet"), "unknown", "nofollow", search=True),
        Fate(url("/drawn"), "unknown", "kind not followed", search=True),
        Fate(url("/never"), "unknown", "never found"),
        Fate(url("/", "outside.test"), "unknown", "scope", says="no seed is on outside.test"),
        Fate(url("/", "blocked.test"), "unknown", "blocked"),
        Fate(url("/", "private.test"), "refused", "address"),
        Fate(url("/", "nine9.test"), "unknown", "not included"),
        *(Fate(url("/", f"{name}.test"), "done", "fetched") for name in ("north", "south", "east", "west")),
        Fate(url("/first/second/", "copycat.test"), "done", "copy", says=url("/", "north.test")),
        Fate(url("/", "moved.test"), "done", "redirected", says=url("/", "east.test")),
        Fate(url("/", "missing.test"), "gone", "gone", says="404"),
        Fate(url(f"/{PAGES_PER_HOST_MAX + 19}", "capped.test"), "held", "cap", says="40 pages"),
        Fate(url("/", "paused.test"), "held", "paused"),
        Fate(url("/", "barred.test"), "held", "blocked"),
        Fate(url("/", "broken.test"), "queued", "backing off", says="connection reset"),
        Fate(url("/", "busy.test"), "queued", "backing off", says="http 503"),
        Fate(url("/", "norobots.test"), "queued", "robots unreachable", says="500"),
        Fate(f"http://dead.test:{dead_port}/", "queued", "backing off", says="connection refused"),
        Fate(url("/", "slow.test"), "in flight", "in flight", stopped=("done", "fetched")),
        Fate(url("/second", "slow.test"), "queued", "host busy", stopped=("queued", "not running")),
    ]


@dataclass
class Running:
    """A crawl that runs until `stop`."""

    site: small_site.Site
    folder: Path
    process: subprocess.Popen[bytes]
    dead_port: int

    def explain(self, url: str, *flags: str) -> dict[str, Any]:
        return explained(self.folder, url, *flags)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            # Once it says that it begins nothing more, what was held may come.
            while self.explain(self.site.url("/second", "slow.test"))["cause"]["code"] != "not running":
                assert self.process.poll() is None
            self.site.release()
            self.process.wait(SECONDS_MAX)


def explained(folder: Path, url: str, *flags: str) -> dict[str, Any]:
    """What the command prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["explain", str(folder), url, "--json", *flags]) == 0
    return json.loads(printed.getvalue())


def await_settled(running: Running) -> None:
    """Until nothing can happen any more but with time."""
    until = time.monotonic() + SECONDS_MAX
    wanted = {fate.url: fate.cause for fate in fates(running.site, running.dead_port)[-6:]}
    while {url: running.explain(url)["cause"]["code"] for url in wanted} != wanted or not leaves_done(running):
        if time.monotonic() > until:
            raise TimeoutError({url: running.explain(url)["cause"] for url in wanted})


def leaves_done(running: Running) -> bool:
    """The longest chain has ended, and the commit that holds its rows is there to be read; so has the longest host, and
    the slow copy has come.
    """
    last = running.explain(running.site.url(f"/h{HOPS}", "main.test"), "--search")
    held = running.explain(running.site.url(f"/{PAGES_PER_HOST_MAX + 19}", "capped.test"))
    copy = running.explain(running.site.url("/first/second/", "copycat.test"))
    return [each["cause"]["code"] for each in (last, held, copy)] == ["redirect hops", "cap", "copy"]


@contextlib.contextmanager
def crawling(folder: Path) -> Generator[Running]:
    """The crawl, in a process of its own, once nothing can happen any more but with time; `folder` is a new one."""
    names = ("main.test", "outside.test", "blocked.test", *(name for name in LISTED if name != "private.test"))
    (folder / "domains").write_text("\n".join([*LISTED, "blocked.test"]))
    (folder / "blocked").write_text("blocked.test\n")
    dead_port = free_port()
    with small_site.serve({}) as site:
        fill(site, dead_port)
        process = crawls.start(
            *("crawl", site.url("/", "main.test"), "-o", folder / "crawl", "--gap", "0", "--quiet"),
            *("--domains", folder / "domains", "--block-file", folder / "blocked", "--exclude", "/secret/"),
            *("--max-depth", "3", *crawls.LOOPBACK, *crawls.FEW_SHARDS),
            *("--set", "fetch.first_byte=10m", "--set", "fetch.total=10m"),
            *("--include", r"^http://[a-z]+\.test", "--set", f"crawl.max_pages_per_host={PAGES_PER_HOST_MAX}"),
            *(part for name in names for part in ("--resolve", f"{name}=127.0.0.1")),
            *("--resolve", "private.test=10.9.8.7"),
        )
        found = Running(site, folder / "crawl", process, dead_port)
        try:
            site.await_begun("/", SECONDS_MAX)
            await_settled(found)
            crawls.run("pause", found.folder, "paused.test")
            crawls.run("block", found.folder, "barred.test")
            yield found
        finally:
            site.release()
            process.kill()
            process.wait(SECONDS_MAX)


def hosts() -> int:
    """How many hosts there are."""
    return len({"main.test", "outside.test", "blocked.test", *LISTED})


def problems(running: Running, *, stopped: bool, seconds: dict[str, float] | None = None) -> list[str]:
    """What `explain` says otherwise than it should; `seconds` takes in how long each answer took, by URL."""
    found: list[str] = []
    for fate in fates(running.site, running.dead_port):
        began = time.monotonic()
        answer = running.explain(fate.url, *(["--search"] if fate.search else []))
        if seconds is not None:
            seconds[fate.url] = time.monotonic() - began
        state, cause = fate.stopped if stopped and fate.stopped else (fate.state, fate.cause)
        says = fate.says if not (stopped and fate.stopped) else ""
        said = (answer["state"], answer["cause"]["code"])
        if said != (state, cause) or says not in answer["cause"]["text"] or answer["running"] is stopped:
            found.append(f"{fate.url[:80]}: {answer['state']}, {answer['cause']}, not {state}, {cause}")
    return found
