"""The c-ares resolver against a loopback name server."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest
import uvloop

from gossamer.adapters import resolver_cares
from gossamer.adapters.resolver_cares import CaresResolver, checked_nameserver, has_ipv6_route
from gossamer.core import limits
from gossamer.core.dns.address_guard import AddressGuard, parse_networks
from gossamer.core.dns.answer import Answer
from gossamer.core.dns.hosts_map import parse_entries
from gossamer.core.http.exchange import FailureKind
from tests.servers import dns
from tests.servers.dns import Zone

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

NOW = 1000.0
ONE, TWO, SIX = "8.8.8.8", "9.9.9.9", "2606:4700::1"


class SetClock:
    """The time is what it was set to."""

    def __init__(self) -> None:
        self.moment = NOW

    def now(self) -> float:
        return self.moment

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


@contextlib.asynccontextmanager
async def resolving(server: dns.Server, clock: SetClock | None = None, **options: Any) -> AsyncIterator[CaresResolver]:
    defaults: dict[str, Any] = {"prefer_ipv6": False, "hosts_file": None, "nameservers": [server.address]}
    guard = options.pop("guard", AddressGuard())
    resolver = CaresResolver(guard, clock or SetClock(), **(defaults | options))
    try:
        yield resolver
    finally:
        await resolver.close()


ZONES = {
    "one.test": Zone(a=(ONE,), ttl=300),
    "both.test": Zone(a=(ONE, TWO), aaaa=(SIX,)),
    "six.test": Zone(aaaa=(SIX,)),
    "short.test": Zone(a=(ONE,), ttl=0),
    "long.test": Zone(a=(ONE,), ttl=10_000_000),
    "alias.test": Zone(cname="alias2.test", ttl=90),
    "alias2.test": Zone(cname="one.test", ttl=3000),
    "lost-alias.test": Zone(cname="nowhere.test"),
    "mixed.test": Zone(a=("10.0.0.1", ONE, "127.0.0.1"), aaaa=("::1", "fd00::1")),
    "private.test": Zone(a=("10.0.0.1",), aaaa=("::ffff:127.0.0.1",), ttl=120),
    "empty.test": Zone(),
    "fail.test": Zone(rcode="SERVFAIL"),
    "refused.test": Zone(rcode="REFUSED"),
    "half.test": Zone(a=(ONE,), rcode_aaaa="SERVFAIL"),
    "half-absent.test": Zone(rcode_aaaa="SERVFAIL"),
    "tcp.test": Zone(a=tuple(f"8.8.8.{number}" for number in range(1, 200)), truncated=True),
    "garbage.test": Zone(garbage=b"\x00\xff not an answer"),
    "under_score.test": Zone(a=(ONE,)),
}

NOT_FOUND, NOT_ANSWERED, REFUSED = FailureKind.NAME_NOT_FOUND, FailureKind.NAME_FAILED, FailureKind.ADDRESS_REFUSED

ANSWERS: list[tuple[str, tuple[str, ...], float, FailureKind | None]] = [
    ("one.test", (ONE,), 300, None),
    ("one.test.", (ONE,), 300, None),
    ("both.test", (ONE, TWO, SIX), 300, None),
    ("six.test", (SIX,), 300, None),
    ("under_score.test", (ONE,), 300, None),
    ("short.test", (ONE,), limits.DNS_TTL_MIN_SECONDS, None),
    ("long.test", (ONE,), limits.DNS_TTL_MAX_SECONDS, None),
    ("alias.test", (ONE,), 90, None),
    ("lost-alias.test", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    ("mixed.test", (ONE,), 300, None),
    ("private.test", (), 120, REFUSED),
    ("empty.test", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    ("nowhere.test", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    ("fail.test", (), limits.DNS_FAILED_SECONDS, NOT_ANSWERED),
    ("refused.test", (), limits.DNS_FAILED_SECONDS, NOT_ANSWERED),
    ("half.test", (ONE,), 300, None),
    ("half-absent.test", (), limits.DNS_FAILED_SECONDS, NOT_ANSWERED),
    ("garbage.test", (), limits.DNS_FAILED_SECONDS, NOT_ANSWERED),
    # Nobody is asked.
    (ONE, (ONE,), limits.DNS_TTL_MAX_SECONDS, None),
    (SIX, (SIX,), limits.DNS_TTL_MAX_SECONDS, None),
    ("127.0.0.1", (), limits.DNS_TTL_MAX_SECONDS, REFUSED),
    ("::1", (), limits.DNS_TTL_MAX_SECONDS, REFUSED),
    ("localhost", (), limits.DNS_TTL_MAX_SECONDS, REFUSED),
    ("x.localhost", (), limits.DNS_TTL_MAX_SECONDS, REFUSED),
    ("", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    (".", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    ("a..test", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    ("x" * 64 + ".test", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    ("a b.test", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
    ("b\u00fccher.test", (), limits.DNS_NEGATIVE_SECONDS, NOT_FOUND),
]


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_answers(run: Callable[[Awaitable[None]], None]) -> None:
    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            answers = await asyncio.gather(*(resolver.resolve(host) for host, *_ in ANSWERS))
        for (host, addresses, seconds, failure), answer in zip(ANSWERS, answers, strict=True):
            assert (answer.addresses, answer.expires - NOW, answer.failure) == (addresses, seconds, failure), host
            assert bool(answer.detail) is (failure is not None), host

    with dns.serve(ZONES) as server:
        run(check(server))
        assert not {name for name, _ in server.asked if "local" in name or " " in name}


def test_long_answers_come_over_tcp() -> None:
    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            assert len((await resolver.resolve("tcp.test")).addresses) == 199

    with dns.serve(ZONES) as server:
        asyncio.run(check(server))
        assert server.over_tcp


def test_the_preferred_family_comes_first() -> None:
    async def check(server: dns.Server) -> None:
        async with resolving(server, prefer_ipv6=True) as resolver:
            assert (await resolver.resolve("both.test")).addresses == (SIX, ONE, TWO)

    with dns.serve(ZONES) as server:
        asyncio.run(check(server))


def test_allowed_ranges_are_answered() -> None:
    guard = AddressGuard(parse_networks(["127.0.0.0/8", "10.0.0.0/8"]))

    async def check(server: dns.Server) -> None:
        async with resolving(server, guard=guard) as resolver:
            assert (await resolver.resolve("mixed.test")).addresses == ("10.0.0.1", ONE, "127.0.0.1")
            assert (await resolver.resolve("localhost")).addresses == ("127.0.0.1",)
            assert (await resolver.resolve("127.0.0.1")).addresses == ("127.0.0.1",)

    with dns.serve(ZONES) as server:
        asyncio.run(check(server))


def test_names_given_by_hand_come_first(tmp_path: Path) -> None:
    hosts_file = tmp_path / "hosts"
    hosts_file.write_bytes(b"8.8.4.4 one.test local.test\n\xff\n")

    async def check(server: dns.Server) -> None:
        hosts = parse_entries([f"one.test={TWO}", "inner.test=10.0.0.1"])
        async with resolving(server, hosts=hosts, hosts_file=hosts_file) as resolver:
            assert (await resolver.resolve("one.test")).addresses == (TWO,)
            assert (await resolver.resolve("local.test")).addresses == ("8.8.4.4",)
            # The guard judges them all the same.
            inner = await resolver.resolve("inner.test")
            assert (inner.failure, inner.detail) == (REFUSED, "10.0.0.1 is private")

    with dns.serve(ZONES) as server:
        asyncio.run(check(server))
        assert not server.asked


def test_a_missing_hosts_file_is_none(tmp_path: Path) -> None:
    async def check(server: dns.Server) -> None:
        async with resolving(server, hosts_file=tmp_path / "none") as resolver:
            assert (await resolver.resolve("one.test")).addresses == (ONE,)

    with dns.serve(ZONES) as server:
        asyncio.run(check(server))


@pytest.mark.parametrize("host", ["one.test", "nowhere.test", "fail.test"])
def test_answers_are_kept_and_asked_for_again(host: str) -> None:
    async def check(server: dns.Server) -> None:
        clock = SetClock()
        async with resolving(server, clock) as resolver:
            first = await resolver.resolve(host)
            asked = server.asked.total()
            clock.moment = first.expires - 1
            assert await resolver.resolve(host) == first
            assert server.asked.total() == asked
            clock.moment = first.expires
            assert (await resolver.resolve(host)).expires > first.expires

    with dns.serve(ZONES) as server:
        asyncio.run(check(server))


def test_a_stale_answer_serves_while_the_servers_fail() -> None:
    async def check(server: dns.Server) -> None:
        clock = SetClock()
        async with resolving(server, clock) as resolver:
            first = await resolver.resolve("brief.test")
            # Another channel, so that c-ares' own memory does not answer.
            resolver._dns = None
            server.zones["brief.test"] = Zone(rcode="SERVFAIL")
            clock.moment = first.expires + 1
            assert await resolver.resolve("brief.test") == Answer((ONE,), clock.moment + limits.DNS_FAILED_SECONDS)

    with dns.serve({"brief.test": Zone(a=(ONE,), ttl=60)}) as server:
        asyncio.run(check(server))


def test_questions_for_one_name_are_joined() -> None:
    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            waiting = [asyncio.create_task(resolver.resolve("held.test")) for _ in range(5)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            server.release()
            with pytest.raises(asyncio.CancelledError):
                await waiting[0]
            answers = await asyncio.gather(*waiting[1:])
        assert {answer.addresses for answer in answers} == {(ONE,)}

    with dns.serve({"held.test": Zone(a=(ONE,), held=True)}) as server:
        asyncio.run(check(server))
        assert set(server.asked) == {("held.test", "A"), ("held.test", "AAAA")}


def test_look_ups_under_way_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DNS_QUERIES_MAX", 3)
    under_way = most = 0

    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            begin, conclude = resolver._begin, resolver._conclude

            def begun(look_up: resolver_cares._LookUp) -> None:
                nonlocal under_way, most
                under_way += 1
                most = max(most, under_way)
                begin(look_up)

            def concluded(look_up: resolver_cares._LookUp) -> None:
                nonlocal under_way
                under_way -= 1
                conclude(look_up)

            monkeypatch.setattr(resolver, "_begin", begun)
            monkeypatch.setattr(resolver, "_conclude", concluded)
            await asyncio.gather(*(resolver.resolve(f"n{number}.test") for number in range(20)))

    with dns.serve({}) as server:
        asyncio.run(check(server))
    assert most == 3


@pytest.mark.parametrize("zone", [Zone(silent=True), Zone(held=True)], ids=["silent", "held"])
def test_a_look_up_has_a_time_limit(monkeypatch: pytest.MonkeyPatch, zone: Zone) -> None:
    monkeypatch.setattr(limits, "DNS_SECONDS_MAX", 0.05)

    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            answer = await resolver.resolve("late.test")
        assert (answer.failure, answer.detail) == (NOT_ANSWERED, "no answer in time")

    with dns.serve({"late.test": zone}) as server:
        asyncio.run(check(server))
        server.release()


def test_one_family_does_not_wait_long_for_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DNS_OTHER_FAMILY_SECONDS_MAX", 0.05)

    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            assert (await resolver.resolve("half-silent.test")).addresses == (ONE,)

    with dns.serve({"half-silent.test": Zone(a=(ONE,), silent_aaaa=True)}) as server:
        asyncio.run(check(server))


def test_c_ares_starts_afresh_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver_cares, "_CHANNEL_LOOK_UPS_MAX", 4)
    channels: set[int] = set()

    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            for number in range(10):
                assert (await resolver.resolve(f"n{number}.test")).failure is NOT_FOUND
                channels.add(id(resolver._dns))

    with dns.serve({}) as server:
        asyncio.run(check(server))
    assert len(channels) > 1


def test_closing_ends_what_is_under_way() -> None:
    async def check(server: dns.Server) -> None:
        async with resolving(server) as resolver:
            waiting = asyncio.create_task(resolver.resolve("held.test"))
            await asyncio.sleep(0)
            await resolver.close()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            with pytest.raises(RuntimeError, match="make another one"):
                await resolver.resolve("other.test")

    with dns.serve({"held.test": Zone(held=True)}) as server:
        asyncio.run(check(server))
        server.release()


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("192.0.2.53", "192.0.2.53:53"),
        (" 127.0.0.1:5353 ", "127.0.0.1:5353"),
        ("::1", "[::1]:53"),
        ("[::1]:5353", "[::1]:5353"),
        ("[::1]", "[::1]:53"),
    ],
)
def test_name_servers(text: str, server: str) -> None:
    assert checked_nameserver(text) == server


@pytest.mark.parametrize(
    "text", ["", "dns.example.org", "1.2.3.4:0", "1.2.3.4:70000", "1.2.3.4:x", "[::1]:x", "[::1", "[::1]x"]
)
def test_a_wrong_name_server_is_misuse(text: str) -> None:
    with pytest.raises(ValueError, match="no name server"):
        checked_nameserver(text)


def no_route() -> str:
    raise OSError("network is unreachable")


@pytest.mark.parametrize(
    ("probe", "usable"),
    [(lambda: SIX, True), (lambda: "fd00::2", False), (lambda: "fe80::1", False), (no_route, False)],
)
def test_ipv6_route(probe: Callable[[], str], usable: bool) -> None:
    assert has_ipv6_route(probe) is usable
    assert has_ipv6_route() in (True, False)
