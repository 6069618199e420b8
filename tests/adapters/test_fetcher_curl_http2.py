"""HTTP/2: agreed on by TLS, one request a connection at a time, handed over as HTTP/1.1 writes it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from gossamer.adapters.fetcher_curl import CurlFetcher
from gossamer.core.http.exchange import Exchange, FailureKind, FetchLimits, FetchRequest, Truncation
from gossamer.core.http.headers import parse_head
from tests.servers import http2, misbehaving
from tests.servers.misbehaving import Certificates
from tests.servers.nginx import Certificate, Host, free_port, nginx

LIMITS = FetchLimits(5.0, 5.0, 10.0, 1, 5, 32_768, 100_000)
FIELDS = (("User-Agent", "Gossamer/1"), ("Accept", "*/*"))
SLOW_CLOCK = 1_000_000.0


class Clock:
    """Stands."""

    def now(self) -> float:
        return SLOW_CLOCK

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    try:
        return misbehaving.make_certificates(tmp_path_factory.mktemp("tls"), "good.test")
    except OSError:
        pytest.skip("openssl is not installed")


@pytest.fixture(scope="module")
def server(certificates: Certificates) -> Iterator[http2.Server]:
    with http2.serve(certificates) as running:
        yield running


@contextlib.asynccontextmanager
async def fetching(certificates: Certificates, **options: Any) -> AsyncIterator[CurlFetcher]:
    fetcher = CurlFetcher(bool, Clock(), ca_file=certificates.ca_file, **options)
    try:
        yield fetcher
    finally:
        await fetcher.close()


def fetch(certificates: Certificates, *urls: str, keep_seconds: float = 0.0, **options: Any) -> list[Exchange]:
    async def all_of_them() -> list[Exchange]:
        async with fetching(certificates, **options) as fetcher:
            return [
                await fetcher.fetch(FetchRequest(url, ("127.0.0.1",), FIELDS, LIMITS, keep_seconds=keep_seconds))
                for url in urls
            ]

    return asyncio.run(all_of_them())


def test_an_exchange_is_written_as_http_1_1(certificates: Certificates, server: http2.Server) -> None:
    (exchange,) = fetch(certificates, server.url("/page?a=1"))
    assert (exchange.failure, exchange.status, exchange.protocol, exchange.tls) == (None, 200, "h2", "tls/1.3")
    assert exchange.head == b"HTTP/1.1 200 \r\ncontent-type: text/html\r\n\r\n"
    assert parse_head(exchange.head).problems == ()
    assert exchange.body is not None
    assert exchange.body.read() == http2.PAGE
    assert exchange.request.startswith(b"GET /page?a=1 HTTP/1.1\r\nHost: good.test:")
    asked = server.seen[-1]
    assert (asked[":path"], asked[":authority"], asked["user-agent"]) == (
        "/page?a=1",
        f"good.test:{server.port}",
        "Gossamer/1",
    )


@pytest.mark.parametrize(
    ("path", "status", "body", "problem"),
    [
        ("/moved", 301, b"", None),
        ("/gone", 404, b"no", None),
        ("/hints", 200, http2.PAGE, None),
        ("/trailers", 200, http2.PAGE, None),
        ("/none", 204, b"", None),
        ("/go-away", 200, http2.PAGE, None),
        ("/cut", 200, http2.PAGE, Truncation.DISCONNECT),
        ("/refused", 0, None, FailureKind.RESET),
        ("/big-head", 0, None, FailureKind.HEADERS_TOO_LARGE),
    ],
)
def test_answers(  # noqa: PLR0917 - a table's columns
    certificates: Certificates, server: http2.Server, path: str, status: int, body: bytes | None, problem: object
) -> None:
    before = len(server.seen)
    (exchange,) = fetch(certificates, server.url(path))
    assert (exchange.failure or exchange.truncated) == problem, exchange
    assert exchange.status == status
    assert (exchange.body.read() if exchange.body is not None else None) == body
    assert len(server.seen) == before + 1, "asked once"


def test_a_connection_is_used_again(certificates: Certificates, server: http2.Server) -> None:
    before = server.connections
    first, second = fetch(certificates, server.url("/page"), server.url("/gone"), keep_seconds=5.0)
    assert (first.protocol, second.protocol, second.status, second.tls) == ("h2", "h2", 404, "tls/1.3")
    assert server.connections <= before + 2


def test_a_server_without_it_gets_http_1_1(certificates: Certificates, server: http2.Server) -> None:
    with misbehaving.serve(context=certificates.context()) as old:
        (exchange,) = fetch(certificates, old.url("/", "good.test"))
    assert (exchange.status, exchange.protocol) == (200, "http/1.1")


def test_nginx_speaks_it_and_it_can_be_left_out(certificates: Certificates, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_bytes(http2.PAGE)
    port = free_port()
    certificate = Certificate(certificates.certificate, certificates.key)
    host = Host(("good.test",), tmp_path, (("127.0.0.1", port),), certificate=certificate, http2=True)
    with nginx([host], tmp_path / "nginx"):
        url = f"https://good.test:{port}/"
        (second,) = fetch(certificates, url)
        (first,) = fetch(certificates, url, http2=False)
    assert (second.protocol, second.status, first.protocol, first.status) == ("h2", 200, "http/1.1", 200)
    assert second.body is not None
    assert second.body.read() == http2.PAGE
