"""The measured web: pages of pydoc, distinct on every host, found from the first page."""

from __future__ import annotations

import gzip
import re

import pytest

from gossamer.app.bench import server
from gossamer.app.demo_server import page


@pytest.fixture(scope="module")
def pages() -> server.Pages:
    return server.Pages()


def body_of(answer: list[bytes]) -> bytes:
    head, _, body = b"".join(answer).partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    return gzip.decompress(body) if b"gzip" in head else body


def test_every_module_has_a_page() -> None:
    assert [module for module in server.MODULES if not page(f"/{module}.html")] == []


def test_pages_are_real_and_distinct(pages: server.Pages) -> None:
    first = body_of(pages.answer(b"host-1.test:80", pages.paths[0]))
    again = body_of(pages.answer(b"host-2.test:80", pages.paths[0]))
    later = body_of(pages.answer(b"host-1.test:80", pages.paths[len(server.MODULES)]))
    assert len({first, again, later}) == 3
    assert b"argparse" in first
    assert first.endswith(b"</body></html>\n")
    assert first.count(b"</body>") == 1


def test_links_lead_to_pages_of_the_host(pages: server.Pages) -> None:
    found = re.findall(rb'href="(/[^"#]+)', body_of(pages.answer(b"host-1.test", pages.paths[3])))
    assert len(found) > 10
    assert set(found) <= set(pages.paths)


def test_a_page_names_pages_further_on_so_that_all_are_found(pages: server.Pages) -> None:
    reached, waiting = {0}, [0]
    while waiting:
        number = waiting.pop()
        further = {(number * server.NEXT_PAGES + step) % len(pages.paths) for step in range(1, server.NEXT_PAGES + 1)}
        waiting += further - reached
        reached |= further
    assert len(reached) == server.PAGES_OF_A_HOST


def test_robots_and_what_is_not_there(pages: server.Pages) -> None:
    assert body_of(pages.answer(b"host-1.test", b"/robots.txt")) == server.ROBOTS
    assert b"".join(pages.answer(b"host-1.test", b"/nothing")).startswith(b"HTTP/1.1 404 ")
