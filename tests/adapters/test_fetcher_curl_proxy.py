"""The curl fetcher through proxies: what each is told, and who checks which address is connected to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.clock_system import SystemClock
from gossamer.adapters.fetcher_curl import CurlFetcher
from gossamer.core.dns.answer import BEHIND_PROXY
from gossamer.core.http.exchange import Exchange, FailureKind, FetchLimits, FetchRequest
from gossamer.core.http.host_request import Proxy
from tests.servers import misbehaving, proxies, small_site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LIMITS = FetchLimits(5.0, 5.0, 10.0, 1, 5, 32_768, 100_000)
TABLE: dict[str, small_site.Behaviour] = {"/a?b=1": small_site.page(title="reached")}
TOLD = "198.51.100.7"
"""What we claim to have resolved; the proxies of the tests connect to the site whatever they are told."""


def fetch(
    url: str, proxy: Proxy | None, *, address: str = TOLD, permits: Callable[[str], bool] = bool, times: int = 1
) -> Exchange:
    """The last of some exchanges with one fetcher."""

    async def run() -> Exchange:
        fetcher = CurlFetcher(permits, SystemClock())
        try:
            for _ in range(times - 1):
                await fetcher.fetch(request)
            return await fetcher.fetch(request)
        finally:
            await fetcher.close()

    fields = (("User-Agent", "Gossamer/1"), ("Accept", "*/*"), ("Authorization", "Bearer geheim"))
    request = FetchRequest(url, (address,), fields, LIMITS, keep_seconds=5.0, proxy=proxy)
    return asyncio.run(run())


def body_of(exchange: Exchange) -> bytes:
    assert exchange.failure is None, exchange.detail
    assert exchange.status == 200
    assert exchange.body is not None
    return exchange.body.read()


@pytest.mark.parametrize(
    ("kind", "scheme", "resolves", "told"),
    [
        (proxies.http, "http", False, f"CONNECT {TOLD}:8080"),
        (proxies.http, "http", True, "GET http://nobody.test:8080/a?b=1"),
        (proxies.socks5, "socks5", False, f"socks {TOLD}:8080"),
        (proxies.socks5, "socks5h", True, "socks nobody.test:8080"),
    ],
)
@pytest.mark.parametrize("login", ["", "me:p:w"])
def test_a_proxy_is_told_the_address_or_the_name(
    kind: Callable[..., proxies.contextlib.AbstractContextManager[proxies.Proxy]],
    scheme: str,
    resolves: bool,
    told: str,
    login: str,
) -> None:
    with small_site.serve(TABLE) as site, kind(site.port, login) as running:
        proxy = Proxy(f"{scheme}://127.0.0.1:{running.port}", resolves=resolves, login=login)
        exchange = fetch("http://nobody.test:8080/a?b=1", proxy, address=BEHIND_PROXY if resolves else TOLD)
        assert b"reached" in body_of(exchange)
        assert running.asked == [told]
        assert set(running.logins) <= {login}
        assert exchange.address == ("" if resolves else TOLD)
        assert dict(exchange.headers).get("X-Proxy") is None, "a proxy's own answer is not the host's"
        (asked,) = site.begun
        assert asked.fields["host"] == "nobody.test:8080"
        assert "proxy-authorization" not in asked.fields
        assert b"Proxy" not in exchange.request


def test_a_proxy_that_tunnels_does_not_see_what_the_host_is_told() -> None:
    with small_site.serve(TABLE) as site, proxies.http(site.port) as running:
        fetch("http://nobody.test/a?b=1", Proxy(f"http://127.0.0.1:{running.port}"))
        assert "geheim" not in "".join(running.heads)
        assert site.begun[0].fields["authorization"] == "Bearer geheim"


@pytest.mark.parametrize("scheme", ["http", "socks5"])
def test_an_address_that_may_not_be_connected_to_is_not_asked_of_a_proxy(scheme: str) -> None:
    kind = proxies.http if scheme == "http" else proxies.socks5
    with small_site.serve(TABLE) as site, kind(site.port) as running:
        proxy = Proxy(f"{scheme}://127.0.0.1:{running.port}")
        exchange = fetch("http://nobody.test/a?b=1", proxy, permits=lambda address: address != TOLD)
        assert exchange.failure is FailureKind.ADDRESS_REFUSED
        assert running.asked == []


def test_the_proxys_own_address_is_the_operators_word() -> None:
    with small_site.serve(TABLE) as site, proxies.socks5(site.port) as running:
        proxy = Proxy(f"socks5://127.0.0.1:{running.port}")
        assert b"reached" in body_of(fetch("http://nobody.test/a?b=1", proxy, permits=lambda address: address == TOLD))


def test_a_kept_connection_through_a_proxy_serves_again() -> None:
    with small_site.serve(TABLE) as site, proxies.socks5(site.port) as running:
        exchange = fetch("http://nobody.test/a?b=1", Proxy(f"socks5://127.0.0.1:{running.port}"), times=3)
        assert b"reached" in body_of(exchange)
        assert len(running.asked) == 1
        assert len(site.begun) == 3


@pytest.mark.parametrize("scheme", ["http", "socks5"])
def test_a_wrong_login_is_a_failure_in_words_without_the_login(scheme: str) -> None:
    kind = proxies.http if scheme == "http" else proxies.socks5
    with small_site.serve(TABLE) as site, kind(site.port, "me:right") as running:
        exchange = fetch("http://nobody.test/a?b=1", Proxy(f"{scheme}://127.0.0.1:{running.port}", login="me:wrong"))
        assert exchange.failure is not None
        assert exchange.detail
        assert "wrong" not in exchange.detail
        assert site.begun == []


def test_a_proxy_that_is_not_there_is_a_failure() -> None:
    exchange = fetch("http://nobody.test/", Proxy("socks5://127.0.0.1:1"))
    assert exchange.failure is FailureKind.CONNECT_REFUSED


def test_a_handle_used_for_a_proxied_host_goes_straight_to_the_next() -> None:
    async def run() -> list[Exchange]:
        fetcher = CurlFetcher(bool, SystemClock())
        fields = (("User-Agent", "Gossamer/1"),)
        try:
            return [
                await fetcher.fetch(FetchRequest(url, (address,), fields, LIMITS, proxy=proxy))
                for url, address, proxy in (
                    ("http://nobody.test/a?b=1", TOLD, Proxy(f"http://127.0.0.1:{running.port}", login="a:b")),
                    (site.url("/a?b=1"), "127.0.0.1", None),
                )
            ]
        finally:
            await fetcher.close()

    with small_site.serve(TABLE) as site, proxies.http(site.port) as running:
        for exchange in asyncio.run(run()):
            assert b"reached" in body_of(exchange)
        assert len(running.asked) == 1
        assert len(site.begun) == 2


def test_tls_goes_through_with_the_name_that_was_asked_for(tmp_path: Path) -> None:
    try:
        certificates = misbehaving.make_certificates(tmp_path, "good.test")
    except OSError:
        pytest.skip("openssl is not installed")

    async def run() -> Exchange:
        fetcher = CurlFetcher(bool, SystemClock(), ca_file=certificates.ca_file)
        try:
            proxy = Proxy(f"http://127.0.0.1:{running.port}", resolves=True)
            request = FetchRequest(
                "https://good.test/html", (BEHIND_PROXY,), (("User-Agent", "G"),), LIMITS, proxy=proxy
            )
            return await fetcher.fetch(request)
        finally:
            await fetcher.close()

    with misbehaving.serve(context=certificates.context()) as server, proxies.http(server.port) as running:
        exchange = asyncio.run(run())
        assert exchange.failure is None, exchange.detail
        assert exchange.tls.startswith("tls/1.")
        assert running.asked == ["CONNECT good.test:443"]
        assert exchange.request.startswith(b"GET /html HTTP/1.1\r\n")
