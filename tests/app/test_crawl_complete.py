"""A whole crawl of a small site, judged on what it leaves: archive, index, datasets, books, summary."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests import crawls, ledgers, readers
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

PACKED = Answer(gzip.compress(page("/deep/leaf", title="packed").body, mtime=0), fields=(("Content-Encoding", "gzip"),))
SITE = {
    "/": page(
        "/a", "/b", "/same-1", "/same-2", "/packed", "/moved", "/missing", "/picture.png", "/notes", "mailto:x@y"
    ),
    "/a": page("/", "/b", "b#part", "/a?x=1", title="a"),
    "/a?x=1": page("/a", title="a with a query"),
    "/b": page("https://elsewhere.example/", "/ü/straße?q=ä", title="b"),
    "/%C3%BC/stra%C3%9Fe?q=%C3%A4": page("/", title="umlauts"),
    "/same-1": page("/a", title="same"),
    "/same-2": page("/a", title="same"),
    "/packed": PACKED,
    "/deep/leaf": page(title="leaf"),
    "/moved": redirect("/target"),
    "/target": page("/", title="target"),
    "/notes": Answer(b"plain words", media_type="text/plain"),
}
PAGES = {
    "/",
    "/a",
    "/a?x=1",
    "/b",
    "/%C3%BC/stra%C3%9Fe?q=%C3%A4",
    "/same-1",
    "/same-2",
    "/packed",
    "/deep/leaf",
    "/target",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[crawls.Crawl, small_site.Site]]:
    with small_site.serve(SITE) as site:
        code, crawl = crawls.crawl(tmp_path_factory.mktemp("complete") / "crawl", site.url("/"))
        assert code == 0
        yield crawl, site


Finished = tuple[crawls.Crawl, small_site.Site]


def test_every_page_is_fetched_once(finished: Finished) -> None:
    crawl, site = finished
    assert {url.removeprefix(site.url("")) for url in crawl.fetched()} == PAGES
    assert sorted(site.paths()) == sorted({*SITE, "/missing"})


def test_robots_is_asked_first(finished: Finished) -> None:
    _, site = finished
    assert site.hits()[0].uri == "/robots.txt"


def test_the_server_is_told_who_crawls(finished: Finished) -> None:
    _, site = finished
    assert all(hit.agent.startswith("gossamer/") or "gossamer" in hit.agent.lower() for hit in site.log)


def test_every_visit_is_a_row(finished: Finished) -> None:
    crawl, site = finished
    outcomes = {row["url"].removeprefix(site.url("")): (row["outcome"], row["status"]) for row in crawl.pages()}
    assert outcomes["/moved"] == ("redirected", 301)
    assert outcomes["/missing"] == ("failed", 404)
    assert outcomes["/notes"] == ("refused", 200)
    assert {outcomes[path] for path in PAGES} == {("fetched", 200)}


def test_rows_say_how_a_page_was_found(finished: Finished) -> None:
    crawl, site = finished
    rows = {row["url"].removeprefix(site.url("")): row for row in crawl.pages()}
    assert (rows["/"]["depth"], rows["/"]["hops"], rows["/"]["referrer"]) == (0, "", "")
    assert (rows["/deep/leaf"]["depth"], rows["/deep/leaf"]["hops"]) == (2, "LL")
    assert rows["/deep/leaf"]["referrer"] == site.url("/packed")
    assert (rows["/target"]["depth"], rows["/target"]["hops"]) == (1, "LR")
    assert rows["/target"]["title"] == "target"
    assert rows["/moved"]["location"] == site.url("/target")


def test_equal_bytes_are_a_revisit(finished: Finished) -> None:
    crawl, site = finished
    copies = {row["url"]: row["copy_of"] for row in crawl.pages() if row["copy_of"]}
    both = {site.url("/same-1"), site.url("/same-2")}
    assert len(copies) == 1
    assert {*copies, *copies.values()} == both
    assert readers.fastwarc_records(crawl.warcs())["revisit"] == 1


def test_refusals_have_reasons(finished: Finished) -> None:
    crawl, site = finished
    refused = crawl.refused()
    assert refused[site.url("/picture.png")] == "extension"
    assert refused["https://elsewhere.example/"] == "scope"
    assert refused[site.url("/notes")] == "media type"


def test_links_are_rows_with_verdicts(finished: Finished) -> None:
    crawl, site = finished
    links = {(row["source"], row["target"]): row for row in crawl.rows("links")}
    assert links[site.url("/a"), site.url("/a?x=1")]["verdict"] == "followed"
    assert links[site.url("/b"), "https://elsewhere.example/"]["verdict"] == "scope"
    assert links[site.url("/b"), site.url("/%C3%BC/stra%C3%9Fe?q=%C3%A4")]["kind"] == "a"


def test_others_read_the_archive(finished: Finished) -> None:
    crawl, _ = finished
    assert readers.warcio_problems(crawl.warcs()) == []
    assert readers.fastwarc_problems(crawl.warcs()) == []
    assert readers.index_problems(crawl) == []
    assert len(crawl.index()) == len([row for row in crawl.rows("pages") if row["warc"]])


def test_the_books_balance(finished: Finished) -> None:
    crawl, _ = finished
    assert ledgers.problems(crawl) == []


def test_the_summary_says_so(finished: Finished) -> None:
    crawl, _ = finished
    summary = crawl.summary()
    assert (summary["end_state"], summary["balanced"], summary["pages"], summary["copies"]) == ("complete", True, 10, 1)
    assert (summary["queued"], summary["held"], summary["gone"]) == (0, 0, 1)
    assert summary["statuses"] == {"200": 11, "301": 1, "404": 2}


def test_nothing_is_left_half_done(finished: Finished) -> None:
    crawl, _ = finished
    names = {path.name for path in crawl.folder.iterdir()}
    assert {"crawl.toml", "archive", "index", "pages", "links", "refused", "state", "summary.json"} <= names
    assert not list(crawl.folder.glob("journal/*"))
    assert not list(crawl.folder.glob("aside/*"))
    assert not list(crawl.folder.rglob(".tmp-*"))


def test_going_on_with_a_finished_crawl_asks_nothing(finished: Finished) -> None:
    crawl, site = finished
    before = len(site.log)
    code, _ = crawls.resume(crawl.folder)
    assert (code, len(site.log)) == (0, before)
    assert ledgers.problems(crawl) == []
