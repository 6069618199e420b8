"""Budgets in whole crawls: spam farms, exact caps over many shards, held URLs released, kills, and the deadline."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from gossamer.core.budget.policy import BudgetPolicy
from gossamer.core.ending import EndState
from gossamer.core.url.parse import host_of
from gossamer.flow.follow import add_seeds
from gossamer.flow.loop import crawl
from gossamer.flow.operations import adopt, name_sites
from gossamer.ports.store import Table
from gossamer.simulation.clock import EPOCH, SimClock
from tests.workers import Bench, Reply, page, run

SEED = "http://seed.test/"


def bench_of(budget: BudgetPolicy, /, *, shards: int = 4, **given: Any) -> Bench:
    frontier = {"budget": budget, **given.pop("frontier", {})}
    return Bench(shards=shards, seeds=(SEED,), clock=SimClock(), frontier=frontier, **given)


def crawled(bench: Bench, *seeds: str) -> EndState:
    async def work() -> EndState:
        add_seeds(bench.worker, list(seeds))
        ending = await crawl(bench.worker)
        await bench.worker.finish_files()
        return ending

    ending = run(work())
    assert bench.problems() == []
    return ending


def pages_of(bench: Bench) -> Counter[str]:
    """Site -> its pages."""
    return Counter(host_of(url).rsplit(".", 2)[-2] for url in bench.web.urls if not url.endswith("/robots.txt"))


def held(bench: Bench) -> int:
    return sum(shard.ledger.held for shard in bench.worker.shards)


def chain(bench: Bench, site: str, pages: int, links: tuple[str, ...] = ()) -> None:
    """A site of some pages, each of which names the next two: there is always more to fetch than was fetched."""
    for number in range(pages):
        following = [f"/{2 * number + 1}", f"/{2 * number + 2}", *links]
        bench.web.put(f"http://{site}/{number or ''}", page(*following, words=f"{site} {number}"))


# --- a spam farm -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("farm_links", [3, 199])
def test_a_spam_farm_does_not_take_the_crawl(farm_links: int) -> None:
    """200 sites that link only to each other, against 20 that many others link to; every page of all is new."""
    bench = bench_of(BudgetPolicy(first_pages=2, growth=1.0), budget={"pages_max": 650, "fetches_max": 20})
    farm = [f"farm{number}.test" for number in range(200)]
    good = [f"good{number}.test" for number in range(20)]
    small = [f"small{number}.test" for number in range(30)]
    for number, site in enumerate(farm):
        others = [farm[(number + step) % 200] for step in range(1, farm_links + 1)]
        chain(bench, site, 30)
        links = tuple(f"http://{other}/" for other in others)
        bench.web.put(f"http://{site}/", page("/1", "/2", *links, words=f"{site} home"))
    for site in good:
        chain(bench, site, 100)
    for site in small:
        bench.web.put(f"http://{site}/", page(*(f"http://{each}/" for each in good), words=site))
    bench.web.put(SEED, page(*(f"http://{each}/" for each in [farm[0], *small])))
    assert crawled(bench, SEED) is EndState.LIMIT
    had = pages_of(bench)
    of_farm = sum(pages for site, pages in had.items() if site.startswith("farm"))
    of_good = sum(pages for site, pages in had.items() if site.startswith("good"))
    assert of_good > 60 / (60 + 200) * (of_good + of_farm)
    per_good, per_farm = of_good / 20, of_farm / 200
    assert per_good > 4 * per_farm, (of_good, of_farm)
    assert held(bench) > 0


def test_linking_sites_are_counted_once_each_whichever_shard_their_links_come_from() -> None:
    bench = bench_of(BudgetPolicy(), shards=16)
    for number in range(9):
        links = (f"http://a{number}.target.test/", "http://target.test/", SEED)
        bench.web.put(f"http://s{number}.test/", page(*links, "/again", words=str(number)))
        bench.web.put(f"http://s{number}.test/again", page(*links, words=f"again {number}"))
    bench.web.put("http://target.test/", page("http://s0.test/", "http://s1.test/", words="target"))
    bench.web.put(SEED, page(*(f"http://s{number}.test/" for number in range(9))))
    assert crawled(bench, SEED) is EndState.COMPLETE
    target = bench.owner("http://target.test/").sites.state("target.test")
    assert (target.linking_sites, target.mutual_sites, target.linked_sites) == (9, 2, 2)
    assert (target.pages, target.novel, target.seeded) == (1, 1, False)
    seed = bench.owner(SEED).sites.state("seed.test")
    assert (seed.linking_sites, seed.mutual_sites, seed.seeded) == (9, 9, True)


# --- exact -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [1, 7, 40])
def test_no_site_exceeds_its_cap_by_a_page_whatever_is_out(cap: int) -> None:
    bench = bench_of(BudgetPolicy(pages_per_site=cap), shards=16, budget={"fetches_max": 50})
    hosts = [f"h{number}.big.test" for number in range(30)]
    for host in hosts:
        chain(bench, host, 10)
        bench.web.put(f"http://{host}/1", Reply(status=404))
    bench.web.put(SEED, page(*(f"http://{host}/" for host in hosts)))
    assert crawled(bench, SEED) is EndState.LIMIT
    site = bench.owner("http://h0.big.test/").sites.state("big.test")
    assert site.pages == cap
    assert held(bench) > 0


@pytest.mark.parametrize("cap", [1, 500, 4_321])
def test_no_site_exceeds_its_cap_by_a_byte(cap: int) -> None:
    bench = bench_of(BudgetPolicy(bytes_per_site=cap), shards=16)
    for number in range(20):
        chain(bench, f"h{number}.big.test", 20)
    add = [f"http://h{number}.big.test/" for number in range(20)]
    assert crawled(bench, *add) in (EndState.LIMIT, EndState.NOTHING_FETCHED)
    assert bench.owner(add[0]).sites.state("big.test").bytes == cap


# --- held, never dropped ---------------------------------------------------------------------------------------------


def test_a_crawl_of_one_named_site_knows_no_budget() -> None:
    bench = bench_of(BudgetPolicy(first_pages=3, first_bytes=100, first_hosts=1, growth=0.1, site_share=0.01))
    chain(bench, "seed.test", 60)
    assert crawled(bench, SEED) is EndState.COMPLETE
    assert pages_of(bench)["seed"] >= 60


def test_with_nothing_else_to_do_a_site_over_its_budget_goes_on_until_it_brings_nothing_new() -> None:
    bench = bench_of(BudgetPolicy(first_pages=30, growth=0.1))
    chain(bench, "new.test", 200)
    paths = [""]
    for path in paths:
        bench.web.put(f"http://same.test/{path}", page("a/", "b/", words="the same wherever it is"))
        paths += [f"{path}a/", f"{path}b/"] if len(path) < 14 else []
    bench.web.put(SEED, page("http://new.test/", "http://same.test/"))
    bench.worker.policy = replace(bench.worker.policy, copies_follow="always")
    assert crawled(bench, SEED) is EndState.LIMIT
    had = pages_of(bench)
    assert had["new"] >= 200
    assert had["same"] < 60
    assert held(bench) > 0


def test_raising_a_setting_releases_what_is_held_at_once_and_a_kill_loses_nothing() -> None:
    bench = bench_of(BudgetPolicy(pages_per_site=5))
    chain(bench, "a.test", 40)
    bench.web.put(SEED, page("http://a.test/"))
    assert crawled(bench, SEED) is EndState.LIMIT
    before = held(bench)
    assert before > 0
    bench.reopen()
    assert (held(bench), bench.problems()) == (before, [])
    site = bench.owner("http://a.test/").sites.state("a.test")
    assert (site.pages, site.linking_sites) == (5, 1)

    async def work() -> EndState:
        policy = bench.shard.frontier.policy
        adopt(bench.worker, replace(policy, budget=BudgetPolicy(pages_per_site=12)))
        return await crawl(bench.worker)

    assert run(work()) is EndState.LIMIT
    assert bench.owner("http://a.test/").sites.state("a.test").pages == 12
    assert bench.problems() == []


def test_naming_a_url_of_a_site_that_is_known_releases_what_its_budget_held() -> None:
    bench = bench_of(BudgetPolicy(first_pages=5))
    chain(bench, "a.test", 40)
    bench.web.put(SEED, page("http://a.test/"))
    crawled(bench, SEED)
    assert held(bench) > 0
    bench.reopen()

    async def work() -> EndState:
        name_sites(bench.worker, ["http://a.test/"])
        return await crawl(bench.worker)

    assert run(work()) is EndState.COMPLETE
    site = bench.owner("http://a.test/").sites.state("a.test")
    assert (site.pages, site.seeded, held(bench), bench.problems()) == (40, True, 0, [])


def test_a_held_host_is_listed_under_its_next_look_and_comes_back_by_itself() -> None:
    """While another site keeps the crawl busy for longer than the look takes."""
    bench = bench_of(BudgetPolicy(first_pages=20, growth=0.1), budget={"deadline": EPOCH + 150.0})
    chain(bench, "long.test", 300)
    chain(bench, "good.test", 100)
    bench.web.put(SEED, page("http://good.test/", "http://long.test/"))
    assert crawled(bench, SEED, "http://long.test/") is EndState.LIMIT
    shard = bench.owner("http://good.test/")
    site = shard.sites.state("good.test")
    assert (site.pages, site.allotments, site.looks) == (44, 2, 1)
    host = shard.host_state(shard.rules.ids.host_id("good.test"))
    assert host is not None
    assert host.held
    assert host.held_until == site.next_look > EPOCH + 150.0
    assert "44 of 44 pages in the budget of its site, good.test" in host.held_detail
    places = [shard.rows.scan(table, b"", b"\xff" * 20, 99) for table in (Table.HELD, Table.READY)]
    assert [len(rows) for rows in places] == [1, 1]


def test_a_site_without_end_in_its_subdomains_has_a_budget_of_hosts() -> None:
    bench = bench_of(BudgetPolicy(first_hosts=5, growth=0.1), budget={"deadline": EPOCH + 50.0})
    for number in range(60):
        link = f"http://h{number + 1}.wild.test/"
        bench.web.put(f"http://h{number}.wild.test/", page(link, f"http://w{number}.wild.test/", words=str(number)))
    bench.web.put(SEED, page("http://h0.wild.test/"))
    chain(bench, "seed.test", 100)
    bench.web.put(SEED, page("http://h0.wild.test/", "/1", "/2"))
    assert crawled(bench, SEED) is EndState.LIMIT
    asked = {host_of(url) for url in bench.web.urls} - {"seed.test"}
    assert len(asked) == 5


# --- time ------------------------------------------------------------------------------------------------------------


def test_the_deadline_wins_in_the_middle_of_slow_fetches() -> None:
    bench = bench_of(BudgetPolicy(), budget={"deadline": EPOCH + 10.0})
    hosts = [f"slow{number}.test" for number in range(30)]
    for host in hosts:
        bench.web.put(f"http://{host}/", Reply(page(words=host), seconds=3_600.0))
    bench.web.put(SEED, page(*(f"http://{host}/" for host in hosts)))
    ended: list[float] = []

    async def work() -> EndState:
        add_seeds(bench.worker, [SEED])
        ending = await crawl(bench.worker)
        ended.append(SimClock().now())
        return ending

    assert run(work()) is EndState.LIMIT
    assert len(bench.web.urls) > 30
    assert EPOCH + 10.0 <= ended[0] <= EPOCH + 16.0
