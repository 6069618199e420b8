"""Crawls from sitemaps and feeds: what is taken from them, what is not, and what is left of their claims."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tests import crawls, ledgers
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect, robots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crawls import Crawl
    from tests.servers.small_site import Site

pytestmark = pytest.mark.slow

XML = "application/xml"
BOMB_ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    b"<urlset><url><loc>http://main.example/bomb/&b;</loc></url><url><loc>/never</loc></url></urlset>"
)


def urlset(*urls: str, claims: str = "") -> bytes:
    entries = "".join(f"<url><loc>{url}</loc>{claims}</url>" for url in urls)
    return (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()
    )


def index(*urls: str) -> bytes:
    return (
        "<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls) + "</sitemapindex>"
    ).encode()


def xml(body: bytes, media_type: str = XML) -> Answer:
    return Answer(body, media_type=media_type)


def site_of(port: int) -> dict[str, Answer]:
    main, other, third = (f"http://{name}.example:{port}" for name in ("main", "other", "third"))
    claims = "<lastmod>2024-05-06</lastmod><changefreq>daily</changefreq><priority>0.7</priority>"
    packed = gzip.compress(urlset(f"{main}/z1", f"{main}/z2"), mtime=0)
    return {
        "//main.example/robots.txt": robots(f"Sitemap: {main}/index.xml", "User-agent: *", "Disallow: /private/"),
        "//main.example/": page("/linked", title="seed"),
        "//main.example/linked": page(title="linked only"),
        "//main.example/index.xml": xml(
            index(
                f"{main}/a.xml",
                f"{main}/packed.xml.gz",
                f"{main}/cross.xml",
                f"{main}/bomb.xml",
                f"{main}/bomb.gz",
                f"{main}/list.txt",
                f"{main}/gone.xml",
                f"{main}/moved.xml",
                f"{main}/index.xml",
                f"{main}/broken.xml",
                f"{main}/html.xml",
            ),
            "text/html",
        ),
        "//main.example/a.xml": xml(urlset(f"{main}/a1", f"{main}/private/x", "mailto:x@y", claims=claims)),
        "//main.example/packed.xml.gz": Answer(packed, media_type="application/x-gzip"),
        "//main.example/cross.xml": xml(urlset(f"{other}/o1", f"{third}/t1", f"{main}/c1")),
        "//main.example/bomb.xml": xml(BOMB_ENTITIES),
        "//main.example/bomb.gz": Answer(gzip.compress(b"<urlset>" + b" " * 30_000_000), media_type="application/gzip"),
        "//main.example/list.txt": Answer(
            f"\ufeff{main}/l1\r\nnonsense\r\n{main}/l2".encode(), media_type="text/plain"
        ),
        "//main.example/moved.xml": redirect("/moved/here.xml.gz"),
        "//main.example/moved/here.xml.gz": xml(urlset(f"{main}/m1")),
        "//main.example/broken.xml": xml(f"<urlset><url><loc>{main}/b?x=1&y=2</loc></url><url><loc>{main}/b2".encode()),
        "//main.example/html.xml": page("/never"),
        **{f"//main.example{path}": page(title=path) for path in PATHS},
        "//other.example/robots.txt": robots(f"Sitemap: {main}/cross.xml"),
        "//other.example/o1": page("/o2"),
        "//third.example/robots.txt": robots("Sitemap: /mine.xml"),
        "//third.example/t1": page(),
    }


PATHS = ("/a1", "/private/x", "/z1", "/z2", "/c1", "/l1", "/l2", "/m1", "/b?x=1&y=2", "/b2", "/never")
TRUTH = {"/a1", "/z1", "/z2", "/c1", "/l1", "/l2", "/m1", "/b?x=1&y=2", "/b2"}
NAMES = [f"--resolve={name}.example=127.0.0.1" for name in ("main", "other", "third")]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Crawl, Site, str]]:
    with small_site.serve({}) as site:
        site.table.update(site_of(site.port))
        seed = site.url("/", "main.example")
        folder = tmp_path_factory.mktemp("sitemaps") / "out"
        code, crawl = crawls.crawl(folder, seed, "--follow", "sitemaps", "--scope", "any", *NAMES)
        assert code == 0
        yield crawl, site, seed


def test_a_crawl_from_sitemaps_alone_fetches_what_they_name(finished: tuple[Crawl, Site, str]) -> None:
    crawl, _, seed = finished
    other = seed.replace("main", "other")
    assert set(crawl.fetched()) == {seed, f"{other}o1", *(seed[:-1] + path for path in TRUTH)}


def test_what_is_not_taken_says_why(finished: tuple[Crawl, Site, str]) -> None:
    crawl, _, seed = finished
    refused = crawl.refused()
    assert refused[f"{seed}linked"] == "kind not followed"
    assert refused[f"{seed}private/x"] == "robots"
    assert refused[seed.replace("main", "third") + "t1"] == "sitemap host"
    problems = {
        row["url"].removeprefix(seed): row["malformed"] for row in crawl.rows("pages") if row["kind"] == "sitemap"
    }
    assert problems == {
        "index.xml": "", "a.xml": "", "packed.xml.gz": "", "cross.xml": "", "list.txt": "", "gone.xml": "",
        "moved.xml": "", "moved/here.xml.gz": "", "bomb.xml": "entity declarations", "bomb.gz": "decompression bomb",
        "broken.xml": "broken", "html.xml": "neither sitemap nor feed",
    }  # fmt: skip


def test_every_file_is_fetched_once_and_archived(finished: tuple[Crawl, Site, str]) -> None:
    crawl, site, _ = finished
    targets = [(hit.host, hit.uri) for hit in site.hits()]
    assert sorted(targets) == sorted(set(targets))
    kept = [row for row in crawl.rows("pages") if row["kind"] == "sitemap"]
    assert len(kept) == 12
    assert all(row["warc"] for row in kept)


def test_sitemaps_are_no_pages_and_the_books_balance(finished: tuple[Crawl, Site, str]) -> None:
    crawl, _, _ = finished
    assert crawl.summary()["pages"] == len(crawl.fetched()) == 11
    assert ledgers.problems(crawl) == []


def test_claims_are_kept_as_hints(finished: tuple[Crawl, Site, str]) -> None:
    crawl, _, seed = finished
    row = crawl.fetched()[f"{seed}a1"]
    assert (row["hint_lastmod"], row["hint_changefreq"], row["hint_priority"]) == ("2024-05-06", "daily", 0.7)
    assert (row["depth"], row["hops"], row["referrer"]) == (1, "MMM", f"{seed}a.xml")
    assert crawl.fetched()[seed]["hint_priority"] is None


def test_explain_names_the_sitemap(finished: tuple[Crawl, Site, str]) -> None:
    crawl, _, seed = finished
    shown = crawls.run("explain", crawl.folder, f"{seed}a1").stdout
    assert f"through sitemap {seed}a.xml" in shown
    assert "hints        lastmod 2024-05-06, changefreq daily, priority 0.7" in shown
    shown = crawls.run("explain", crawl.folder, f"{seed}index.xml").stdout
    assert f"as a sitemap named by {seed}robots.txt" in shown
    found = json.loads(crawls.run("explain", crawl.folder, f"{seed}index.xml", "--json").stdout)
    assert found["found"]["kind"] == "sitemap"


FEED = """<?xml version="1.0" encoding="iso-8859-1"?>
<rss version="2.0"><channel><title>T</title><link>/home</link>
<item><link>/news/\xe4?q=1</link><pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate></item>
<item><guid>http://elsewhere.example/x</guid></item></channel></rss>""".encode("latin-1")
ALTERNATE = b'<link rel="alternate" type="application/rss+xml" href="/feed"><a href="/feed">f</a><a href="/x">x</a>'


def feed_site() -> dict[str, Answer]:
    return {
        "/": Answer(b"<html>" + ALTERNATE),
        "/x": page(),
        "/feed": xml(FEED, "application/rss+xml"),
        "/home": page("/feed"),
        "/news/%C3%A4?q=1": page(),
        "/sitemap.xml": xml(urlset("/s1")),
        "/s1": page(),
        "/direct.xml": xml(urlset("/s1")),
    }


def crawl_feeds(folder: Path, *flags: str, seed: str = "/") -> tuple[set[str], Crawl]:
    with small_site.serve(feed_site()) as site:
        code, crawl = crawls.crawl(folder, site.url(seed), *flags)
        assert code == 0
        assert ledgers.problems(crawl) == []
        return {url.removeprefix(site.url("")) for url in crawl.fetched()}, crawl


def test_feeds_are_followed_where_asked(tmp_path: Path) -> None:
    fetched, crawl = crawl_feeds(tmp_path / "out", "--follow", "feeds")
    assert fetched == {"/", "/home", "/news/%C3%A4?q=1"}
    assert {row["kind"] for row in crawl.rows("pages")} == {"robots", "page", "feed"}
    assert "scope" in crawl.reasons()


def test_by_default_links_and_sitemaps_are_followed_and_feeds_are_not_fetched(tmp_path: Path) -> None:
    fetched, crawl = crawl_feeds(tmp_path / "out")
    assert fetched == {"/", "/x"}
    assert {row["kind"] for row in crawl.rows("links")} == {"a", "to_feed"}


def test_usual_paths_are_asked_by_setting(tmp_path: Path) -> None:
    fetched, _ = crawl_feeds(tmp_path / "out", "--set", "scope.well_known_sitemaps=true", "--follow", "sitemaps")
    assert fetched == {"/", "/s1"}


def test_a_sitemap_may_be_a_seed(tmp_path: Path) -> None:
    fetched, crawl = crawl_feeds(tmp_path / "out", "--follow", "sitemaps", seed="/direct.xml")
    assert fetched == {"/s1"}
    assert crawl.summary()["pages"] == 1
