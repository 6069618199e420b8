"""The port `resolver` by c-ares: asynchronous look-ups at the system's name servers or at given ones.

Names given by hand come first, then the system's hosts file, then DNS. Queries for one name are joined, queries under
way are bounded, each look-up has its own time limit, and answers are kept by their time to live.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections import deque
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import aiodns
import pycares

from gossamer.core import limits
from gossamer.core.dns import answer_cache
from gossamer.core.dns.address_guard import AddressGuard
from gossamer.core.dns.answer import Answer
from gossamer.core.dns.answer_cache import AnswerCache
from gossamer.core.dns.hosts_map import HostsMap, parse_hosts
from gossamer.core.dns.name import dns_name
from gossamer.core.http.exchange import FailureKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
_ADDRESS_DATA: Final = (pycares.ARecordData, pycares.AAAARecordData)

_NAMESERVER: Final = re.compile(
    r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<any>[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*?))(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)

_Question = asyncio.Future[pycares.DNSResult]


class _Found(NamedTuple):
    addresses: tuple[str, ...]
    ttl: float
    """The least in seconds along the way to them."""


class _LookUp:
    """One name that is asked for. No task: with two questions to each of a million names, a task each is a cost."""

    __slots__ = ("_timer", "answer", "asked", "channel", "host")

    def __init__(self, host: str, answer: asyncio.Future[Answer]) -> None:
        self.host = host
        self.answer = answer
        self.asked: list[_Question] = []
        self.channel: aiodns.DNSResolver | None = None
        """Held as long as it is asked: it closes itself once nobody holds it."""
        self._timer: asyncio.TimerHandle | None = None

    def wait(self, seconds: float, end: Callable[[_LookUp], None]) -> None:
        """So long, and no longer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.answer.get_loop().call_later(seconds, end, self)

    def stop(self) -> None:
        """Wait for nothing more."""
        if self._timer is not None:
            self._timer.cancel()
        for question in self.asked:
            question.cancel()


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
        self._under_way: dict[str, _LookUp] = {}
        self._waiting: deque[_LookUp] = deque()
        self._asking = 0
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
        look_up = self._under_way.get(host)
        if look_up is None:
            if self._closed:
                raise RuntimeError("this resolver is closed; make another one")
            if not dns_name(host):
                absent = answer_cache.negative(FailureKind.NAME_NOT_FOUND, "no DNS name", now)
                return self._cache.put(host, absent, now)
            look_up = self._under_way[host] = _LookUp(host, asyncio.get_running_loop().create_future())
            if self._asking < limits.DNS_QUERIES_MAX:
                self._begin(look_up)
            else:
                self._waiting.append(look_up)
        # Shielded: others may wait for the same look-up.
        return await asyncio.shield(look_up.answer)

    async def close(self) -> None:
        """Give sockets back. Look-ups under way are cancelled."""
        self._closed = True
        self._waiting.clear()
        for look_up in list(self._under_way.values()):
            look_up.stop()
            look_up.answer.cancel()
        self._under_way.clear()
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
        if host[-1:].isdigit() or ":" in host:  # as every literal does
            with suppress(ValueError):
                return (str(ipaddress.ip_address(host)),)
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

    def _begin(self, look_up: _LookUp) -> None:
        """Ask for IPv4 and IPv6 addresses at once; half an answer is an answer."""
        if look_up.answer.done():  # closed meanwhile
            return
        self._asking += 1
        look_up.wait(limits.DNS_SECONDS_MAX, self._conclude)
        try:
            look_up.channel = channel = self._channel()
            look_up.asked = [channel.query_dns(look_up.host, kind) for kind in _RECORD_TYPES]
        except Exception as error:  # noqa: BLE001 - it may be the turn of one that others wait for
            look_up.answer.set_exception(error)
            self._end(look_up)
            return
        heard = partial(self._heard, look_up)
        for question in look_up.asked:
            question.add_done_callback(heard)

    def _heard(self, look_up: _LookUp, _question: _Question) -> None:
        """One of the two questions has ended. Once there is an address, the other one has less time."""
        if look_up.answer.done():
            return
        if all(question.done() for question in look_up.asked):
            self._conclude(look_up)
        elif any(found.addresses for found in _found(look_up.asked)):
            look_up.wait(limits.DNS_OTHER_FAMILY_SECONDS_MAX, self._conclude)

    def _conclude(self, look_up: _LookUp) -> None:
        """All is heard, or time is up: tell the answer, or an error of ours, to whoever waits."""
        try:
            answer = self._cache.put(look_up.host, self._answer(look_up.asked), self._clock.now())
        except Exception as error:  # noqa: BLE001 - raised here it would reach nobody
            look_up.answer.set_exception(error)
        else:
            look_up.answer.set_result(answer)
        self._end(look_up)

    def _end(self, look_up: _LookUp) -> None:
        """The next in line begins."""
        self._under_way.pop(look_up.host, None)
        look_up.stop()
        self._asking -= 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._begin, self._waiting.popleft())

    def _answer(self, asked: Sequence[_Question]) -> Answer:
        now = self._clock.now()
        some = [found for found in _found(asked) if found.addresses]
        if not some:
            return _failure(asked, now)
        addresses = self._ordered([address for found in some for address in found.addresses])
        guarded = self._guarded(addresses, min([found.ttl for found in some]), now)
        return Answer(guarded.addresses, guarded.expires, guarded.failure, guarded.detail, now)

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


def _found(asked: Sequence[_Question]) -> list[_Found]:
    """What the questions that are answered brought."""
    pairs = zip(asked, _RECORD_TYPES.values(), strict=True)
    return [_read(question.result(), kind) for question, kind in pairs if _is_answered(question)]


def _is_answered(question: _Question) -> bool:
    return question.done() and not question.cancelled() and question.exception() is None


def _read(result: pycares.DNSResult, kind: int) -> _Found:
    records = result.answer
    addresses = [
        record.data.addr for record in records if record.type == kind and isinstance(record.data, _ADDRESS_DATA)
    ]
    # A chain of aliases is good as long as its shortest-lived link.
    return _Found(tuple(addresses), float(min([record.ttl for record in records], default=0)))


def _failure(asked: Sequence[_Question], now: float) -> Answer:
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
