"""Suspects of a crawl: refused, reported with evidence, explained, and decided about by a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gossamer.app.cli import main
from tests import crawls, ledgers
from tests.servers import small_site
from tests.servers.small_site import Answer, Asked, page, robots

SUSPECT = "127.0.0.1/go/N"
MAP = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


class Endless(dict[str, Any]):
    """The table of a site on which every /go/N is one and the same page, and leads on to two others."""

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
        if key.startswith("/go/"):
            number = int(key.removeprefix("/go/"))
            return page(f"/go/{2 * number}", f"/go/{2 * number + 1}") if number > 1000 else self["go"]
        return dict.get(self, key, default)


def table(links: int = 60) -> Endless:
    go = page("/", title="the same", more="the same for all")
    start = page("/real", *(f"/go/{number}" for number in range(links)), title="start")
    return Endless({"go": go, "/": start, "/real": page(title="real", more="something else")})


def report(capsys: pytest.CaptureFixture[str], folder: Path) -> dict[str, dict[str, Any]]:
    capsys.readouterr()
    assert main(["report", str(folder), "traps", "--json"]) == 0
    return {row["suspect"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}


def explained(capsys: pytest.CaptureFixture[str], folder: Path, url: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["explain", str(folder), url, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def crawled(site: small_site.Site, folder: Path, *more: str) -> crawls.Crawl:
    site.table = table()
    code, crawl = crawls.crawl(folder, site.url(), *more)
    assert code == 0
    return crawl


def test_a_template_that_yields_nothing_is_closed_reported_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_site.serve({}) as site:
        crawl = crawled(site, tmp_path / "crawl")
    assert site.url("/real") in crawl.fetched()
    assert len([url for url in crawl.fetched() if "/go/" in url]) == 11
    assert crawl.reasons()["trap"] == 49
    assert ledgers.problems(crawl) == []
    found = report(capsys, crawl.folder)[SUSPECT]
    assert (found["verdict"], found["rule"], found["fetches"], found["novel"]) == ("closed", "novelty", 11, 1)
    assert found["refused"] == 49
    assert len(found["examples"]) == 3
    refused = next(url for url, reason in crawl.refused().items() if reason == "trap")
    told = explained(capsys, crawl.folder, refused)
    assert told["cause"]["code"] == "trap"
    assert f"template {SUSPECT} is closed by novelty: 1 of 11 fetches" in told["cause"]["text"]
    assert SUSPECT in told["trap"]


def test_an_excluded_template_has_all_its_urls_fetched_after_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_site.serve({}) as site:
        crawl = crawled(site, tmp_path / "crawl")
        assert main(["traps", str(crawl.folder), "exclude", SUSPECT]) == 0
        assert crawls.resume(crawl.folder)[0] == 0
    assert len([url for url in crawl.fetched() if "/go/" in url]) == 60
    assert crawl.summary()["balanced"]
    orders = json.loads((crawl.folder / "state" / "orders.json").read_bytes())
    assert orders["traps"] == {SUSPECT: "exclude"}
    assert orders["freed"] == {}
    changes = (crawl.folder / "state" / "changes.jsonl").read_text()
    assert '"traps exclude"' in changes
    assert report(capsys, crawl.folder)[SUSPECT]["word"] == "exclude"


def test_a_freed_template_is_judged_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve({}) as site:
        crawl = crawled(site, tmp_path / "crawl")
        assert main(["traps", str(crawl.folder), "free", SUSPECT]) == 0
        assert crawls.resume(crawl.folder)[0] == 0
    assert len([url for url in crawl.fetched() if "/go/" in url]) == 21
    found = report(capsys, crawl.folder)[SUSPECT]
    assert (found["verdict"], found["fetches"], found["refused"]) == ("closed", 10, 39)
    assert crawl.summary()["balanced"]


def test_an_order_tells_of_names_nobody_knows_and_of_others_that_refuse_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_site.serve({}) as site:
        site.table = Endless(
            {"go": page(title="same"), **{f"/c?x={n}&y={n % 7}": page(title="same") for n in range(40)}}
        )
        site.table["/"] = page(*(f"/c?x={n}&y={n % 7}" for n in range(40)), title="start")
        folder = tmp_path / "crawl"
        assert crawls.crawl(folder, site.url())[0] == 0
    capsys.readouterr()
    assert main(["traps", str(folder), "free", "127.0.0.1/c?x&y", "127.0.0.1/nothing/N"]) == 0
    told = capsys.readouterr().err
    assert "no suspect is named 127.0.0.1/nothing/N so far" in told
    assert "127.0.0.1/c?* refuses URLs of it as well" in told
    assert main(["traps", str(folder), "exclude", "127.0.0.1/c?x&y"]) == 0
    assert "as well" not in capsys.readouterr().err


def test_a_confirmed_template_is_closed_at_once(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        site.table = table(links=5)
        folder = tmp_path / "crawl"
        assert crawls.crawl(folder, site.url(), "--max-pages", "1")[0] == 0
        assert main(["traps", str(folder), "confirm", SUSPECT]) == 0
        code, crawl = crawls.resume(folder, "--set", "crawl.max_pages=none")
    assert code == 0
    assert {url for url in crawl.fetched() if "/go/" in url} == set()
    assert crawl.reasons()["trap"] == 5


def test_what_a_person_or_a_sitemap_names_is_in_no_trap(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        site.table = table()
        listed = "".join(f"<url><loc>{site.url(f'/go/{number}')}</loc></url>" for number in range(30))
        site.table["/map.xml"] = Answer(MAP.format(listed).encode(), media_type="application/xml")
        site.table["/robots.txt"] = robots(f"Sitemap: {site.url('/map.xml')}")
        seeds = [site.url(), *(site.url(f"/go/{number}") for number in range(30, 60)), site.url("/a/b/a/b/a/b/")]
        site.table["/a/b/a/b/a/b/"] = page(title="a seed of a strange shape")
        code, crawl = crawls.crawl(tmp_path / "crawl", *seeds)
    assert code == 0
    assert len([url for url in crawl.fetched() if "/go/" in url]) == 60
    assert site.url("/a/b/a/b/a/b/") in crawl.fetched()


def test_shapes_are_refused_where_they_are_found_and_leave_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = "/x/y/x/y/x/y/"
    with small_site.serve({"/": page(deep, "/cal?year=2090&month=1"), deep: page(title="deep")}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url())
        found = report(capsys, crawl.folder)
        told = explained(capsys, crawl.folder, site.url(deep))
        off, other = crawls.crawl(tmp_path / "off", site.url(), "--set", "traps.shapes=false")
    assert (code, off) == (0, 0)
    assert crawl.reasons()["trap"] == 2
    assert found["127.0.0.1 (repeated segments)"]["examples"] == [site.url(deep)]
    assert found["127.0.0.1 (calendar)"]["refused"] == 1
    assert told["state"] == "unknown"
    assert "repeated segments" in told["cause"]["text"]
    assert site.url(deep) in other.fetched()


def test_an_excluded_shape_is_followed_by_the_next_run(tmp_path: Path) -> None:
    deep = "/x/y/x/y/x/y/"
    with small_site.serve({"/": page(deep), deep: page(title="deep")}) as site:
        _, crawl = crawls.crawl(tmp_path / "crawl", site.url())
        assert main(["traps", str(crawl.folder), "free", "127.0.0.1 (repeated segments)"]) == 2
        assert main(["traps", str(crawl.folder), "exclude", "127.0.0.1 (repeated segments)"]) == 0
        assert crawls.resume(crawl.folder)[0] == 0
    assert site.url(deep) in crawl.fetched()
    assert crawl.summary()["balanced"]


def test_many_urls_that_redirect_to_one_are_a_trap(tmp_path: Path) -> None:
    def start(_: Asked, __: int) -> Answer:
        return page("/home", *(f"/out/{number}" for number in range(50)), title="start")

    outs = {f"/out/{number}": small_site.redirect("/home") for number in range(50)}
    with small_site.serve({"/": start, "/home": page(title="home"), **outs}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url())
    assert code == 0
    assert sum(hit.uri.startswith("/out/") for hit in site.hits()) == 10
    assert crawl.reasons()["trap"] == 40


def test_redirects_to_pages_of_their_own_are_none(tmp_path: Path) -> None:
    outs = {f"/node/{number}": small_site.redirect(f"/page-{chr(97 + number)}") for number in range(26)}
    pages = {f"/page-{chr(97 + number)}": page(title=f"page {number}") for number in range(26)}
    with small_site.serve({"/": page(*outs), **outs, **pages}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url())
    assert code == 0
    assert {site.url(path) for path in pages} <= set(crawl.fetched())


def test_nothing_is_watched_where_the_settings_say_so(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        crawl = crawled(site, tmp_path / "crawl", "--set", "traps.watch=false")
    assert len([url for url in crawl.fetched() if "/go/" in url]) == 60
