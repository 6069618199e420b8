"""Idle connections and when they must go.

libcurl keeps connections but closes an old one only when it happens to look. A host is promised that its connection is
gone by the time we said, so an expired one is shut down here; libcurl finds it dead and frees it when it looks next.
"""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gossamer.core import limits

if TYPE_CHECKING:
    from collections.abc import Callable

Connection = tuple[str, int, int]
"""Address, port, local port: one connection of this machine."""

_SWEEP_SECONDS = 0.5


class _Idle(NamedTuple):
    descriptor: int
    expires: float
    authority: str
    tls: str


class Timer(Protocol):
    """A call to come."""

    def cancel(self) -> None:
        """It shall not come."""
        ...


class LoopTime(Protocol):
    """What an event loop knows of time."""

    def time(self) -> float:
        """Seconds since some moment."""
        ...

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        """Call in so many seconds."""
        ...


class KeptConnections:
    """The idle connections of one fetcher, by the loop's time."""

    def __init__(self, loop: LoopTime) -> None:
        self._loop = loop
        self._idle: dict[Connection, _Idle] = {}
        self._authorities: dict[str, set[Connection]] = {}
        self._shut: set[str] = set()
        """Authorities of connections that we ended and libcurl may not have noticed."""
        self._timer: Timer | None = None

    def __len__(self) -> int:
        return len(self._idle)

    def has(self, authority: str) -> bool:
        """Whether a connection of this authority is idle."""
        return authority in self._authorities

    def are_open(self, authority: str) -> bool:
        """Whether no connection that libcurl may choose for this authority has ended: it looks once a second at most,
        and a request on a dead connection is lost.
        """
        if authority in self._shut:
            self._shut.discard(authority)
            return False
        kept = self._authorities.get(authority)
        return kept is None or _are_silent([self._idle[connection].descriptor for connection in kept])

    def keep(self, connection: Connection, authority: str, descriptor: int, *, tls: str, seconds: float) -> None:
        """A request ended; its connection may stay that long."""
        if connection in self._idle:
            self.take(connection)
        expires = self._loop.time() + min(seconds, limits.KEEP_SECONDS_MAX)
        self._idle[connection] = _Idle(descriptor, expires, authority, tls)
        self._authorities.setdefault(authority, set()).add(connection)
        if self._timer is None:
            self._timer = self._loop.call_later(_SWEEP_SECONDS, self._sweep)

    def take(self, connection: Connection) -> str:
        """A request begins on this connection, which is no longer idle; its TLS version, if known."""
        idle = self._idle.pop(connection, None)
        if idle is None:
            return ""
        left = self._authorities[idle.authority]
        left.discard(connection)
        if not left:
            del self._authorities[idle.authority]
        return idle.tls

    def close(self) -> None:
        """Forget all; whoever closes libcurl closes the connections."""
        self._idle.clear()
        self._authorities.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _sweep(self) -> None:
        now = self._loop.time()
        for connection, idle in [item for item in self._idle.items() if item[1].expires <= now]:
            self.take(connection)
            self._shut.add(idle.authority)
            _shut_down(connection, idle.descriptor)
        self._timer = self._loop.call_later(_SWEEP_SECONDS, self._sweep) if self._idle else None


def _shut_down(connection: Connection, descriptor: int) -> None:
    """Shut the connection down if `descriptor` still is that connection: libcurl may have closed it long ago."""
    seen = _borrow(connection, descriptor)
    if seen is not None:
        with suppress(OSError):  # closed by the other side in the meantime
            seen.shutdown(socket.SHUT_RDWR)
        seen.detach()


def _are_silent(descriptors: list[int]) -> bool:
    """Whether none of the connections has ended or has something to say: on an idle one, input is a farewell.

    A descriptor that has become another connection's, since libcurl closed ours, may be wrongly found to speak; then a
    new connection is made that need not have been.
    """
    asked = select.poll()
    for descriptor in descriptors:
        asked.register(descriptor, select.POLLIN)
    return not asked.poll(0)


def _borrow(connection: Connection, descriptor: int) -> socket.socket | None:
    """The socket of `descriptor` if it still is that connection. Whoever gets it must detach it."""
    try:
        seen = socket.socket(fileno=descriptor)
    except OSError:
        return None
    with suppress(OSError, ValueError):  # closed by the other side in the meantime, or another kind of socket
        address, port = seen.getpeername()[:2]
        if (address, port, seen.getsockname()[1]) == connection:
            return seen
    seen.detach()
    return None
