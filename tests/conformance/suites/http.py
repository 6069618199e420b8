"""Odd answers, through the crawler's own fetcher: lengths, status lines, chunks, content types, content codings."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gossamer.core.http.content_coding import decode
from gossamer.core.http.exchange import Exchange
from gossamer.core.http.media_type import MediaType, combined, parse
from gossamer.core.page.charset_labels import encoding_of
from tests.conformance.frame import Bar, Case, Suite, compare, jsonl
from tests.servers.raw_answers import fetched

TOKEN = set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
SENT = 42
"""Bytes of body behind the Content-Length fields of the standard's cases."""
ERROR = "an error"


def _cases_of(data: Path, name: str) -> list[dict[str, Any]]:
    return json.loads((data / "wpt-http" / name).read_text(encoding="utf-8"))["cases"]


def _lengths(data: Path) -> Iterator[Case]:
    cases = _cases_of(data, "content-length.json")
    heads = ["".join(f"Content-Length: {value}\r\n" for value in case["values"]) for case in cases]
    answers = [f"HTTP/1.1 200 OK\r\n{head}\r\n".encode("latin-1") + b"x" * SENT for head in heads]
    for number, (case, (exchange, body)) in enumerate(zip(cases, fetched(answers), strict=True), 1):
        wanted: object = ERROR if case["expected"] is None else case["expected"]
        got = ERROR if exchange.failure is not None or exchange.truncated is not None else len(body)
        wanted = SENT if wanted == "ignored" else wanted
        yield compare(f"content-length.json:{number}", got=got, expected=wanted, given=case["values"])


def _status_codes(data: Path) -> Iterator[Case]:
    cases = _cases_of(data, "status-code.json")
    answers = [b"HTTP/1.1 " + case["rest"].encode() + b"\r\nContent-Length: 0\r\n\r\n" for case in cases]
    for number, (case, (exchange, _)) in enumerate(zip(cases, fetched(answers), strict=True), 1):
        got = None if exchange.failure is not None else exchange.status
        yield compare(f"status-code.json:{number}", got=got, expected=case["status"], given=case["rest"])


def _odd_heads(data: Path) -> Iterator[Case]:
    cases = _cases_of(data, "h1-inputs.json")
    for number, (case, (exchange, _)) in enumerate(
        zip(cases, fetched([case["raw"].encode("latin-1") for case in cases]), strict=True), 1
    ):
        ended = exchange.failure is not None or exchange.status == 200
        yield compare(f"h1-inputs.json:{number}", got=ended, expected=True, given=case["raw"], kind=case["symbol"])


def _media_types(data: Path) -> Iterator[Case]:
    for number, case in enumerate(_cases_of(data, "mime-type.json"), 1):
        found = parse(case["input"])
        got = (_serialised(found), _encoding(found))
        wanted = (case["output"], (case.get("encoding") or "").lower())
        yield compare(f"mime-type.json:{number}", got=got, expected=wanted, given=case["input"])
    for number, case in enumerate(_cases_of(data, "content-type.json"), 1):
        found = combined(case["values"])
        got = (_serialised(found), _encoding(found))
        wanted = (case["mime_type"], (case["encoding"] or "").lower())
        yield compare(f"content-type.json:{number}", got=got, expected=wanted, given=case["values"])


def _serialised(found: MediaType | None) -> str | None:
    if found is None:
        return None
    text = found.essence
    for name, value in found.parameters:
        quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        text += f";{name}={value if value and set(value) <= TOKEN else quoted}"
    return text


def _encoding(found: MediaType | None) -> str:
    return encoding_of(found.charset) if found is not None else ""


def _llhttp(data: Path) -> Iterator[Case]:
    rows = [(case, row) for case, row in jsonl(data / "http-llhttp/llhttp.jsonl") if row["type"] == "response"]
    answers = [_complete(base64.b64decode(row["raw_base64"])) for _, row in rows]
    for (case, row), (exchange, body) in zip(rows, fetched(answers), strict=True):
        kind = f"error {row['error']['code']}" if row["error"] else ""
        wanted = _wanted(row)
        cut = not row["error"] and not row["messages_complete"]
        got = _got(exchange, body, wanted, cut=cut)
        yield compare(case, got=got, expected=wanted, given=row["title"], kind=kind)


def _complete(raw: bytes) -> bytes:
    """The message with the empty line that ends its head: the documents' last line ends are lost."""
    return raw if re.search(rb"\r?\n\r?\n", raw) else raw + b"\r\n"


def _wanted(row: dict[str, Any]) -> object:
    """An error; or the status of the first answer that is final, and its body where there is one answer only."""
    final = [status for status in row["status"] if status >= 200]
    if row["error"] or not final:
        return ERROR
    return (final[0], row["body"] if len(final) == 1 else None)


def _got(exchange: Exchange, body: bytes, wanted: object, *, cut: bool) -> object:
    """`cut`: the document ends within the message, which to a fetcher is a failure behind a head that was read."""
    if exchange.failure is not None and not (cut and exchange.status):
        return ERROR
    alone = not isinstance(wanted, tuple) or wanted[1] is not None
    return (exchange.status, body.decode("latin-1") if alone else None)


def _others(data: Path) -> Mapping[str, int]:
    kinds = [row["type"] for _, row in jsonl(data / "http-llhttp/llhttp.jsonl")]
    requests = sum(kind.startswith("request") for kind in kinds)
    return {
        "requests, which a server reads": requests,
        "responses in a lenient mode of that parser": len(kinds) - requests - kinds.count("response"),
    }


def _bodies(data: Path) -> Iterator[Case]:
    folder = data / "http-bodies/scrapy"
    page = decode((folder / "html-br.bin").read_bytes(), ["br"]).data
    for path in sorted(folder.glob("html-*.bin")):
        codings = re.sub("(raw|zlib)deflate", "deflate", path.stem.partition("-")[2]).split("-")
        codings = [coding for coding in codings if coding in ("br", "gzip", "deflate", "zstd")]
        decoded = decode(path.read_bytes(), codings)
        same = decoded.data == page or (b"deflate" in path.name.encode() and abs(len(decoded.data) - len(page)) < 10)
        yield compare(path.name, got=(same, decoded.problem), expected=(True, ""))
    for path in sorted(folder.glob("bomb-*.bin")):
        decoded = decode(path.read_bytes(), [path.stem.partition("-")[2]])
        yield compare(path.name, got=(decoded.truncated, "limit" in decoded.problem), expected=(True, True))
    xml = (folder / "feed-sample1.xml").read_bytes()
    yield compare(
        "feed-sample1.xml.gz", got=decode((folder / "feed-sample1.xml.gz").read_bytes(), ["gzip"]).data, expected=xml
    )
    for name in ("truncated-crc-error", "truncated-crc-error-short", "unexpected-eof"):
        decoded = decode((folder / f"{name}.gz").read_bytes(), ["gzip"])
        yield compare(f"{name}.gz", got=(decoded.truncated, bool(decoded.data)), expected=(True, True))
    salvaged = decode((folder / "unexpected-eof.gz").read_bytes(), ["gzip"]).data
    # The reference is written as UTF-8, the page in a single-byte encoding.
    wanted = (folder / "unexpected-eof-output.txt").read_text(encoding="utf-8").encode("latin-1")
    yield compare("unexpected-eof-output.txt", got=salvaged == wanted, expected=True)


INVALID_LENGTH = (
    "RFC 9112 section 6.3: an invalid Content-Length in an answer is an unrecoverable error, the answer is discarded;"
    " the Fetch standard takes it as absent. libcurl reads the field before it hands the head over and ends with"
    " `Invalid Content-Length: value`; IGNORE_CONTENT_LENGTH would have to be set before, for every answer, and then no"
    " connection could be kept"
)
SAME_VALUE = "RFC 9110 section 8.6: fields with the same decimal value may be taken as one; Fetch compares their texts"
NO_STATUS = (
    "RFC 9110 section 15: status codes are 100 to 599, and another is taken as a 5xx: a failure that is tried again, as"
    " here. libcurl ends with `Unsupported HTTP/1 subversion in response` below 100 and takes 600 to 999"
)
EMPTY_LINE = (
    "RFC 9112 section 2.2 allows an empty line before a request only. libcurl takes what follows one for HTTP/0.9; with"
    " HTTP09_ALLOWED it would hand the head over as a body, for a parser of our own"
)
NOT_LAST = (
    "RFC 9112 section 6.1: chunked comes last; section 6.3 would read any other order to the connection's end. libcurl"
    " refuses it (`was listed after chunked`), unless HTTP_TRANSFER_DECODING is off, which undoes no chunks at all"
)
LENIENT = {
    "error 5": "RFC 9112 section 6.3: the length ends the answer; bytes behind it are none of it, and are not read",
    "error 25": "RFC 9112 section 2.2: a recipient may take a single LF for a line's end, and browsers do",
    "llhttp.jsonl:25": "RFC 9112 section 4: a recipient may parse on word boundaries, tabs included",
    "error 12": "RFC 9112 section 7.1.1: what stands behind a chunk's size is ignored",
    "llhttp.jsonl:15": EMPTY_LINE,
    "llhttp.jsonl:61": EMPTY_LINE,
    "llhttp.jsonl:49": "RFC 9112 section 2.3: the protocol's name is HTTP",
    "llhttp.jsonl:59": (
        "RFC 9112 appendix C: an answer by HTTP/0.9 has no status line; libcurl takes versions 1.0, 1.1, 2.0 and 3.0"
    ),
    "llhttp.jsonl:51": "the row has lost the body that its document shows: 219 bytes, as the answer says",
    "llhttp.jsonl:62": NOT_LAST,
    "llhttp.jsonl:63": NOT_LAST,
}
LENGTH_ROWS = {f"content-length.json:{row}": INVALID_LENGTH for row in range(19, 26)}
SUITES = [
    Suite(
        "HTTP: Content-Length (Fetch)",
        "wpt-http/content-length.json",
        Bar.FACTS,
        _lengths,
        differences=LENGTH_ROWS | {f"content-length.json:{row}": SAME_VALUE for row in (27, 28)},
    ),
    Suite(
        "HTTP: status lines (Fetch)",
        "wpt-http/status-code.json",
        Bar.FACTS,
        _status_codes,
        differences={f"status-code.json:{row}": NO_STATUS for row in range(3, 7)},
    ),
    Suite("HTTP: odd heads", "wpt-http/h1-inputs.json", Bar.SURVIVES, _odd_heads),
    Suite("HTTP: media types", "wpt-http (mime-type.json, content-type.json)", Bar.STANDARD, _media_types),
    Suite(
        "HTTP: llhttp's answers",
        "http-llhttp/llhttp.jsonl",
        Bar.FACTS,
        _llhttp,
        differences=LENIENT,
        left_out=_others,
    ),
    Suite("HTTP: coded bodies", "http-bodies/scrapy", Bar.ALL, _bodies),
]
