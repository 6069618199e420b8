"""Content seen: known only once confirmed, one asker at a time, nobody waits for ever."""

from __future__ import annotations

import asyncio

import pytest

from gossamer.core.limits import DIGEST_ANSWER_SECONDS_MAX
from gossamer.flow.content_seen import ContentSeen
from gossamer.flow.pending import PendingStore
from gossamer.ports.exchange import Claim
from gossamer.ports.store import Table
from gossamer.simulation.clock import EPOCH, SimClock
from gossamer.simulation.store import MemoryDisk, MemoryStore
from tests.workers import run

DIGEST, OTHER = b"d" * 32, b"o" * 32
FIRST = Claim("http://a.test/", 1.5, "<urn:uuid:1>", "sha1:A")
SECOND = Claim("http://b.test/", 2.5, "<urn:uuid:2>", "sha1:B")


def seen() -> ContentSeen:
    return ContentSeen(PendingStore(MemoryStore(MemoryDisk())))


def elapsed() -> float:
    return SimClock().now() - EPOCH


async def answer(content: ContentSeen, digest: bytes = DIGEST) -> tuple[Claim | None, float]:
    return await content.earlier_copy(digest), elapsed()


def at(seconds: float, act: object, *arguments: object) -> None:
    assert callable(act)
    asyncio.get_running_loop().call_later(seconds, act, *arguments)


def test_new_then_known() -> None:
    async def work() -> None:
        content = seen()
        assert await content.earlier_copy(DIGEST) is None
        content.claimed(DIGEST, FIRST)
        assert await content.earlier_copy(DIGEST) == FIRST
        assert await content.earlier_copy(OTHER) is None

    run(work())


def test_a_question_about_a_body_under_way_waits_for_its_commit() -> None:
    async def work() -> None:
        content = seen()
        assert await content.earlier_copy(DIGEST) is None
        at(0.5, content.claimed, DIGEST, FIRST)
        assert await asyncio.gather(*(answer(content) for _ in range(3))) == [(FIRST, 0.5)] * 3

    run(work())


def test_a_release_makes_one_of_those_who_wait_the_next_to_try() -> None:
    async def work() -> None:
        content = seen()
        assert await content.earlier_copy(DIGEST) is None
        at(0.5, content.released, DIGEST)
        at(1.0, content.claimed, DIGEST, SECOND)
        answers = await asyncio.gather(*(answer(content) for _ in range(3)))
        assert sorted(answers, key=lambda each: each[1]) == [(None, 0.5), (SECOND, 1.0), (SECOND, 1.0)]

    run(work())


def test_who_gets_no_answer_in_time_takes_the_body_for_new() -> None:
    async def work() -> None:
        content = seen()
        assert await content.earlier_copy(DIGEST) is None
        assert await answer(content) == (None, pytest.approx(DIGEST_ANSWER_SECONDS_MAX))
        content.claimed(DIGEST, SECOND)
        assert await content.earlier_copy(DIGEST) == SECOND
        content.claimed(DIGEST, FIRST)
        assert await content.earlier_copy(DIGEST) == SECOND, "the first that was confirmed stays the first"

    run(work())


def test_a_claim_wakes_those_who_wait_whoever_makes_it() -> None:
    async def work() -> None:
        content = seen()
        assert await content.earlier_copy(DIGEST) is None
        late = asyncio.ensure_future(answer(content))
        await asyncio.sleep(DIGEST_ANSWER_SECONDS_MAX - 0.5)
        waiting = asyncio.ensure_future(answer(content))
        assert (await late)[0] is None
        content.claimed(DIGEST, SECOND)
        assert (await waiting)[0] == SECOND

    run(work())


def test_a_release_by_one_that_came_late_lets_the_next_try_and_harms_nobody() -> None:
    async def work() -> None:
        content = seen()
        assert await content.earlier_copy(DIGEST) is None
        assert (await answer(content))[0] is None
        content.released(DIGEST)
        assert await content.earlier_copy(DIGEST) is None
        content.claimed(DIGEST, FIRST)
        assert await content.earlier_copy(DIGEST) == FIRST

    run(work())


def test_one_that_stops_waiting_does_not_stop_the_others() -> None:
    async def work() -> None:
        content = seen()
        assert await content.earlier_copy(DIGEST) is None
        leaving, staying = (asyncio.ensure_future(answer(content)) for _ in range(2))
        await asyncio.sleep(0.1)
        leaving.cancel()
        at(0.4, content.claimed, DIGEST, FIRST)
        assert await staying == (FIRST, pytest.approx(0.5))

    run(work())


def test_claims_and_releases_of_nothing_are_harmless() -> None:
    async def work() -> None:
        content = seen()
        content.released(DIGEST)
        assert await content.earlier_copy(DIGEST) is None
        content.released(OTHER)
        content.claimed(OTHER, FIRST)
        assert await content.earlier_copy(OTHER) == FIRST

    run(work())


def test_a_claim_is_a_change_of_the_coming_commit() -> None:
    async def work() -> None:
        content = seen()
        content.claimed(DIGEST, FIRST)
        batch = content._rows.begin_commit()
        assert [(table, key) for table, key, _ in batch.puts] == [(Table.CONTENT, DIGEST)]

    run(work())
