"""The exchange of one worker: its own shards at hand, those of the others at the end of a line."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from gossamer.adapters.exchange_socket.answering import Caller
from gossamer.adapters.exchange_socket.asking import DistantInbox, Line
from gossamer.adapters.exchange_socket.messages import Hello

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path
    from typing import Any

    from gossamer.adapters.exchange_socket.answering import Start
    from gossamer.core.deal import Deal
    from gossamer.ports.exchange import ShardInbox


class SocketExchange:
    """Worker K of a deal listens at `path(K)`, in a folder that nobody else may enter; `secret` is that of the run."""

    def __init__(self, deal: Deal, path: Callable[[int], Path], secret: bytes) -> None:
        self._deal = deal
        self._path = path
        self._secret = secret
        self._own: dict[int, ShardInbox] = {}
        self._distant: dict[int, DistantInbox] = {}
        self._lines: dict[int, Line] = {}
        self._callers: set[Caller] = set()
        self._server: asyncio.AbstractServer | None = None
        self._start: Start = _task

    def join(self, number: int, inbox: ShardInbox) -> None:
        """Make a shard of this worker known to all."""
        self._own[number] = inbox

    def shard(self, number: int) -> ShardInbox:
        """The shard of that number, wherever it runs."""
        own = self._own.get(number)
        if own is not None:
            return own
        inbox = self._distant.get(number)
        if inbox is None:
            inbox = self._distant[number] = DistantInbox(self._line(self._deal.owner_of(number)), number)
        return inbox

    async def open(self, start: Start) -> None:
        """Listen, and connect to the others. `start` runs what they ask for."""
        self._start = start
        path = self._path(self._deal.worker)
        with contextlib.suppress(FileNotFoundError):
            # One that a killed process left.
            path.unlink()
        self._server = await asyncio.get_running_loop().create_unix_server(self._called, str(path))
        path.chmod(0o600)

    async def close(self) -> None:
        """Give the sockets back; calling it twice is harmless."""
        for line in self._lines.values():
            line.close()
        self._lines.clear()
        for caller in list(self._callers):
            caller.connection.abort()
        if self._server is not None:
            self._server.close()
            self._server = None
            with contextlib.suppress(OSError):
                self._path(self._deal.worker).unlink()

    def _called(self) -> asyncio.Protocol:
        caller = Caller(self._own, self._secret, self._start)
        self._callers.add(caller)
        caller.connection.lost.add_done_callback(lambda _: self._callers.discard(caller))
        return caller.connection

    def _line(self, worker: int) -> Line:
        """The line to another worker; it connects when it is first needed."""
        line = self._lines.get(worker)
        if line is None:
            line = self._lines[worker] = Line(self._path(worker), Hello(self._secret, self._deal.worker))
            line.open()
        return line


def _task(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.get_running_loop().create_task(work)
