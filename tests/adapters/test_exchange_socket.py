"""Workers reach each other's shards over sockets; whoever dies, nothing is lost, and strangers are not heard."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.exchange_local import LocalExchange
from gossamer.adapters.exchange_socket import SocketExchange
from gossamer.adapters.exchange_socket.messages import Hello, Receive, encode
from gossamer.core.deal import Deal
from gossamer.core.framing import framed
from gossamer.ports.exchange import Parcel, ShardExchange
from tests.ports.check_exchange import CLAIM, ExchangeChecks, Inbox, until

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Generator

SECRET = b"of this run"


class TestLocalExchange(ExchangeChecks):
    """The shards of one process."""

    def way(self, inbox: Inbox) -> AbstractAsyncContextManager[ShardExchange]:
        @asynccontextmanager
        async def way() -> AsyncGenerator[ShardExchange]:
            exchange = LocalExchange()
            exchange.join(1, inbox)
            yield exchange

        return way()


@contextlib.contextmanager
def sockets() -> Generator[Path]:
    """A folder with a short path."""
    with tempfile.TemporaryDirectory(prefix="g-") as name:
        yield Path(name)


def task(work: Coroutine[object, object, None]) -> asyncio.Task[None]:
    return asyncio.get_running_loop().create_task(work)


def exchange_of(worker: int, folder: Path, inbox: Inbox | None = None, secret: bytes = SECRET) -> SocketExchange:
    exchange = SocketExchange(Deal(worker, 2), lambda number: folder / f"w{number}", secret)
    if inbox is not None:
        exchange.join(worker, inbox)
    return exchange


class TestSocketExchange(ExchangeChecks):
    """Those of two workers."""

    def way(self, inbox: Inbox) -> AbstractAsyncContextManager[ShardExchange]:
        @asynccontextmanager
        async def way() -> AsyncGenerator[ShardExchange]:
            with sockets() as folder:
                ours, theirs = exchange_of(0, folder), exchange_of(1, folder, inbox)
                await theirs.open(task)
                try:
                    yield ours
                finally:
                    await ours.close()
                    await theirs.close()

        return way()

    def test_entries_wait_for_a_worker_that_is_started_later(self) -> None:
        async def check() -> None:
            inbox = Inbox()
            inbox.durable.set()
            with sockets() as folder:
                ours, theirs = exchange_of(0, folder), exchange_of(1, folder, inbox)
                sending = asyncio.ensure_future(ours.shard(1).receive([Parcel(0, 1, b"entry")]))
                await asyncio.sleep(0.05)
                await theirs.open(task)
                await sending
                await ours.close()
                await theirs.close()
            assert inbox.received == [Parcel(0, 1, b"entry")]

        asyncio.run(check())

    def test_what_was_not_durable_is_sent_again_in_order(self) -> None:
        async def check() -> None:
            lost, inbox = Inbox(), Inbox()
            inbox.durable.set()
            with sockets() as folder:
                ours, first = exchange_of(0, folder), exchange_of(1, folder, lost)
                await first.open(task)
                batches = [[Parcel(0, number, b"entry")] for number in range(1, 100)]
                sending = asyncio.gather(*(ours.shard(1).receive(batch) for batch in batches))
                await until(lambda: lost.received)
                await first.close()
                second = exchange_of(1, folder, inbox)
                await second.open(task)
                await sending
                await ours.close()
                await second.close()
            assert [parcel.number for parcel in inbox.received] == list(range(1, 100))

        asyncio.run(check())

    def test_only_so_many_batches_are_out(self) -> None:
        async def check() -> None:
            inbox = Inbox()
            async with self.way(inbox) as exchange:
                sending = [asyncio.ensure_future(exchange.shard(1).receive([Parcel(0, n, b"")])) for n in range(1, 101)]
                await until(lambda: len(inbox.received) == 32)
                await asyncio.sleep(0.05)
                assert len(inbox.received) == 32
                inbox.durable.set()
                await asyncio.gather(*sending)
                assert len(inbox.received) == 100

        asyncio.run(check())

    def test_a_question_for_a_body_is_new_without_an_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gossamer.adapters.exchange_socket.asking.DIGEST_ANSWER_SECONDS_MAX", 0.05)

        async def check() -> None:
            with sockets() as folder:
                ours = exchange_of(0, folder)
                assert await ours.shard(1).earlier_copy(b"digest") is None
                ours.shard(1).claimed(b"digest", CLAIM)
                await ours.close()

        asyncio.run(check())

    def test_who_dies_owing_a_body_releases_it(self) -> None:
        async def check() -> None:
            inbox = Inbox()
            with sockets() as folder:
                ours, theirs = exchange_of(0, folder), exchange_of(1, folder, inbox)
                await theirs.open(task)
                shard = ours.shard(1)
                assert [await shard.earlier_copy(digest) for digest in (b"a", b"b", b"c")] == [None] * 3
                shard.claimed(b"a", CLAIM)
                shard.released(b"b")
                await until(lambda: inbox.known and inbox.released_digests)
                await ours.close()
                await until(lambda: inbox.released_digests == [b"b", b"c"])
                await theirs.close()

        asyncio.run(check())


GREETING = framed(encode(Hello(SECRET, 0)))
ENTRY = framed(encode(Receive(1, 1, [Parcel(0, 1, b"entry")])))


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        framed(encode(Hello(b"guessed", 0))) + ENTRY,
        ENTRY,
        GREETING + GREETING + ENTRY,
        GREETING + b"\xff\xff\xff\xff",
        GREETING + framed(b"\xc1 no message"),
        GREETING + framed(b"\x93\xa7receive\x01\x01"),
        GREETING + framed(encode(Receive(1, 7, [Parcel(0, 1, b"for a shard that is not here")]))),
    ],
)
def test_what_is_no_word_of_a_worker_ends_its_connection(sent: bytes) -> None:
    async def check() -> None:
        inbox = Inbox()
        with sockets() as folder:
            exchange = exchange_of(1, folder, inbox)
            await exchange.open(task)
            reader, writer = await asyncio.open_unix_connection(folder / "w1")
            writer.write(sent)
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
            await exchange.close()
        assert inbox.received == []

    asyncio.run(check())


def test_half_a_message_is_never_acted_upon() -> None:
    async def check() -> None:
        inbox = Inbox()
        with sockets() as folder:
            exchange = exchange_of(1, folder, inbox)
            await exchange.open(task)
            _, writer = await asyncio.open_unix_connection(folder / "w1")
            writer.write(GREETING + ENTRY[:-3])
            await writer.drain()
            writer.close()
            await asyncio.sleep(0.05)
            await exchange.close()
        assert inbox.received == []

    asyncio.run(check())
