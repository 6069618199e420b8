"""Crawls on several workers: the same pages, books and files as on one, whoever dies and whoever goes on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import crawls, ledgers, readers
from tests.app import supervisor_web as web
from tests.servers import small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

FLAGS = ("--gap", "0", *crawls.LOOPBACK, *crawls.FEW_SHARDS)


@contextlib.contextmanager
def served(seconds: float = 0.0) -> Generator[small_site.Site]:
    with small_site.serve({}) as site:
        site.table.update(web.table(site.port, seconds))
        yield site


def crawl(site: small_site.Site, folder: Path, *flags: str) -> crawls.Ended:
    return crawls.run("crawl", *web.flags(site.port), "-o", folder, "--json", *FLAGS, *flags, seconds=120)


def sound(folder: Path) -> crawls.Crawl:
    """The crawl, once its files and its books were looked at."""
    found = crawls.Crawl(folder)
    assert ledgers.problems(found) == []
    assert ledgers.twice(found) == []
    assert readers.warcio_problems(found.warcs()) + readers.index_problems(found) == []
    return found


def await_that(what: Callable[[], Any], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.01)


def workers_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[crawls.Ended, crawls.Crawl, small_site.Site]]:
    with served() as site:
        folder = tmp_path_factory.mktemp("workers") / "crawl"
        ended = crawl(site, folder, "--workers", "2")
        yield ended, sound(folder), site


Finished = tuple[crawls.Ended, crawls.Crawl, small_site.Site]


def test_two_workers_fetch_every_page_once(finished: Finished) -> None:
    ended, found, site = finished
    assert (ended.code, ended.numbers["end_state"], ended.numbers["workers"]) == (0, "complete", 2)
    assert set(found.fetched()) == web.urls(site.port)
    assert len(site.paths()) == len(web.urls(site.port))
    assert ended.numbers["balanced"]


def test_each_worker_writes_files_of_its_own(finished: Finished) -> None:
    _, found, _ = finished
    for folder in ("archive", "index", "pages"):
        writers = {path.name.rpartition("-")[2].partition(".")[0] for path in (found.folder / folder).iterdir()}
        assert writers == {"w0", "w1"}


def test_a_body_is_stored_once_whoever_meets_it(finished: Finished) -> None:
    _, found, _ = finished
    same = [row for row in found.pages() if row["url"].endswith("/same")]
    # Two visits at the same moment may both be told that it is new; see decision 0010.
    assert sum(bool(row["copy_of"]) for row in same) >= len(same) - 2


def test_links_cross_workers(finished: Finished) -> None:
    ended, _, _ = finished
    assert ended.numbers["sent"] == ended.numbers["received"] > 0


def test_a_crawl_goes_on_with_any_number_of_workers(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with served() as site:
        assert crawl(site, folder, "--workers", "2", "--max-pages", "40").numbers["pages"] == 40
        assert sound(folder).summary()["reason"] == "--max-pages 40 reached"
        ended = crawls.run("resume", folder, "--json", "--workers", "1", "--max-pages", "80")
        assert ended.numbers["pages"] == 80
        sound(folder)
        ended = crawls.run("resume", folder, "--json", "--workers", "3", "--max-pages", "1000")
        assert (ended.code, ended.numbers["end_state"]) == (0, "complete")
        assert set(sound(folder).fetched()) == web.urls(site.port)
        assert len(site.paths()) == len(web.urls(site.port))


def test_a_cap_of_bytes_holds_to_the_last_one(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with served() as site:
        ended = crawl(site, folder, "--workers", "2", "--max-bytes", "20kB", "--set", "fetch.body_bytes=2kB")
    assert (ended.code, ended.numbers["bytes"]) == (0, 20_000)
    assert sound(folder).summary()["reason"] == "--max-bytes 20000 reached"


def test_a_worker_that_dies_is_started_again(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with served(0.02) as site, started(site, folder) as process:
        await_that(lambda: len(site.log) > 40)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        assert process.wait(120) == 0
        assert set(sound(folder).fetched()) == web.urls(site.port)
    lines = [json.loads(line) for line in crawls.lines_of(folder / "logs" / "facts.jsonl")]
    assert [line["status"] for line in lines if line["fact"] == "WorkerLost"] == [-signal.SIGKILL]


def test_workers_die_with_their_supervisor_and_the_crawl_goes_on_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with served(0.02) as site:
        with started(site, folder) as process:
            await_that(lambda: len(site.log) > 40)
            process.kill()
            process.wait()
        ended = crawls.run("resume", folder, "--json", seconds=120)
        assert ended.code == 0, ended.stderr
        assert set(sound(folder).fetched()) == web.urls(site.port)


def test_a_plea_to_end_is_heard_once_for_all(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with served(0.02) as site:
        with started(site, folder) as process:
            await_that(lambda: len(site.log) > 40)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 5
        assert sound(folder).summary()["end_state"] == "interrupted"
        assert crawls.run("resume", folder, "--json", seconds=120).code == 0
        assert set(sound(folder).fetched()) == web.urls(site.port)


def test_a_page_that_kills_its_worker_each_time_ends_the_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with served() as site, started(site, folder, stderr=subprocess.PIPE) as process:
        web.hold(site)
        await_that(lambda: len(site.log) > 20)
        killed: set[int] = set()
        while process.poll() is None and len(killed) < 6:
            for worker in set(workers_of(process.pid)) - killed:
                os.kill(worker, signal.SIGKILL)
                killed.add(worker)
            time.sleep(0.05)
        site.release()
        assert process.wait(60) == 1
        assert process.stderr is not None
        with process.stderr as said:
            assert b"workers within 10 minutes" in said.read()
    sound(folder)


def test_operators_orders_reach_all_workers(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with served() as site, started(site, folder) as process:
        web.hold(site)
        await_that(lambda: len(site.log) > 20)
        status = crawls.run("status", folder, "--json").numbers
        assert (status["state"], status["process"]) == ("running", process.pid)
        assert status["balanced"]
        assert crawls.run("block", folder, web.NAMES[3], "nobody.test", "--json").numbers["unknown"] == ["nobody.test"]
        extra = f"http://{web.NAMES[5]}:{site.port}/extra"
        assert crawls.run("add", folder, extra, "--json").numbers["added"] == [extra]
        for name in web.NAMES[:3]:
            url = f"http://{name}:{site.port}/0"
            assert crawls.run("explain", folder, url, "--json").numbers["url"] == url
        listed = [json.loads(line)["host"] for line in crawls.run("hosts", folder, "--json").stdout.splitlines()]
        assert sorted(listed) == sorted({*listed})
        assert {*web.NAMES} >= {*listed} > {*web.NAMES[:3]}
        assert crawls.run("unblock", folder, web.NAMES[3], "--json").numbers["unblocked"] == [web.NAMES[3]]
        assert crawls.run("set", folder, "crawl.max_pages=1000").code == 0
        site.release()
        assert process.wait(60) == 0
        assert set(sound(folder).fetched()) == web.urls(site.port)
        assert extra in {row["url"] for row in crawls.Crawl(folder).rows("pages")}


@contextlib.contextmanager
def started(
    site: small_site.Site, folder: Path, stderr: int = subprocess.DEVNULL
) -> Generator[subprocess.Popen[bytes]]:
    flags = [*web.flags(site.port), "-o", str(folder), "--quiet", "--workers", "2", *FLAGS]
    process = crawls.start("crawl", *flags, stderr=stderr)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
