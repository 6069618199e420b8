"""`gossamer show`: a stored capture, as text on a terminal and as bytes on a pipe."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.escape import LINE_COLUMNS, inert, inert_lines, json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.figures import moment, size
from gossamer.app.folder import open_folder
from gossamer.core.page.links import LinkFlag, LinkKind

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from gossamer.app.captures import StoredCapture

HEADERS_SHOWN: Final = ("content-type", "content-encoding", "last-modified", "etag", "location", "server")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    parser.add_argument("url", metavar="URL", help="whose capture")
    parser.add_argument("--at", metavar="TIME", help="the capture nearest to this moment; by default the last")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--headers", action="store_const", const="headers", dest="part", help="status line and headers")
    parts.add_argument("--text", action="store_const", const="text", dest="part", help="the readable text")
    parts.add_argument("--links", action="store_const", const="links", dest="part", help="its links, one a line")
    parts.add_argument("--raw", action="store_const", const="raw", dest="part", help="the WARC record itself")
    parser.add_argument("--json", action="store_true", help="as one JSON object; --text and --links add theirs")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.app.captures import open_capture  # noqa: PLC0415 - the parsers; no help text should wait for them

    folder, _ = open_folder(args.folder)
    capture = open_capture(folder, args.url, args.at)
    if args.json:
        print(json_line(_as_json(capture, args.part)))
        return Exit.DONE
    if sys.stdout.isatty():
        print("\n".join(_for_people(capture, args.part)))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(_PARTS[args.part](capture))
        sys.stdout.buffer.flush()
    return Exit.DONE


def _body(capture: StoredCapture) -> bytes:
    return capture.body


def _head(capture: StoredCapture) -> bytes:
    return capture.head


def _text(capture: StoredCapture) -> bytes:
    return (capture.text + "\n").encode("utf-8", "replace") if capture.text else b""


def _links(capture: StoredCapture) -> bytes:
    urls = capture.document.links.urls if capture.document is not None else []
    return "".join(f"{url}\n" for url in urls).encode("utf-8", "replace")


def _raw(capture: StoredCapture) -> bytes:
    return capture.raw


_PARTS: Final[dict[str | None, Callable[[StoredCapture], bytes]]] = {
    None: _body,
    "headers": _head,
    "text": _text,
    "links": _links,
    "raw": _raw,
}
"""What is written to a pipe: bytes as they are, for programs."""


def _for_people(capture: StoredCapture, part: str | None) -> list[str]:
    if part is None:
        words = _text(capture) or f"({capture.media_type or 'untyped'}: no text; a pipe gets its bytes)".encode()
        return [*_summary(capture), "", *inert_lines(words)]
    return inert_lines(_PARTS[part](capture))


def _summary(capture: StoredCapture) -> list[str]:
    answer = capture.answer
    lines = [
        inert(capture.url, LINE_COLUMNS),
        inert(f"{moment(capture.at)}  {answer.status} {answer.reason}, {size(len(capture.body))}", 200),
    ]
    lines += [f"{name}: {inert(value, 200)}" for name, value in capture.headers if name.lower() in HEADERS_SHOWN]
    if capture.original is not None:
        original = capture.original
        lines.append(f"the same body as {inert(original.url, 400)} at {moment(original.at)}")
    if capture.truncated:
        lines.append(f"cut: {inert(capture.truncated, 40)}")
    place = capture.place
    return [*lines, f"{place.file} at {place.offset}, {place.length} bytes"]


def _as_json(capture: StoredCapture, part: str | None) -> dict[str, Any]:
    original = capture.original
    shown: dict[str, Any] = {
        "url": capture.url,
        "at": capture.at,
        "status": capture.status,
        "media_type": capture.media_type,
        "headers": [list(field) for field in capture.headers],
        "bytes": len(capture.payload),
        "decoded_bytes": len(capture.body),
        "truncated": capture.truncated,
        "file": capture.place.file,
        "offset": capture.place.offset,
        "length": capture.place.length,
        "record_id": capture.record_id,
        "same_as": {"url": original.url, "at": original.at} if original is not None else None,
    }
    if part == "text":
        shown["text"] = capture.text
    if part == "links":
        shown["links"] = _link_rows(capture)
    return shown


def _link_rows(capture: StoredCapture) -> list[dict[str, Any]]:
    if capture.document is None:
        return []
    links = capture.document.links
    rows = zip(links.urls, links.kinds, links.flags, links.texts, strict=True)
    return [
        {
            "url": url,
            "kind": LinkKind(kind).name.lower(),
            "rel": [flag.name.lower() for flag in LinkFlag if flag & flags and flag.name],
            "text": text,
        }
        for url, kind, flags, text in rows
    ]
