"""A web of very many hosts on loopback, made from numbers: a cheap HTTP server on many addresses, and its name server.

    with many_hosts.serve(hosts=1_000_000, addresses=2_000, hubs=1_000) as web:
        web.port, web.nameserver, web.seeds()
    web.stats["pages"], web.stats["cpu_seconds"], ...

It runs in a process of its own, so that its cost is not the crawler's; what it cost is in `stats`. Host number n is
`h<n>.test` on address number n mod `addresses` and has a few pages, `/` and `/p/<k>`, by its number. A page is a real
one from the documentation of Debian packages, its links led to the host's own pages, with a foot that makes it unlike
every other page of this web and names some other hosts. The real part is deflated once for all; the foot is a stored
block behind it, so that a page costs a checksum of its foot. Hub number k is `/hub` on host k; the hubs together name
all hosts.

It judges politeness as it goes: gaps of hosts, and requests a second of addresses.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import resource
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, cast

from gossamer.app.bench.pages import Deflated, deflate, gzipped
from tests.servers import debian, dns

PAGE_BYTES = range(50_000, 60_000)
"""Of the real pages taken."""
PAGE_LINKS = range(60, 116)
SITES = ("python3.11-doc", "cmake-doc", "apache2-doc", "python-django-doc")
PAGES_OF_A_SITE = 6
SIZES = (1, 1, 2, 2, 3, 3, 4, 6, 10, 28)
"""Pages of a host, by its number: six in the mean."""
FOREIGN_LINKS = 20
"""Links to other hosts in the foot of a page."""
GAP_SECONDS = 1.0
RATE_MAX = 20
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
_ROOT = Path(__file__).parents[2]
_HREF = re.compile(rb'(<a\s[^>]*?href=")(?!#)[^"]*(")')
_REQUEST = re.compile(rb"GET (\S+) HTTP/1\.1\r\n(?:.*\r\n)*?[Hh]ost: h(\d+)\.test(?::\d+)?\r\n")
_NAME = re.compile(r"h(\d+)\.test")
_MIX, _MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1


@dataclass
class Web:
    """A running web; `stats` is filled when it has ended."""

    hosts: int
    hubs: int
    port: int
    nameserver: str
    stats: dict[str, Any] = field(default_factory=dict[str, Any])

    def seeds(self) -> list[str]:
        """The hubs."""
        return [f"http://h{number}.test:{self.port}/hub" for number in range(self.hubs)]


@contextlib.contextmanager
def serve(*, hosts: int, addresses: int, hubs: int) -> Iterator[Web]:
    """The web, in a process of its own."""
    command = [sys.executable, "-m", "tests.servers.many_hosts", str(hosts), str(addresses), str(hubs)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("the server of many hosts did not start")
        web = Web(hosts, hubs, **json.loads(line))
        try:
            yield web
        finally:
            process.stdin.close()
            web.stats.update(json.loads(process.stdout.readline() or "{}"))


def real_pages() -> list[bytes]:
    """Real pages of that many bytes and links, without what closes them."""
    found: list[bytes] = []
    for name in SITES:
        taken = 0
        for path in sorted(debian.site(name).root.rglob("*.html")):
            if path.stat().st_size not in PAGE_BYTES or taken == PAGES_OF_A_SITE:
                continue
            body = path.read_bytes()
            if len(_HREF.findall(body)) in PAGE_LINKS:
                found.append(body[: body.rindex(b"</body>")])
                taken += 1
    return found


def _piece(body: bytes, size: int) -> Deflated:
    """`body` with its links led to `size` pages of its host."""
    numbers = count()

    def led(link: re.Match[bytes]) -> bytes:
        return link[1] + _path(next(numbers) % size).encode() + link[2]

    return deflate(_HREF.sub(led, body))


def _path(number: int) -> str:
    return f"/p/{number}" if number else "/"


class _Pages:
    """What the web says."""

    def __init__(self, hosts: int, hubs: int, port: int) -> None:
        self.hosts, self.hubs, self.port = hosts, hubs, port
        pages = real_pages()
        self._pieces = {size: [_piece(body, size) for body in pages] for size in set(SIZES)}
        self._hub = _piece(b"<!doctype html><title>Hosts</title><body>\n", 1)
        self.decoded_bytes = 0

    def answer(self, host: int, path: bytes) -> tuple[str, list[bytes]]:
        """What was asked for, and the answer."""
        if path == b"/robots.txt":
            return "robots", _response(b"text/plain", b"", [ROBOTS])
        if path == b"/hub":
            share = -(-self.hosts // self.hubs)
            numbers = range(host * share, min((host + 1) * share, self.hosts))
            return "hubs", self._html(self._hub, self._links(numbers))
        state = ((host + 1) * _MIX ^ zlib.crc32(path) * 0xBF58476D1CE4E5B9) & _MASK
        others: list[int] = []
        for _ in range(FOREIGN_LINKS):
            state = (state * 6364136223846793005 + 1442695040888963407) & _MASK
            others.append((state >> 33) % self.hosts)
        pieces = self._pieces[SIZES[host % len(SIZES)]]
        foot = b"<p>Host %d, page %s</p>\n%s" % (host, path, self._links(others))
        return "pages", self._html(pieces[(host * 7 + len(path)) % len(pieces)], foot)

    def _links(self, numbers: range | list[int]) -> bytes:
        # Relative to the scheme: shorter, and a hub of a thousand links fits a stored block.
        return b"".join([b'<a href="//h%d.test:%d/">%d</a>\n' % (number, self.port, number) for number in numbers])

    def _html(self, piece: Deflated, foot: bytes) -> list[bytes]:
        foot += b"</body></html>\n"
        self.decoded_bytes += piece.length + len(foot)
        return _response(b"text/html; charset=utf-8", b"Content-Encoding: gzip\r\n", gzipped(piece, foot))


def _response(kind: bytes, fields: bytes, body: list[bytes]) -> list[bytes]:
    length = sum(map(len, body))
    return [b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n" % (kind, fields, length), *body]


class _Judge:
    """What was asked, and whether it was asked politely."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.asked: set[int] = set()
        self.hubs_done = 0.0
        self._ended: dict[int, float] = {}
        self._starts: dict[str, deque[float]] = {}
        self.least_gap = float("inf")

    def note(self, address: str, host: int, kind: str, now: float) -> None:
        """One request, answered at once."""
        self.counts[kind] += 1
        self.asked.add(host)
        if kind == "hubs":
            self.hubs_done = now
        before = self._ended.get(host)
        if before is not None:
            self.least_gap = min(self.least_gap, now - before)
            self.counts["gaps_too_short"] += now - before < GAP_SECONDS
        self._ended[host] = now
        starts = self._starts.setdefault(address, deque(maxlen=RATE_MAX))
        self.counts["address_too_fast"] += len(starts) == RATE_MAX and now - starts[0] < 1.0
        starts.append(now)


class _Conversation(asyncio.Protocol):
    """One connection."""

    def __init__(self, pages: _Pages, judge: _Judge) -> None:
        self._pages, self._judge = pages, judge
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._address = transport.get_extra_info("sockname")[0]
        self._judge.counts["connections"] += 1

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._received.endswith(b"\r\n\r\n"):
            return
        request = _REQUEST.match(self._received)
        self._received = b""
        if request is None:
            self._judge.counts["unreadable"] += 1
            self._transport.close()
            return
        host = int(request[2])
        kind, answer = self._pages.answer(host, request[1])
        self._transport.writelines(answer)
        self._judge.note(self._address, host, kind, time.monotonic())


class _Zones(dict[str, dns.Zone]):
    """Every host's address, made when it is asked for."""

    def __init__(self, hosts: int, addresses: list[str]) -> None:
        super().__init__()
        self._hosts, self._addresses = hosts, addresses

    def get(self, name: str, default: Any = None) -> Any:
        """The zone of a host of this web."""
        found = _NAME.fullmatch(name)
        if found is None or int(found[1]) >= self._hosts:
            return default
        return dns.Zone(a=(self._addresses[int(found[1]) % len(self._addresses)],), ttl=86_400, soa_minimum=86_400)


def addresses_of(number: int) -> list[str]:
    """Loopback addresses outside 127.0.0.0/16."""
    return [f"127.{1 + index // 250 // 250}.{index // 250 % 250}.{1 + index % 250}" for index in range(number)]


def _listeners(addresses: list[str]) -> list[socket.socket]:
    """A socket on each address, all on one port."""
    found: list[socket.socket] = []
    port = 0
    for address in addresses:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        port = listener.getsockname()[1]
        found.append(listener)
    return found


async def _run(hosts: int, addresses: list[str], hubs: int) -> None:
    listeners = _listeners(addresses)
    port = listeners[0].getsockname()[1]
    pages, judge = _Pages(hosts, hubs, port), _Judge()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for listener in listeners:
        await loop.create_server(partial(_Conversation, pages, judge), sock=listener)
    began, cpu = time.monotonic(), time.process_time()
    with dns.serve(_Zones(hosts, addresses)) as names:
        print(json.dumps({"port": port, "nameserver": names.address}), flush=True)

        def wait_for_end() -> None:
            sys.stdin.read()
            loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=wait_for_end, daemon=True).start()
        await ended.wait()
        stats: dict[str, Any] = dict(judge.counts)
        html = judge.counts["pages"] + judge.counts["hubs"]
        stats |= {
            "questions": names.asked.total(),
            "hosts_asked": len(judge.asked),
            "hubs_seconds": round(max(judge.hubs_done - began, 0.0), 1),
            "least_gap": round(judge.least_gap, 3) if judge.asked and judge.least_gap < 1e9 else None,
            "cpu_seconds": round(time.process_time() - cpu, 2),
            "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "bytes_a_page": pages.decoded_bytes // max(html, 1),
        }
    print(json.dumps(stats), flush=True)


def main() -> None:
    """Serve until standard input ends."""
    import uvloop

    hosts, addresses, hubs = map(int, sys.argv[1:4])
    uvloop.run(_run(hosts, addresses_of(addresses), hubs))


if __name__ == "__main__":
    main()
