"""w3lib's facts about pages: declared encodings, base URLs, meta refresh; its URL functions are in `url_keys`."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.page.charset import header_charset
from gossamer.core.page.charset_labels import encoding_of
from gossamer.core.page.charset_prescan import prescan
from gossamer.core.page.links import LinkKind
from gossamer.core.url.parse import parse
from tests.conformance.frame import Bar, Case, Suite, compare, jsonl

PARSER: Final = TurboParser()
PAGE: Final = "http://page.example/"


def _bytes(value: Any) -> bytes:
    """An argument of a row: text, text that stands for bytes, or bytes in base64."""
    if isinstance(value, dict):
        return base64.b64decode(value["base64"]) if "base64" in value else str(value["bytes"]).encode()
    return str(value).encode("utf-8", "replace")


def _codec(name: Any) -> str | None:
    """An encoding by Python's name for it, which is how w3lib calls it."""
    try:
        return codecs.lookup(str(name)).name if name else None
    except LookupError:
        return str(name)


def _declared(arguments: list[Any]) -> str | None:
    return _codec(prescan(_bytes(arguments[0])[:1024]))


def _header(arguments: list[Any]) -> str | None:
    return _codec(header_charset(_bytes(arguments[0]).decode().removeprefix("Content-Type: ")))


def _resolved(arguments: list[Any]) -> str | None:
    return _codec(encoding_of(_bytes(arguments[0]).decode()))


def _base(arguments: list[Any]) -> str:
    url = _page(arguments)
    return PARSER.parse(_bytes(arguments[0]), url, "text/html; charset=utf-8", ()).base


def _refresh(arguments: list[Any]) -> str | None:
    url = _page(arguments)
    links = PARSER.parse(_bytes(arguments[0]), url, "text/html; charset=utf-8", ()).links
    found = [links.urls[row] for row in range(len(links)) if links.kinds[row] == LinkKind.REFRESH]
    return found[0] if found else None


def _page(arguments: list[Any]) -> str:
    return (_url(_bytes(arguments[1]).decode()) if len(arguments) > 1 else None) or PAGE


def _url(value: Any) -> str | None:
    url = parse(value) if isinstance(value, str) else None
    return url.href if url else None


OURS: Final[Mapping[str, tuple[Callable[[list[Any]], Any], Callable[[Any], Any], str]]] = {
    "html_body_declared_encoding": (_declared, _codec, "declared"),
    "http_content_type_encoding": (_header, _codec, "declared"),
    "resolve_encoding": (_resolved, _codec, "declared"),
    "get_base_url": (_base, _url, "base"),
    "get_meta_refresh": (_refresh, lambda result: _url(result[1]), "refresh"),
}
"""Function -> ours, how w3lib's result is put into our terms, what a difference is about."""
CLAUSES: Final = {
    "declared": "labels and where they may stand are the Encoding and HTML standards' (prescan of 1,024 bytes); "
    "w3lib knows Python's own encodings too",
    "base": "the first base in the tree that a browser builds, and none in comments or scripts (HTML 4.2.3)",
    "refresh": "the pragma in the tree that a browser builds, resolved, http and https only (HTML 4.2.5.3)",
    "options": "with an option of w3lib's that has no counterpart",
    "text": "works on markup as text (entities, tags, comments); ours is an HTML parser's tree, judged in other suites",
}


QUOTED: Final = (
    "the header is read tolerantly, as text: a charset inside another parameter's quotes is taken for its own"
)


def _cases(data: Path) -> Iterator[Case]:
    for case, row in jsonl(data / "facts-w3lib/w3lib.jsonl"):
        _, module, function = row["function"].split(".")
        if module == "url":
            continue
        ours, wanted, kind = OURS.get(function, (None, None, "text"))
        if ours is None or wanted is None or "result" not in row:
            yield Case(case, passed=False, kind="text", detail=function)
        elif row.get("kwargs") or len(row["args"]) > 2:
            yield Case(case, passed=False, kind="options", detail=function)
        else:
            given = f"{function} {row['args'][0]}"
            yield compare(case, got=ours(row["args"]), expected=wanted(row["result"]), kind=kind, given=given)


SUITES = [
    Suite(
        "pages: w3lib",
        "facts-w3lib/w3lib.jsonl (w3lib.html, w3lib.encoding)",
        Bar.FACTS,
        _cases,
        dict.fromkeys(("w3lib.jsonl:592", "w3lib.jsonl:595"), QUOTED),
        CLAUSES,
    ),
]
