"""Idle connections and when they must go.

libcurl keeps connections but closes an old one only when it happens to look. A host is promised that its connection is
gone by the time we said, so an expired one is shut down here; libcurl finds it dead and frees it when it looks next.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gossamer.core import limits

if TYPE_CHECKING:
    from collections.abc import Callable

Connection = tuple[str, int, int]
"""Address, port, local port: one connection of this machine."""

_SWEEP_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class _Idle:
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
        self._authorities: dict[str, int] = {}
        self._timer: Timer | None = None

    def __len__(self) -> int:
        return len(self._idle)

    def has(self, authority: str) -> bool:
        """Whether a connection of this authority is idle."""
        return authority in self._authorities

    def keep(self, connection: Connection, authority: str, descriptor: int, *, tls: str, seconds: float) -> None:
        """A request ended; its connection may stay that long."""
        self.take(connection)
        expires = self._loop.time() + min(seconds, limits.KEEP_SECONDS_MAX)
        self._idle[connection] = _Idle(descriptor, expires, authority, tls)
        self._authorities[authority] = self._authorities.get(authority, 0) + 1
        if self._timer is None:
            self._timer = self._loop.call_later(_SWEEP_SECONDS, self._sweep)

    def take(self, connection: Connection) -> str:
        """A request begins on this connection, which is no longer idle; its TLS version, if known."""
        idle = self._idle.pop(connection, None)
        if idle is None:
            return ""
        left = self._authorities[idle.authority] - 1
        if left:
            self._authorities[idle.authority] = left
        else:
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
            _shut_down(connection, idle.descriptor)
        self._timer = self._loop.call_later(_SWEEP_SECONDS, self._sweep) if self._idle else None


def _shut_down(connection: Connection, descriptor: int) -> None:
    """Shut the connection down if `descriptor` still is that connection: libcurl may have closed it long ago."""
    try:
        seen = socket.socket(fileno=descriptor)
    except OSError:
        return
    try:
        address, port = seen.getpeername()[:2]
        if (address, port, seen.getsockname()[1]) == connection:
            seen.shutdown(socket.SHUT_RDWR)
    except (OSError, ValueError):
        # Closed by the other side in the meantime, or another kind of socket.
        return
    finally:
        seen.detach()
