"""The web that `gossamer bench` crawls: documentation of this Python, under many host names, on loopback.

Run as a program it prints its port and serves until its standard input ends; then it prints the CPU seconds that it
took. The pages are made by pydoc at the start, deflated once, and end each in a foot of its own: no two are equal.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from gossamer.app.bench.pages import deflate, gzipped, led
from gossamer.app.demo_server import page

if TYPE_CHECKING:
    from gossamer.app.bench.pages import Deflated

MODULES: Final = (
    "argparse",
    "calendar",
    "codecs",
    "datetime",
    "difflib",
    "email.message",
    "http.server",
    "imaplib",
    "json",
    "numbers",
    "optparse",
    "pickle",
    "queue",
    "random",
    "re",
    "selectors",
    "shutil",
    "statistics",
    "subprocess",
    "tarfile",
    "threading",
    "traceback",
    "types",
    "unittest.mock",
    "urllib.parse",
    "weakref",
    "xml.etree.ElementTree",
    "zipfile",
)
"""Modules with a page of 30 to 90 kB, in every Python from 3.11 on; importing them does nothing."""
PAGES_OF_A_HOST: Final = 1000
NEXT_PAGES: Final = 4
"""Links in a foot to pages further on: so all of a host's pages are found soon."""
ROBOTS: Final = b"User-agent: *\nDisallow: /private/\n"


class Pages:
    """What each host says."""

    def __init__(self) -> None:
        self.paths = [f"/{MODULES[n % len(MODULES)]}-{n}.html".encode() for n in range(PAGES_OF_A_HOST)]
        self._numbers = {path: number for number, path in enumerate(self.paths)}
        self._pieces = [self._piece(module) for module in MODULES]

    def _piece(self, module: str) -> Deflated:
        text = (page(f"/{module}.html") or f"<title>{module}</title>").encode("utf-8", "replace")
        return deflate(led(text.replace(b"</body></html>", b""), lambda n: self.paths[n % len(self.paths)]))

    def answer(self, host: bytes, path: bytes) -> list[bytes]:
        """An HTTP answer, in parts."""
        if path == b"/robots.txt":
            return _answer(b"200 OK", b"Content-Type: text/plain\r\n", [ROBOTS])
        number = self._numbers.get(path)
        if number is None:
            return _answer(b"404 Not Found", b"Content-Type: text/plain\r\n", [b"no such page\n"])
        further = [self.paths[(number * NEXT_PAGES + step) % len(self.paths)] for step in range(1, NEXT_PAGES + 1)]
        links = b" ".join([b'<a href="%s">%s</a>' % (link, link) for link in further])
        foot = b"<p>Page %d of %s: %s</p>\n</body></html>\n" % (number, host, links)
        fields = b"Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
        return _answer(b"200 OK", fields, gzipped(self._pieces[number % len(self._pieces)], foot))


def _answer(status: bytes, fields: bytes, body: list[bytes]) -> list[bytes]:
    length = sum(map(len, body))
    return [b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n" % (status, fields, length), *body]


class Conversation(asyncio.Protocol):
    """One connection, kept until the client closes it."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """See asyncio."""
        self._received += data
        if not self._received.endswith(b"\r\n\r\n"):
            return
        lines = self._received.split(b"\r\n")
        self._received = b""
        host = next((line[5:].strip() for line in lines if line[:5].lower() == b"host:"), b"")
        path = lines[0].split(b" ")[1] if lines[0].startswith(b"GET ") else b""
        self._transport.writelines(self._pages.answer(host, path))


async def serve() -> None:
    """Serve on a free port of 127.0.0.1 until standard input ends."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    pages = Pages()
    server = await loop.create_server(partial(Conversation, pages), "127.0.0.1", 0, backlog=1024)
    began = time.process_time()
    print(json.dumps({"port": server.sockets[0].getsockname()[1], "path": pages.paths[0].decode()}), flush=True)

    def wait_for_end() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=wait_for_end, daemon=True).start()
    await ended.wait()
    print(json.dumps({"cpu_seconds": time.process_time() - began}), flush=True)


if __name__ == "__main__":
    import uvloop

    uvloop.run(serve())
