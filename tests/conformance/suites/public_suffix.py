"""The Public Suffix List's own tests, in both of their forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gossamer.core.url.parse import parse
from gossamer.core.url.site import SiteList
from tests.conformance.frame import Bar, Case, Suite, compare

FILES = ("tests.txt", "test_psl.txt")
CALL = re.compile(r"checkPublicSuffix\('?([^',]*)'?, '?([^')]*)'?\);")


def _rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Id, name, registrable domain; "null" where there is none."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("//"):
            call = CALL.match(line)
            name, expected = call.groups() if call else line.split()
            yield f"{path.name}:{number}", name, expected


def _cases(data: Path) -> Iterator[Case]:
    sites = SiteList((data / "public-suffix/public_suffix_list.dat").read_bytes())
    for file in FILES:
        for case, name, expected in _rows(data / "public-suffix" / file):
            yield compare(case, got=_registrable(sites, name), expected=_in_ascii(expected), given=name)


def _registrable(sites: SiteList, name: str) -> str:
    """Our answer in the suite's terms."""
    url = parse(f"http://{name}/") if name != "null" else None
    if url is None:
        return "null"
    return sites.registrable_domain(url.host) or "null"


def _in_ascii(name: str) -> str:
    url = parse(f"http://{name}/") if name != "null" else None
    return url.host if url else "null"


SUITES = [Suite("public suffixes", f"public-suffix ({', '.join(FILES)})", Bar.ALL, _cases)]
