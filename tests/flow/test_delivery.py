"""Deliveries: sent once durable here, gone once durable there, never lost and never taken in twice."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gossamer.core.page.found import encode_batches
from gossamer.flow.delivery import deliver_outboxes, send_away
from gossamer.flow.inbox import Inbox
from gossamer.ports.exchange import Parcel
from gossamer.simulation.clock import SimClock
from tests.workers import Bench, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.flow.shard import Shard

SOURCE = "http://a.test/"


def pair() -> tuple[Bench, Shard, Shard, list[str]]:
    """Two shards, and URLs of the second found on the first."""
    bench = Bench(shards=2, clock=SimClock())
    sender = bench.owner(SOURCE)
    receiver = next(shard for shard in bench.worker.shards if shard is not sender)
    urls = [f"http://{name}.test/" for name in "bcdefghijk" if bench.owner(f"http://{name}.test/") is receiver]
    return bench, sender, receiver, urls


def send(bench: Bench, sender: Shard, receiver: Shard, *urls: str) -> None:
    """Find links on a page of one shard that belong to another."""
    found = bench.found(*urls, source=SOURCE, depth=1)
    sender.ledger.found += len(found)
    send_away(bench.worker, sender, receiver.number, found)


async def settle(bench: Bench) -> None:
    """Commits until nothing is on its way."""
    for _ in range(6):
        await bench.worker.committer.commit()
        await asyncio.sleep(0.01)


def test_nothing_is_sent_before_its_commit() -> None:
    bench, sender, receiver, urls = pair()

    async def work() -> None:
        send(bench, sender, receiver, urls[0])
        await asyncio.sleep(1.0)
        assert receiver.ledger.received == 0
        assert (sender.ledger.sent, len(sender.outbox.waiting)) == (1, 1)
        await bench.worker.committer.commit()
        await asyncio.sleep(0.01)
        assert receiver.ledger.received_new == 1
        assert len(sender.outbox.waiting) == 1, "not yet durable there"
        await settle(bench)
        assert sender.outbox.waiting == {}
        assert bench.problems() == []
        assert bench.record(urls[0]) is not None

    run(work())


def test_a_kill_after_sending_sends_again_and_is_taken_in_once() -> None:
    bench, sender, receiver, urls = pair()

    async def first() -> None:
        send(bench, sender, receiver, *urls[:2])
        await bench.worker.committer.commit()
        await asyncio.sleep(0.01)

    run(first())
    bench.reopen()
    assert sum(len(shard.outbox.waiting) for shard in bench.worker.shards) == 1
    assert bench.worker.shards[receiver.number].ledger.received == 0

    async def second() -> None:
        deliver_outboxes(bench.worker)
        await settle(bench)

    run(second())
    got = bench.worker.shards[receiver.number]
    assert (got.ledger.received, got.ledger.received_new) == (2, 2)
    assert bench.problems() == []


def test_a_kill_before_the_acknowledgment_is_committed_sends_again_what_is_only_confirmed() -> None:
    bench, sender, receiver, urls = pair()

    async def first() -> None:
        send(bench, sender, receiver, urls[0])
        await bench.worker.committer.commit()
        await asyncio.sleep(0.01)
        await bench.worker.committer.commit()
        await asyncio.sleep(0.01)
        assert sender.outbox.waiting == {}

    run(first())
    bench.reopen()
    assert bench.worker.shards[sender.number].outbox.waiting != {}

    async def second() -> None:
        deliver_outboxes(bench.worker)
        await settle(bench)

    run(second())
    assert bench.worker.shards[receiver.number].ledger.received == 1
    assert bench.worker.shards[sender.number].outbox.waiting == {}


def test_what_was_left_is_sent_before_what_comes_new() -> None:
    """Receivers keep one number a sender: an entry that overtook an earlier one would hide it."""
    bench, sender, receiver, urls = pair()

    async def first() -> None:
        for url in urls[:3]:
            send(bench, sender, receiver, url)
        await bench.worker.committer.commit()

    run(first())
    bench.reopen()
    sender, receiver = bench.worker.shards[sender.number], bench.worker.shards[receiver.number]

    async def second() -> None:
        deliver_outboxes(bench.worker)
        send(bench, sender, receiver, urls[3])
        await settle(bench)

    run(second())
    assert all(bench.record(url) is not None for url in urls[:4])
    assert receiver.receipts == {sender.number: 2}


@pytest.mark.parametrize(("numbers", "taken"), [((1, 1), 1), ((1, 2), 2), ((1, 2, 1, 2, 3), 3)])
def test_an_inbox_takes_each_number_once(numbers: tuple[int, ...], taken: int) -> None:
    bench, sender, receiver, urls = pair()
    inbox = Inbox(bench.worker, receiver)

    async def work() -> None:
        for number in numbers:
            entry = encode_batches([bench.found(urls[number], source=SOURCE)])
            receiving = asyncio.ensure_future(inbox.receive([Parcel(sender.number, number, entry)]))
            await asyncio.sleep(0.01)
            assert not receiving.done(), "it is confirmed once it is durable"
            await bench.worker.committer.commit()
            await receiving
        assert receiver.ledger.received == taken
        assert receiver.receipts == {sender.number: max(numbers)}

    run(work())


def test_what_is_known_there_already_counts_as_seen() -> None:
    bench, sender, receiver, urls = pair()

    async def work() -> None:
        for _ in range(2):
            send(bench, sender, receiver, urls[0], urls[1])
            await settle(bench)

    run(work())
    ledger = receiver.ledger
    assert (ledger.received, ledger.received_new, ledger.received_seen) == (4, 2, 2)
    assert bench.problems() == []


def test_what_a_commit_made_durable_for_a_shard_goes_to_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all shards of the worker: most entries hold a link or two."""
    bench = Bench(shards=3, clock=SimClock())
    receiver = bench.owner("http://b.test/")
    senders = [shard for shard in bench.worker.shards if shard is not receiver]
    took: list[list[tuple[int, int]]] = []
    receive = Inbox.receive

    async def watched(inbox: Inbox, parcels: Sequence[Parcel]) -> None:
        took.append([(parcel.sender, parcel.number) for parcel in parcels])
        await receive(inbox, parcels)

    monkeypatch.setattr(Inbox, "receive", watched)

    async def work() -> None:
        for page in range(3):
            for shard in senders:
                shard.ledger.found += 1
                found = bench.found("http://b.test/", source=f"http://{shard.number}.test/{page}", depth=1)
                send_away(bench.worker, shard, receiver.number, found)
        await settle(bench)

    run(work())
    assert [sorted(parcels) for parcels in took] == [[(shard.number, 1) for shard in senders]]
    assert (receiver.ledger.received, receiver.ledger.received_new) == (6, 1)
    assert bench.problems() == []


def test_parcels_that_take_several_steps_are_not_overtaken_by_later_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later number taken in first would make an earlier one look as if it had been taken in before."""
    monkeypatch.setattr("gossamer.flow.inbox.LINKS_AT_ONCE_MAX", 2)
    bench, sender, receiver, _ = pair()
    names = [f"http://n{number}.test/" for number in range(60)]
    urls = [url for url in names if bench.owner(url) is receiver][:12]
    inbox = Inbox(bench.worker, receiver)

    def parcels(numbers: range) -> list[Parcel]:
        found = {number: bench.found(urls[number - 1], source=SOURCE) for number in numbers}
        return [Parcel(sender.number, number, encode_batches([each])) for number, each in found.items()]

    async def work() -> None:
        both = [asyncio.ensure_future(inbox.receive(parcels(numbers))) for numbers in (range(1, 10), range(10, 13))]
        await asyncio.sleep(0.1)
        await settle(bench)
        await asyncio.gather(*both)

    run(work())
    assert receiver.receipts == {sender.number: 12}
    assert all(bench.record(url) is not None for url in urls)
