"""A small web site out of a table, on loopback, with a log of its own in the form of nginx's.

    with small_site.serve({"/": page("/a"), "/a": Answer(b"hello")}) as site:
        site.url("/")

A key is a path (with its query), or "//host/path" for one virtual host only, which wins. A value is an Answer, or a
function of the request and of how often it was asked before. It runs on an event loop of its own in a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.servers.nginx import Hit

REASONS = {
    200: "OK",
    301: "Moved Permanently",
    302: "Found",
    404: "Not Found",
    429: "Too Many Requests",
    503: "Service Unavailable",
}


@dataclass(frozen=True)
class Answer:
    """What is sent."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/html"
    fields: tuple[tuple[str, str], ...] = ()
    held: bool = False
    """Not sent before `Site.release`."""
    seconds: float = 0.0
    """Time the server takes over it."""
    reset: bool = False
    """The connection is reset instead."""


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    target: str
    host: str
    """The Host field without port, lower case."""
    port: int
    connection: int
    fields: dict[str, str]


Behaviour = Answer | Callable[[Asked, int], Answer]
MISSING = Answer(b"not here", 404)


def page(*links: str, title: str = "", more: str = "", head: str = "") -> Answer:
    """An HTML page with plain links; its title (by default its links) keeps its bytes from being another's."""
    anchors = "".join(f'<a href="{link}">{link}</a>\n' for link in links)
    title = title or " ".join(links) or "leaf"
    return Answer(f"<!doctype html><title>{title}</title>{head}<p>{more}</p>\n{anchors}".encode())


def redirect(target: str, status: int = 301, *fields: tuple[str, str]) -> Answer:
    """A redirect."""
    return Answer(b"", status, "text/html", (("Location", target), *fields))


def robots(*lines: str) -> Answer:
    """A robots.txt."""
    return Answer("\n".join(lines).encode() + b"\n", media_type="text/plain")


@dataclass
class Site:
    """A running site."""

    table: dict[str, Behaviour]
    ports: list[int] = field(default_factory=list[int])
    log: list[Hit] = field(default_factory=list[Hit])
    """Finished requests."""
    begun: list[Asked] = field(default_factory=list[Asked])
    """All requests, also those not answered yet."""
    loop: asyncio.AbstractEventLoop | None = None
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0
    asked: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])

    @property
    def port(self) -> int:
        return self.ports[0]

    def url(self, path: str = "/", host: str = "127.0.0.1", listener: int = 0) -> str:
        """The URL of a path, by any name of the host."""
        return f"http://{host}:{self.ports[listener]}{path}"

    def release(self) -> None:
        """Let held answers go."""
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.gate.set)

    def hits(self) -> list[Hit]:
        """All finished requests, in the order in which they began."""
        return sorted(self.log, key=lambda hit: (hit.started, hit.ended))

    def paths(self) -> list[str]:
        """What was asked for, in order, without robots.txt."""
        return [hit.uri for hit in self.hits() if hit.uri != "/robots.txt"]

    def await_begun(self, path: str, seconds: float = 20.0) -> None:
        """Block until a path was asked for. Raises TimeoutError."""
        until = time.monotonic() + seconds
        while not any(asked.target == path for asked in list(self.begun)):
            if time.monotonic() > until:
                raise TimeoutError(f"nobody asked for {path}")
            threading.Event().wait(0.005)


async def _ask(reader: asyncio.StreamReader, port: int, connection: int) -> tuple[Asked, float] | None:
    """The next request, and when its first byte came."""
    first = await reader.read(1)
    if not first:
        return None
    started = time.time()
    head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.split("\r\n")
    method, target, _ = line.split(" ", 2)
    fields = {name.strip().lower(): value.strip() for name, _, value in (text.partition(":") for text in rest if text)}
    host = fields.get("host", "").rpartition(":")[0] or fields.get("host", "")
    return Asked(method, target, host.lower(), port, connection, fields), started


def _encoded(answer: Answer) -> bytes:
    fields = [("Content-Type", answer.media_type)] if answer.media_type else []
    lines = [f"{name}: {value}" for name, value in (*fields, *answer.fields)]
    head = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Said')}", *lines]
    return ("\r\n".join(head) + f"\r\nContent-Length: {len(answer.body)}\r\n\r\n").encode("latin-1") + answer.body


def _choose(site: Site, asked: Asked) -> Answer:
    key = f"//{asked.host}{asked.target}"
    found = site.table.get(key) or site.table.get(asked.target) or MISSING
    before = site.asked[asked.host, asked.target]
    site.asked[asked.host, asked.target] += 1
    return found(asked, before) if callable(found) else found


async def _converse(site: Site, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    site.connections += 1
    number = site.connections
    try:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, ValueError):
            while (request := await _ask(reader, port, number)) is not None:
                asked, started = request
                site.begun.append(asked)
                answer = _choose(site, asked)
                if answer.held:
                    await site.gate.wait()
                if answer.seconds:
                    await asyncio.sleep(answer.seconds)
                # The end is noted before the bytes go: afterwards this thread may have to wait for a processor while
                # the client already counts its gap, or a test reads the log.
                site.log.append(_hit(asked, started, answer))
                if answer.reset:
                    writer.transport.abort()
                else:
                    writer.write(_encoded(answer))
                if answer.reset:
                    break
                await writer.drain()
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _hit(asked: Asked, started: float, answer: Answer) -> Hit:
    return Hit(
        started=started,
        ended=time.time(),
        host=asked.host,
        port=asked.port,
        method=asked.method,
        uri=asked.target,
        status=0 if answer.reset else answer.status,
        body_bytes=len(answer.body),
        connection=asked.connection,
        agent=asked.fields.get("user-agent", ""),
        address="127.0.0.1",
    )


def _at(site: Site, port: int) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]:
    def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Coroutine[Any, Any, None]:
        return _converse(site, port or int(writer.get_extra_info("sockname")[1]), reader, writer)

    return converse


async def _run(site: Site, ports: int, ready: threading.Event) -> None:
    site.loop = asyncio.get_running_loop()
    site.loop.set_exception_handler(lambda _loop, _context: None)  # a client that goes away is no news here
    listeners = [await asyncio.start_server(_at(site, 0), "127.0.0.1", 0, backlog=512) for _ in range(ports)]
    site.ports = [int(listener.sockets[0].getsockname()[1]) for listener in listeners]
    ready.set()
    await site.stop.wait()
    for listener in listeners:
        listener.close()


@contextlib.contextmanager
def serve(table: Mapping[str, Behaviour], ports: int = 1) -> Iterator[Site]:
    """The site on `ports` free ports of 127.0.0.1, the same table on each."""
    site = Site(dict(table))
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_run(site, ports, ready)), daemon=True)
    thread.start()
    if not ready.wait(10) or site.loop is None:
        raise RuntimeError("the small site did not start")
    try:
        yield site
    finally:
        site.loop.call_soon_threadsafe(site.stop.set)
        thread.join(10)
