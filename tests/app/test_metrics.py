"""The metrics: the format held to the letter, the numbers to those of the crawl, the server to its manners."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import urllib.request
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.app.errors import UserError
from gossamer.app.exposition import CONTENT_TYPE, Family, exposition, histogram, number, table
from gossamer.app.metrics_server import MetricsServer
from gossamer.app.tallies import Histogram
from gossamer.core.limits import METRICS_CONNECTIONS_MAX, METRICS_REQUEST_BYTES_MAX, METRICS_WAITING_MAX
from tests import crawls, expositions
from tests.published import ROOT
from tests.servers import small_site
from tests.servers.nginx import free_port

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_text_of_each_kind() -> None:
    counted = Histogram((0.1, 1.0))
    for value in (0.05, 0.1, 0.5, 7.0):
        counted.add(value)
    text = exposition(
        [
            number("a_total", "counter", "Some \\ and\nmore", 3),
            table("b", "gauge", "By name", "name", {'q"\\\n': 0.5}),
            Family("c", "gauge", "Nothing"),
            histogram("d_seconds", "Times", counted),
        ]
    )
    assert text == (
        "# HELP a_total Some \\\\ and\\nmore\n# TYPE a_total counter\na_total 3\n"
        '# HELP b By name\n# TYPE b gauge\nb{name="q\\"\\\\\\n"} 0.5\n'
        "# HELP d_seconds Times\n# TYPE d_seconds histogram\n"
        'd_seconds_bucket{le="0.1"} 2\nd_seconds_bucket{le="1"} 3\nd_seconds_bucket{le="+Inf"} 4\n'
        "d_seconds_sum 7.65\nd_seconds_count 4\n"
    )
    assert expositions.read(text)["b"].value(name='q"\\\n') == 0.5


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), st.floats(allow_nan=False, allow_infinity=False)))
def test_any_label_and_number_comes_back(values: dict[str, float]) -> None:
    read = expositions.read(exposition([table("x", "gauge", "Any", "name", values), number("y", "gauge", "One", 1)]))
    assert (
        {dict(labels)["name"]: value for (_, labels), value in read["x"].samples.items()} == values
        if values
        else "x" not in read
    )


@pytest.mark.parametrize(
    "text",
    [
        "a 1",
        "# HELP a x\n# TYPE a counter\na 1\n",
        "# HELP a_total x\n# TYPE a_total counter\na_total -1\n",
        "# HELP a x\n# TYPE a gauge\na 1\na 1\n",
        '# HELP a x\n# TYPE a gauge\na{b="c} 1\n',
        "# HELP a x\n# TYPE a gauge\nb 1\n",
        "# TYPE a gauge\na 1\n",
        '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
        "# HELP a x\n# TYPE a gauge\na one\n",
    ],
)
def test_the_reader_is_strict(text: str) -> None:
    with pytest.raises(AssertionError):
        expositions.read(text)


def asked(port: int, request: bytes) -> bytes:
    """What the server answers to those bytes."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET /metrics?x=1 HTTP/1.0\r\n\r\n", 200),
        (b"HEAD /metrics HTTP/1.1\r\n\r\n", 200),
        (b"GET / HTTP/1.1\r\n\r\n", 404),
        (b"GET /../etc/passwd HTTP/1.1\r\n\r\n", 404),
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
        (b"GET /metrics\r\n\r\n", 400),
        (b"\x16\x03\x01\x00\r\n\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nX: " + b"x" * METRICS_REQUEST_BYTES_MAX * 2 + b"\r\n\r\n", 400),
        (b"", None),
        (b"GET /met", None),
    ],
    ids=range(11),
)
def test_requests(request_head: bytes, status: int | None) -> None:
    async def one() -> bytes:
        server = MetricsServer(lambda: "# text\n")
        await server.start("127.0.0.1", 0)
        try:
            return await asyncio.to_thread(asked, server.port, request_head)
        except ConnectionResetError:
            return b"HTTP/1.1 400 reset before all was read"
        finally:
            server.close()
            server.close()

    answer = asyncio.run(one())
    if status is None:
        assert answer == b""
        return
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    if status == 200:
        head, _, body = answer.partition(b"\r\n\r\n")
        assert f"Content-Type: {CONTENT_TYPE}".encode() in head
        assert b"Content-Length: 7" in head
        assert body == (b"" if request_head.startswith(b"HEAD") else b"# text\n")


def test_a_crowd_is_turned_away_and_harms_nothing() -> None:
    async def crowd() -> tuple[bytes, bytes]:
        server = MetricsServer(lambda: "ok\n")
        await server.start("127.0.0.1", 0)
        waiting = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(METRICS_CONNECTIONS_MAX)]
        for _, writer in waiting:
            writer.write(b"GET")
            await writer.drain()
        first = await asyncio.to_thread(asked, server.port, b"GET /metrics HTTP/1.1\r\n\r\n")
        for _, writer in waiting:
            writer.close()
            await writer.wait_closed()
        for _ in range(1000):
            if not server._connections:
                break
            await asyncio.sleep(0)
        second = await asyncio.to_thread(asked, server.port, b"GET /metrics HTTP/1.1\r\n\r\n")
        server.close()
        return first, second

    first, second = asyncio.run(crowd())
    assert first.startswith(b"HTTP/1.1 503 ")
    assert second.startswith(b"HTTP/1.1 200 ")


def test_a_port_that_is_taken_is_a_users_error() -> None:
    async def taken(port: int) -> None:
        await MetricsServer(lambda: "").start("127.0.0.1", port)

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(UserError, match=r"metrics\.address"):
            asyncio.run(taken(other.getsockname()[1]))


def scraped(port: int) -> dict[str, expositions.Read]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        assert answer.headers["Content-Type"] == CONTENT_TYPE
        return expositions.read(answer.read().decode())


def dashboard_names() -> set[str]:
    dashboard = json.loads((ROOT / "docs" / "grafana" / "gossamer.json").read_text(encoding="utf-8"))
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    return {name for text in expressions for name in re.findall(r"gossamer_[a-z_]+", text)}


def test_a_running_crawl_tells_its_numbers(tmp_path: Path) -> None:
    """Both ledgers balance in what is exported, and every name that the dashboard asks for is there."""
    names = dashboard_names()
    assert len(names) > 15
    port = free_port()
    table: dict[str, small_site.Behaviour] = {
        "/robots.txt": small_site.robots("User-agent: *", "Disallow: /no"),
        "/": small_site.page("/a", "/b", "/no", "/busy", "/late", "/x.zip"),
        "/a": small_site.page("/", "/b", title="a"),
        "/b": small_site.Answer(b"", 404),
        "/busy": small_site.Answer(b"", 500),
        "/late": small_site.Answer(b"<title>late</title>", held=True),
    }
    with small_site.serve(table) as site:
        flags = ("--gap", "0", *crawls.LOOPBACK, *crawls.FEW_SHARDS, "--metrics", str(port), "--quiet")
        crawl = crawls.start("crawl", site.url("/"), "-o", tmp_path / "crawl", *flags)
        try:
            site.await_begun("/late")
            read = scraped(port)
        finally:
            site.release()
            crawl.terminate()
            crawl.wait(60)
    links, urls = "gossamer_links", read["gossamer_urls"]
    refused = sum(read[f"{links}_refused_total"].samples.values())
    parts = [read[f"{links}_{name}_total"].value() for name in ("sent", "seen", "new")]
    assert read[f"{links}_found_total"].value() == refused + sum(parts) > 0
    assert read["gossamer_urls_known"].value() == sum(urls.samples.values())
    assert read["gossamer_pages_total"].value() >= 1
    assert read["gossamer_fetches_in_flight"].value() == 1
    assert read["gossamer_visit_seconds"].value("_count") == read["gossamer_fetches_total"].value()
    assert read["gossamer_memory_bytes"].value() > 10_000_000
    assert all(value > 0 for value in read["gossamer_disk_bytes"].samples.values())
    # Families that are empty at this moment are left out of the text.
    sometimes = {"gossamer_hosts_slowed_total", "gossamer_urls_failed", "gossamer_urls_refused"}
    assert {re.sub("_(bucket|sum|count)$", "", name) for name in names} <= set(read) | sometimes


def test_of_a_great_crowd_the_rest_is_closed_unheard() -> None:
    async def crowd() -> tuple[bytes, bytes]:
        server = MetricsServer(lambda: "ok\n")
        await server.start("127.0.0.1", 0)
        waiting = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(METRICS_WAITING_MAX)]
        await until(lambda: server._connections == METRICS_WAITING_MAX)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        unheard = b""
        with contextlib.suppress(ConnectionResetError):
            unheard = await reader.read()
        writer.close()
        for _, each in waiting:
            each.close()
        await until(lambda: not server._connections)
        answer = await asyncio.to_thread(asked, server.port, b"GET /metrics HTTP/1.1\r\n\r\n")
        server.close()
        return unheard, answer

    unheard, answer = asyncio.run(crowd())
    assert unheard == b""
    assert answer.startswith(b"HTTP/1.1 200 ")


async def until(done: Callable[[], bool]) -> None:
    """Let the loop go on until what was begun has happened."""
    for _ in range(100_000):
        if done():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never happened")
