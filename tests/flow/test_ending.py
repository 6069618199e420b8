"""When a crawl ends, and with which word."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gossamer.core.ending import EndState
from gossamer.core.http.exchange import FailureKind
from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.filters import FilterRules
from gossamer.flow.ending import end_state
from gossamer.flow.follow import add_seeds
from gossamer.flow.loop import crawl
from gossamer.simulation.clock import EPOCH, SimClock
from tests.workers import Bench, Reply, StillClock, page, run

A, B = "http://a.test", "http://b.test"
PATIENCE = 600.0


def bench_with(**ledger: int) -> Bench:
    bench = Bench(clock=StillClock(EPOCH))
    for name, value in ledger.items():
        setattr(bench.shard.ledger, name, value)
    bench.shard.frontier.working.next_wake = None
    return bench


# --- the rule --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ledger", "ending"),
    [
        ({"pages": 1}, EndState.COMPLETE),
        ({}, EndState.NOTHING_FETCHED),
        ({"pages": 1, "held": 3}, EndState.LIMIT),
        ({"held": 3}, EndState.NOTHING_FETCHED),
        ({"pages": 1, "queued": 1}, EndState.STALLED),
        ({"queued": 1}, EndState.NOTHING_FETCHED),
    ],
)
def test_with_nothing_under_way(ledger: dict[str, int], ending: EndState) -> None:
    assert end_state(bench_with(**ledger).worker) is ending


@pytest.mark.parametrize(("wait", "ending"), [(PATIENCE, None), (PATIENCE + 10, EndState.STALLED)])
def test_patience(wait: float, ending: EndState | None) -> None:
    bench = bench_with(pages=1, queued=1)
    bench.shard.frontier.working.next_wake = EPOCH + wait
    assert end_state(bench.worker) is ending


@pytest.mark.parametrize(
    ("budget", "ending"),
    [
        ({"pages_max": 5, "pages": 5}, EndState.LIMIT),
        ({"bytes_max": 5, "bytes": 5}, EndState.LIMIT),
        ({"deadline": EPOCH}, EndState.LIMIT),
        ({"pages_max": 5, "pages": 4}, None),
    ],
)
def test_caps_in_all(budget: dict[str, Any], ending: EndState | None) -> None:
    bench = bench_with(pages=1, queued=1)
    bench.shard.frontier.working.next_wake = EPOCH
    for name, value in budget.items():
        setattr(bench.worker.budget, name, value)
    assert end_state(bench.worker) is ending


def test_a_visit_under_way_holds_every_end_but_the_deadline_back() -> None:
    bench = bench_with(pages=1)
    bench.worker.budget.pages_max = 1
    bench.worker.budget.pages = 1
    bench.worker.stopping = True
    bench.worker._visits[object()] = object()  # type: ignore[index,assignment]
    assert end_state(bench.worker) is None
    bench.worker.budget.deadline = EPOCH
    assert end_state(bench.worker) is EndState.LIMIT


def test_links_under_way_are_waited_for_unless_the_crawl_is_stopped() -> None:
    bench = bench_with(pages=1)
    bench.shard.outbox.waiting[1, 1] = b""
    assert end_state(bench.worker) is None
    bench.worker.stopping = True
    assert end_state(bench.worker) is EndState.INTERRUPTED


def test_a_lookup_under_way_is_waited_for() -> None:
    bench = bench_with(pages=1, queued=1)
    bench.shard.frontier.working.suspended.add(b"host")
    assert end_state(bench.worker) is None


# --- whole crawls ----------------------------------------------------------------------------------------------------


def crawled(bench: Bench, *seeds: str) -> EndState:
    async def work() -> EndState:
        add_seeds(bench.worker, list(seeds))
        ending = await crawl(bench.worker)
        await bench.worker.committer.commit()
        await bench.worker.finish_files()
        return ending

    ending = run(work())
    assert bench.problems() == []
    return ending


def site(bench: Bench, pages: int, host: str = A) -> None:
    """A start page that links to some pages."""
    bench.web.put(f"{host}/", page(*(f"/{number}" for number in range(pages))))
    for number in range(pages):
        bench.web.put(f"{host}/{number}", page(words=f"{host} {number}"))


def test_complete() -> None:
    bench = Bench(clock=SimClock())
    site(bench, 5)
    assert crawled(bench, f"{A}/") is EndState.COMPLETE
    assert len(bench.web.urls) == 7
    assert bench.shard.ledger.pages == 6


@pytest.mark.parametrize("pages", [1, 4])
def test_a_cap_on_pages_is_exact(pages: int) -> None:
    bench = Bench(shards=4, clock=SimClock(), budget={"pages_max": pages})
    for host in (A, B, "http://c.test"):
        site(bench, 5, host)
    assert crawled(bench, f"{A}/", f"{B}/", "http://c.test/") is EndState.LIMIT
    assert sum(shard.ledger.pages for shard in bench.worker.shards) == pages


@pytest.mark.parametrize("size", [1, 500, 777])
def test_a_cap_on_bytes_is_exact(size: int) -> None:
    bench = Bench(clock=SimClock(), budget={"bytes_max": size})
    site(bench, 20)
    assert crawled(bench, f"{A}/") in (EndState.LIMIT, EndState.NOTHING_FETCHED)
    assert sum(row["bytes"] for row in bench.datasets.rows("pages")) == size


def test_a_cap_on_time() -> None:
    bench = Bench(clock=SimClock(), budget={"deadline": EPOCH + 10.0})
    site(bench, 50)
    assert crawled(bench, f"{A}/") is EndState.LIMIT
    assert bench.web.asked[-1][0] < EPOCH + 10.0


def test_a_cap_on_the_pages_of_a_host() -> None:
    bench = Bench(clock=SimClock(), frontier={"pages_per_host_max": 3})
    site(bench, 9)
    assert crawled(bench, f"{A}/") is EndState.LIMIT
    assert (bench.shard.ledger.pages, bench.shard.ledger.held) == (3, 7)


@pytest.mark.parametrize("reply", [Reply(status=404), Reply(status=500)])
def test_nothing_fetched(reply: Reply) -> None:
    bench = Bench(clock=SimClock())
    bench.web.put(f"{A}/", reply)
    assert crawled(bench, f"{A}/") is EndState.NOTHING_FETCHED


def test_every_seed_refused() -> None:
    bench = Bench(clock=SimClock(), filters=FilterRules(blocked=BlockList(hosts=frozenset({"a.test"}))))
    assert crawled(bench, f"{A}/") is EndState.NOTHING_FETCHED
    assert bench.web.urls == []


def test_stalled() -> None:
    bench = Bench(clock=SimClock())
    site(bench, 2)
    bench.web.put(f"{A}/1", Reply(failure=FailureKind.CONNECT_REFUSED))
    assert crawled(bench, f"{A}/") is EndState.STALLED
    assert bench.shard.ledger.queued == 1


def test_interrupted_finishes_what_is_in_flight() -> None:
    bench = Bench(clock=SimClock())
    site(bench, 50)
    bench.web.put(f"{A}/3", Reply(page(), seconds=5.0))

    async def work() -> EndState:
        add_seeds(bench.worker, [f"{A}/"])
        crawling = asyncio.ensure_future(crawl(bench.worker))
        while f"{A}/3" not in bench.web.urls:
            await SimClock().sleep(0.1)
        bench.worker.stop()
        return await crawling

    assert run(work()) is EndState.INTERRUPTED
    assert bench.web.urls[-1] == f"{A}/3"
    assert bench.record(f"{A}/3").state == 2  # type: ignore[union-attr]
    assert bench.problems() == []
