"""`gossamer derive` on archives whose writers meant harm: a row or none of each answer, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gossamer.app.cli import main
from gossamer.app.exit_codes import Exit

ID = "<urn:uuid:1>"
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title><a href=/y>y</a>"


def record(kind: str, block: bytes, **fields: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    head = "\r\n".join(["WARC/1.1", f"WARC-Type: {kind}", *lines, f"Content-Length: {len(block)}"])
    return head.encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def visit(told: bytes = b"", url: str = "http://a.example/x", date: str = "2026-01-01T00:00:00Z") -> bytes:
    both = {"WARC_Target_URI": url, "WARC_Date": date}
    answer = record("response", HTTP, WARC_Record_ID=ID, Content_Type="application/http;msgtype=response", **both)
    return answer + record("metadata", told, WARC_Concurrent_To=ID, Content_Type="application/warc-fields", **both)


VISITS = {
    "attempts": visit(b"attempt: 999999999999999"),
    "attempts that fit a column": visit(b"attempt: 2147483647"),
    "depth": visit(b"depth: 999999999999999"),
    "depth beyond a column": visit(b"depth: 2147483648"),
    "duration": visit(b"fetchTimeMs: 999999999999999"),
    "fetch URL without slashes": visit(b"fetchUrl: http:a"),
    "fetch URL in another spelling": visit("fetchUrl: HTTPS:\\\\EXÄMPLE.com\\a#f".encode()),
    "fetch URL of another scheme": visit(b"fetchUrl: javascript:alert(1)"),
    "hops and a spelling": visit(b"hopsFromSeed: L", url="http:a"),
    "no words": visit(b"kind: \xff\r\nfailure: z\r\nreason: \x1b[31m\r\ncopyOf: %00"),
    "last moment": visit(date="9999-12-31T23:59:59.999999Z"),
    "before the first": visit(date="0001-01-01T00:00:00+23:59"),
    "after the last": visit(date="9999-12-31T23:59:59-23:59"),
    "a URL without end": visit(url="http://a.example/" + "(aaaaaaaaaaaaaaaaaaaaaaaa)/" * 8_000),
}


@pytest.mark.parametrize("name", VISITS)
def test_a_visit_told_wrongly(name: str, tmp_path: Path) -> None:
    derived = derive(VISITS[name] + visit(url="http://a.example/sound"), tmp_path)
    assert derived["pages"] + derived["left_out"] == 2
    assert derived["pages"] >= 1


def test_types_without_number_are_counted_together(tmp_path: Path) -> None:
    derived = derive(b"".join(record(f"\u202etype{number}", b"x") for number in range(1_000)), tmp_path)
    assert derived["records"] == {"other": 1_000}


def derive(data: bytes, folder: Path) -> dict[str, Any]:
    (folder / "in").mkdir()
    (folder / "in" / "x.warc").write_bytes(data)
    assert main(["derive", str(folder / "in"), "-o", str(folder / "out")]) == Exit.DONE
    found: dict[str, Any] = json.loads((folder / "out" / "derive.json").read_text())
    return found
