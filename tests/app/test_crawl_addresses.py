"""Private and reserved addresses are refused, on the address that would be connected to, whatever the name says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import main
from tests import crawls, ledgers
from tests.servers import dns, small_site
from tests.servers.small_site import page, redirect

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SHORT = ("--set", "crawl.patience=0.4s")


def crawl_without_leave(folder: Path, *arguments: str) -> tuple[int, crawls.Crawl]:
    code = main(["crawl", *arguments, "-o", str(folder), "--quiet", *crawls.FEW_SHARDS, *SHORT])
    return code, crawls.Crawl(folder)


LITERALS = (
    *("127.0.0.1", "2130706433", "0x7f.2", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.1.2.3", "192.168.0.1"),
    *("169.254.169.254", "100.64.0.1", "[fe80::1]", "[fd00::1]", "224.0.0.1", "192.0.2.1"),
)


def test_literals(tmp_path: Path) -> None:
    with small_site.serve({"/": page(title="inside")}) as site:
        seeds = [f"http://{host}:{site.port}/" for host in LITERALS]
        code, crawl = crawl_without_leave(tmp_path / "crawl", *seeds)
        assert (code, site.connections) == (3, 0)
        assert set(crawl.refused().values()) == {"address"}
        # The second is the first in another spelling.
        assert crawl.summary()["refused"] == {"address": len(LITERALS) - 1}
        assert ledgers.problems(crawl) == []


def test_a_name_given_by_hand(tmp_path: Path) -> None:
    with small_site.serve({"/": page(title="inside")}) as site:
        url = site.url("/", "inside.test")
        code, crawl = crawl_without_leave(tmp_path / "crawl", url, "--resolve", "inside.test=127.0.0.1")
        assert (code, site.connections, crawl.refused()) == (3, 0, {url: "address"})


def test_names_that_resolve_inside(tmp_path: Path) -> None:
    zones = {"inside.test": dns.Zone(a=("127.0.0.1", "10.0.0.1"))}
    with small_site.serve({"/": page(title="inside")}) as site, dns.serve(zones) as server:
        url = site.url("/", "inside.test")
        nameserver = f'dns.nameservers=["{server.address}"]'
        code, crawl = crawl_without_leave(tmp_path / "crawl", url, "--set", nameserver)
        assert (code, site.connections, crawl.refused()) == (3, 0, {url: "address"})
        assert server.asked["inside.test", "A"] >= 1


def test_of_answers_of_both_kinds_only_the_allowed_is_used(tmp_path: Path) -> None:
    zones = {"mixed.test": dns.Zone(a=("10.255.255.1", "127.0.0.1"), aaaa=("fd00::1",))}
    with small_site.serve({"/": page("/a"), "/a": page(title="a")}) as site, dns.serve(zones) as server:
        nameserver = f'dns.nameservers=["{server.address}"]'
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/", "mixed.test"), "--set", nameserver)
        assert code == 0
        assert {row["address"] for row in crawl.rows("pages")} == {"127.0.0.1"}
        assert len(crawl.fetched()) == 2


def test_a_redirect_inside_is_refused(tmp_path: Path) -> None:
    with small_site.serve({"/": page("/in"), "/in": redirect("http://10.0.0.1/")}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--scope", "any")
        assert (code, crawl.refused()) == (0, {"http://10.0.0.1/": "address"})
        assert ledgers.problems(crawl) == []


def test_a_name_that_does_not_exist(tmp_path: Path) -> None:
    with dns.serve({}) as server:
        nameserver = f'dns.nameservers=["{server.address}"]'
        code, crawl = crawl_without_leave(tmp_path / "crawl", "http://nowhere.test/", "--set", nameserver)
        assert code == 3
        assert "nowhere.test" in str(crawl.summary()["parked_hosts"]) or crawl.refused()
        assert ledgers.problems(crawl) == []


def test_a_name_server_that_is_silent_for_one_name_delays_no_other(tmp_path: Path) -> None:
    zones = {"quiet.test": dns.Zone(silent=True), "well.test": dns.Zone(a=("127.0.0.1",))}
    with small_site.serve({"/": page(title="well")}) as site, dns.serve(zones) as server:
        seeds = (site.url("/", "quiet.test"), site.url("/", "well.test"))
        nameserver = f'dns.nameservers=["{server.address}"]'
        code, crawl = crawls.crawl(tmp_path / "crawl", *seeds, "--set", nameserver, "--max-pages", "1")
        assert (code, list(crawl.fetched())) == (0, [seeds[1]])
