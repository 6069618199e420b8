"""The network's stand-ins: a fetcher and a resolver on the made-up web, and the log its servers keep.

The log is the only evidence about manners: the checkers read it, never what the crawler says of itself. It outlives
the crawler's process, as do the servers' counts of how often a URL was asked for.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from gossamer.core.dns.answer import Answer
from gossamer.core.http.exchange import Exchange, FailureKind, FetchRequest, Truncation
from gossamer.core.http.memory_body import MemoryBody
from gossamer.core.limits import DNS_NEGATIVE_SECONDS, DNS_TTL_MAX_SECONDS, DNS_TTL_MIN_SECONDS
from gossamer.core.url.parse import host_of, target_of
from gossamer.simulation.server import Reply, answer
from gossamer.simulation.world import SimHost, Trouble, World, key_of

NAME_SECONDS: Final = 0.02
"""A look-up's answer comes after this long."""
ENDLESS_SECONDS: Final = 3.0
"""So long a body without end is read before it is too long."""
NAME_TIMEOUT_SECONDS: Final = 10.0
"""A look-up that nobody answers fails after this long."""


@dataclass(slots=True)
class Contact:
    """One line of the servers' log: a client came, and what became of it. Moments in seconds since the epoch."""

    host: str
    url: str
    address: str
    start: float
    """The first packet."""
    process: int
    """Which life of the crawler it was, from 0."""
    end: float | None = None
    """The last byte, or the connection's end; None while it lasts."""
    status: int = 0
    """0 without an answer."""
    final: bool = False
    """The URL gave its true answer, whole."""
    retry_after: float = 0.0
    """Seconds from its end that the answer asked to wait; not above 0 when it asked nothing."""
    crawl_delay: float = 0.0
    digest: str = ""
    """sha256 of the body before content coding; empty without one."""


@dataclass(slots=True)
class Network:
    """The world's servers: their log and their memory."""

    world: World
    log: list[Contact] = field(default_factory=list[Contact])
    asked: dict[str, int] = field(default_factory=dict[str, int])
    process: int = 0

    def drop_all(self, now: float) -> None:
        """The crawler's process is gone: every connection ends."""
        for contact in self.log:
            if contact.end is None:
                contact.end = now
        self.process += 1

    def answer(self, url: str, now: float, cookie: str) -> Reply:
        """What the server says, counting the request."""
        key = key_of(url)
        asked = self.asked.get(key, 0)
        self.asked[key] = asked + 1
        return answer(self.world, url, now, asked, cookie)


class SimFetcher:
    """The port `fetcher` on a network."""

    def __init__(self, network: Network, offset: float = 0.0) -> None:
        """`offset`: see `SimClock`; the log's moments are true."""
        self._network = network
        self._offset = offset

    async def fetch(self, request: FetchRequest) -> Exchange:
        """See the port."""
        host, started = host_of(request.url), _now()
        address = request.addresses[0]
        contact = Contact(host, request.url, address, started, self._network.process)
        self._network.log.append(contact)
        believed = started + self._offset
        exchange = Exchange(request.url, believed, believed, address=address, connections_opened=1)
        try:
            await self._perform(request, contact, exchange)
        finally:
            if contact.end is None:
                contact.end = _now()
        exchange.ended = contact.end + self._offset
        return exchange

    async def _perform(self, request: FetchRequest, contact: Contact, exchange: Exchange) -> None:
        host = self._network.world.hosts.get(contact.host)
        if host is None or contact.address not in host.addresses:
            exchange.address = ""
            await _fail(exchange, FailureKind.CONNECT_REFUSED, 0.001)
            return
        trouble = host.trouble_at(contact.start)
        if trouble is Trouble.CONNECT_REFUSED:
            await _fail(exchange, FailureKind.CONNECT_REFUSED, 2 * host.one_way_seconds)
        elif trouble is Trouble.CONNECT_TIMEOUT:
            await _fail(exchange, FailureKind.CONNECT_TIMEOUT, request.limits.connect_seconds)
        elif trouble is Trouble.RESET:
            await _fail(exchange, FailureKind.RESET, 4 * host.one_way_seconds)
        else:
            await self._exchange(request, contact, exchange, host)

    async def _exchange(self, request: FetchRequest, contact: Contact, exchange: Exchange, host: SimHost) -> None:
        exchange.request = _request_head(request)
        await asyncio.sleep(3 * host.one_way_seconds)
        reply = self._network.answer(request.url, _now(), _cookie(request))
        if reply.silent:
            await _fail(exchange, FailureKind.TIMEOUT, request.limits.first_byte_seconds)
            return
        await asyncio.sleep(host.service_seconds + host.one_way_seconds)
        if not reply.status:
            await _fail(exchange, FailureKind.RESET, 0.0)
            return
        exchange.status, exchange.headers, exchange.head = reply.status, reply.headers, reply.head()
        exchange.first_byte = _now() + self._offset
        exchange.protocol = "http/1.1"
        exchange.tls = "tls/1.3" if request.url.startswith("https:") else ""
        exchange.unwanted = _is_unwanted(request, reply)
        exchange.body = MemoryBody(b"" if exchange.unwanted else await _receive(request, reply, exchange))
        _log(contact, reply, self._offset)

    async def close(self) -> None:
        """Nothing is kept open."""


async def _receive(request: FetchRequest, reply: Reply, exchange: Exchange) -> bytes:
    """What arrives of a body, and why no more does."""
    limits = request.limits
    if reply.drips:
        await asyncio.sleep(limits.low_speed_seconds)
        exchange.truncated = Truncation.TIME
    elif reply.endless or len(reply.body) > limits.body_bytes:
        await asyncio.sleep(ENDLESS_SECONDS)
        exchange.truncated = Truncation.LENGTH
        body = reply.body * (limits.body_bytes // len(reply.body) + 1)
        return body[: limits.body_bytes]
    elif reply.cut:
        exchange.truncated = Truncation.DISCONNECT
    return reply.body


def _log(contact: Contact, reply: Reply, offset: float) -> None:
    contact.status, contact.final = reply.status, reply.final
    # A date means what the reader's clock makes of it: who believes in another time cannot keep it.
    contact.retry_after = max(reply.retry_after, 0.0 if offset else reply.retry_at - _now())
    contact.crawl_delay = reply.crawl_delay
    contact.digest = hashlib.sha256(reply.body).hexdigest() if reply.body else ""


async def _fail(exchange: Exchange, kind: FailureKind, after: float) -> None:
    await asyncio.sleep(after)
    exchange.failure = kind
    exchange.detail = f"simulated: {kind.value}"


def _is_unwanted(request: FetchRequest, reply: Reply) -> bool:
    if request.wanted_media is None or not 200 <= reply.status < 300:
        return False
    media = dict(reply.headers).get("Content-Type", "").partition(";")[0]
    return media not in request.wanted_media


def _request_head(request: FetchRequest) -> bytes:
    lines = [f"GET {target_of(request.url)} HTTP/1.1", *(f"{name}: {value}" for name, value in request.headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _cookie(request: FetchRequest) -> str:
    return next((value for name, value in request.headers if name.lower() == "cookie"), "")


def _now() -> float:
    return asyncio.get_running_loop().time()


class SimResolver:
    """The port `resolver` on a world. Leaves out addresses that may not be contacted, as the port asks."""

    def __init__(self, world: World, offset: float = 0.0) -> None:
        """`offset`: see `SimClock`."""
        self._world = world
        self._offset = offset
        self._cache: dict[str, Answer] = {}

    async def resolve(self, host: str) -> Answer:
        """See the port."""
        if _is_literal(host):
            return Answer((host,), float("inf")) if _is_public(host) else _refused(float("inf"))
        cached = self._cache.get(host)
        if cached is None or cached.expires <= self._now():
            cached = self._cache[host] = await self._look_up(host)
        return cached

    async def _look_up(self, name: str) -> Answer:
        host, asked = self._world.hosts.get(name), _now()
        trouble = host.trouble_at(asked) if host is not None else Trouble.NAME_NOT_FOUND
        if any(start <= asked < end for start, end in self._world.name_outages):
            trouble = Trouble.NAME_FAILED
        await asyncio.sleep(NAME_TIMEOUT_SECONDS if trouble is Trouble.NAME_FAILED else NAME_SECONDS)
        if trouble is Trouble.NAME_FAILED:
            return Answer((), self._now() + DNS_TTL_MIN_SECONDS, FailureKind.NAME_FAILED)
        if host is None or trouble is Trouble.NAME_NOT_FOUND:
            return Answer((), self._now() + DNS_NEGATIVE_SECONDS, FailureKind.NAME_NOT_FOUND)
        expires = self._now() + min(max(host.ttl_seconds, DNS_TTL_MIN_SECONDS), DNS_TTL_MAX_SECONDS)
        public = tuple(address for address in host.addresses if _is_public(address))
        if trouble is Trouble.NAME_PRIVATE or not public:
            return _refused(expires)
        return Answer(public, expires)

    def _now(self) -> float:
        return _now() + self._offset

    async def close(self) -> None:
        """Nothing to give back."""


def _refused(expires: float) -> Answer:
    return Answer((), expires, FailureKind.ADDRESS_REFUSED, "every address is private or reserved")


def _is_literal(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdigit()


@cache
def _is_public(address: str) -> bool:
    return ipaddress.ip_address(address).is_global
