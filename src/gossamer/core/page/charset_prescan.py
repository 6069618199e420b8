"""The encoding a page declares in its first bytes (HTML standard section 13.2.3.2, "prescan a byte stream").

A small scanner of its own: it runs on bytes, before there is text to parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gossamer.core.page.charset_labels import encoding_of

_NEXT: Final = re.compile(rb"<(?:(!--)|(meta)(?=[\t\n\x0c\r /])|(/?[a-z])|([!/?]))", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    rb"[\t\n\x0c\r /]*+([^\t\n\x0c\r />][^\t\n\x0c\r />=]*+)"
    rb"(?:[\t\n\x0c\r ]*+=[\t\n\x0c\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\x0c\r >\"'][^\t\n\x0c\r >]*+)|(?=>)|()))?"
)
_GAP: Final = re.compile(rb"[\t\n\x0c\r /]*+")
_TAG_NAME_END: Final = re.compile(rb"[\t\n\x0c\r >]")
_CONTENT_CHARSET: Final = re.compile(
    r"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*))", re.IGNORECASE
)
_USUAL: Final = re.compile(
    rb"[\t\n\x0c\r ]*+(?:<!doctype[^>]*+>[\t\n\x0c\r ]*+)?+"
    rb"(?:<html(?:[\t\n\x0c\r ]++[a-z:-]++=\"[^\"<>]*+\")*+>[\t\n\x0c\r ]*+)?+"
    rb"<head>[\t\n\x0c\r ]*+<meta charset=\"([a-z0-9_-]++)\"[\t\n\x0c\r ]*+/?+>",
    re.IGNORECASE,
)
"""How most pages begin: read at once."""
_XML: Final = re.compile(rb"<\?xml[^>]*?encoding[\x00-\x20]*=[\x00-\x20]*(?:\"([^\">]*)\"|'([^'>]*)')")
_XML_WIDE: Final = ((b"<\0?\0x\0", "utf-16le"), (b"\0<\0?\0x", "utf-16be"))


def prescan(head: bytes) -> str:
    """The encoding declared in `head` (the bytes to be looked at, no more), by its name; "" if none is."""
    usual = _USUAL.match(head)
    if usual is not None and usual.end() < len(head):
        return _declared(usual[1].decode("ascii"))
    for mark, encoding in _XML_WIDE:
        if head.startswith(mark):
            return encoding
    return _meta_charset(head) or _xml_charset(head)


def _xml_charset(head: bytes) -> str:
    """The encoding of an XML declaration (HTML standard, "get an XML encoding")."""
    found = _XML.match(head)
    return _declared(found[found.lastindex or 0].decode("latin-1")) if found else ""


def _meta_charset(head: bytes) -> str:
    position = 0
    while found := _NEXT.search(head, position):
        position = found.end()
        if found[1]:
            # "<!-->" is a whole comment: its dashes may be those of the opening.
            end = head.find(b"-->", found.start() + 2)
            position = len(head) if end < 0 else end + 3
        elif found[4]:
            end = head.find(b">", found.start() + 1)
            position = len(head) if end < 0 else end + 1
        else:
            attributes = _Attributes(head, position if found[2] else _tag_name_end(head, position))
            encoding = _encoding_of_meta(attributes) if found[2] else ""
            if encoding:
                return encoding
            position = attributes.end()
    return ""


def _tag_name_end(head: bytes, position: int) -> int:
    end = _TAG_NAME_END.search(head, position)
    return end.start() if end else len(head)


class _Attributes:
    """The attributes of one tag, read once, in order; knows where the tag ends."""

    def __init__(self, head: bytes, position: int) -> None:
        self._head = head
        self._position = position
        self.broken = False
        """The bytes ended within the tag: nothing it says counts."""

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        while found := _ATTRIBUTE.match(self._head, self._position):
            self._position = found.end()
            if found[5] is not None:  # a quote without its other half
                self._position = len(self._head)
            if self._position >= len(self._head):
                self.broken = True
                return
            yield found[1].lower(), found[2] or found[3] or found[4] or b""
        gap = _GAP.match(self._head, self._position)
        self._position = gap.end() if gap else self._position
        self.broken = self._position >= len(self._head)

    def end(self) -> int:
        """The position after the tag, once the rest of it is read."""
        for _ in self:
            pass
        return self._position


def _encoding_of_meta(attributes: _Attributes) -> str:
    values: dict[bytes, str] = {}
    for name, value in attributes:
        values.setdefault(name, value.decode("latin-1"))
    if attributes.broken:
        return ""
    if b"charset" in values:
        return _declared(values[b"charset"])
    if values.get(b"http-equiv", "").lower() == "content-type":
        return _declared(charset_in_content(values.get(b"content", "")))
    return ""


def charset_in_content(content: str) -> str:
    """The label in a meta's content (HTML standard, "extracting a character encoding from a meta element"); or ""."""
    found = _CONTENT_CHARSET.search(content)
    return found[found.lastindex or 0] if found else ""


def _declared(label: str) -> str:
    encoding = encoding_of(label)
    if encoding.startswith("utf-16"):
        return "utf-8"
    return "windows-1252" if encoding == "x-user-defined" else encoding
