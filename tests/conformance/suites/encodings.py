"""Encodings: html5lib's prescan cases, and chardet's own test pages."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import chardet

from gossamer.core.page.charset import declared, decode
from gossamer.core.page.charset_labels import encoding_of, known_encoding
from tests.conformance.frame import Bar, Case, Suite, compare

PAGES = "encoding-detect/chardet-tests.tar.gz"


def _prescan(data: Path) -> Iterator[Case]:
    for name in ("tests1.dat", "tests2.dat", "test-yahoo-jp.dat"):
        content = (data / "encoding-html5lib/encoding" / name).read_bytes()
        parts = re.split(rb"(?:^|\n)#data\n", content)[1:]
        for number, part in enumerate(parts, 1):
            body, _, rest = part.partition(b"\n#encoding\n")
            wanted = rest.splitlines()[0].decode("ascii").strip()
            got = decode(body, "").encoding or declared(body)
            # A page of ASCII alone that declares nothing: html5lib names its default, we what it is valid as.
            got = "windows-1252" if got == "utf-8" and body.isascii() and not declared(body) else got
            yield compare(f"{name}:{number}", got=got, expected=encoding_of(wanted), given=body[:80].decode("latin-1"))


def _sample(data: Path) -> Iterator[Case]:
    """Plain text that says nothing of its encoding, which its name tells."""
    for path in sorted((data / "encoding-html5lib/encoding/chardet").glob("test_*.txt")):
        decoded = decode(path.read_bytes(), "text/plain")
        yield compare(path.name, got=decoded.encoding, expected=encoding_of(path.stem.removeprefix("test_")))


def _pages(data: Path) -> Iterator[tuple[str, str, bytes]]:
    """Id, true encoding by the standard's name where it has one, and bytes."""
    with tarfile.open(data / PAGES) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                folder, _, name = member.name.removeprefix("./").rpartition("/")
                yield f"{folder}/{name}", _truth(folder.rpartition("/")[2]), file.read()


def _truth(folder: str) -> str:
    label = folder.lower()
    if label == "utf-16":
        return label
    while label and not known_encoding(label) and label != "ascii":
        label = label.rpartition("-")[0]
    return _alike(label)


def _alike(label: str) -> str:
    """One name for encodings that read the same text."""
    name = known_encoding(label)
    return {"gb18030": "gbk", "utf-8-sig": "utf-8"}.get(name, name)


def _detect(data: Path) -> Iterator[Case]:
    for case, truth, body in _pages(data):
        if not truth:
            continue
        decoded = decode(body, "")
        same = truth and _text(body, truth) == decoded.text != ""
        yield compare(case, got=truth if same else _alike(decoded.encoding), expected=truth, kind=decoded.problem)


def _unknown(data: Path) -> dict[str, int]:
    return {"encodings that Python has no decoder for": sum(not truth for _, truth, _ in _pages(data))}


def _against_chardet(data: Path) -> Iterator[Case]:
    """One case: no fewer pages right than chardet has, in the same run."""
    ours = sum(case.passed for case in _detect(data))
    theirs = 0
    for _, truth, body in _pages(data):
        name = _alike(chardet.detect(body)["encoding"] or "")
        theirs += name == truth or (bool(name) and _text(body, name) == _text(body, truth))
    yield Case("as good as chardet", passed=ours >= theirs, detail=f"{ours} pages right, chardet {theirs}")


def _text(body: bytes, encoding: str) -> str:
    try:
        return body.decode(encoding, "replace").removeprefix("\ufeff")
    except LookupError:
        return ""


SUITES = [
    Suite("encodings: html5lib prescan", "encoding-html5lib", Bar.ALL, _prescan),
    Suite("encodings: html5lib sample", "encoding-html5lib/encoding/chardet", Bar.ALL, _sample),
    Suite(
        "encodings: detection",
        PAGES,
        Bar.STANDARD,
        _detect,
        differences={
            "MacRoman/ioreg_output.txt": "three foreign characters in a program's output; chardet misses it too",
            "binary": "its control characters are more than text has, so it is taken for none",
        },
        left_out=_unknown,
    ),
    Suite("encodings: against chardet", PAGES, Bar.ALL, _against_chardet),
]
