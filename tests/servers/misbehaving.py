"""A loopback HTTP server that misbehaves by path, and records what it was asked.

    with misbehaving.serve() as server:
        server.url("/cut-body")

Every path is one kind of misbehaviour; `raw` answers with any bytes one likes. It runs on its own event loop in a
thread, so code under test may use any loop. It never sleeps: an answer that does not come waits for the client to go
away.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import ssl
import subprocess
import threading
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PAGE = b"<!doctype html><title>page</title><a href=/next>next</a>"

CHUNK = b"<p>" * 1365 + b"x"
"""What an endless body repeats."""


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    head: bytes
    connection: int
    """Number of the connection it came on, from 1."""

    @property
    def target(self) -> str:
        return self.head.split(b" ", 2)[1].decode("latin-1")


@dataclass
class Server:
    """A running server."""

    host: str
    port: int
    scheme: str
    raw: dict[str, bytes] = field(default_factory=dict)
    """path -> the whole answer; the connection is closed after it."""
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    closed: int = 0
    """Connections that have ended."""
    loop: asyncio.AbstractEventLoop | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    on_request: Callable[[], object] = bool
    """Called in the server's thread when a request has come."""
    on_close: Callable[[], object] = bool
    """Called in the server's thread when a connection has ended."""

    def url(self, path: str, host: str = "") -> str:
        name = host or (f"[{self.host}]" if ":" in self.host else self.host)
        return f"{self.scheme}://{name}:{self.port}{path}"


class Conversation:
    """One connection of one client."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server, self.reader, self.writer = server, reader, writer
        server.connections += 1
        self.number = server.connections

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def until_gone(self) -> None:
        """Wait for the client to close."""
        while await self.reader.read(65536):
            pass

    def reset(self) -> None:
        """Close with a reset rather than a farewell."""
        self.writer.transport.abort()


Behaviour = Callable[[Conversation, Seen], Awaitable[bool]]
"""Answers one request; True keeps the connection."""

BEHAVIOURS: dict[str, Behaviour] = {}


def path(name: str) -> Callable[[Behaviour], Behaviour]:
    def register(behaviour: Behaviour) -> Behaviour:
        BEHAVIOURS[name] = behaviour
        return behaviour

    return register


def answer(data: bytes, *, keep: bool = False) -> Behaviour:
    """The behaviour of sending fixed bytes."""

    async def send(conversation: Conversation, _seen: Seen) -> bool:
        await conversation.send(data)
        return keep

    return send


def sized(body: bytes, extra: bytes = b"", status: bytes = b"200 OK") -> bytes:
    head = b"HTTP/1.1 " + status + b"\r\nContent-Type: text/html\r\n" + extra
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


BEHAVIOURS |= {
    "/": answer(sized(PAGE), keep=True),
    "/close": answer(sized(PAGE, b"Connection: close\r\n")),
    "/until-close": answer(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE),
    "/short-body": answer(OK + b"Content-Length: 1000\r\n\r\n" + PAGE),
    "/no-body-at-all": answer(OK + b"Content-Length: 1000\r\n\r\n"),
    "/long-body": answer(OK + b"Content-Length: 4\r\n\r\n" + PAGE),
    "/chunked": answer(
        OK + b"Transfer-Encoding: chunked\r\n\r\n6;x=y\r\n<b>hi \r\n7\r\nthere</\r\n2\r\nb>\r\n0\r\n\r\n"
    ),
    "/trailers": answer(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Late: 1\r\n\r\n", keep=True),
    "/bad-trailer": answer(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nHTTP/1.1 500 No\r\n\r\n"),
    "/bad-chunk": answer(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nnonsense\r\n"),
    "/chunk-cut": answer(OK + b"Transfer-Encoding: chunked\r\n\r\nff\r\n" + PAGE),
    "/chunk-huge-size": answer(OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nok"),
    "/early-hints": answer(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + sized(PAGE), keep=True
    ),
    "/204-with-body": answer(b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody"),
    "/http-0.9": answer(PAGE),
    "/nothing": answer(b""),
    "/half-a-head": answer(OK + b"X-Cut: ye"),
    "/binary": answer(bytes(range(256)) * 8),
    "/injected": answer(b"HTTP/1.1 200 OK\r\nX-A: 1\rX-B: 2\r\nno colon here\r\nX C: 3\r\nContent-Length: 0\r\n\r\n"),
    "/folded": answer(b"HTTP/1.1 200 OK\r\nX-Fold: one\r\n two\r\nContent-Length: 0\r\n\r\n"),
    "/two-lengths": answer(OK + b"Content-Length: 4\r\nContent-Length: 9\r\n\r\nabcdefghi"),
    "/length-and-chunked": answer(
        OK + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n0\r\n\r\n"
    ),
    "/image": answer(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000),
    "/image-404": answer(
        b"HTTP/1.1 404 Not Found\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\ngone", keep=True
    ),
    "/untyped": answer(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage", keep=True),
    "/gzip": answer(sized(gzip.compress(PAGE, mtime=0), b"Content-Encoding: gzip\r\n"), keep=True),
    "/gzip-bomb": answer(sized(gzip.compress(bytes(20_000_000), mtime=0), b"Content-Encoding: gzip\r\n")),
    "/not-gzip": answer(sized(PAGE, b"Content-Encoding: gzip\r\n")),
    "/raw-deflate": answer(
        sized(zlib.compress(PAGE)[2:-4], b"Content-Encoding: deflate\r\n"),
    ),
    "/cookie": answer(b"HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: /cookie\r\nContent-Length: 0\r\n\r\n"),
    "/moved": answer(b"HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", keep=True),
}


@path("/redirect-ring")
async def _redirect_ring(conversation: Conversation, seen: Seen) -> bool:
    step = int(seen.target.partition("?")[2] or 0)
    location = b"/redirect-ring?%d" % ((step + 1) % 3)
    await conversation.send(b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n")
    return True


@path("/echo")
async def _echo(conversation: Conversation, seen: Seen) -> bool:
    await conversation.send(sized(seen.head))
    return True


@path("/size")
async def _size(conversation: Conversation, seen: Seen) -> bool:
    await conversation.send(sized(b"x" * int(seen.target.partition("?")[2])))
    return True


@path("/silent")
async def _silent(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.until_gone()
    return False


@path("/stalled-head")
async def _stalled_head(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.send(OK)
    await conversation.until_gone()
    return False


@path("/stalled-body")
async def _stalled_body(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.send(OK + b"Content-Length: 1000\r\n\r\n" + PAGE)
    await conversation.until_gone()
    return False


@path("/stalled-before-body")
async def _stalled_before_body(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.send(OK + b"Content-Length: 1000\r\n\r\n")
    await conversation.until_gone()
    return False


@path("/endless-body")
async def _endless_body(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.send(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    chunk = b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK)
    while not conversation.writer.is_closing():
        await conversation.send(chunk)
    return False


@path("/endless-head")
async def _endless_head(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.send(OK)
    number = 0
    while not conversation.writer.is_closing():
        await conversation.send(b"X-%d: %s\r\n" % (number, b"y" * 1000))
        number += 1
    return False


@path("/endless-line")
async def _endless_line(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.send(OK + b"X-Long: ")
    while not conversation.writer.is_closing():
        await conversation.send(b"y" * 4096)
    return False


@path("/endless-interim")
async def _endless_interim(conversation: Conversation, _seen: Seen) -> bool:
    while not conversation.writer.is_closing():
        await conversation.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 20)
    return False


@path("/reset")
async def _reset(conversation: Conversation, _seen: Seen) -> bool:
    conversation.reset()
    return False


@path("/reset-mid-body")
async def _reset_mid_body(conversation: Conversation, _seen: Seen) -> bool:
    await conversation.send(OK + b"Content-Length: 100000\r\n\r\n" + PAGE)
    # The client must have read the beginning before the reset takes what is still on its way.
    await conversation.reader.read(1)
    return False


async def _converse(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    conversation = Conversation(server, reader, writer)
    try:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            keep = True
            while keep:
                seen = Seen(await reader.readuntil(b"\r\n\r\n"), conversation.number)
                server.seen.append(seen)
                server.on_request()
                keep = await _behave(conversation, seen)
    finally:
        server.closed += 1
        server.on_close()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _behave(conversation: Conversation, seen: Seen) -> bool:
    name = seen.target.partition("?")[0]
    if name in conversation.server.raw:
        await conversation.send(conversation.server.raw[name])
        return False
    missing = answer(sized(b"not here", status=b"404 Not Found"), keep=True)
    return await BEHAVIOURS.get(name, missing)(conversation, seen)


async def _run(server: Server, context: ssl.SSLContext | None, ready: threading.Event) -> None:
    def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Coroutine[Any, Any, None]:
        return _converse(server, reader, writer)

    server.loop = asyncio.get_running_loop()
    server.loop.set_exception_handler(lambda _loop, _context: None)  # a client that goes away is no news here
    listener = await asyncio.start_server(converse, server.host, server.port, ssl=context, backlog=512)
    server.port = listener.sockets[0].getsockname()[1]
    ready.set()
    async with listener:
        await server.stop.wait()


@contextlib.contextmanager
def serve(host: str = "127.0.0.1", context: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Server]:
    """A server on `port` of `host` (0: a free one), over TLS if there is a context."""
    server = Server(host, port, "https" if context else "http")
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_run(server, context, ready)), daemon=True)
    thread.start()
    if not ready.wait(10) or server.loop is None:
        raise RuntimeError("the loopback server did not start")
    try:
        yield server
    finally:
        server.loop.call_soon_threadsafe(server.stop.set)
        thread.join(10)


@dataclass(frozen=True)
class Certificates:
    """Files of a certificate authority made for one test run, and of one certificate."""

    ca_file: Path
    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """A server's context with the certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def make_certificates(folder: Path, name: str, *others: str, days: int = 2) -> Certificates:
    """A CA and a certificate for the DNS name `name` and others, by the openssl command. Raises OSError without it."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days))
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA")
    names = ",".join(f"DNS:{each}" for each in (name, *others))
    extensions = (f"subjectAltName={names}", "basicConstraints=critical,CA:FALSE")
    added = [part for extension in extensions for part in ("-addext", extension)]
    openssl(
        *("req", "-x509", *key, "-keyout", "leaf.key", "-out", "leaf.pem", "-subj", f"/CN={name}"),
        *("-CA", "ca.pem", "-CAkey", "ca.key", *added),
    )
    return Certificates(folder / "ca.pem", folder / "leaf.pem", folder / "leaf.key")
