"""Hosts that refuse, fail or lead in circles: what the crawl makes of each, and how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import crawls, ledgers
from tests.servers import small_site
from tests.servers.nginx import free_port
from tests.servers.small_site import Answer, page, redirect, robots

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SHORT = ("--set", "crawl.patience=0.4s")
LEAF = page(title="leaf")


def test_what_robots_forbids_is_not_asked_for(tmp_path: Path) -> None:
    table = {
        "/robots.txt": robots("User-agent: *", "Disallow: /private", "Allow: /private/open"),
        "/": page("/private/a", "/private/open", "/public"),
        "/private/a": LEAF,
        "/private/open": LEAF,
        "/public": page(title="public"),
    }
    with small_site.serve(table) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert code == 0
        assert set(site.paths()) == {"/", "/private/open", "/public"}
        assert crawl.refused() == {site.url("/private/a"): "robots"}
        assert crawl.summary()["refused"] == {"robots": 1}
        assert ledgers.problems(crawl) == []


def test_all_forbidden_is_nothing_fetched(tmp_path: Path) -> None:
    with small_site.serve({"/robots.txt": robots("User-agent: *", "Disallow: /"), "/": LEAF}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert (code, site.paths()) == (3, [])
        assert crawl.refused() == {site.url("/"): "robots"}


def test_no_robots_means_yes(tmp_path: Path) -> None:
    with small_site.serve({"/": LEAF}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert (code, len(crawl.fetched())) == (0, 1)
        assert [row["status"] for row in crawl.rows("pages") if row["kind"] == "robots"] == [404]


@pytest.mark.parametrize(
    "answer", [Answer(b"", 503), Answer(b"", 500), Answer(reset=True)], ids=["503", "500", "reset"]
)
def test_unreachable_robots_means_no(tmp_path: Path, answer: Answer) -> None:
    with small_site.serve({"/robots.txt": answer, "/": LEAF}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), *SHORT)
        assert (code, site.paths()) == (3, [])
        assert crawl.summary()["end_state"] == "nothing fetched"
        assert crawl.summary()["queued"] + sum(crawl.summary()["refused"].values()) == 1
        assert ledgers.problems(crawl) == []


def test_robots_behind_redirects_counts(tmp_path: Path) -> None:
    table = {
        "/robots.txt": redirect("/rules"),
        "/rules": robots("User-agent: *", "Disallow: /no"),
        "/": page("/no", "/yes"),
        "/no": LEAF,
        "/yes": page(title="yes"),
    }
    with small_site.serve(table) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert code == 0
        assert "/no" not in site.paths()
        assert crawl.refused() == {site.url("/no"): "robots"}


def test_robots_of_another_host_and_shard(tmp_path: Path) -> None:
    resolve = ("--resolve", "one.test=127.0.0.1", "--resolve", "another-site.test=127.0.0.1")
    with small_site.serve({"//one.test/": page("/no"), "//one.test/no": LEAF}) as site:
        site.table["//one.test/robots.txt"] = redirect(site.url("/rules", "another-site.test"))
        site.table["//another-site.test/rules"] = robots("User-agent: *", "Disallow: /no")
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/", "one.test"), *resolve)
        assert code == 0
        assert [hit.uri for hit in site.log if hit.host == "another-site.test"] == ["/rules"]
        assert crawl.refused() == {site.url("/no", "one.test"): "robots"}


def test_a_server_that_asks_for_time_stalls_the_crawl(tmp_path: Path) -> None:
    busy = Answer(b"", 503, fields=(("Retry-After", "3600"),))
    with small_site.serve({"/": page("/busy", "/other"), "/busy": busy, "/other": LEAF}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), *SHORT)
        assert code == 4
        summary = crawl.summary()
        assert summary["end_state"] == "stalled"
        assert summary["queued"] >= 1
        assert ledgers.problems(crawl) == []


def test_a_dead_host_is_kept_with_its_reason(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        dead = f"http://dead.test:{free_port()}/"
        site.table["/"] = page(dead, title="start")
        flags = ("--scope", "any", "--resolve", "dead.test=127.0.0.1", *SHORT)
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), *flags)
        assert code == 4
        assert (crawl.summary()["pages"], crawl.summary()["queued"]) == (1, 1)
        assert any(text.startswith("dead.test: ") for text in crawl.summary()["parked_hosts"])
        assert ledgers.problems(crawl) == []


def test_only_a_dead_host(tmp_path: Path) -> None:
    code, crawl = crawls.crawl(tmp_path / "crawl", f"http://127.0.0.1:{free_port()}/", *SHORT)
    assert (code, crawl.summary()["end_state"]) == (3, "nothing fetched")
    assert "connect" in crawl.summary()["reason"].lower() or "refused" in crawl.summary()["reason"].lower()


def test_a_page_that_fails_is_kept_for_another_try(tmp_path: Path) -> None:
    with small_site.serve({"/": page("/flaky"), "/flaky": Answer(b"", 500)}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--max-time", "0.7s")
        assert code == 0
        assert [row["status"] for row in crawl.pages() if row["url"].endswith("/flaky")] == [500]
        assert (crawl.summary()["queued"], crawl.summary()["failed"]) == (1, {})
        assert ledgers.problems(crawl) == []


def test_a_kept_connection_that_dies_is_asked_again_as_another_visit(tmp_path: Path) -> None:
    def dying(_asked: small_site.Asked, before: int) -> Answer:
        return LEAF if before else Answer(reset=True)

    with small_site.serve({"/": page("/dying"), "/dying": dying}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert code == 0
        visits = [(row["outcome"], row["reason"]) for row in crawl.pages() if row["url"].endswith("/dying")]
        assert visits == [("failed", "connection closed"), ("fetched", "")]
        assert site.paths() == ["/", "/dying", "/dying"]
        assert crawl.refused() == {}
        assert ledgers.problems(crawl) == []


def test_a_loop_of_redirects_fails(tmp_path: Path) -> None:
    table = {
        "/": page("/loop", "/ping"),
        "/loop": redirect("/loop"),
        "/ping": redirect("/pong"),
        "/pong": redirect("/ping"),
    }
    with small_site.serve(table) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert code == 0
        assert crawl.refused() == {site.url("/loop"): "redirect loop"}
        assert sorted(site.paths()) == ["/", "/loop", "/ping", "/pong"]
        assert ledgers.problems(crawl) == []


def test_a_long_chain_of_redirects_ends(tmp_path: Path) -> None:
    table = {"/": page("/0", title="start"), **{f"/{step}": redirect(f"/{step + 1}") for step in range(30)}}
    with small_site.serve(table) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert code == 0
        assert len(site.paths()) == 12
        assert crawl.refused() == {site.url("/11"): "redirect hops"}


def test_a_cookie_set_by_a_redirect_to_itself(tmp_path: Path) -> None:
    def door(asked: small_site.Asked, _before: int) -> Answer:
        return LEAF if "seen=1" in asked.fields.get("cookie", "") else redirect("/door", 302, ("Set-Cookie", "seen=1"))

    with small_site.serve({"/": page("/door", "/other"), "/door": door, "/other": page(title="other")}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert code == 0
        assert site.paths().count("/door") == 2
        assert site.url("/door") in crawl.fetched()
        assert [asked.fields.get("cookie") for asked in site.begun if asked.target == "/other"] == [None]


def test_bodies_beyond_the_limit_are_cut_and_marked(tmp_path: Path) -> None:
    big = Answer(b"<title>big</title>" + b"y" * 200_000)
    with small_site.serve({"/": page("/big"), "/big": big}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--set", "fetch.body_bytes=64k")
        assert code == 0
        (row,) = [row for row in crawl.pages() if row["url"].endswith("/big")]
        assert (row["bytes"], row["truncated"]) == (64_000, "length")
        assert ledgers.problems(crawl) == []
