"""A DNS server on loopback, UDP and TCP on one port, answering from a table.

    with dns.serve({"a.test": Zone(a=("192.0.2.1",))}) as server:
        nameservers = [server.address]

A name that is not in the table does not exist. It runs on its own event loop in a thread and never sleeps: a late
answer waits for `Server.release`.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Mapping


@dataclass(frozen=True)
class Zone:
    """What the server says about one name."""

    a: tuple[str, ...] = ()
    aaaa: tuple[str, ...] = ()
    cname: str = ""
    """The name has this alias, whose own entry is answered along."""
    ttl: int = 300
    rcode: str = "NOERROR"
    """"SERVFAIL", "REFUSED", "NXDOMAIN": instead of records, for every type."""
    rcode_aaaa: str = ""
    """As `rcode`, for AAAA alone."""
    soa_minimum: int | None = None
    """With a negative answer: an SOA record of that minimum."""
    silent: bool = False
    """No answer at all."""
    silent_aaaa: bool = False
    """As `silent`, for AAAA alone."""
    held: bool = False
    """No answer before `Server.release`."""
    truncated: bool = False
    """Over UDP only "too long": the question must be asked again over TCP."""
    garbage: bytes = b""
    """These bytes instead of an answer, under the right id."""


@dataclass
class Server:
    """A running server."""

    zones: dict[str, Zone]
    host: str
    port: int = 0
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(name, type) -> how often it was asked."""
    over_tcp: int = 0
    loop: asyncio.AbstractEventLoop | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def release(self) -> None:
        """Let held answers go."""
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.gate.set)

    async def answer(self, wire: bytes, *, tcp: bool) -> bytes:
        """The answer to one question; empty for none."""
        query = dns.message.from_wire(wire)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
        self.asked[name, kind] += 1
        self.over_tcp += tcp
        zone = self.zones.get(name, Zone(rcode="NXDOMAIN"))
        if zone.held:
            await self.gate.wait()
        if zone.silent or (kind == "AAAA" and zone.silent_aaaa):
            return b""
        if zone.garbage:
            return wire[:2] + zone.garbage
        response = dns.message.make_response(query, recursion_available=True)
        if zone.truncated and not tcp:
            response.flags |= dns.flags.TC
        else:
            self._fill(response, name, kind, zone)
        # In the order of the table, and beyond 512 bytes where the question allows it.
        return response.to_wire(max_size=65_535 if tcp else 0, want_shuffle=False)

    def _fill(self, response: dns.message.Message, name: str, kind: str, zone: Zone) -> None:
        code = zone.rcode_aaaa if kind == "AAAA" and zone.rcode_aaaa else zone.rcode
        response.set_rcode(dns.rcode.from_text(code))
        if code == "NOERROR" and zone.cname:
            response.answer.append(dns.rrset.from_text(f"{name}.", zone.ttl, "IN", "CNAME", f"{zone.cname}."))
            target = self.zones.get(zone.cname)
            if target is not None:
                self._fill(response, zone.cname, kind, target)
            return
        records = {"A": zone.a, "AAAA": zone.aaaa}.get(kind, ()) if code == "NOERROR" else ()
        if records:
            response.answer.append(dns.rrset.from_text(f"{name}.", zone.ttl, "IN", kind, *records))
        elif zone.soa_minimum is not None:
            soa = f"ns.test. admin.test. 1 3600 600 86400 {zone.soa_minimum}"
            response.authority.append(dns.rrset.from_text("test.", zone.soa_minimum, "IN", "SOA", soa))


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, server: Server) -> None:
        self.server = server
        self.tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        task = asyncio.ensure_future(self._respond(data, address))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _respond(self, data: bytes, address: tuple[str, int]) -> None:
        answer = await self.server.answer(data, tcp=False)
        if answer:
            self.transport.sendto(answer, address)


async def _stream(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                length = int.from_bytes(await reader.readexactly(2), "big")
                answer = await server.answer(await reader.readexactly(length), tcp=True)
                writer.write(len(answer).to_bytes(2, "big") + answer)
                await writer.drain()
    finally:
        writer.close()


async def _run(server: Server, ready: threading.Event) -> None:
    def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Coroutine[Any, Any, None]:
        return _stream(server, reader, writer)

    server.loop = asyncio.get_running_loop()
    listener = await asyncio.start_server(converse, server.host, 0)
    server.port = listener.sockets[0].getsockname()[1]
    transport, _ = await server.loop.create_datagram_endpoint(
        lambda: _Datagrams(server), local_addr=(server.host, server.port)
    )
    ready.set()
    async with listener:
        await server.stop.wait()
    transport.close()


@contextlib.contextmanager
def serve(zones: Mapping[str, Zone], host: str = "127.0.0.1") -> Iterator[Server]:
    """A server on a free port of `host`. A dict is asked as it is, so one that makes its zones may stand here."""
    server = Server(zones if isinstance(zones, dict) else dict(zones), host)
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_run(server, ready)), daemon=True)
    thread.start()
    if not ready.wait(10) or server.loop is None:
        raise RuntimeError("the loopback name server did not start")
    try:
        yield server
    finally:
        server.loop.call_soon_threadsafe(server.stop.set)
        thread.join(10)
