from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gossamer
from gossamer import errors
from gossamer.app.folder import CrawlFolder
from gossamer.app.python import blocking
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect

if TYPE_CHECKING:
    from collections.abc import Iterator

SITE: dict[str, small_site.Behaviour] = {
    "/": page("/a", "/b", "/moved", "/missing", "/same-1", "/same-2", title="start"),
    "/a": page("/deep", title="a", more="first words"),
    "/b": Answer(
        b'<!doctype html><html lang="de"><title>b</title><a rel="nofollow" href="/a">hin</a><img src="/p.png">',
        fields=(("X-Thing", "one"), ("x-thing", "two")),
    ),
    "/deep": page(title="deep"),
    "/moved": redirect("/a"),
    "/same-1": page(title="same"),
    "/same-2": page(title="same"),
    "/wide": page(*(f"/wide/{number}" for number in range(300)), title="wide"),
    "/held": Answer(b"late", held=True),
    **{f"/wide/{number}": page(title=f"leaf {number}") for number in range(300)},
}
pytestmark = pytest.mark.slow
PAGES = {"/", "/a", "/b", "/deep", "/same-1", "/same-2"}
LOOPBACK: dict[str, Any] = {"gap": 0, "allow_address": "127.0.0.0/8"}
FEW: dict[str, Any] = {**LOOPBACK, "settings": {"crawl.shards": 2}}


@pytest.fixture(scope="module")
def site() -> Iterator[small_site.Site]:
    with small_site.serve(SITE) as running:
        yield running


def paths(pages: list[gossamer.Page], site: small_site.Site) -> list[str]:
    return [each.url.removeprefix(site.url("")) for each in pages]


def test_pages_come_with_what_they_say(site: small_site.Site) -> None:
    found = {each.title or each.url: each for each in gossamer.crawl(site.url("/"), **LOOPBACK)}
    start, first, second = found["start"], found["a"], found["b"]
    assert (start.depth, start.referrer, start.outcome, start.status) == (0, "", "fetched", 200)
    assert (first.depth, first.referrer, first.hops) == (1, start.url, "L")
    assert "first words" in first.text
    assert first.text is first.text
    assert second.language == "de"
    assert second.links[0] == gossamer.Link(site.url("/a"), "a", "hin", nofollow=True, ugc=False, sponsored=False)
    assert [link.kind for link in second.links] == ["a", "image"]
    assert second.links[-1].url == site.url("/p.png")
    assert [link.kind for link in second.links[:1]] == ["a"]
    assert second.headers["X-THING"] == "one"
    assert second.headers.all("x-thing") == ["one", "two"]
    assert "nothing" not in second.headers
    assert len(second.headers) == len(set(second.headers))
    assert second.body.startswith(b"<!doctype html>")


def test_every_page_comes_once_and_copies_are_marked(site: small_site.Site) -> None:
    crawl = gossamer.crawl(site.url("/"), **LOOPBACK)
    pages = list(crawl)
    assert sorted(paths(pages, site)) == sorted(PAGES)
    assert [each.is_copy for each in pages].count(True) == 1
    assert crawl.summary.pages == len(PAGES)
    assert crawl.summary.end_state == "complete"
    assert crawl.folder is None


def test_every_visit_tells_of_failures(site: small_site.Site) -> None:
    crawl = gossamer.crawl(site.url("/"), every_visit=True, **LOOPBACK)
    outcomes = {path: each for each in crawl for path in paths([each], site)}
    assert outcomes["/missing"].outcome == "failed"
    assert outcomes["/missing"].reason == "http 404"
    assert (outcomes["/moved"].outcome, outcomes["/moved"].location) == ("redirected", site.url("/a"))
    assert outcomes["/moved"].body == b""


def test_the_same_from_a_running_loop(site: small_site.Site, tmp_path: Path) -> None:
    async def main() -> gossamer.Summary:
        before = signal.getsignal(signal.SIGINT)
        async with gossamer.Crawl(site.url("/"), output=tmp_path / "out", **FEW) as crawl:
            assert signal.getsignal(signal.SIGINT) is before
            pages = [each async for each in crawl]
            assert sorted(paths(pages, site)) == sorted(PAGES)
        return crawl.summary

    summary = asyncio.run(main())
    assert summary.pages == len(PAGES)
    assert len(crawls.Crawl(tmp_path / "out").fetched()) == len(PAGES)


def test_a_stored_capture_is_opened(site: small_site.Site, tmp_path: Path) -> None:
    crawl = gossamer.crawl(site.url("/"), output=tmp_path / "out", **FEW)
    for each in crawl:
        assert crawl.open(each.url).body == each.body
    again = crawl.open(site.url("/same-2"))
    assert (again.title, again.status, again.text) == ("same", 200, "")
    with pytest.raises(errors.NotCaptured):
        crawl.open(site.url("/never"))
    with pytest.raises(errors.SeedError):
        crawl.open("no url")


def test_a_temporary_folder_goes(site: small_site.Site) -> None:
    with gossamer.crawl(site.url("/"), **LOOPBACK) as crawl:
        folder = crawl.folder
        assert folder is not None
        assert folder.exists()
        next(crawl)
    assert not folder.exists()
    with pytest.raises(errors.FolderError, match="output=DIR"):
        crawl.open(site.url("/"))


def test_leaving_the_loop_ends_the_crawl_and_it_can_be_resumed(site: small_site.Site, tmp_path: Path) -> None:
    crawl = gossamer.crawl(site.url("/wide"), output=tmp_path / "out", **FEW)
    for _ in crawl:
        break
    assert crawl.summary.end_state == "interrupted"
    assert list(crawl) == []
    before = len(crawls.Crawl(tmp_path / "out").fetched())
    rest = list(gossamer.resume(tmp_path / "out"))
    assert before + len(rest) == 301
    assert len({each.url for each in rest}) == len(rest)


def test_an_exception_in_the_loop_ends_the_crawl(site: small_site.Site) -> None:
    crawl = gossamer.crawl(site.url("/wide"), **LOOPBACK)

    def read() -> None:
        for _ in crawl:
            raise KeyError("the reader's own")

    with pytest.raises(KeyError):
        read()
    assert crawl.summary.end_state == "interrupted"
    assert not any(thread.name == "gossamer crawl" for thread in threading.enumerate())


def test_a_visit_that_hangs_does_not_hold_up_the_end(site: small_site.Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.app.python.crawl.STOP_SECONDS", 0.01)
    crawl = gossamer.crawl(site.url("/held"), site.url("/a"), **LOOPBACK)
    with crawl:
        site.await_begun("/held")
    assert crawl.summary.end_state == "interrupted"


def test_an_asynchronous_block_left_by_an_error(site: small_site.Site) -> None:
    async def main() -> gossamer.Crawl:
        crawl = gossamer.Crawl(site.url("/wide"), **LOOPBACK)

        async def read() -> None:
            async with crawl:
                async for _ in crawl:
                    raise KeyError("the reader's own")

        with pytest.raises(KeyError):
            await read()
        return crawl

    crawl = asyncio.run(main())
    assert crawl.summary.end_state == "interrupted"
    assert crawl.folder is None


def test_a_block_left_before_anything_began(site: small_site.Site) -> None:
    async def main() -> gossamer.Crawl:
        async with gossamer.Crawl(site.url("/wide"), **LOOPBACK) as crawl:
            pass
        return crawl

    crawl = asyncio.run(main())
    assert (crawl.summary.end_state, crawl.summary.fetches) == ("interrupted", 0)


def test_stop_ends_the_iteration(site: small_site.Site) -> None:
    crawl = gossamer.crawl(site.url("/wide"), **LOOPBACK)
    pages = 0
    for _ in crawl:
        pages += 1
        crawl.stop()
    assert 1 <= pages < 300
    assert crawl.summary.end_state == "interrupted"


def test_a_slow_reader_stops_leasing(site: small_site.Site) -> None:
    async def main() -> None:
        async with gossamer.Crawl(site.url("/wide"), **LOOPBACK) as crawl:
            async for _ in crawl:
                break
            handover = crawl._handover
            while crawl._running().worker.budget.room(0.0).leases or crawl._running().worker.in_flight:
                await crawl._running().worker.clock.sleep(0.01)
            assert len(handover._pages) <= 128
            rest = [each async for each in crawl]
            assert len(rest) == 300

    asyncio.run(main())


def test_urls_are_added_while_it_runs(site: small_site.Site, tmp_path: Path) -> None:
    with small_site.serve({"/x": page("/y", title="x"), "/y": page(title="y")}) as other:
        elsewhere = other.url("/x", host="other.test")
        crawl = gossamer.crawl(site.url("/same-1"), output=tmp_path / "out", resolve="other.test=127.0.0.1", **FEW)
        titles: set[str] = set()
        for each in crawl:
            titles.add(each.title)
            if each.title == "same":
                assert crawl.add(elsewhere) == {}
                with pytest.raises(errors.SeedError):
                    crawl.add("no url")
    assert titles == {"same", "x", "y"}
    assert elsewhere in [seed.url for seed in CrawlFolder(tmp_path / "out").read_seeds()]
    with pytest.raises(RuntimeError):
        crawl.add(elsewhere)


def test_resume_changes_settings(site: small_site.Site, tmp_path: Path) -> None:
    first = list(gossamer.crawl(site.url("/"), output=tmp_path / "out", max_pages=2, **FEW))
    rest = list(gossamer.resume(tmp_path / "out", max_pages=None))
    assert len(first) == 2
    assert sorted(paths([*first, *rest], site)) == sorted(PAGES)
    with pytest.raises(errors.SettingsError, match="fixed"):
        gossamer.resume(tmp_path / "out", settings={"crawl.shards": 3})


def test_finish_reads_no_pages(site: small_site.Site) -> None:
    assert gossamer.crawl(site.url("/wide"), **LOOPBACK).finish().pages == 301


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"max_pages": "many"}, errors.SettingsError, "keyword max_pages"),
    ({"gap": -1}, errors.SettingsError, "politeness.gap"),
    ({"settings": {"crawl.max_page": 1}}, errors.SettingsError, "crawl.max_pages"),
    ({"settings": ["crawl.max_pages"]}, TypeError, "mapping"),
    ({"pages": 3}, TypeError, "no keyword 'pages'"),
    ({"max_page": 3}, TypeError, "did you mean max_pages"),
    ({"follow": "link"}, errors.SettingsError, "keyword follow"),
    ({"gap": 0}, errors.SettingsError, "allow-address"),
    ({"config": "absent.toml"}, errors.SettingsError, "absent.toml"),
]


@pytest.mark.parametrize(("options", "kind", "words"), WRONG)
def test_wrong_settings_are_told_at_once(options: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        gossamer.Crawl("https://example.org/", **options)


def test_wrong_seeds_and_folders_are_told_at_once(tmp_path: Path, site: small_site.Site) -> None:
    with pytest.raises(errors.SeedError, match="no seed"):
        gossamer.crawl()
    with pytest.raises(errors.SeedError) as caught:
        gossamer.crawl("docs.example.org")
    assert "https://docs.example.org/" in caught.value.hint
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(errors.FolderError, match="not empty"):
        gossamer.crawl(site.url("/"), output=tmp_path)
    with pytest.raises(errors.FolderError, match="does not exist"):
        gossamer.resume(tmp_path / "absent")


def test_a_folder_in_use_is_told(site: small_site.Site, tmp_path: Path) -> None:
    with gossamer.crawl(site.url("/wide"), output=tmp_path / "out", **FEW) as crawl:
        next(crawl)
        with pytest.raises(errors.FolderError, match="in use"):
            next(gossamer.resume(tmp_path / "out"))


def test_nothing_fetched_is_an_error() -> None:
    with small_site.serve({}) as empty:
        crawl = gossamer.crawl(empty.url("/"), **LOOPBACK)
        with pytest.raises(errors.NothingFetched):
            list(crawl)
    assert crawl.summary.end_state == "nothing fetched"


def test_the_summary_comes_at_the_end(site: small_site.Site) -> None:
    crawl = gossamer.Crawl(site.url("/"), **LOOPBACK)
    with pytest.raises(RuntimeError, match="ended"):
        _ = crawl.summary
    with pytest.raises(RuntimeError, match="enter"):
        crawl.__aiter__()
    with pytest.raises(RuntimeError, match="not running"):
        crawl.add(site.url("/"))


def test_environment_variables_do_not_count(site: small_site.Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSSAMER_CRAWL_MAX_PAGES", "1")
    assert gossamer.crawl(site.url("/"), **LOOPBACK).finish().pages == len(PAGES)


def test_it_runs_without_uvloop(site: small_site.Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = blocking._new_loop()
    assert type(loop).__module__.startswith("asyncio")
    loop.close()
    assert gossamer.crawl(site.url("/"), **LOOPBACK).finish().pages == len(PAGES)


def test_a_program_that_ends_in_the_middle_leaves_it_committed(site: small_site.Site, tmp_path: Path) -> None:
    program = (
        "import gossamer, sys\n"
        f"crawl = gossamer.crawl({site.url('/wide')!r}, output={str(tmp_path / 'out')!r}, gap=0,"
        " allow_address='127.0.0.0/8')\n"
        "print(next(crawl).title)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "wide\n", "")
    assert crawls.Crawl(tmp_path / "out").summary()["end_state"] == "interrupted"


def test_importing_loads_little() -> None:
    program = "import gossamer, sys; print(gossamer.__version__, 'pycurl' in sys.modules, 'asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [gossamer.__version__, "False", "False"]
    assert set(gossamer.__all__) <= set(dir(gossamer))
    with pytest.raises(AttributeError, match="no attribute"):
        _ = gossamer.absent  # type: ignore[attr-defined]


def test_threads_share_the_pages(site: small_site.Site) -> None:
    crawl = gossamer.crawl(site.url("/"), **FEW)
    shares: list[list[str]] = [[], [], []]
    readers = [
        threading.Thread(target=lambda share=share: share.extend(page.url for page in crawl)) for share in shares
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    urls = [url for share in shares for url in share]
    assert len(urls) == len(set(urls))
    assert set(urls) == {page.url for page in gossamer.crawl(site.url("/"), **FEW)}
    assert crawl.summary.pages >= len(urls) > 0
