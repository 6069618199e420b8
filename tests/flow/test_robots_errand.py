"""A robots.txt that lives elsewhere: asked for through its own host's frontier, whatever shard that is."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gossamer.core.ending import EndState
from gossamer.core.frontier.lease import Errand
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind
from gossamer.core.url.parse import host_of
from gossamer.flow.admission import admit
from gossamer.flow.follow import add_seeds
from gossamer.flow.loop import crawl
from gossamer.flow.robots_errand import ERRAND_SECONDS_MAX, run_errand
from gossamer.simulation.clock import EPOCH, SimClock
from tests.workers import Bench, Reply, page, run

A = "http://a.test"
RULES = b"User-agent: *\nDisallow: /private"


def to(url: str) -> Reply:
    return Reply(status=301, headers=(("Location", url),))


def crawled(bench: Bench, seed: str = f"{A}/") -> EndState:
    """Crawl from a seed to the end."""

    async def work() -> EndState:
        add_seeds(bench.worker, [seed])
        ending = await crawl(bench.worker)
        await bench.worker.finish_files()
        return ending

    return run(work())


def other_hosts(bench: Bench, count: int, *, apart: bool) -> list[str]:
    """Hosts whose shards are apart from one another, one after the other (or all in the seed's shard)."""
    names = [f"h{number}.test" for number in range(200)]
    chain = ["a.test"]
    for name in names:
        same = bench.owner(f"http://{name}/") is bench.owner(f"http://{chain[-1]}/")
        if same is not apart and len(chain) <= count:
            chain.append(name)
    return chain[1:]


@pytest.mark.parametrize("apart", [False, True], ids=["one shard", "many shards"])
@pytest.mark.parametrize("hosts", [1, 2, 5])
def test_a_file_is_found_through_hosts_of_whatever_shards(hosts: int, apart: bool) -> None:
    bench = Bench(shards=4, clock=SimClock())
    chain = other_hosts(bench, hosts, apart=apart)
    urls = [f"{A}/robots.txt", *(f"http://{host}/rules.txt" for host in chain)]
    for url, target in pairwise(urls):
        bench.web.put(url, to(target))
    bench.web.put(urls[-1], RULES)
    bench.web.put(f"{A}/", page("/public", "/private/1"))
    bench.web.put(f"{A}/public", page())
    assert crawled(bench) is EndState.COMPLETE
    assert bench.web.urls == [*urls, f"{A}/", f"{A}/public"], "each file is asked for once, nothing that it forbids"
    assert bench.web.asked[-1][0] < EPOCH + ERRAND_SECONDS_MAX, "nobody waits out a time limit"
    assert bench.problems() == []


def test_a_chain_that_comes_back_to_its_own_host() -> None:
    bench = Bench(shards=4, clock=SimClock())
    (other,) = other_hosts(bench, 1, apart=True)
    bench.web.put(f"{A}/robots.txt", to(f"http://{other}/rules.txt"))
    bench.web.put(f"http://{other}/rules.txt", to("https://a.test/rules.txt"))
    bench.web.put("https://a.test/rules.txt", RULES)
    bench.web.put(f"{A}/", page("/private/1"))
    assert crawled(bench) is EndState.COMPLETE
    assert bench.web.urls == [
        f"{A}/robots.txt",
        f"http://{other}/rules.txt",
        "https://a.test/rules.txt",
        f"{A}/",
    ]
    moments = [moment for moment, url in bench.web.asked if host_of(url) == "a.test"]
    assert all(later - earlier > 1.099 for earlier, later in pairwise(moments)), "with its own gap"


def test_a_circle_of_hosts_ends_and_allows_everything() -> None:
    bench = Bench(shards=4, clock=SimClock())
    chain = ["a.test", *other_hosts(bench, 2, apart=True)]
    for host, target in zip(chain, [*chain[1:], chain[0]], strict=True):
        bench.web.put(f"http://{host}/robots.txt", to(f"http://{target}/robots.txt"))
    bench.web.put(f"{A}/", page())
    assert crawled(bench) is EndState.COMPLETE
    assert len(bench.web.urls) == 1 + 5 + 1


def test_no_answer_in_time_is_unreachable() -> None:
    class Silent:
        async def fetch_robots(self, errand: Errand) -> RobotsAnswer:
            await SimClock().sleep(1e6)
            return RobotsAnswer(404)

    async def work() -> float:
        bench = Bench(clock=SimClock())
        bench.worker.exchange.join(0, Silent())  # type: ignore[attr-defined]
        errand = Errand(bench.worker.rules.ids.host_id("a.test"), A, "http://b.test/robots.txt", 1)
        found = bench.found(f"{A}/1")
        admit(bench.shard, found, EPOCH)
        await run_errand(bench.worker, bench.shard, errand, None)
        (host,) = bench.shard.frontier.hosts.values()
        assert host.robots[A].kind is RobotsKind.UNREACHABLE
        assert host.robots[A].reason == "timeout"
        return SimClock().now() - EPOCH

    assert run(work()) == pytest.approx(ERRAND_SECONDS_MAX)
