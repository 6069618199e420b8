"""XML as it comes, read as far as it makes sense: tags, text and CDATA, in pieces of any size.

This is no XML parser, on purpose: one must stop at the first fault (XML 1.0 section 1.2, "fatal error"), and sitemaps
with a bare `&` in an address or text behind the end are everyday. What makes XML dangerous is absent: no entity is
defined or expanded, nothing is loaded, nothing recurses.

Whatever the pieces, the events are the same, but for the places at which long text is parted.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import Final, Protocol

from gossamer.core.limits import MARKUP_TAG_CHARACTERS_MAX

_TAG: Final = re.compile(r"<(/?)([A-Za-z_][^\s<>/\"'=]*+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>")
_OPENING: Final = re.compile(r"<(?=[A-Za-z_/!?]|\Z)")
"""What may begin more than text; at the end of a piece that is not known yet."""
_DOCTYPE: Final = re.compile(r"<![Dd][Oo][Cc][Tt][Yy][Pp][Ee]\b([^\[>]*+)(?:\[(.*?)\]\s*+)?>", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r"([^\s=\"'/]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"']++)))?")
"""One without a value is taken as well, so that none of its letters is looked at twice."""
_REFERENCE: Final = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));")
_ENDS: Final = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", ">"))
"""How what is no tag begins and ends. A processing instruction is taken to end at the first `>`: its own end, `?>`,
is missing from many an XML declaration."""
_LONGEST_START: Final = 9
_DECLARATIONS_READ: Final = 8
"""XML allows one. More would cost the reading of as much again and again, and nothing is expanded in any case."""


class MarkupSink(Protocol):
    """Takes events in document order."""

    def start(self, name: str, attributes: str) -> None:
        """A start tag: its local name in lower case, and what stands behind it."""
        ...

    def end(self, name: str) -> None:
        """An end tag, or the end of an empty element; nobody has checked that it fits."""
        ...

    def text(self, text: str) -> None:
        """A piece of text, character references in it; a CDATA section's is escaped."""
        ...

    def declaration(self, subset: str) -> None:
        """A document type declaration, with its internal subset."""
        ...


class MarkupReader:
    """Turns pieces of a document into events."""

    def __init__(self, sink: MarkupSink) -> None:
        self._sink: Final = sink
        self._rest = ""
        self._declarations = 0
        self._within = ""
        """How the construct that was entered began; empty outside of all."""

    def feed(self, text: str) -> None:
        """One more piece."""
        self._rest = self._read(self._rest + text, final=False)

    def close(self) -> None:
        """There is no more; an unfinished tag is nothing."""
        self._read(self._rest, final=True)
        self._rest = ""

    def _read(self, text: str, *, final: bool) -> str:
        """Read what is decided; the undecided rest."""
        at = 0
        while at < len(text):
            step = self._leave(text, at) if self._within else self._step(text, at, final=final)
            if step < 0:
                break
            at = step
        return text[at:]

    def _leave(self, text: str, at: int) -> int:
        """Go on within a comment, a CDATA section or an instruction; -1 when its end may be cut in two."""
        end_mark = dict(_ENDS)[self._within]
        end = text.find(end_mark, at)
        # The mark may be half there.
        stop = end if end >= 0 else max(at, len(text) - len(end_mark) + 1)
        if self._within == "<![CDATA[" and stop > at:
            self._sink.text(text[at:stop].replace("&", "&amp;"))
        if end >= 0:
            self._within = ""
            return end + len(end_mark)
        return stop if stop > at else -1

    def _step(self, text: str, at: int, *, final: bool) -> int:
        """Read one event from `at`; where the next begins, or -1 when more must be known."""
        opening = _OPENING.search(text, at)
        if opening is None or opening.start() != at:
            stop = opening.start() if opening is not None else len(text)
            self._sink.text(text[at:stop])
            return stop
        tag = _TAG.match(text, at)
        if tag is not None and tag.end() - at <= MARKUP_TAG_CHARACTERS_MAX:
            self._tag(tag)
            return tag.end()
        if len(text) - at < _LONGEST_START and not final:
            return -1
        for start, _ in _ENDS:
            if text.startswith(start, at):
                self._within = start
                # "<!-->" is a whole comment: its dashes may be those of the opening.
                return at + (2 if start == "<!--" else len(start))
        return self._declaration(text, at) if text.startswith("<!", at) else self._stray(text, at, final=final)

    def _tag(self, tag: re.Match[str]) -> None:
        name = tag[2].rpartition(":")[2].lower()
        if tag[1]:
            self._sink.end(name)
            return
        self._sink.start(name, tag[3])
        if tag[3].endswith("/"):
            self._sink.end(name)

    def _declaration(self, text: str, at: int) -> int:
        if self._declarations == _DECLARATIONS_READ:
            return at + 2
        found = _DOCTYPE.match(text, at, at + MARKUP_TAG_CHARACTERS_MAX + 1)
        if found is not None and found.end() - at <= MARKUP_TAG_CHARACTERS_MAX:
            self._declarations += 1
            self._sink.declaration(found[2] or "")
            return found.end()
        if len(text) - at > MARKUP_TAG_CHARACTERS_MAX:
            # One that long holds declarations, whatever else.
            self._declarations += 1
            self._sink.declaration(text[at : at + MARKUP_TAG_CHARACTERS_MAX])
            return at + 2
        if text[at : at + _LONGEST_START].upper() != "<!DOCTYPE":
            return at + 2
        return -1

    def _stray(self, text: str, at: int, *, final: bool) -> int:
        """A `<` that begins nothing is text; one that may still become a tag waits."""
        decided = final or text.find("<", at + 1) >= 0 or len(text) - at > MARKUP_TAG_CHARACTERS_MAX
        if not decided:
            return -1
        self._sink.text("<")
        return at + 1


def attribute(attributes: str, name: str) -> str | None:
    """The value of an attribute by its whole name (any case), references decoded; None without one."""
    wanted = name.lower()
    for found in _ATTRIBUTE.finditer(attributes):
        if found.lastindex != 1 and found[1].lower() == wanted:
            return decoded(found[2] or found[3] or found[4] or "")
    return None


def decoded(text: str) -> str:
    """Character references resolved, those of HTML too: feeds use them undeclared. Any other `&` stands for itself."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    if found[3]:
        return html5.get(found[3] + ";", found[0])
    number = int(found[1]) if found[1] else int(found[2], 16)
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return chr(number)
