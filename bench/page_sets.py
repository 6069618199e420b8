"""Three sets of real pages, of about 10, 55 and 220 KB decoded, out of the documentation packages of Debian.

A set is a few dozen pages of several packages, chosen so that their mean is the set's name.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from tests.servers import debian

if TYPE_CHECKING:
    from collections.abc import Iterator

SETS: Final = {"10": 10_000, "55": 55_000, "220": 220_000}
"""Name of each set -> mean bytes of its pages, decoded."""
PACKAGES: Final = (
    "python3.11-doc",
    "postgresql-doc-15",
    "apache2-doc",
    "python-django-doc",
    "cmake-doc",
    "octave-doc",
    "debian-policy",
)
SPREAD: Final = (0.4, 2.0)
"""Least and greatest page of a set, as parts of its mean."""
PAGES: Final = 48
SAME_DIRECTORY_MAX: Final = 16
"""Pages of one folder in a set: one big reference manual is not the web."""

_ODD: Final = re.compile(r"[^A-Za-z0-9_./-]+")


@dataclass(frozen=True, slots=True)
class RealPage:
    """One page of a set, open at its end: what closes its body is left out, so that a foot can follow."""

    name: str
    """Its folder's and its own name without the ending, such as `library/asyncio`."""
    text: bytes
    """UTF-8."""


@cache
def pages_of(name: str) -> tuple[RealPage, ...]:
    """The pages of a set, in an order that mixes packages. Raises UnavailableError where the packages cannot be had."""
    mean = SETS[name]
    below: list[RealPage] = []
    above: list[RealPage] = []
    for page in _candidates(range(int(mean * SPREAD[0]), int(mean * SPREAD[1]))):
        (above if len(page.text) > mean else below).append(page)
    chosen: list[RealPage] = []
    size = 0
    while len(chosen) < PAGES and below and above:
        page = (below if size >= mean * len(chosen) else above).pop()
        chosen.append(page)
        size += len(page.text)
    if len(chosen) < PAGES:
        message = f"too few pages of about {mean} bytes in these packages: {len(chosen)}"
        raise debian.UnavailableError(message)
    return tuple(chosen)


def _candidates(sizes: range) -> list[RealPage]:
    """Pages of those sizes, by the hash of their names; a folder gives only some."""
    found: list[RealPage] = []
    for package in PACKAGES:
        root = debian.unpacked(package)
        taken: dict[object, int] = {}
        for path in sorted(root.rglob("*.html"), key=lambda path: _hash(str(path.relative_to(root)))):
            full = taken.get(path.parent, 0) == SAME_DIRECTORY_MAX
            if full or path.is_symlink() or not path.is_file() or path.stat().st_size not in sizes:
                continue
            text = path.read_bytes()
            if _is_whole(text):
                taken[path.parent] = taken.get(path.parent, 0) + 1
                name = _ODD.sub("-", "/".join(path.with_suffix("").parts[-2:]))
                found.append(RealPage(name, text[: text.rindex(b"</body>")]))
    return sorted(found, key=lambda page: _hash(page.name))


def _is_whole(text: bytes) -> bool:
    """Whether a page is UTF-8, has a body that ends, and links."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"</body>" in text and b"<a " in text


def _hash(name: str) -> bytes:
    return hashlib.blake2b(name.encode(), digest_size=8).digest()


def described() -> Iterator[str]:
    """A line for each set: how many pages, how large, how many links."""
    for name in SETS:
        pages = pages_of(name)
        sizes = [len(page.text) for page in pages]
        links = sum(page.text.count(b"<a ") for page in pages)
        mean = sum(sizes) / len(sizes) / 1000
        yield f"{name:>4} KB: {len(pages)} pages, mean {mean:.1f} KB, {links // len(pages)} links"
