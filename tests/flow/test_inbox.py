"""What a shard offers to the others: digests and robots.txt; receiving stands in `test_delivery`."""

from __future__ import annotations

import asyncio

from gossamer.core.frontier.lease import Errand
from gossamer.core.robots.answer import RobotsAnswer
from gossamer.flow.inbox import Inbox
from gossamer.ports.exchange import Claim
from gossamer.simulation.clock import SimClock
from tests.workers import Bench, run

CLAIM = Claim("http://a.test/", 1.0, "<urn:uuid:1>", "sha1:X")
ERRAND = Errand(b"asker.id", "http://asker.test", "http://b.test/rules.txt", 1)
ANSWER = RobotsAnswer(200, b"User-agent: *")


def inbox() -> Inbox:
    bench = Bench(clock=SimClock())
    return Inbox(bench.worker, bench.shard)


def test_digests_are_answered_for() -> None:
    async def work() -> None:
        box = inbox()
        assert await box.earlier_copy(b"d") is None
        box.released(b"d")
        assert await box.earlier_copy(b"d") is None
        box.claimed(b"d", CLAIM)
        assert await box.earlier_copy(b"d") == CLAIM

    run(work())


def test_an_errand_brings_its_host_into_the_working_set_and_waits_for_the_answer() -> None:
    async def work() -> None:
        box = inbox()
        asking = asyncio.ensure_future(box.fetch_robots(ERRAND))
        await asyncio.sleep(0.1)
        (host,) = box.shard.frontier.hosts.values()
        assert (host.state.name, host.errands) == ("b.test", [ERRAND])
        box.shard.answer_errand(ERRAND, ANSWER)
        assert await asking == ANSWER
        assert box.shard.errands == {}

    run(work())


def test_two_that_ask_the_same_share_one_errand() -> None:
    async def work() -> None:
        box = inbox()
        asking = [asyncio.ensure_future(box.fetch_robots(ERRAND)) for _ in range(2)]
        await asyncio.sleep(0.1)
        assert [host.errands for host in box.shard.frontier.hosts.values()] == [[ERRAND]]
        box.shard.answer_errand(ERRAND, ANSWER)
        assert await asyncio.gather(*asking) == [ANSWER, ANSWER]

    run(work())


def test_one_that_stops_waiting_leaves_the_errand_to_the_other() -> None:
    async def work() -> None:
        box = inbox()
        leaving, staying = (asyncio.ensure_future(box.fetch_robots(ERRAND)) for _ in range(2))
        await asyncio.sleep(0.1)
        leaving.cancel()
        await asyncio.sleep(0.1)
        box.shard.answer_errand(ERRAND, ANSWER)
        assert await staying == ANSWER

    run(work())


def test_an_answer_that_nobody_waits_for_is_no_matter() -> None:
    box = inbox()
    box.shard.answer_errand(ERRAND, ANSWER)
    assert box.shard.errands == {}
