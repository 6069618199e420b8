"""The curl fetcher against a loopback server that misbehaves on purpose, on asyncio's loop and on uvloop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.fetcher_curl import CurlFetcher, system_ca_file
from gossamer.adapters.fetcher_curl.fetcher import _PLAIN_URL
from gossamer.core import limits
from gossamer.core.http.exchange import Exchange, FailureKind, FetchLimits, FetchRequest, Truncation
from gossamer.core.url.parse import parse
from tests.servers import misbehaving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    from tests.servers.misbehaving import Certificates, Server

LIMITS = FetchLimits(
    connect_seconds=5.0,
    first_byte_seconds=5.0,
    total_seconds=10.0,
    low_speed_bytes_per_second=1,
    low_speed_seconds=5,
    header_bytes=32_768,
    body_bytes=100_000,
)
HTML = frozenset({"text/html"})
FIELDS = (("User-Agent", "Gossamer/1"), ("Accept", "*/*"), ("Accept-Encoding", "gzip, deflate, br, zstd"))


class CountingClock:
    """A millisecond passes whenever somebody looks."""

    def __init__(self) -> None:
        self.moment = 1_000_000.0

    def now(self) -> float:
        self.moment += 0.001
        return self.moment

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with misbehaving.serve() as running:
        yield running


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    try:
        return misbehaving.make_certificates(tmp_path_factory.mktemp("tls"), "good.test")
    except OSError:
        pytest.skip("openssl is not installed")


@pytest.fixture(scope="module")
def tls_server(certificates: Certificates) -> Iterator[Server]:
    with misbehaving.serve(context=certificates.context()) as running:
        yield running


@contextlib.asynccontextmanager
async def fetching(permits: Callable[[str], bool] = bool, **options: Any) -> AsyncIterator[CurlFetcher]:
    fetcher = CurlFetcher(permits, CountingClock(), **options)
    try:
        yield fetcher
    finally:
        await fetcher.close()


def request(url: str, *addresses: str, **changes: Any) -> FetchRequest:
    return FetchRequest(url, addresses or ("127.0.0.1",), changes.pop("headers", FIELDS), LIMITS, **changes)


def fetch(wanted: FetchRequest, permits: Callable[[str], bool] = bool, **options: Any) -> Exchange:
    async def one() -> Exchange:
        async with fetching(permits, **options) as fetcher:
            return await fetcher.fetch(wanted)

    return asyncio.run(one())


def content(exchange: Exchange) -> bytes | None:
    """The body, given back afterwards."""
    if exchange.body is None:
        return None
    data = exchange.body.read()
    exchange.body.close()
    return data


PAGE = misbehaving.PAGE

ANSWERS: list[tuple[str, int, bytes | None, FailureKind | Truncation | None]] = [
    ("/", 200, PAGE, None),
    ("/close", 200, PAGE, None),
    ("/until-close", 200, PAGE, None),
    ("/nowhere", 404, b"not here", None),
    ("/moved", 301, b"", None),
    ("/chunked", 200, b"<b>hi there</b>", None),
    ("/trailers", 200, b"ok", None),
    ("/early-hints", 200, PAGE, None),
    ("/204-with-body", 204, b"", None),
    ("/folded", 200, b"", None),
    ("/length-and-chunked", 200, b"abcdef", None),
    ("/long-body", 200, PAGE[:4], None),
    ("/size?100000", 200, b"x" * 100_000, None),
    # Cut: what came is kept and marked.
    ("/size?100001", 200, b"x" * 100_000, Truncation.LENGTH),
    ("/endless-body", 200, (misbehaving.CHUNK * 25)[:100_000], Truncation.LENGTH),
    ("/short-body", 200, PAGE, Truncation.DISCONNECT),
    ("/chunk-cut", 200, PAGE, Truncation.DISCONNECT),
    ("/bad-chunk", 200, b"ok", Truncation.UNSPECIFIED),
    # Nothing of a body came.
    ("/no-body-at-all", 200, b"", FailureKind.RESET),
    ("/chunk-huge-size", 200, b"", FailureKind.BAD_ANSWER),
    ("/nothing", 0, None, FailureKind.RESET),
    ("/half-a-head", 0, None, FailureKind.RESET),
    ("/reset", 0, None, FailureKind.RESET),
    # What cannot be read.
    ("/http-0.9", 0, None, FailureKind.BAD_ANSWER),
    ("/binary", 0, None, FailureKind.BAD_ANSWER),
    ("/injected", 0, None, FailureKind.BAD_ANSWER),
    ("/two-lengths", 0, None, FailureKind.BAD_ANSWER),
    ("/endless-head", 0, None, FailureKind.HEADERS_TOO_LARGE),
    ("/endless-line", 0, None, FailureKind.HEADERS_TOO_LARGE),
    ("/endless-interim", 0, None, FailureKind.HEADERS_TOO_LARGE),
]  # fmt: skip


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_answers(server: Server, run: Callable[[Awaitable[None]], None]) -> None:
    async def all_at_once() -> None:
        async with fetching() as fetcher:
            exchanges = await asyncio.gather(
                *(fetcher.fetch(request(server.url(path), keep_seconds=5.0)) for path, *_ in ANSWERS)
            )
        for (path, status, body, fault), exchange in zip(ANSWERS, exchanges, strict=True):
            assert (exchange.failure or exchange.truncated) is fault, (path, exchange)
            assert (exchange.status, content(exchange)) == (status, body), path
            assert bool(exchange.detail) is (fault is not None), path

    run(all_at_once())


def test_an_exchange_is_complete(server: Server) -> None:
    exchange = fetch(request(server.url("/early-hints")))
    raw = misbehaving.sized(PAGE)
    assert exchange.head == raw[: -len(PAGE)]
    assert exchange.headers == (("Content-Type", "text/html"), ("Content-Length", str(len(PAGE))))
    assert (exchange.address, exchange.protocol, exchange.tls) == ("127.0.0.1", "http/1.1", "")
    assert exchange.connections_opened == 1
    assert exchange.first_byte is not None
    assert 1_000_000.0 < exchange.started < exchange.first_byte < exchange.ended


def test_content_coding_is_left_alone(server: Server) -> None:
    body = content(fetch(request(server.url("/gzip"))))
    assert body is not None
    assert body[:2] == b"\x1f\x8b"


# --- the request ------------------------------------------------------------------------------------------------

TARGETS = [
    "/echo",
    "/echo?",
    "/echo?a=b&c=%20%zz",
    "/echo?q={|}^`'[]\\",
    '/echo?"<>',
    "/echo?" + "x" * 1900,
    "/echo?caf\u00e9",
    "/echo?a/../b/./c",
]  # fmt: skip
FIELD_SETS = [
    FIELDS,
    (),
    (("User-Agent", "G"),),
    (("Accept", "text/html"), ("X-Empty", ""), ("X-Latin", "caf\xe9"), ("Cookie", "a=b; c=d")),
    (("If-None-Match", 'W/"x"'), ("user-agent", "low"), ("Accept-Encoding", "gzip")),
]


@pytest.mark.parametrize("fields", FIELD_SETS, ids=range(len(FIELD_SETS)))
def test_the_request_is_recorded_as_sent(server: Server, fields: tuple[tuple[str, str], ...]) -> None:
    async def check() -> None:
        async with fetching() as fetcher:
            for target in TARGETS:
                exchange = await fetcher.fetch(
                    request(server.url(target, "host.test"), headers=fields, keep_seconds=5.0)
                )
                assert exchange.request == content(exchange), target
                assert exchange.request.count(b"\r\n") == 3 + len(fields)
                assert f"Host: host.test:{server.port}\r\n".encode() in exchange.request

    asyncio.run(check())


def test_credentials_in_a_url_are_not_sent(server: Server) -> None:
    exchange = fetch(request(f"http://user:secret@a.test:{server.port}/echo"))
    assert b"uthorization" not in exchange.request
    assert content(exchange) == exchange.request


@pytest.mark.parametrize(
    ("url", "addresses", "fields"),
    [
        ("ftp://a.test/", ("127.0.0.1",), FIELDS),
        ("file:///etc/passwd", ("127.0.0.1",), FIELDS),
        ("nonsense", ("127.0.0.1",), FIELDS),
        ("http://a.test/", (), FIELDS),
        ("http://a.test/", ("a.test",), FIELDS),
        ("http://a.test/", ("127.1",), FIELDS),
        ("http://a.test/", ("127.0.0.1",), (("X", "a\r\nY: b"),)),
        ("http://a.test/", ("127.0.0.1",), (("X\r\n", "a"),)),
        ("http://a.test/", ("127.0.0.1",), (("X", "\u0142"),)),
        ("http://a.test/", ("127.0.0.1",), (("Host", "b.test"),)),
    ],
)
def test_misuse(url: str, addresses: tuple[str, ...], fields: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(ValueError, match=r"needs to be|resolve names|cannot be sent|leave it out"):
        fetch(FetchRequest(url, addresses, fields, LIMITS))


def test_the_surroundings_say_nothing(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_text("default login user password secret\n")
    assert content(fetch(request(server.url("/echo")))) is not None


# --- addresses --------------------------------------------------------------------------------------------------


def test_a_refused_address_is_not_connected_to(server: Server) -> None:
    before = server.connections
    exchange = fetch(request(server.url("/")), permits=lambda _: False)
    assert (exchange.failure, exchange.status, exchange.address) == (FailureKind.ADDRESS_REFUSED, 0, "")
    assert (exchange.request, exchange.body) == (b"", None)
    assert server.connections == before


def test_a_kept_connection_is_judged_again(server: Server) -> None:
    verdict = True

    async def check() -> None:
        nonlocal verdict
        async with fetching(lambda _: verdict) as fetcher:
            first = await fetcher.fetch(request(server.url("/"), keep_seconds=5.0))
            verdict = False
            seen = len(server.seen)
            second = await fetcher.fetch(request(server.url("/"), keep_seconds=5.0))
        assert (first.failure, second.failure) == (None, FailureKind.ADDRESS_REFUSED)
        assert len(server.seen) == seen

    asyncio.run(check())


def test_of_answers_of_both_kinds_only_the_permitted_are_used(server: Server) -> None:
    asked: list[str] = []

    def permits(address: str) -> bool:
        asked.append(address)
        return address == "127.0.0.1"

    exchange = fetch(request(server.url("/", "a.test"), "127.0.0.2", "127.0.0.1"), permits)
    assert (exchange.status, exchange.address) == (200, "127.0.0.1")
    assert set(asked) == {"127.0.0.2", "127.0.0.1"}


def test_the_next_address_is_tried(server: Server) -> None:
    exchange = fetch(request(server.url("/", "a.test"), "127.0.0.3", "::1", "127.0.0.1"))
    assert (exchange.status, exchange.address, exchange.failure) == (200, "127.0.0.1", None)


def test_no_more_addresses_than_the_limit(server: Server) -> None:
    dead = [f"127.0.0.{number}" for number in range(3, 3 + limits.CONNECT_ADDRESSES_MAX)]
    exchange = fetch(request(server.url("/", "a.test"), *dead, "127.0.0.1"))
    assert (exchange.failure, exchange.address) == (FailureKind.CONNECT_REFUSED, "")


def test_only_the_address_named_is_used() -> None:
    """One name, two machines, a kept connection to the first: the second request must reach the second."""

    async def check() -> None:
        async with fetching() as fetcher:
            for address, other in (("127.0.0.1", two), ("127.0.0.2", one), ("127.0.0.1", two)):
                before = len(other.seen)
                exchange = await fetcher.fetch(request(one.url("/", "a.test"), address, keep_seconds=5.0))
                assert (exchange.status, exchange.address, len(other.seen)) == (200, address, before)

    with misbehaving.serve() as one, misbehaving.serve("127.0.0.2", port=one.port) as two:
        asyncio.run(check())
        assert (one.connections, two.connections) == (1, 1)


def test_thousands_of_hosts(server: Server) -> None:
    """Names that no resolver knows, each pinned for its one request."""

    async def some(fetcher: CurlFetcher, numbers: Iterator[int]) -> None:
        for number in numbers:
            exchange = await fetcher.fetch(request(server.url("/", f"h{number}.invalid")))
            assert (exchange.status, exchange.address) == (200, "127.0.0.1"), exchange

    async def check() -> None:
        numbers = iter(range(2000))
        async with fetching() as fetcher:
            await asyncio.gather(*(some(fetcher, numbers) for _ in range(20)))

    asyncio.run(check())


def test_ipv6() -> None:
    try:
        with misbehaving.serve("::1") as server:
            literal = fetch(request(server.url("/echo"), "0:0:0:0:0:0:0:1"))
            name = fetch(request(server.url("/echo", "a.test"), "::1"))
    except RuntimeError:
        pytest.skip("no IPv6 on loopback")
    assert (literal.address, name.address) == ("::1", "::1")
    assert f"Host: [::1]:{server.port}\r\n".encode() in literal.request


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        exchange = fetch(request(f"http://a.test:{unused.getsockname()[1]}/"))
    assert (exchange.failure, exchange.address) == (FailureKind.CONNECT_REFUSED, "")
    assert exchange.started < exchange.ended


def test_names_that_curl_refuses_are_failures(server: Server) -> None:
    assert fetch(request(server.url("/", "a!b$c.test"))).failure in (None, FailureKind.CONNECT_FAILED)


# --- connections ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("keep_seconds", "opened"), [(5.0, 1), (0.0, 3)])
def test_connections_are_kept_if_asked(keep_seconds: float, opened: int) -> None:
    async def check(server: Server) -> None:
        async with fetching() as fetcher:
            exchanges = [await fetcher.fetch(request(server.url("/"), keep_seconds=keep_seconds)) for _ in range(3)]
        assert sum(exchange.connections_opened for exchange in exchanges) == opened
        assert server.connections == opened

    with misbehaving.serve() as server:
        asyncio.run(check(server))


def test_an_unwanted_type_is_closed_after_its_headers(server: Server) -> None:
    exchange = fetch(request(server.url("/image"), wanted_media=HTML, keep_seconds=5.0))
    assert (exchange.status, exchange.unwanted, exchange.failure, exchange.truncated) == (200, True, None, None)
    assert exchange.header("content-type") == "image/png"
    assert content(exchange) == b""


@pytest.mark.parametrize(("path", "body"), [("/", PAGE), ("/untyped", b"page"), ("/image-404", b"gone")])
def test_wanted_and_untyped_answers_and_errors_are_read(server: Server, path: str, body: bytes) -> None:
    exchange = fetch(request(server.url(path), wanted_media=HTML))
    assert (content(exchange), exchange.unwanted) == (body, False)


def test_cancelling_leaves_the_fetcher_in_order() -> None:
    async def check(server: Server) -> None:
        async with fetching() as fetcher:
            arrived = asyncio.Event()
            loop = asyncio.get_running_loop()
            server.on_request = lambda: loop.call_soon_threadsafe(arrived.set)
            task = asyncio.create_task(fetcher.fetch(request(server.url("/silent"))))
            await arrived.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await fetcher.fetch(request(server.url("/")))).status == 200

    with misbehaving.serve() as server:
        asyncio.run(check(server))


def test_closing_cancels_what_is_under_way() -> None:
    async def check(server: Server) -> None:
        fetcher = CurlFetcher(bool, CountingClock())
        arrived = asyncio.Event()
        loop = asyncio.get_running_loop()
        server.on_request = lambda: loop.call_soon_threadsafe(arrived.set)
        task = asyncio.create_task(fetcher.fetch(request(server.url("/silent"))))
        await arrived.wait()
        await fetcher.close()
        await fetcher.close()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(RuntimeError, match="make another one"):
            await fetcher.fetch(request(server.url("/")))

    with misbehaving.serve() as server:
        asyncio.run(check(server))


# --- limits of time ---------------------------------------------------------------------------------------------

SLOW: list[tuple[str, dict[str, float], FailureKind | Truncation]] = [
    ("/silent", {"first_byte_seconds": 0.05}, FailureKind.TIMEOUT),
    ("/silent", {"total_seconds": 0.1}, FailureKind.TIMEOUT),
    ("/stalled-head", {"total_seconds": 0.1}, FailureKind.TIMEOUT),
    ("/stalled-before-body", {"total_seconds": 0.1}, FailureKind.TIMEOUT),
    ("/stalled-body", {"total_seconds": 0.2}, Truncation.TIME),
    ("/stalled-head", {"first_byte_seconds": 0.05, "low_speed_seconds": 0.1}, FailureKind.SLOW),
    ("/stalled-before-body", {"first_byte_seconds": 0.05, "low_speed_seconds": 0.1}, FailureKind.SLOW),
    ("/stalled-body", {"first_byte_seconds": 0.05, "low_speed_seconds": 0.1}, Truncation.TIME),
]


def test_limits_of_time(server: Server) -> None:
    def limited(path: str, changes: dict[str, Any]) -> FetchRequest:
        slow = {"low_speed_bytes_per_second": 100_000} if "low_speed_seconds" in changes else {}
        return replace(request(server.url(path)), limits=replace(LIMITS, **changes, **slow))

    async def check() -> None:
        async with fetching() as fetcher:
            exchanges = await asyncio.gather(*(fetcher.fetch(limited(path, changes)) for path, changes, _ in SLOW))
        for (path, changes, fault), exchange in zip(SLOW, exchanges, strict=True):
            assert (exchange.failure or exchange.truncated) is fault, (path, changes, exchange)
            assert (content(exchange) == PAGE) is (fault is Truncation.TIME), path

    asyncio.run(check())


def test_a_connection_that_does_not_come_about() -> None:
    """A full backlog: the kernel answers no more."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        wanted = request(f"http://a.test:{listener.getsockname()[1]}/")
        exchange = fetch(replace(wanted, limits=replace(LIMITS, connect_seconds=0.2)))
    assert (exchange.failure, exchange.address) == (FailureKind.CONNECT_TIMEOUT, "")


# --- bodies -----------------------------------------------------------------------------------------------------


def test_long_bodies_wait_on_disk(server: Server, tmp_path: Path) -> None:
    size = limits.BODY_SPOOL_BYTES * 2
    wanted = replace(request(server.url(f"/size?{size}")), limits=replace(LIMITS, body_bytes=size))
    exchange = fetch(wanted, spool_folder=tmp_path)
    assert exchange.body is not None
    assert exchange.body.size == size
    assert exchange.body.read() == exchange.body.read() == b"x" * size
    exchange.body.close()
    exchange.body.close()


def test_a_full_disk_is_ours_to_hear(server: Server, tmp_path: Path) -> None:
    size = limits.BODY_SPOOL_BYTES * 2
    wanted = replace(request(server.url(f"/size?{size}")), limits=replace(LIMITS, body_bytes=size))
    with pytest.raises(OSError, match="No such file"):
        fetch(wanted, spool_folder=tmp_path / "missing")


# --- TLS --------------------------------------------------------------------------------------------------------


def test_tls(tls_server: Server, certificates: Certificates) -> None:
    async def check() -> None:
        async with fetching(ca_file=certificates.ca_file) as fetcher:
            for opened in (1, 0, 0):
                exchange = await fetcher.fetch(request(tls_server.url("/echo", "good.test"), keep_seconds=5.0))
                assert (exchange.failure, exchange.status, exchange.tls) == (None, 200, "tls/1.3"), exchange
                assert exchange.connections_opened == opened
                assert exchange.request == content(exchange)

    asyncio.run(check())


@pytest.mark.parametrize(("name", "own_ca"), [("other.test", True), ("127.0.0.1", True), ("good.test", False)], ids=str)
def test_certificates_are_verified(tls_server: Server, certificates: Certificates, name: str, own_ca: bool) -> None:
    options = {"ca_file": certificates.ca_file} if own_ca else {}
    before = len(tls_server.seen)
    exchange = fetch(request(tls_server.url("/", name)), **options)
    assert (exchange.failure, exchange.status, exchange.request) == (FailureKind.TLS, 0, b"")
    assert exchange.detail
    assert len(tls_server.seen) == before


def test_plain_http_where_tls_is_spoken(tls_server: Server) -> None:
    exchange = fetch(request(tls_server.url("/", "good.test").replace("https:", "http:")))
    assert (exchange.failure, exchange.tls) == (FailureKind.RESET, "")


def test_the_systems_certificates_are_found(monkeypatch: pytest.MonkeyPatch, certificates: Certificates) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    assert system_ca_file() == str(certificates.ca_file)
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.setattr("ssl.get_default_verify_paths", lambda: type("Paths", (), {"cafile": None}))
    monkeypatch.setattr("gossamer.adapters.fetcher_curl.options.CA_BUNDLES", ())
    with pytest.raises(FileNotFoundError, match="install ca-certificates"):
        system_ca_file()


def test_a_missing_ca_file_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="name a PEM file"):
        CurlFetcher(bool, CountingClock(), ca_file=tmp_path / "none.pem")


@given(
    st.sampled_from(["http://", "https://"]),
    st.lists(
        st.sampled_from(["h1.test", "a", "B", "xn--a", "1", "0x7f", "127.1", ".", "_", "-", "[::1]", "@"]),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["", ":80", ":443", ":8080", ":65535", ":65536"]),
    st.lists(
        st.sampled_from(["/", ".", "..", "%2e", "%", "p", "?", "#", "'", "\\", " ", "\xe9", "=", "&", "|", "\t"]),
        max_size=8,
    ),
)
def test_a_url_that_is_not_parsed_is_what_parsing_makes_of_it(
    scheme: str, host: list[str], port: str, rest: list[str]
) -> None:
    url = f"{scheme}{''.join(host)}{port}/{''.join(rest)}"
    plain = _PLAIN_URL.fullmatch(url)
    if plain is not None:
        parsed = parse(url)
        assert parsed is not None
        assert (plain[1], plain[2]) == (parsed.authority, parsed.target)
