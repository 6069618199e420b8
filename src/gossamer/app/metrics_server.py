"""Serves the metrics over HTTP: one request a connection, `GET /metrics`, on the loop of the crawl.

Whoever asks is not trusted: a request is read up to a few kilobytes and seconds, nothing of it is kept or answered
with, and a handful of connections are served at once; a crowd is closed unheard.
"""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from gossamer.app.errors import UserError
from gossamer.app.exposition import CONTENT_TYPE, exposition
from gossamer.app.metrics import families
from gossamer.core.limits import (
    METRICS_CONNECTIONS_MAX,
    METRICS_REQUEST_BYTES_MAX,
    METRICS_SECONDS_MAX,
    METRICS_WAITING_MAX,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from gossamer.app.metrics import Readings
    from gossamer.app.settings import Settings

NOT_HERE: Final = "the metrics are at /metrics\n"
REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    503: "Service Unavailable",
}


@asynccontextmanager
async def serving_metrics(settings: Settings, readings: Callable[[], Readings]) -> AsyncGenerator[None]:
    """Serve while the block runs, if `metrics.address` says where. Raises UserError where that is not possible."""
    if settings.metrics.address is None:
        yield
        return
    host, _, port = settings.metrics.address.rpartition(":")
    server = MetricsServer(lambda: exposition(families(readings())))
    await server.start(host.strip("[]"), int(port))
    try:
        yield
    finally:
        server.close()


class MetricsServer:
    """Answers with what `text` makes at that moment."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._server: asyncio.Server | None = None
        self._connections = 0

    @property
    def port(self) -> int:
        """Where it listens."""
        if self._server is None:
            raise ValueError("start it first")
        return int(self._server.sockets[0].getsockname()[1])

    async def start(self, host: str, port: int) -> None:
        """Listen; port 0 takes a free one."""
        try:
            self._server = await asyncio.start_server(self._serve, host, port, limit=METRICS_REQUEST_BYTES_MAX)
        except OSError as error:
            raise UserError(
                f"metrics.address: {host}:{port} cannot be listened on: {error.strerror or error}",
                "choose another port, or leave --metrics out",
            ) from error

    def close(self) -> None:
        """Stop listening; calling it twice is harmless."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._connections >= METRICS_WAITING_MAX:
            writer.transport.abort()
            return
        self._connections += 1
        # A peer that goes away, sends too much or nothing ends its own connection and nothing else.
        try:
            with contextlib.suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, EOFError):
                await asyncio.wait_for(self._answer(reader, writer), METRICS_SECONDS_MAX)
        finally:
            self._connections -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            head = b""
        status, text = self._found(head.split(b"\r\n", 1)[0].split(b" "))
        body = b"" if head.startswith(b"HEAD ") else text.encode()
        writer.write(
            f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: {CONTENT_TYPE}\r\n"
            f"Content-Length: {len(text.encode())}\r\nConnection: close\r\n\r\n".encode()
            + body
        )
        await writer.drain()

    def _found(self, line: list[bytes]) -> tuple[int, str]:
        if self._connections > METRICS_CONNECTIONS_MAX:
            return 503, "too many at once\n"
        if len(line) != 3 or not line[2].startswith(b"HTTP/1."):
            return 400, "not an HTTP request\n"
        if line[0] not in (b"GET", b"HEAD"):
            return 405, "GET it\n"
        if line[1].split(b"?")[0] != b"/metrics":
            return 404, NOT_HERE
        return 200, self._text()
