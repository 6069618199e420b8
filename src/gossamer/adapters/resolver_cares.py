"""The port `resolver` by c-ares: asynchronous look-ups at the system's name servers or at given ones.

Names given by hand come first, then the system's hosts file, then DNS. Queries for one name are joined, queries under
way are bounded, each look-up has its own time limit, and answers are kept by their time to live.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import aiodns
import pycares

from gossamer.core import limits
from gossamer.core.dns import answer_cache
from gossamer.core.dns.address_guard import AddressGuard
from gossamer.core.dns.answer_cache import AnswerCache
from gossamer.core.dns.hosts_map import HostsMap, parse_hosts
from gossamer.core.dns.name import dns_name
from gossamer.core.http.exchange import FailureKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.dns.answer import Answer
    from gossamer.ports.clock import Clock

SYSTEM_HOSTS_FILE: Final = Path("/etc/hosts")

_LOCAL: Final = ("127.0.0.1", "::1")
"""What names under localhost mean, asked of nobody (RFC 6761 section 6.3)."""
_TRY_SECONDS: Final = 2.0
"""Patience with a name server of unknown speed; c-ares waits less (from 0.25 s) once it has seen a quick one."""
_TRIES: Final = 5
"""Each waits twice as long as the one before: five tries from 0.25 s span 8 s, so that a quick resolver may still take
its time over a slow name. The look-up as a whole has DNS_SECONDS_MAX."""
_CHANNEL_LOOK_UPS_MAX: Final = 20_000
"""Look-ups after which c-ares starts afresh: it keeps answers of its own for up to an hour, without a bound."""
_ABSENT: Final = frozenset({1, 4, 8})
"""c-ares' ENODATA, ENOTFOUND and EBADNAME (ares.h): the name has no such record, is not there, cannot be a name."""
_RECORD_TYPES: Final[dict[Literal["A", "AAAA"], int]] = {"A": 1, "AAAA": 28}
"""RFC 1035 section 3.2.2, RFC 3596 section 2.1."""
_AddressData = pycares.ARecordData | pycares.AAAARecordData

_NAMESERVER: Final = re.compile(
    r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<any>[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*?))(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)

_Found = tuple[tuple[str, ...], float]
"""Addresses and the least time to live in seconds along the way to them."""


class CaresResolver:
    """Looks names up for the event loop in which the first look-up runs.

    `nameservers`: "192.0.2.53", "127.0.0.1:5353", "[::1]:5353"; none for the system's. `prefer_ipv6`: which family
    comes first; None looks whether this machine has an IPv6 route to the Internet.
    """

    def __init__(
        self,
        guard: AddressGuard,
        clock: Clock,
        *,
        hosts: HostsMap | None = None,
        nameservers: Sequence[str] = (),
        prefer_ipv6: bool | None = None,
        hosts_file: Path | None = SYSTEM_HOSTS_FILE,
    ) -> None:
        self._guard = guard
        self._clock = clock
        self._hosts = (hosts or HostsMap()).over(_read_hosts(hosts_file))
        self._nameservers = [checked_nameserver(text) for text in nameservers]
        self._prefer_ipv6 = has_ipv6_route() if prefer_ipv6 is None else prefer_ipv6
        self._cache = AnswerCache()
        self._under_way: dict[str, asyncio.Task[Answer]] = {}
        self._places = asyncio.Semaphore(limits.DNS_QUERIES_MAX)
        self._dns: aiodns.DNSResolver | None = None
        self._look_ups = 0
        self._closed = False

    async def resolve(self, host: str) -> Answer:
        """The addresses of `host` (lower-case ASCII, or an address literal, IPv6 without brackets). Never raises."""
        now = self._clock.now()
        host = dns_name(host) or host  # one spelling, one answer
        known = self._known(host, now)
        if known is not None:
            return known
        task = self._under_way.get(host)
        if task is None:
            if self._closed:
                raise RuntimeError("this resolver is closed; make another one")
            task = asyncio.get_running_loop().create_task(self._look_up(host), name=f"look-up of {host[:80]}")
            self._under_way[host] = task
            task.add_done_callback(lambda _: self._under_way.pop(host, None))
        # Shielded: others may wait for the same look-up.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Give sockets back. Look-ups under way are cancelled."""
        self._closed = True
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._dns is not None:
            channel, self._dns = self._dns, None
            await channel.close()

    def _known(self, host: str, now: float) -> Answer | None:
        """An answer that needs no question: a literal, a name given by hand, a cached one."""
        given = self._given(host)
        if given:
            return self._guarded(given, limits.DNS_TTL_MAX_SECONDS, now)
        return self._cache.get(host, now)

    def _given(self, host: str) -> tuple[str, ...]:
        try:
            return (str(ipaddress.ip_address(host)),)
        except ValueError:
            is_local = host == "localhost" or host.endswith(".localhost")
            return self._hosts.lookup(host) or (_LOCAL if is_local else ())

    def _guarded(self, addresses: tuple[str, ...], ttl_seconds: float, now: float) -> Answer:
        """An answer without the addresses that must not be connected to."""
        permitted = tuple(address for address in addresses if self._guard.permits(address))
        if permitted:
            return answer_cache.positive(permitted, ttl_seconds, now)
        detail = ", ".join(f"{address} is {self._guard.refusal(address)}" for address in addresses[:3])
        return answer_cache.negative(FailureKind.ADDRESS_REFUSED, detail, now, ttl_seconds)

    # --- DNS -----------------------------------------------------------------------------------------------------

    async def _look_up(self, host: str) -> Answer:
        if not dns_name(host):
            now = self._clock.now()
            return self._cache.put(host, answer_cache.negative(FailureKind.NAME_NOT_FOUND, "no DNS name", now), now)
        async with self._places:
            answer = await self._ask_both(host)
        return self._cache.put(host, answer, self._clock.now())

    async def _ask_both(self, host: str) -> Answer:
        """Ask for IPv4 and IPv6 addresses at once; half an answer is an answer."""
        asked = [asyncio.ensure_future(self._ask(host, kind)) for kind in _RECORD_TYPES]
        try:
            await asyncio.wait(asked, timeout=limits.DNS_SECONDS_MAX, return_when=asyncio.FIRST_COMPLETED)
            if any(_addresses(question) for question in asked):
                await asyncio.wait(asked, timeout=limits.DNS_OTHER_FAMILY_SECONDS_MAX)
            else:
                await asyncio.wait(asked, timeout=limits.DNS_SECONDS_MAX)
        finally:
            for question in asked:
                question.cancel()
        now = self._clock.now()
        found = [question.result() for question in asked if _addresses(question)]
        if found:
            addresses = self._ordered([address for some, _ in found for address in some])
            return replace(self._guarded(addresses, min(ttl for _, ttl in found), now), answered=now)
        return _failure(asked, now)

    async def _ask(self, host: str, kind: Literal["A", "AAAA"]) -> _Found:
        channel = self._channel()
        result = await channel.query_dns(host, kind)
        addresses = tuple(
            record.data.addr
            for record in result.answer
            if record.type == _RECORD_TYPES[kind] and isinstance(record.data, _AddressData)
        )
        # A chain of aliases is good as long as its shortest-lived link.
        return addresses, min((float(record.ttl) for record in result.answer), default=0.0)

    def _ordered(self, addresses: Sequence[str]) -> tuple[str, ...]:
        """One family first; the servers' order within each."""
        unique = dict.fromkeys(addresses)
        return tuple(sorted(unique, key=lambda address: (":" in address) is not self._prefer_ipv6))

    def _channel(self) -> aiodns.DNSResolver:
        self._look_ups += 1
        if self._dns is None or self._look_ups > _CHANNEL_LOOK_UPS_MAX:
            # The old channel closes itself once the last question under way lets go of it.
            self._look_ups = 1
            self._dns = aiodns.DNSResolver(nameservers=self._nameservers or None, timeout=_TRY_SECONDS, tries=_TRIES)
        return self._dns


def _addresses(question: asyncio.Future[_Found]) -> tuple[str, ...]:
    """The addresses a finished question brought."""
    if not question.done() or question.cancelled() or question.exception() is not None:
        return ()
    return question.result()[0]


def _failure(asked: Sequence[asyncio.Future[_Found]], now: float) -> Answer:
    """Why there is no address. The name is not there only if nothing else went wrong."""
    detail = ""
    for question in asked:
        if not question.done() or question.cancelled():
            detail = detail or "no answer in time"
            continue
        error = question.exception()
        if isinstance(error, aiodns.error.DNSError):
            code, words = error.args
            detail = detail or ("" if code in _ABSENT else str(words))
        elif error is not None:
            raise error
    if detail:
        return answer_cache.negative(FailureKind.NAME_FAILED, detail, now)
    return answer_cache.negative(FailureKind.NAME_NOT_FOUND, "no address", now)


def checked_nameserver(text: str) -> str:
    """A name server as c-ares takes it. A wrong one is misuse, with a hint."""
    match = _NAMESERVER.fullmatch(text.strip())
    try:
        address = ipaddress.ip_address((match["six"] or match["any"]) if match else "")
        number = int((match["port"] if match else "") or "53")
    except ValueError:
        address, number = ipaddress.IPv4Address(0), 0
    if not 0 < number < 65_536:
        raise ValueError(f"{text!r} is no name server; write 192.0.2.53, 127.0.0.1:5353 or [::1]:5353")
    return f"[{address}]:{number}" if address.version == 6 else f"{address}:{number}"


def has_ipv6_route(probe: Callable[[], str] | None = None) -> bool:
    """Whether this machine would send to the Internet over IPv6 from a public address. No packet is sent."""
    try:
        source = (probe or _ipv6_source)()
    except OSError:
        return False
    # A private or link-local source reaches no public server (RFC 6724 rule 2 prefers IPv4 then, too).
    return AddressGuard().permits(source)


def _ipv6_source() -> str:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
        # Connecting a datagram socket asks the routing table and no one else.
        probe.connect(("2000::1", 53))
        return str(probe.getsockname()[0])


def _read_hosts(path: Path | None) -> HostsMap:
    if path is None:
        return HostsMap()
    try:
        with path.open("rb") as file:
            return parse_hosts(file.read(limits.HOSTS_FILE_BYTES_MAX))
    except OSError:
        return HostsMap()
