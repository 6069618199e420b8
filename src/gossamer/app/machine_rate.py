"""How fast this machine does what every page costs: a short measurement, for a plan made before any crawl.

It counts CPU time of one core for reading a page, the keys of its links, the digest of its body and its compression:
not for the network, TLS, the store and the loop, which a crawl's own figures hold.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.key import KEY_RULES_NEWEST, KeyRules, url_keys
from gossamer.core.url.parse import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS: Final = 0.7
"""CPU seconds spent; more does not change the second digit."""
PAGES_MIN: Final = 3
PAGE_BYTES_MAX: Final = 2_000_000
"""A larger page is measured at this size, and its cost taken in proportion."""
COMPRESSION_LEVEL: Final = 2
"""As the archive compresses."""
URL: Final = "https://www.example.org/guide/chapter-1.html"
WORDS: Final = (
    "harbour",
    "weather",
    "letter",
    "morning",
    "engine",
    "of",
    "the",
    "with",
    "number",
    "garden",
    "and",
    "a",
)


@dataclass(frozen=True, slots=True)
class MachineRate:
    """CPU seconds of one core for a page of `page_bytes` with `links` links, and what was measured."""

    page_seconds: float
    page_bytes: int
    links: int
    pages: int
    """Pages that were read for it."""


def measure(page_bytes: int, links: int) -> MachineRate:
    """Measure now; takes a good half second."""
    from isal import isal_zlib  # noqa: PLC0415 - native; no help text should wait for it

    size = min(page_bytes, PAGE_BYTES_MAX)
    body = made_page(size, links)
    parser, ids, rules = TurboParser(), Fingerprinter(bytes(16)), KeyRules(KEY_RULES_NEWEST)
    pages, began = 0, time.process_time()
    while pages < PAGES_MIN or time.process_time() - began < SECONDS:
        found = parser.parse(body, URL, "text/html; charset=utf-8", ()).links.urls
        ids.page_keys([host_of(url) for url in found], url_keys(found, rules))
        hashlib.sha256(body).digest()
        isal_zlib.compress(body, COMPRESSION_LEVEL)
        pages += 1
    seconds = (time.process_time() - began) / pages
    return MachineRate(seconds * page_bytes / size, page_bytes, links, pages)


def made_page(size: int, links: int) -> bytes:
    """A page of about `size` bytes with so many different links, at least as long as those need."""
    parts = ["<!doctype html><title>A page</title>"]
    parts += [f'<li><a href="/guide/{number}/{word}.html">{word} {number}</a>' for number, word in _words(links)]
    text = "".join(parts)
    missing = max(0, size - len(text))
    prose = [
        f"<p class=t{number % 7}>{word} {WORDS[number % 12]} {number * 7919 % 9973} " for number, word in _words(997)
    ]
    block = "".join(prose)
    return (text + (block * (missing // len(block) + 1))[:missing]).encode()


def _words(count: int) -> Iterator[tuple[int, str]]:
    return ((number, WORDS[number * number % len(WORDS)]) for number in range(count))
