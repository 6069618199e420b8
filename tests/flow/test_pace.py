"""Long steps: in turn, with a pass of the loop between them, and never while a commit is under way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gossamer.core.frontier.records import PageRecord
from gossamer.core.limits import LINKS_AT_ONCE_MAX
from gossamer.core.page.document import Document
from gossamer.core.page.links import LinkKind, Links
from gossamer.flow.delivery import deliver_outboxes
from gossamer.flow.follow import follow_links
from gossamer.simulation.clock import SimClock
from tests.workers import Bench, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

PAGE = "http://a.test/"
MANY = 2 * LINKS_AT_ONCE_MAX + 5


def flood(bench: Bench) -> None:
    """Follow a page that names more URLs of its own host than one step takes."""
    urls = [f"{PAGE}{number}" for number in range(MANY)]
    links = Links(urls, bytearray((LinkKind.A,)) * MANY, bytearray(MANY), [""] * MANY)
    follow_links(bench.worker, bench.owner(PAGE), PageRecord(PAGE), Document(links=links))


async def settle(bench: Bench) -> None:
    for _ in range(6):
        await bench.worker.committer.commit()
        await asyncio.sleep(0.01)


def test_turns_are_given_in_the_order_of_asking_and_the_loop_runs_between_two() -> None:
    async def work() -> None:
        pace, seen = Bench(clock=SimClock()).worker.pace, list[str]()

        async def step(name: str, *, is_long: bool) -> None:
            await pace.turn(is_long=is_long)
            seen.append(name)

        async def ticks() -> None:
            while len(seen) < 8:
                seen.append("-")
                await asyncio.sleep(0)

        names = {"a": True, "b": True, "c": False, "d": True}
        await asyncio.gather(*(step(name, is_long=is_long) for name, is_long in names.items()), ticks())
        assert [name for name in seen if name != "-"] == list("abcd")
        text = "".join(seen)
        assert "ab" not in text
        assert "bd" not in text

    run(work())


def test_a_step_that_is_not_long_waits_for_nobody_where_nobody_waits() -> None:
    async def work() -> None:
        pace = Bench(clock=SimClock()).worker.pace
        turn = pace.turn(is_long=False)
        try:
            turn.send(None)
        except StopIteration:
            return
        raise AssertionError("it waited")

    run(work())


def test_no_long_step_while_a_commit_is_under_way() -> None:
    async def work() -> None:
        bench = Bench(clock=SimClock())
        gate, order = asyncio.Event(), list[str]()

        class Slow:
            async def run(self, work: Callable[[], T]) -> T:
                await gate.wait()
                return work()

        bench.worker.committer.offload = Slow()
        bench.owner(PAGE).after_commit.append(lambda: order.append("committed"))
        committing = asyncio.ensure_future(bench.worker.committer.commit())
        await asyncio.sleep(0)

        async def step() -> None:
            await bench.worker.pace.turn()
            order.append("step")

        stepping = asyncio.ensure_future(step())
        await asyncio.sleep(1.0)
        assert order == []
        gate.set()
        await asyncio.gather(committing, stepping)
        assert order == ["committed", "step"]

    run(work())


def test_of_many_urls_the_first_are_queued_and_the_others_follow_from_the_outbox() -> None:
    async def work() -> None:
        bench = Bench(seeds=(PAGE,), clock=SimClock())
        shard = bench.owner(PAGE)
        flood(bench)
        assert (shard.ledger.new, shard.ledger.sent) == (LINKS_AT_ONCE_MAX, MANY - LINKS_AT_ONCE_MAX)
        assert {receiver for receiver, _ in shard.outbox.waiting} == {shard.number}
        assert len(shard.outbox.waiting) == -(-(MANY - LINKS_AT_ONCE_MAX) // LINKS_AT_ONCE_MAX), "an entry a step"
        await settle(bench)
        assert shard.outbox.waiting == {}
        assert (shard.ledger.known, shard.ledger.received_new) == (MANY, MANY - LINKS_AT_ONCE_MAX)
        assert bench.problems() == []

    run(work())


def test_a_kill_between_the_steps_loses_no_url_and_counts_none_twice() -> None:
    bench = Bench(seeds=(PAGE,), clock=SimClock())

    async def first() -> None:
        flood(bench)
        await bench.worker.committer.commit()

    run(first())
    bench.reopen()
    assert bench.owner(PAGE).ledger.known == LINKS_AT_ONCE_MAX

    async def second() -> None:
        deliver_outboxes(bench.worker)
        await settle(bench)

    run(second())
    assert bench.owner(PAGE).ledger.known == MANY
    assert bench.problems() == []
