"""A crawl of many hosts with every kind of fate: `explain` names the right cause for each, running and stopped."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.app.cli import main
from tests import crawls
from tests.servers import small_site
from tests.servers.nginx import free_port
from tests.servers.small_site import Answer, page, redirect, robots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

LISTED = ("broken.test", "busy.test", "dead.test", "norobots.test", "private.test", "slow.test")
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
    """The longest chain has ended, and the commit that holds its rows is there to be read."""
    last = running.explain(running.site.url(f"/h{HOPS}", "main.test"), "--search")
    return last["cause"]["code"] == "redirect hops"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("explain")
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
            *(part for name in names for part in ("--resolve", f"{name}=127.0.0.1")),
            *("--resolve", "private.test=10.9.8.7"),
        )
        found = Running(site, folder / "crawl", process, dead_port)
        try:
            site.await_begun("/", SECONDS_MAX)
            await_settled(found)
            yield found
        finally:
            site.release()
            process.kill()
            process.wait(SECONDS_MAX)


def problems(running: Running, *, stopped: bool) -> list[str]:
    found: list[str] = []
    for fate in fates(running.site, running.dead_port):
        answer = running.explain(fate.url, *(["--search"] if fate.search else []))
        state, cause = fate.stopped if stopped and fate.stopped else (fate.state, fate.cause)
        says = fate.says if not (stopped and fate.stopped) else ""
        said = (answer["state"], answer["cause"]["code"])
        if said != (state, cause) or says not in answer["cause"]["text"] or answer["running"] is stopped:
            found.append(f"{fate.url[:80]}: {answer['state']}, {answer['cause']}, not {state}, {cause}")
    return found


def test_every_cause_is_named(running: Running) -> None:
    assert problems(running, stopped=False) == []
    check_details(running)
    check_forgetting(running)
    running.stop()
    assert problems(running, stopped=True) == []
    check_details(running)


def check_details(running: Running) -> None:
    """What is told beside the cause."""
    site = running.site
    chain = running.explain(site.url("/r2", "main.test"))
    assert [(hop["url"].rpartition("/")[2], hop["asked"], hop["status"]) for hop in chain["redirects"]] == [
        ("r1", False, 301),
        ("r2", True, 301),
        ("r3", False, 200),
    ]
    assert (chain["found"]["path"], chain["found"]["referrer"]) == (
        "seed, link, redirect",
        site.url("/r1", "main.test"),
    )
    rules = running.explain(site.url("/private/open", "main.test"))["robots"]
    assert (rules["allowed"], rules["line"], rules["line_number"]) == (False, "Disallow: /private", 2)
    assert 0 <= rules["age_seconds"] < 600
    retry = running.explain(site.url("/500", "main.test"))
    assert retry["queue"]["is_retry"]
    assert retry["next"]["at"] == pytest.approx(retry["queue"]["due"], abs=20)
    assert [attempt["status"] for attempt in retry["attempts"]][:1] == [500]
    busy = running.explain(site.url("/", "busy.test"))
    assert busy["host"]["next_at"] - busy["host"]["last_end"] >= 3599
    assert busy["host"]["gap_source"] == "minimum"
    leaf = running.explain(site.url("/leaf", "main.test"))
    assert (running.folder / leaf["capture"]["file"]).stat().st_size > leaf["capture"]["offset"]
    searched = running.explain(site.url("/leaf", "main.test"), "--search")
    assert [link["source"] for link in searched["search"]["referrers"]] == [site.url("/", "main.test")]


def check_forgetting(running: Running) -> None:
    """A page is fetched again while the crawl runs."""
    url = running.site.url("/no", "main.test")
    before = len(running.explain(url)["attempts"])
    assert crawls.run("forget", running.folder, url, "--json").numbers["before"] == "failed: http 403"
    until = time.monotonic() + SECONDS_MAX
    while len(running.explain(url)["attempts"]) == before:
        assert time.monotonic() < until, running.explain(url)
    lines = (running.folder / "state" / "changes.jsonl").read_text().splitlines()
    assert [(json.loads(line)["order"], json.loads(line)["subject"]) for line in lines][-1] == ("forget", url)


def test_words_for_people(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    running.stop()
    assert main(["explain", str(running.folder), running.site.url("/private/x", "main.test"), "--search"]) == 0
    shown = capsys.readouterr().out
    assert "refused: the site's robots.txt disallows it (line 2: Disallow: /private)" in shown
    assert "robots, met 1x" in shown
    assert "\x1b" not in shown
