"""Orders to a crawl: what each brings about is read from the server's log, and from what is left in the folder."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from tests import crawls, ledgers
from tests.operator_crawl import order, running, table, told, until
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO = "one.test", "two.test"
IN_FLIGHT = 1
"""Requests that may be on their way to a host when an order comes."""


def orders_kept(folder: Path) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in (folder / "state" / "changes.jsonl").read_text().splitlines()]
    assert all(abs(line["time"] - time.time()) < 600 for line in lines)
    return [(line.get("order", line.get("key")), line.get("subject", line.get("after"))) for line in lines]


def test_block_and_unblock(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve(table(ONE, TWO)) as site, running(folder, site, (ONE, TWO)) as crawl:
        answer = order("block", folder, ONE, "*.elsewhere.test", "unheard.test")
        blocked_at = time.time()
        assert answer["blocked"] == [ONE, "*.elsewhere.test", "unheard.test"]
        assert answer["unknown"] == ["unheard.test"]
        crawl.more(TWO, 20)
        assert crawl.hits(ONE, blocked_at) <= IN_FLIGHT
        until(lambda: crawl.state(ONE)["state"] == "blocked", "the host is shown as blocked")
        assert order("block", folder, ONE)["blocked"] == [], "it was so before"
        card = told("hosts", folder, ONE, "--brief", "--json").json
        assert card["orders"]["closed"] == "blocked"
        assert list(card["orders"]["blocked"]) == [ONE]
        order("unblock", folder, ONE)
        crawl.more(ONE)
        order("stop", folder)
        assert crawl.end() == 5
    assert orders_kept(folder)[0] == ("block", ONE)
    assert orders_kept(folder)[-1] == ("stop", "")
    assert ledgers.problems(crawls.Crawl(folder)) == []


def test_pause_and_continue_a_host_and_the_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve(table(ONE, TWO)) as site, running(folder, site, (ONE, TWO)) as crawl:
        order("pause", folder, TWO)
        paused_at = time.time()
        crawl.more(ONE, 20)
        assert crawl.hits(TWO, paused_at) <= IN_FLIGHT
        assert crawl.state(TWO)["state"] == "paused"
        order("pause", folder)
        stopped_at = time.time()
        until(lambda: "operator" in told("status", folder, "--json").json["paused"], "the pause is shown")
        order("continue", folder, TWO)
        assert crawl.hits(ONE, stopped_at) + crawl.hits(TWO, stopped_at) <= 2 * IN_FLIGHT
        assert order("continue", folder)["still_paused"] == []
        crawl.more(ONE)
        crawl.more(TWO)


def test_a_paused_crawl_stops_and_the_pause_outlives_it(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve(table(ONE)) as site, running(folder, site, (ONE,)) as crawl:
        order("pause", folder)
        assert told("stop", folder).code == 0
        assert crawl.end() == 5
        before = len(site.log)
        # Its time is up before anything is leased: the order was remembered.
        code, kept = crawls.resume(folder, "--max-time", "1s")
        assert (code, kept.summary()["end_state"]) == (0, "limit reached")
        assert len(site.log) == before
        assert order("continue", folder)["state"] == "stopped"
        code, _ = crawls.resume(folder, "--max-time", "2s")
        assert len(site.log) > before


def test_settings_change_while_it_runs_and_stay_changed(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve(table(ONE)) as site, running(folder, site, (ONE,), "--gap", "600", begun=1) as crawl:
        pages = crawl.hits(ONE)
        changed = order("set", folder, "politeness.gap=0.01")["changed"]
        assert changed == [{"key": "politeness.gap", "before": "10m", "after": "0.01s"}]
        crawl.more(ONE, 20)
        order("set", folder, f"crawl.max_pages={pages + 40}")
        assert crawl.end() == 0
    kept = crawls.Crawl(folder)
    assert kept.summary()["end_state"] == "limit reached"
    assert len(kept.fetched()) >= pages + 20
    text = (folder / "crawl.toml").read_text()
    assert 'gap = "0.01s"  # gossamer set' in text
    assert ("politeness.gap", "0.01s") in orders_kept(folder)


def test_added_seeds_bring_their_scope(tmp_path: Path) -> None:
    folder, three = tmp_path / "crawl", "three.test"
    site_table = {**table(ONE), f"//{three}/": page("/deep", title="three"), f"//{three}/deep": page(title="deep")}
    with small_site.serve(site_table) as site, running(folder, site, (ONE,)) as crawl:
        order("block", folder, "never.test")
        urls = [site.url("/", three), site.url("/", ONE), "http://never.test/"]
        answer = order("add", folder, *urls)
        assert answer["added"] == urls[:1]
        assert answer["refused"] == {"http://never.test/": "blocked"}
        until(lambda: crawl.hits(three) >= 3, "the added seed, its robots.txt and what it links to")


def test_orders_to_a_stopped_crawl_hold_when_it_is_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    resolved = [part for host in (ONE, TWO, "three.test") for part in ("--resolve", f"{host}=127.0.0.1")]
    with small_site.serve(table(ONE, TWO, "three.test", leaves=10)) as site:
        seeds = (site.url("/", ONE), site.url("/", TWO))
        crawls.crawl(folder, *seeds, *resolved, "--max-pages", "6")
        asked = {host: sum(hit.host == host for hit in site.log) for host in (ONE, TWO)}
        order("block", folder, ONE)
        order("add", folder, site.url("/", "three.test"))
        order("set", folder, "crawl.max_pages=none")
        assert {row["state"] for row in told("hosts", folder, "--state", "blocked", "--json").lines} == {"blocked"}
        code, crawl = crawls.resume(folder)
        assert code == 0
        assert sum(hit.host == ONE for hit in site.log) == asked[ONE]
        assert sum(row["host"] == TWO for row in crawl.fetched().values()) == 11
        assert sum(row["host"] == "three.test" for row in crawl.fetched().values()) == 11
        assert crawl.summary()["held"] > 0
        assert "blocked" in crawl.summary()["reason"]
        order("unblock", folder, ONE)
        order("pause", folder, TWO)
        code, crawl = crawls.resume(folder)
        assert sum(row["host"] == ONE for row in crawl.fetched().values()) == 11
        assert crawl.summary()["end_state"] == "complete"
        assert ledgers.problems(crawl) == []


def test_a_crawl_with_only_paused_hosts_left_ends_as_stalled(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve(table(ONE, leaves=10)) as site:
        crawls.crawl(folder, site.url("/", ONE), "--resolve", f"{ONE}=127.0.0.1", "--max-pages", "3")
        order("pause", folder, ONE)
        code, crawl = crawls.resume(folder, "--max-pages", "none", "--set", "crawl.patience=1s")
        assert (code, crawl.summary()["end_state"]) == (4, "stalled")
        assert ONE in crawl.summary()["reason"]
