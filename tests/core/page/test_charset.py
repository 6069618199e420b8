from __future__ import annotations

import base64
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page import charset_prescan
from gossamer.core.page.charset import declared, decode, header_charset
from gossamer.core.page.charset_labels import ENCODINGS, decoder_of, encoder_of, encoding_of
from tests.published import SHARED, needs_shared, rows

CYRILLIC = "<p>Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.</p>"
JAPANESE = "<title>疾病分類の一覧表と解説 国際統計分類第十版</title><p>この頁には文字コードの宣言がありません。</p>"

CASES = [
    # body, content type, encoding, text
    (b"\xef\xbb\xbf<p>\xc3\xa9", "text/html; charset=windows-1251", "utf-8", "<p>é"),
    (b"\xff\xfe<\0p\0>\0", "text/html; charset=utf-8", "utf-16le", "<p>"),
    (b"\xfe\xff\0<\0p\0>", "", "utf-16be", "<p>"),
    (b"<meta charset=windows-1252>\xc3\xa9", "text/html; charset=utf-8", "utf-8", "<meta charset=windows-1252>é"),
    (b"<p>\xe9", "text/html; charset=nonsense", "windows-1252", "<p>é"),
    (b"<meta charset=latin1>\x93a\x81", "text/html", "windows-1252", "<meta charset=latin1>“a\x81"),
    (b"<meta charset=utf-16>\xc3\xa9", "text/html", "utf-8", "<meta charset=utf-16>é"),
    (b"<p>caf\xc3\xa9", "text/html", "utf-8", "<p>café"),
    (b"<p>plain", "text/html", "utf-8", "<p>plain"),
    (CYRILLIC.encode("cp1251"), "text/html", "windows-1251", CYRILLIC),
    (CYRILLIC.encode("koi8-r"), "text/html", "koi8-r", CYRILLIC),
    (JAPANESE.encode("shift_jis"), "text/html", "shift_jis", JAPANESE),
    (JAPANESE.encode("euc-jp"), "text/html", "euc-jp", JAPANESE),
    (JAPANESE.encode("iso-2022-jp"), "text/html", "iso-2022-jp", JAPANESE),
    ("<p>日本</p>".encode("utf-16le"), "text/html", "utf-16le", "<p>日本</p>"),
    ("<p>日本</p>".encode("utf-16be"), "text/html; charset=utf-16be", "utf-16be", "<p>日本</p>"),
    (b"\x93\xfa\x96{", "text/html; charset=x-sjis", "shift_jis", "日本"),
    ("한국어".encode("cp949"), 'text/html; charset="KS_C_5601-1987"', "euc-kr", "한국어"),
    ("你好".encode("gbk"), "text/html;charset=gb2312", "gbk", "你好"),
]


@pytest.mark.parametrize(("body", "content_type", "encoding", "text"), CASES)
def test_encoding_and_text(body: bytes, content_type: str, encoding: str, text: str) -> None:
    assert decode(body, content_type) == (text, encoding, "")


PROBLEMS = [
    (b"", "empty"),
    (b" \r\n\t", "empty"),
    (b"\xef\xbb\xbf\n", "empty"),
    (b"%PDF-1.7\n<a href=x>", "binary"),
    (b"\x89PNG\r\n\x1a\n" + b"a" * 100, "binary"),
    (b"PK\x03\x04" + b"a" * 100, "binary"),
    (bytes(range(256)) * 20, "binary"),
    (b"\0" * 1000, "binary"),
    (b"<html>" + b"\xff\xfe\xfd" * 400, "undecodable"),
]


@pytest.mark.parametrize(("body", "problem"), PROBLEMS)
def test_what_is_no_text_is_named(body: bytes, problem: str) -> None:
    decoded = decode(body, "text/html; charset=utf-8")
    assert (decoded.text, decoded.problem) == ("", problem)


def test_replacement_encodings_are_refused() -> None:
    assert decode(b"<p>hello", "text/html; charset=hz-gb-2312") == ("", "replacement", "undecodable")


@pytest.mark.parametrize("body", [b"<p>a\0b and some more text</p>", b"<p>\x0cform feed, \x1b escape</p>"])
def test_a_few_control_bytes_are_no_binary(body: bytes) -> None:
    assert decode(body, "text/html").problem == ""


@pytest.mark.parametrize("cut", [1, 2])
def test_a_body_cut_within_a_character_stays_utf_8(cut: int) -> None:
    body = ("<p>" + "日本語" * 3).encode()
    assert decode(body[:-cut], "text/html").encoding == "utf-8"


def test_a_damaged_byte_does_not_unmake_utf_8() -> None:
    assert decode(CYRILLIC.encode() + b"\xff", "text/html").encoding == "utf-8"


def test_a_late_declaration_counts_against_a_guess_only() -> None:
    late = b"<!-- " + b"x" * 2000 + b" --><meta charset=iso-8859-2>"
    assert decode(late + b"\xb1", "").encoding == "iso-8859-2"
    assert decode(late, "").encoding == "iso-8859-2"
    assert decode(late + "é".encode(), "").encoding == "utf-8"
    assert declared(late) == ""


@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html; boundary=x; charset="iso-8859-1"; q', "windows-1252"),
        ("text/html;charset='utf-8'", "utf-8"),
        ("text/html charset=utf-8", "utf-8"),
        ("text/html; charset=", ""),
        ("text/html; xcharset=utf-8", ""),
        ("charset=utf-8, text/html", "utf-8"),
        ("", ""),
    ],
)
def test_header(content_type: str, encoding: str) -> None:
    assert header_charset(content_type) == encoding


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b"<meta charset='iso8859-2'>", "iso-8859-2"),
        (b"<META\nCHARSET = koi8-r >", "koi8-r"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", "big5"),
        (b"<!--><meta charset=big5>", "big5"),
        (b"<meta content='text/html; charset=gbk' http-equiv=Content-Type>", "gbk"),
        (b"<meta httpequiv=ContentType content='text/html; charset=gbk'>", ""),
        (b"<meta http-equiv=content-type content='text/html; charset=gb2312'><meta charset=utf-8>", "gbk"),
        (b"<meta charset=nonsense><meta charset=utf-8>", "utf-8"),
        (b"<div title='<meta charset=big5>'><meta charset=gbk>", "gbk"),
        (b"<metacharset=big5>", ""),
        (b"<meta charset=big5", ""),
        (b"<meta charset='big5>", ""),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<?xml version='1.0' encoding='koi8-r'?>", "koi8-r"),
        (b"<?xml version='1.0' encoding='koi8-r'?><meta charset=gbk>", "gbk"),
        (b"<\0?\0x\0m\0l\0", "utf-16le"),
    ],
)
def test_declaration(head: bytes, encoding: str) -> None:
    assert declared(head) == encoding


def test_labels() -> None:
    assert len(ENCODINGS) == 40
    assert encoding_of(" ISO_8859-1:1987\n") == "windows-1252"
    assert encoding_of("utf-7") == ""


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_decodes_and_encodes(encoding: str) -> None:
    text = "�" if encoding == "replacement" else "ab"
    body = "ab".encode(encoding) if encoding.startswith("utf-16") else b"ab"
    assert body.decode(decoder_of(encoding), "replace") == text
    assert "ab".encode(encoder_of(encoding)) == b"ab"


@given(st.binary(max_size=300), st.text(max_size=60), st.text(max_size=8))
def test_never_raises(body: bytes, content_type: str, tld: str) -> None:
    decoded = decode(body, content_type, tld)
    assert decoded == decode(body, content_type, tld)
    assert bool(decoded.text) != bool(decoded.problem)
    decoded.text.encode()


@given(
    st.lists(st.sampled_from([b"<meta ", b"charset", b"=", b"'", b'"', b"utf-8", b">", b"<!--", b"-->", b"/", b" "]))
)
def test_prescan_of_fragments_never_raises(parts: list[bytes]) -> None:
    assert declared(b"".join(parts)) in ("", "utf-8")


@needs_shared
@pytest.mark.parametrize("name", ["tests1", "tests2", "test-yahoo-jp"])
def test_published_declarations(name: str) -> None:
    content = (SHARED / f"data/encoding-html5lib/encoding/{name}.dat").read_bytes()
    blocks = re.split(rb"(?:^|\n)#data\n", content)[1:]
    assert blocks
    for block in blocks:
        data, expected = block.split(b"\n#encoding\n")
        got = decode(data, "").encoding
        # Where nothing is declared the cases expect windows-1252; valid UTF-8 is UTF-8 here, bytes being the same text.
        wanted = encoding_of(expected.split(b"\n")[0].decode())
        assert got == wanted or (wanted == "windows-1252" and got == "utf-8" and data.isascii()), data[:200]


@needs_shared
@pytest.mark.parametrize(
    "row", [row for row in rows("buglog.jsonl") if row["input"]["kind"] == "encoding"], ids=lambda row: row["id"]
)
def test_reported_faults(row: dict[str, dict[str, str]]) -> None:
    decoded = decode(base64.b64decode(row["input"]["body_base64"]), row["input"]["content_type"])
    expected = row["expected"]
    if expected["encoding"]:
        assert (decoded.encoding, decoded.text) == (expected["encoding"].lower(), expected["text"])
    else:
        assert decoded.encoding != "gbk"


BEYOND = ("euc-tw", "johab", "ibm855", "maccyrillic", "macroman", "utf-32", "iso-2022-kr")
"""Encodings of the published samples that no page can declare or that nothing can tell apart."""


@needs_shared
@pytest.mark.slow
def test_published_samples_are_detected(shared: Path) -> None:
    right = total = 0
    with tarfile.open(shared / "data/encoding-detect/chardet-tests.tar.gz") as samples:
        for member in samples.getmembers():
            folder = Path(member.name).parent.name.lower()
            content = samples.extractfile(member)
            if content is None or folder.startswith(BEYOND):
                continue
            wanted = {"cp932": "shift_jis", "cp949": "euc-kr"}.get(folder, folder)
            while wanted and not encoding_of(wanted):
                wanted = wanted.rpartition("-")[0]
            body = content.read()
            decoded = decode(body, "text/html")
            total += 1
            right += decoded.text == body.decode(decoder_of(encoding_of(wanted)), "replace").lstrip("\ufeff")
    assert total > 350
    assert right >= total * 0.98, f"{right} of {total}"


HEADS = st.lists(
    st.sampled_from(
        (
            *(
                b"<!DOCTYPE html>",
                b'<!doctype a ">',
                b"<html>",
                b'<html lang="en" xmlns:x="u">',
                b"<html a=b>",
                b"<head>",
            ),
            *(
                b'<meta charset="utf-8">',
                b'<META CHARSET="Latin1" />',
                b'<meta charset="none">',
                b"<meta charset=koi8-r>",
            ),
            *(
                b'<meta charset="koi8-r"',
                b'<meta name="a" content="b">',
                b"\n ",
                b"<!-- -->",
                b"<title>",
                b"\xef\xbb\xbf",
            ),
        )
    ),
    max_size=7,
).map(b"".join)


@given(HEADS)
def test_usual_beginnings_declare_what_the_scan_finds(head: bytes) -> None:
    at_once = declared(head)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charset_prescan, "_USUAL", re.compile(b"(?!)"))
        assert declared(head) == at_once
