"""Proxies on loopback that keep what they were asked for: HTTP (whole URLs and CONNECT) and SOCKS5 (RFC 1928, 1929).

Names are not resolved: whatever a client asks for, its connection goes to one target, so a name nobody knows will do.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field

Converse = Callable[["Proxy", asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]


@dataclass
class Proxy:
    """A running proxy."""

    target: int
    """The port of 127.0.0.1 that every connection goes to."""
    login: str = ""
    """"user:password" that it asks for; empty for none."""
    port: int = 0
    asked: list[str] = field(default_factory=list[str])
    """What it was asked for, in order: "GET URL", "CONNECT HOST:PORT", "socks NAME:PORT", "socks ADDRESS:PORT"."""
    logins: list[str] = field(default_factory=list[str])
    heads: list[str] = field(default_factory=list[str])
    """Heads that the proxy itself could read."""
    loop: asyncio.AbstractEventLoop | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()


async def _join(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, said: bytes) -> None:
    there, back = await asyncio.open_connection("127.0.0.1", proxy.target)
    try:
        writer.write(said)
        await asyncio.gather(_pump(reader, back), _pump(there, writer))
    finally:
        await _close(back)


async def _http(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        proxy.heads.append(head)
        first, *lines = head.rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ")
        proxy.asked.append(f"{method} {target}")
        if proxy.login and not _is_logged_in(proxy, lines):
            writer.write(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
            writer.write_eof()
            await reader.read()
            return
        if method == "CONNECT":
            await _join(proxy, reader, writer, said=b"HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
            return
        kept = [line for line in lines if not line.lower().startswith("proxy-")]
        await _hand_on(proxy, [f"{method} /{target.split('/', 3)[3]} HTTP/1.1", *kept, "", ""], writer)


def _is_logged_in(proxy: Proxy, lines: list[str]) -> bool:
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    given = fields.get("proxy-authorization", "").removeprefix("Basic ")
    proxy.logins.append(base64.b64decode(given).decode())
    return proxy.logins[-1] == proxy.login


async def _hand_on(proxy: Proxy, lines: list[str], writer: asyncio.StreamWriter) -> None:
    """One request and its answer, whose length the target names."""
    there, back = await asyncio.open_connection("127.0.0.1", proxy.target)
    try:
        back.write("\r\n".join(lines).encode("latin-1"))
        head = await there.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        writer.write(head + await there.readexactly(length))
    finally:
        await _close(back)


async def _socks(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    _, count = await reader.readexactly(2)
    methods = await reader.readexactly(count)
    wanted = 2 if proxy.login else 0
    if wanted not in methods:
        writer.write(b"\x05\xff")
        return
    writer.write(bytes((5, wanted)))
    if wanted:
        _, length = await reader.readexactly(2)
        user = (await reader.readexactly(length)).decode()
        (length,) = await reader.readexactly(1)
        proxy.logins.append(f"{user}:{(await reader.readexactly(length)).decode()}")
        good = proxy.logins[-1] == proxy.login
        writer.write(b"\x01\x00" if good else b"\x01\x01")
        if not good:
            writer.write_eof()
            await reader.read()
            return
    _, command, _, kind = await reader.readexactly(4)
    assert command == 1, "only CONNECT"
    if kind == 3:
        (length,) = await reader.readexactly(1)
        name = (await reader.readexactly(length)).decode()
    else:
        name = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
    port = int.from_bytes(await reader.readexactly(2), "big")
    proxy.asked.append(f"socks {name}:{port}")
    await _join(proxy, reader, writer, said=b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")


async def _run(proxy: Proxy, converse: Converse, ready: threading.Event) -> None:
    under_way: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await converse(proxy, reader, writer)
        finally:
            await _close(writer)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        under_way.add(asyncio.ensure_future(talk(reader, writer)))

    proxy.loop = asyncio.get_running_loop()
    proxy.loop.set_exception_handler(lambda _loop, _context: None)  # a client that goes away is no news here
    listener = await asyncio.start_server(accept, "127.0.0.1", 0)
    proxy.port = int(listener.sockets[0].getsockname()[1])
    ready.set()
    await proxy.stop.wait()
    listener.close()
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)


@contextlib.contextmanager
def _serve(converse: Converse, target: int, login: str) -> Iterator[Proxy]:
    proxy, ready = Proxy(target, login), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_run(proxy, converse, ready)), daemon=True)
    thread.start()
    if not ready.wait(10) or proxy.loop is None:
        raise RuntimeError("the proxy did not start")
    try:
        yield proxy
    finally:
        proxy.loop.call_soon_threadsafe(proxy.stop.set)
        thread.join(10)


def http(target: int, login: str = "") -> contextlib.AbstractContextManager[Proxy]:
    """An HTTP proxy before the server on `target`."""
    return _serve(_http, target, login)


def socks5(target: int, login: str = "") -> contextlib.AbstractContextManager[Proxy]:
    """A SOCKS5 proxy before the server on `target`."""
    return _serve(_socks, target, login)
