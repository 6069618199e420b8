"""The composite does what it says: every step of a page leaves what a crawler would need of it."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from rocksdict import Options, Rdict
from warcio.archiveiterator import ArchiveIterator

from bench.composite import Composite, Timed, lines, middle, warc_record
from bench.fetching import Answer, fetch_all

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

URL = "http://h1.test:8080/library/page-1.html"
HTML = (
    '<!doctype html><title>Words</title><p>Some words to <a href="other.html#a">follow</a>, '
    '<a href="other.html#b">twice</a>, and <a href="/up">up</a>; <a name="none">none</a>, <a href="http://[">broken</a>.'
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"


def answer(url: str = URL, html: str = HTML) -> Answer:
    return Answer(url, HEAD, gzip.compress(html.encode()))


def test_a_page_goes_through_every_step(tmp_path: Path) -> None:
    composite = Composite(tmp_path)
    page = composite.take(answer())
    composite.close()
    assert page.html == HTML
    assert page.references == ["other.html#a", "other.html#b", "/up", "http://["]
    assert "Some words to follow, twice" in page.text
    assert len(page.keys) == 3  # two targets, and itself
    assert page.new == page.keys
    assert page.digest == hashlib.sha1(HTML.encode()).digest()
    assert page.likeness
    assert (composite.pages, composite.links, composite.new_keys) == (1, 4, 3)


def test_what_was_seen_once_is_not_new_again(tmp_path: Path) -> None:
    composite = Composite(tmp_path)
    composite.take(answer())
    again = composite.take(answer("http://h1.test:8080/library/page-2.html"))
    composite.close()
    assert again.new == again.keys[-1:]


def test_the_archive_is_a_warc_of_one_member_a_record(tmp_path: Path) -> None:
    composite = Composite(tmp_path)
    sent = answer()
    composite.take(sent)
    composite.close()
    with (tmp_path / "composite.warc.gz").open("rb") as file:
        records = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.raw_stream.read())
            for record in ArchiveIterator(file, no_record_parse=True)
        ]
    assert [(kind, url) for kind, url, _ in records] == [("request", URL), ("response", URL)]
    assert records[0][2].startswith(b"GET /library/page-1.html HTTP/1.1\r\n")
    assert records[1][2] == sent.head + sent.body


def test_a_record_s_id_is_a_uuid() -> None:
    record = warc_record("request", URL, "0123456789abcdef0123456789abcdef", b"GET").decode()
    assert "<urn:uuid:01234567-89ab-cdef-0123-456789abcdef>" in record
    assert record.endswith("Content-Length: 3\r\n\r\nGET\r\n\r\n")


def test_the_store_has_a_row_for_each_url_known(tmp_path: Path) -> None:
    composite = Composite(tmp_path)
    page = composite.take(answer())
    composite.close()
    database = Rdict(str(tmp_path / "store"), Options(raw_mode=True))
    assert all(len(database.get(key)) == 150 for key in page.keys)
    assert database.get(page.keys[-1])[-28:] == page.digest + page.likeness.to_bytes(8, "big")
    database.close()


def test_timed_steps_are_those_of_the_composite(tmp_path: Path) -> None:
    composite = Composite(tmp_path)
    timed = Timed(composite)
    timed.take(answer())
    composite.close()
    assert list(timed.seconds) == list(composite.steps)
    assert composite.pages == 1


class Pages(BaseHTTPRequestHandler):
    """A server of one page under many names."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = gzip.compress(HTML.encode())
        self.send_response(404 if self.path == "/gone" else 200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def pages() -> Generator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_every_url_is_fetched_once_as_received() -> None:
    found: list[Answer] = []
    with pages() as port:
        urls = [(f"http://h{n % 3}.test:{port}/{n}", "127.0.0.1") for n in range(20)]
        asyncio.run(fetch_all(urls, found.append, at_once=3))
    assert sorted(each.url for each in found) == sorted(url for url, _ in urls)
    assert all(gzip.decompress(each.body).decode() == HTML for each in found)
    assert all(each.head.startswith(b"HTTP/1.1 200") and each.head.endswith(b"\r\n\r\n") for each in found)


def test_a_failure_ends_the_measurement() -> None:
    with pages() as port, pytest.raises(RuntimeError, match="gone: status 404"):
        asyncio.run(fetch_all([(f"http://h.test:{port}/gone", "127.0.0.1")], print, at_once=1))


def test_what_goes_wrong_with_a_page_is_not_swallowed() -> None:
    def fail(_: Answer) -> None:
        raise ValueError("no page")

    with pages() as port, pytest.raises(ValueError, match="no page"):
        asyncio.run(fetch_all([(f"http://h.test:{port}/", "127.0.0.1")], fail, at_once=1))


def test_the_middle_round_is_told() -> None:
    rounds = [{"cpu_ms": value} for value in (3.0, 1.0, 2.0)]
    assert middle(rounds) == {"cpu_ms": 2.0}
    assert middle(rounds[:2]) == {"cpu_ms": 1.0}


def test_a_measurement_in_words_has_its_dearest_part_first() -> None:
    figures = {"pages_a_second": 1000.0, "cpu_ms": 1.0, "server_ms": 0.1, "links": 60, "decoded": 55_000}
    first, parts = lines("55, plain", {**figures, "coded": 11_000, "parts": {"decode": 0.1, "parse": 0.3}})
    assert first.split() == ["55,", "plain", "1000", "1.000", "0.100", "60", "55.0", "11.0"]
    assert parts.strip() == "parse 0.300, decode 0.100"
