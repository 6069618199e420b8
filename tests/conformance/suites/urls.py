"""The URL standard's own tests: parsing, resolving, hosts, queries in legacy encodings, lengths of names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gossamer.core.dns.name import dns_name
from gossamer.core.page.query_encoding import encode_query
from gossamer.core.url.parse import authority_of, parse, resolve
from tests.conformance.frame import Bar, Case, Suite, compare

PARSED = (
    "urltestdata.json",
    "urltestdata-javascript-only.json",
    "ada_extra_urltestdata.json",
    "ada_long_urltestdata.json",
)
HOSTS = ("toascii.json", "IdnaTestV2.json", "IdnaTestV2-removed.json")
WEB = ("http:", "https:")


def _rows(data: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file, numbered as they stand; its strings are comments."""
    rows = json.loads((data / "url-whatwg" / name).read_text(encoding="utf-8", errors="surrogatepass"))
    for number, row in enumerate(rows, 1):
        if isinstance(row, dict):
            yield f"{name}:{number}", row


def _wanted(row: dict[str, Any]) -> str:
    """What the row's URL is to a crawler: http and https only, without fragment and credentials."""
    href: str = row.get("href", "").partition("#")[0]
    return re.sub("^(https?://)[^/]*@", r"\1", href) if href.startswith(WEB) else ""


def _parsing(data: Path) -> Iterator[Case]:
    for name in PARSED:
        for case, row in _rows(data, name):
            if not _throws_over_its_base(row):
                base, text = row.get("base") or "", row["input"]
                yield compare(case, got=resolve(base, [text])[0], expected=_wanted(row), given=f"{base} {text}")


def _throws_over_its_base(row: dict[str, Any]) -> bool:
    base = row.get("base") or ""
    return bool(row.get("failure") and base.startswith(WEB) and parse(base) is None and parse(row["input"]))


def _bad_bases(data: Path) -> Mapping[str, int]:
    number = sum(_throws_over_its_base(row) for name in PARSED for _, row in _rows(data, name))
    return {"an absolute reference beside an invalid base: the constructor throws, a page's link still counts": number}


def _hosts(data: Path) -> Iterator[Case]:
    for name in HOSTS:
        for case, row in _rows(data, name):
            if not row["input"]:
                continue
            url = parse(f"https://{row['input']}/x")
            got = authority_of(url.href).removeprefix("https://") if url else None
            yield compare(case, got=got, expected=row["output"], given=row["input"])


def _queries(data: Path) -> Iterator[Case]:
    for case, row in _rows(data, "percent-encoding.json"):
        for encoding, expected in row["output"].items():
            got = resolve("http://h.example/", [encode_query("?" + row["input"], encoding)])[0]
            yield compare(f"{case} {encoding}", got=got.partition("?")[2], expected=expected, given=row["input"])


def _lengths(data: Path) -> Iterator[Case]:
    for case, row in _rows(data, "verifydnslength_tests.json"):
        url = parse(row["input"])
        resolvable = url is not None and bool(dns_name(url.host))
        yield compare(case, got=not resolvable, expected=row["failure"], given=row["input"])


def _setters(data: Path) -> Iterator[Case]:
    """What taking user name and password away leaves: the one thing that we change on a parsed URL."""
    for name, number, row in _setter_rows(data):
        if _is_ours(name, row):
            wanted = _wanted({"href": row["expected"]["href"]})
            yield compare(f"{name}:{number}", got=resolve("", [row["href"]])[0], expected=wanted, given=row["href"])


def _is_ours(name: str, row: dict[str, Any]) -> bool:
    return name in ("username", "password") and row["href"].startswith(WEB)


def _setter_rows(data: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    tables = json.loads((data / "url-whatwg/setters_tests.json").read_text(encoding="utf-8"))
    for name, rows in tables.items():
        if name != "comment":
            yield from ((name, number, row) for number, row in enumerate(rows, 1))


def _no_setters(data: Path) -> Mapping[str, int]:
    number = sum(not _is_ours(name, row) for name, _, row in _setter_rows(data))
    return {"a crawler sets no attribute of a parsed URL; it resolves references and drops credentials": number}


SUITES = [
    Suite("URLs: parsing and resolving", f"url-whatwg ({', '.join(PARSED)})", Bar.ALL, _parsing, left_out=_bad_bases),
    Suite(
        "URLs: hosts",
        f"url-whatwg ({', '.join(HOSTS)})",
        Bar.ALL,
        _hosts,
        left_out={"the empty host, which no URL can have (web-platform-tests skip it too)": 1},
    ),
    Suite("URLs: queries in legacy encodings", "url-whatwg/percent-encoding.json", Bar.ALL, _queries),
    Suite("URLs: names that DNS can carry", "url-whatwg/verifydnslength_tests.json", Bar.ALL, _lengths),
    Suite("URLs: setters", "url-whatwg/setters_tests.json", Bar.ALL, _setters, left_out=_no_setters),
]
