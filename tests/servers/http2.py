"""A loopback HTTP/2 server that answers by path, in full or in pieces; over TLS with ALPN, as browsers speak it.

with http2.serve(certificates) as server:
    server.url("/page")
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, RequestReceived

if TYPE_CHECKING:
    from tests.servers.misbehaving import Certificates

PAGE = b"<!doctype html><title>second</title><a href=/next>next</a>"
HTML = ("content-type", "text/html")
Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    headers: tuple[tuple[str, str], ...]
    connection: int

    def __getitem__(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")


@dataclass
class Server:
    """A running server."""

    port: int = 0
    seen: list[Seen] = field(default_factory=list[Seen])
    connections: int = 0
    loop: asyncio.AbstractEventLoop | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str, host: str = "good.test") -> str:
        return f"https://{host}:{self.port}{path}"


def whole(
    connection: H2Connection, stream: int, status: str = "200", body: bytes = PAGE, *more: tuple[str, str]
) -> None:
    """A complete answer."""
    connection.send_headers(stream, [(":status", status), HTML, *more])
    connection.send_data(stream, body, end_stream=True)


def _early_hints(connection: H2Connection, stream: int) -> None:
    connection.send_headers(stream, [(":status", "103"), ("link", "</a.css>; rel=preload")])
    whole(connection, stream)


def _cut(connection: H2Connection, stream: int) -> None:
    connection.send_headers(stream, [(":status", "200"), HTML, ("content-length", "1000")])
    connection.send_data(stream, PAGE)
    connection.reset_stream(stream, ErrorCodes.INTERNAL_ERROR)


def _refuse(connection: H2Connection, stream: int) -> None:
    connection.reset_stream(stream, ErrorCodes.REFUSED_STREAM)


def _trailers(connection: H2Connection, stream: int) -> None:
    connection.send_headers(stream, [(":status", "200"), HTML])
    connection.send_data(stream, PAGE)
    connection.send_headers(stream, [("x-checksum", "1")], end_stream=True)


def _no_body(connection: H2Connection, stream: int) -> None:
    connection.send_headers(stream, [(":status", "204")], end_stream=True)


def _go_away(connection: H2Connection, stream: int) -> None:
    whole(connection, stream)
    connection.close_connection()


_LONG: Headers = [(f"x-{number}", "v" * 4000) for number in range(12)]
ANSWERS: dict[str, Callable[[H2Connection, int], None]] = {
    "/page": whole,
    "/moved": lambda connection, stream: whole(connection, stream, "301", b"", ("location", "/page")),
    "/gone": lambda connection, stream: whole(connection, stream, "404", b"no"),
    "/hints": _early_hints,
    "/cut": _cut,
    "/refused": _refuse,
    "/trailers": _trailers,
    "/none": _no_body,
    "/go-away": _go_away,
    "/big-head": lambda connection, stream: whole(connection, stream, "200", PAGE, *_LONG),
}


async def _converse(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    server.connections += 1
    number = server.connections
    connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
    connection.initiate_connection()
    writer.write(connection.data_to_send())
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            for event in connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    headers = tuple((str(name), str(value)) for name, value in event.headers or ())
                    seen = Seen(headers, number)
                    server.seen.append(seen)
                    ANSWERS.get(seen[":path"], whole)(connection, event.stream_id or 0)
                elif isinstance(event, ConnectionTerminated):
                    writer.close()
                    return
            writer.write(connection.data_to_send())
            await writer.drain()
    writer.close()


async def _run(server: Server, context: ssl.SSLContext, ready: threading.Event) -> None:
    server.loop = asyncio.get_running_loop()
    listener = await asyncio.start_server(lambda r, w: _converse(server, r, w), "127.0.0.1", 0, ssl=context)
    server.port = listener.sockets[0].getsockname()[1]
    ready.set()
    await server.stop.wait()
    listener.close()


@contextlib.contextmanager
def serve(certificates: Certificates, protocols: tuple[str, ...] = ("h2", "http/1.1")) -> Iterator[Server]:
    """Serve until the block ends."""
    server, ready = Server(), threading.Event()
    context = certificates.context()
    context.set_alpn_protocols(list(protocols))
    thread = threading.Thread(target=lambda: asyncio.run(_run(server, context, ready)), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield server
    finally:
        if server.loop is not None:
            server.loop.call_soon_threadsafe(server.stop.set)
        thread.join(10)
