"""Crawls that are interrupted, killed, asked about and begun twice, as processes of their own."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests import crawls, ledgers, readers
from tests.servers import small_site
from tests.servers.small_site import Answer, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

LEAVES = [f"/{number}" for number in range(10)]
SITE = {
    "/": page("/first", title="start"),
    "/first": page("/held", *LEAVES, title="first"),
    "/held": Answer(page(title="held").body, held=True),
    **{path: page(title=f"leaf {path}") for path in LEAVES},
}
ALL = set(SITE)


@contextmanager
def running(site: small_site.Site, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A crawl that has asked for the page that is held back, with everything before it committed."""
    arguments = ("crawl", site.url("/"), "-o", folder, "--gap", "0", *crawls.LOOPBACK, *crawls.FEW_SHARDS)
    with crawls.start(*arguments, stderr=subprocess.PIPE) as process:
        try:
            site.await_begun("/held")
            yield process
        finally:
            process.kill()


def await_words(process: subprocess.Popen[bytes], words: bytes) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    pytest.fail(f"it never said {words!r}")


def fetched(crawl: crawls.Crawl, site: small_site.Site) -> set[str]:
    return {url.removeprefix(site.url("")) for url in crawl.fetched()}


def whole(crawl: crawls.Crawl, site: small_site.Site) -> None:
    """Everything is there, and sound."""
    assert fetched(crawl, site) == ALL
    assert crawl.summary()["end_state"] == "complete"
    assert ledgers.problems(crawl) == []
    assert readers.fastwarc_problems(crawl.warcs()) == []
    assert readers.index_problems(crawl) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_once_finishes_what_is_in_flight(tmp_path: Path, number: int) -> None:
    with small_site.serve(SITE) as site:
        with running(site, tmp_path / "crawl") as process:
            process.send_signal(number)
            await_words(process, b"stopping")
            site.release()
            assert process.wait(20) == 5
        crawl = crawls.Crawl(tmp_path / "crawl")
        assert crawl.summary()["end_state"] == "interrupted"
        assert fetched(crawl, site) == set(site.paths())
        assert "/held" in fetched(crawl, site)
        assert ledgers.problems(crawl) == []
        code, crawl = crawls.resume(crawl.folder)
        assert code == 0
        assert sorted(site.paths()) == sorted(ALL)
        whole(crawl, site)


def test_interrupted_twice_stops_at_once(tmp_path: Path) -> None:
    with small_site.serve(SITE) as site:
        with running(site, tmp_path / "crawl") as process:
            process.send_signal(signal.SIGINT)
            await_words(process, b"stopping")
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 5
        crawl = crawls.Crawl(tmp_path / "crawl")
        assert fetched(crawl, site) == {"/", "/first"}
        assert ledgers.problems(crawl) == []
        site.release()
        code, crawl = crawls.resume(crawl.folder)
        assert code == 0
        whole(crawl, site)


def test_killed_and_resumed(tmp_path: Path) -> None:
    with small_site.serve(SITE) as site:
        with running(site, tmp_path / "crawl") as process:
            process.kill()
            assert process.wait(20) == -signal.SIGKILL
        site.release()
        code, crawl = crawls.resume(tmp_path / "crawl")
        assert code == 0
        whole(crawl, site)
        assert max(map(site.paths().count, ALL)) <= 2


def test_killed_before_the_first_commit(tmp_path: Path) -> None:
    with small_site.serve({"/": Answer(page(title="one").body, held=True)}) as site:
        arguments = ("crawl", site.url("/"), "-o", tmp_path / "crawl", "--gap", "0", *crawls.LOOPBACK)
        with crawls.start(*arguments, "--set", "crawl.commit_interval=60s") as process:
            site.await_begun("/")
            process.kill()
        site.release()
        code, crawl = crawls.resume(tmp_path / "crawl")
        assert (code, len(crawl.fetched())) == (0, 1)
        assert ledgers.problems(crawl) == []


def test_a_folder_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve(SITE) as site:
        with running(site, tmp_path / "crawl") as process:
            code, _ = crawls.resume(tmp_path / "crawl")
            said = capsys.readouterr().err
            assert code == 7
            assert f"in use by process {process.pid}" in said
            code, _ = crawls.crawl(tmp_path / "crawl", site.url("/"))
            assert (code, "already a crawl" in capsys.readouterr().err) == (7, True)
            site.release()
            assert process.wait(20) == 0
        whole(crawls.Crawl(tmp_path / "crawl"), site)


def test_status_while_it_runs_and_after(tmp_path: Path) -> None:
    with small_site.serve(SITE) as site:
        with running(site, tmp_path / "crawl") as process:
            until = time.monotonic() + 20
            while True:
                now = crawls.run("status", tmp_path / "crawl", "--json").numbers
                if now["state"] == "running" or time.monotonic() > until:
                    break
            assert (now["state"], now["process"], now["pages"], now["leased"]) == ("running", process.pid, 2, 1)
            assert now["balanced"]
            site.release()
            assert process.wait(20) == 0
        ended = crawls.run("status", tmp_path / "crawl", "--json")
        assert ended.code == 0
        assert (ended.numbers["state"], ended.numbers["pages"]) == ("stopped", len(ALL))
        words = crawls.run("status", tmp_path / "crawl")
        assert f"{len(ALL)}" in words.stdout


def test_status_after_a_kill_reads_the_last_commit(tmp_path: Path) -> None:
    with small_site.serve(SITE) as site:
        with running(site, tmp_path / "crawl") as process:
            time.sleep(0.6)  # two commits: the interval is the user's, and is what a kill may cost
            process.kill()
            process.wait(20)
        ended = crawls.run("status", tmp_path / "crawl", "--json")
        assert (ended.code, ended.numbers["state"], ended.numbers["pages"]) == (0, "stopped", 2)
        assert ended.numbers["queued"] == 1 + len(LEAVES)


def test_json_is_all_that_stands_on_standard_output(tmp_path: Path) -> None:
    with small_site.serve({"/": page(title="one")}) as site:
        flags = ("--gap", "0", *crawls.LOOPBACK, *crawls.FEW_SHARDS)
        ended = crawls.run("crawl", site.url("/"), "-o", tmp_path / "crawl", *flags, "--json")
        assert (ended.code, ended.numbers["pages"]) == (0, 1)
        assert json.loads((tmp_path / "crawl" / "summary.json").read_text())["pages"] == 1
