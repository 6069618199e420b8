"""Idle connections are closed by the time we said."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.fetcher_curl import CurlFetcher
from gossamer.adapters.fetcher_curl.kept import KeptConnections
from gossamer.core import limits
from gossamer.core.http.exchange import FetchLimits, FetchRequest
from tests.servers import misbehaving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOST = "http://a.test"


class Timer:
    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class StoppedLoop:
    """A loop whose time stands still until somebody moves it."""

    def __init__(self) -> None:
        self.moment = 100.0
        self.due: Callable[[], None] | None = None
        self.timer = Timer()

    def time(self) -> float:
        return self.moment

    def call_later(self, _seconds: float, call: Callable[[], None]) -> Timer:
        self.due = call
        return self.timer

    def pass_time(self, seconds: float) -> None:
        self.moment += seconds
        call, self.due = self.due, None
        assert call is not None
        call()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A connection: our end and the server's."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        ours = stack.enter_context(socket.create_connection(listener.getsockname()))
        theirs, _ = listener.accept()
        stack.enter_context(theirs)
        yield ours, theirs


def name_of(ours: socket.socket) -> tuple[str, int, int]:
    return (*ours.getpeername(), ours.getsockname()[1])


def is_open(theirs: socket.socket) -> bool:
    theirs.setblocking(False)
    try:
        return theirs.recv(1) != b""
    except BlockingIOError:
        return True


def keep(kept: KeptConnections, ours: socket.socket, seconds: float) -> None:
    kept.keep(name_of(ours), HOST, ours.fileno(), tls="tls/1.3", seconds=seconds)


def test_closed_when_its_time_is_over(pair: tuple[socket.socket, socket.socket]) -> None:
    loop = StoppedLoop()
    kept = KeptConnections(loop)
    keep(kept, pair[0], 5.0)
    loop.pass_time(4.9)
    assert is_open(pair[1])
    assert kept.has(HOST)
    loop.pass_time(0.2)
    assert not is_open(pair[1])
    assert not kept.has(HOST)
    assert loop.due is None


def test_never_kept_longer_than_the_limit(pair: tuple[socket.socket, socket.socket]) -> None:
    loop = StoppedLoop()
    keep(KeptConnections(loop), pair[0], 1e9)
    loop.pass_time(limits.KEEP_SECONDS_MAX)
    assert not is_open(pair[1])


def test_a_connection_in_use_is_left_alone(pair: tuple[socket.socket, socket.socket]) -> None:
    loop = StoppedLoop()
    kept = KeptConnections(loop)
    keep(kept, pair[0], 5.0)
    assert kept.take(name_of(pair[0])) == "tls/1.3"
    assert (len(kept), kept.has(HOST), kept.take(name_of(pair[0]))) == (0, False, "")
    loop.pass_time(60.0)
    assert is_open(pair[1])


def test_another_socket_under_the_same_number_is_left_alone(pair: tuple[socket.socket, socket.socket]) -> None:
    loop = StoppedLoop()
    kept = KeptConnections(loop)
    address, port, local_port = name_of(pair[0])
    kept.keep((address, port, local_port + 1), HOST, pair[0].fileno(), tls="", seconds=1.0)
    kept.keep((address, port, 1), HOST, 1_000_000, tls="", seconds=1.0)
    loop.pass_time(2.0)
    assert len(kept) == 0
    assert is_open(pair[1])


def test_closing_forgets(pair: tuple[socket.socket, socket.socket]) -> None:
    loop = StoppedLoop()
    kept = KeptConnections(loop)
    keep(kept, pair[0], 1.0)
    kept.close()
    assert (len(kept), kept.has(HOST), loop.timer.cancelled) == (0, False, True)


class Clock:
    def now(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


def test_the_fetchers_connection_is_closed_and_another_one_made() -> None:
    allowed = FetchLimits(5.0, 5.0, 10.0, 1, 5, 32_768, 100_000)

    async def check(server: misbehaving.Server) -> None:
        fetcher = CurlFetcher(bool, Clock())
        wanted = FetchRequest(server.url("/"), ("127.0.0.1",), (), allowed, keep_seconds=30.0)
        assert (await fetcher.fetch(wanted)).connections_opened == 1
        world = fetcher._world
        assert world is not None
        assert len(world.kept) == 1
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        server.on_close = lambda: loop.call_soon_threadsafe(ended.set)
        for connection, idle in world.kept._idle.items():
            world.kept._idle[connection] = idle._replace(expires=0.0)
        world.kept._sweep()
        await asyncio.wait_for(ended.wait(), 5)
        assert (await fetcher.fetch(wanted)).connections_opened == 1
        await fetcher.close()

    with misbehaving.serve() as server:
        asyncio.run(check(server))
        assert server.connections == 2
