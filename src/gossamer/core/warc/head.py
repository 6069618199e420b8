"""The head of an HTTP answer as it is archived, and as the readers of archives will find it again."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")
_CONTENT_TYPE: Final = re.compile(rb"\ncontent-type[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", re.IGNORECASE)
_ENDS: Final = (b"\r\n\r\n", b"\n\n", b"\n\r\n")
_MIME_END: Final = re.compile("[; ]")
_USUAL: Final = re.compile(rb"HTTP/1\.[01] ([0-9]{3})(?: [ -~]*+)?\r\n(?:[!-9;-~]++:[ -~]*+\r\n)*+\r\n")
"""A head of printable ASCII without fault: nearly every one. Of such a head no two readers think differently."""


class IndexedHead(NamedTuple):
    """What an index keeps of a head; a field is empty where the index leaves it out."""

    mime: str
    status: str


def archived_head(head: bytes) -> bytes:
    """`head` without its Transfer-Encoding fields, every other byte as received; it ends in an empty line.

    The archived body has no transfer coding any more, and a reader that believed the field would look for chunks.
    A continuation line (obs-fold, RFC 9112 section 5.2) goes with its field.
    """
    if b"transfer-encoding" in head.lower():
        head = b"".join(_without_transfer_encoding(head))
    return head if head.endswith(_ENDS) else head.rstrip(b"\r\n") + b"\r\n\r\n"


def _without_transfer_encoding(head: bytes) -> list[bytes]:
    kept: list[bytes] = []
    dropping = False
    for number, line in enumerate(_LINE.findall(head)):
        folded = line[:1] in b" \t"
        if number > 0 and not folded:
            dropping = line.partition(b":")[0].strip().lower() == b"transfer-encoding"
        if not dropping:
            kept.append(line)
    return kept


def is_plain(head: bytes) -> bool:
    """Whether every reader finds the end of an archived head where we put it.

    Some take any line of white space for the end (warcio strips each line, in Unicode's sense of white space), some
    know only CR LF CR LF (FastWARC). Where a server sent otherwise they would hold the payload's digest against other
    bytes than the payload's.
    """
    if _USUAL.fullmatch(head) is not None:
        return True
    lines = _LINE.findall(head)
    return head.endswith(b"\r\n\r\n") and not any(b":" not in line and not _text(line) for line in lines[:-1])


def indexed(head: bytes) -> IndexedHead:
    """Media type and status as pywb's indexer takes them from a response record."""
    usual = _USUAL.fullmatch(head)
    if usual is not None and usual[1] != b"204":
        return IndexedHead(_mime(head), usual[1].decode("ascii"))
    seen = _up_to_blank(head)
    status_line = _text(seen.partition(b"\n")[0])
    words = status_line.split(" ", 1)[1:]
    status = words[0].strip().split(" ", 1)[0] if words else ""
    if not status and b":" not in seen:
        # No status and no field: warcio takes the record for a file that was fetched without any head.
        return IndexedHead("application/http", "200")
    if status == "-" or (status == "204" and "Error" in status_line):
        status = ""
    return IndexedHead(_mime(seen), status)


def _mime(head: bytes) -> str:
    found = _CONTENT_TYPE.search(head)
    first, *folded = found[1].split(b"\n") if found else [b""]
    value = "".join([_text(first).lstrip(), *(_text(line) for line in folded if _text(line))])
    return _MIME_END.split(value, maxsplit=1)[0] if value else "unk"


def _up_to_blank(head: bytes) -> bytes:
    kept: list[bytes] = []
    for line in _LINE.findall(head):
        if not _text(line):
            break
        kept.append(line)
    return b"".join(kept)


def _text(line: bytes) -> str:
    """A line as warcio reads it: UTF-8, else Latin-1, without white space at its end."""
    try:
        return line.decode("utf-8").rstrip()
    except UnicodeDecodeError:
        return line.decode("latin-1").rstrip()
