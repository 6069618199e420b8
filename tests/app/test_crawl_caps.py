"""Caps hold to the last page, say so, and give back what they held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import crawls, ledgers
from tests.servers import small_site
from tests.servers.small_site import Answer, page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

HOSTS = ("one.test", "two.test", "three.test")
RESOLVE = [part for name in HOSTS for part in ("--resolve", f"{name}=127.0.0.1")]
LEAVES = 12
SITE = {
    "/": page(*(f"/{number}" for number in range(LEAVES))),
    **{f"/{number}": page(title=f"leaf {number}") for number in range(LEAVES)},
}


def by_host(crawl: crawls.Crawl) -> dict[str, int]:
    hosts = [row["host"] for row in crawl.fetched().values()]
    return {host: hosts.count(host) for host in sorted(set(hosts))}


def seeds(site: small_site.Site) -> list[str]:
    return [site.url(f"/#{name}", name) for name in HOSTS]


def own_pages(site: small_site.Site) -> None:
    """Each host its own bytes, so that none is another's copy."""
    for name in HOSTS:
        for path, answer in SITE.items():
            site.table[f"//{name}{path}"] = Answer(answer.body + name.encode())


def test_max_pages_is_exact_and_released(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        own_pages(site)
        code, crawl = crawls.crawl(tmp_path / "crawl", *seeds(site), *RESOLVE, "--max-pages", "10")
        assert (code, len(crawl.fetched())) == (0, 10)
        assert sum(hit.status == 200 for hit in site.log) == 10
        assert crawl.summary()["end_state"] == "limit reached"
        assert "--max-pages 10" in crawl.summary()["reason"]
        assert ledgers.problems(crawl) == []
        code, crawl = crawls.resume(tmp_path / "crawl", "--max-pages", "none")
        assert (code, len(crawl.fetched())) == (0, 3 * (LEAVES + 1))
        assert crawl.summary()["end_state"] == "complete"
        assert ledgers.problems(crawl) == []


def test_pages_per_host_are_held_and_released(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        own_pages(site)
        cap = ("--set", "crawl.max_pages_per_host=4")
        code, crawl = crawls.crawl(tmp_path / "crawl", *seeds(site), *RESOLVE, *cap)
        assert (code, by_host(crawl)) == (0, dict.fromkeys(sorted(HOSTS), 4))
        assert crawl.summary()["held"] == 3 * (LEAVES + 1 - 4)
        assert crawl.summary()["end_state"] == "limit reached"
        assert ledgers.problems(crawl) == []
        code, crawl = crawls.resume(tmp_path / "crawl", "--set", "crawl.max_pages_per_host=none")
        assert (code, by_host(crawl)) == (0, dict.fromkeys(sorted(HOSTS), LEAVES + 1))
        assert (crawl.summary()["end_state"], crawl.summary()["held"]) == ("complete", 0)
        assert ledgers.problems(crawl) == []


def test_bytes_per_host_hold(tmp_path: Path) -> None:
    body = b"x" * 10_000
    table = {"/": page(*(f"/{number}" for number in range(LEAVES)))}
    table |= {f"/{number}": Answer(b"%d" % number + body) for number in range(LEAVES)}
    with small_site.serve(table) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--set", "crawl.max_bytes_per_host=35k")
        assert code == 0
        received = sum(row["bytes"] for row in crawl.rows("pages"))
        assert 25_000 < received <= 35_000
        assert crawl.summary()["end_state"] == "limit reached"
        assert ledgers.problems(crawl) == []


def test_max_bytes_hold(tmp_path: Path) -> None:
    table = {"/": page(*(f"/{number}" for number in range(LEAVES)))}
    table |= {f"/{number}": Answer(b"%d" % number + b"x" * 10_000) for number in range(LEAVES)}
    with small_site.serve(table) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--max-bytes", "45k")
        assert code == 0
        assert sum(row["bytes"] for row in crawl.rows("pages")) <= 45_000
        assert crawl.summary()["end_state"] == "limit reached"
        assert ledgers.problems(crawl) == []


def test_max_time_ends_it(tmp_path: Path) -> None:
    with small_site.serve({"/": page("/slow"), "/slow": Answer(b"late", held=True)}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--max-time", "0.5s")
        assert (code, crawl.summary()["end_state"]) == (0, "limit reached")
        assert crawl.summary()["queued"] == 1
        site.release()
        code, crawl = crawls.resume(tmp_path / "crawl", "--max-time", "none")
        assert (code, crawl.summary()["end_state"]) == (0, "complete")
        assert ledgers.problems(crawl) == []


def test_a_new_limit_is_recorded(tmp_path: Path) -> None:
    with small_site.serve(SITE) as site:
        crawls.crawl(tmp_path / "crawl", site.url("/"), "--max-pages", "2")
        crawls.resume(tmp_path / "crawl", "--max-pages", "3")
        assert "max_pages = 3" in (tmp_path / "crawl" / "crawl.toml").read_text()
        assert "crawl.max_pages" in (tmp_path / "crawl" / "state" / "changes.jsonl").read_text()
