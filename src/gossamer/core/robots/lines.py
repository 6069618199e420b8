"""The lines of a robots.txt: octets to text, names with their misspellings, name and value of a line.

White space is blank, tab, vertical tab and form feed only. The file is read as Latin-1, one character an octet, and
what Unicode calls a space there (0x85, 0xA0) are octets within UTF-8 letters: the last one of "à", say.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

from gossamer.core.limits import ROBOTS_BYTES_MAX

BLANKS: Final = " \t\v\f"
Span = tuple[int, int]
"""Start and end in the text."""


class Key(Enum):
    """What a line is about."""

    AGENT = auto()
    ALLOW = auto()
    DISALLOW = auto()
    SITEMAP = auto()
    DELAY = auto()
    RATE = auto()
    CONTENT_SIGNAL = auto()
    CONTENT_USAGE = auto()
    LICENSE = auto()


_EXACT: Final = {
    "crawl-delay": Key.DELAY,
    "crawldelay": Key.DELAY,
    "crawl delay": Key.DELAY,
    "request-rate": Key.RATE,
    "requestrate": Key.RATE,
    "content-signal": Key.CONTENT_SIGNAL,
    "content-signals": Key.CONTENT_SIGNAL,
    "content-usage": Key.CONTENT_USAGE,
    "license": Key.LICENSE,
}
_BEGINNINGS: Final = (
    ("user-agent", Key.AGENT),
    ("useragent", Key.AGENT),
    ("user agent", Key.AGENT),
    ("allow", Key.ALLOW),
    ("disallow", Key.DISALLOW),
    ("dissallow", Key.DISALLOW),
    ("dissalow", Key.DISALLOW),
    ("disalow", Key.DISALLOW),
    ("diasllow", Key.DISALLOW),
    ("disallaw", Key.DISALLOW),
    ("sitemap", Key.SITEMAP),
    ("site-map", Key.SITEMAP),
)
"""Names in lower case, the misspelt ones being those that Google's parser takes. Like there it is enough that a name
begins so ("Disallowed", "User-agents"), but unlike there not that a sentence does ("User-agent must match: see")."""

_NAMES: Final = {**_EXACT, **dict(_BEGINNINGS)}
_ALL_BEGINNINGS: Final = tuple(beginning for beginning, _ in _BEGINNINGS)

RULES: Final = frozenset({Key.ALLOW, Key.DISALLOW})
IN_RULES: Final = ("llow", "alow", "allaw")
_NAMED_WITHOUT_COLON: Final = re.compile(r"[ \t\v\f]*(site-?maps?)[ \t]+(https?)", re.IGNORECASE)
"""What stands before the colon of "Sitemap https://site.example/map.xml"."""
AFTER_NAMES: Final = frozenset({Key.DELAY, Key.RATE, Key.CONTENT_SIGNAL, Key.CONTENT_USAGE})
IN_AFTER_NAMES: Final = ("delay", "request", "content-")
"""What every spelling of a name holds: lines without it need no closer look."""


def key_of(name: str) -> Key | None:
    """The key that the name of a line stands for; None for a name that means nothing to us."""
    folded = name.strip(BLANKS).lower()
    exact = _NAMES.get(folded)
    if exact is not None or not folded.startswith(_ALL_BEGINNINGS):
        return exact
    beginning, key = next(each for each in _BEGINNINGS if folded.startswith(each[0]))
    return key if " " not in folded[len(beginning) :] and "\t" not in folded else None


def split_line(line: str) -> tuple[Key | None, str]:
    """Key and value of a line, comment and odd spacing seen to."""
    content = line.partition("#")[0]
    if ":" in content:
        name, _, value = content.partition(":")
        if value.startswith("//") and (found := _NAMED_WITHOUT_COLON.fullmatch(name)) is not None:
            # The colon is the URL's own; the one behind the name is missing.
            name, value = found[1], f"{found[2]}:{value}"
    else:
        name, value = _two_words(content)
    return key_of(name), value.strip(BLANKS)


def _two_words(line: str) -> tuple[str, str]:
    """A line without colon: name and value where it is two words, as Google's parser takes it, else neither."""
    name, _, value = line.replace("\t", " ").strip(BLANKS).partition(" ")
    value = value.strip(BLANKS)
    return (name, value) if value and " " not in value else ("", "")


def lines_with(folded: str, part: str, span: Span) -> Iterator[Span]:
    """The lines within `span` that hold `part`, each once. `folded` is the text in lower case; spans begin at line
    starts.
    """
    position, last = span
    while (found := folded.find(part, position, last)) >= 0:
        start = folded.rfind("\n", position, found) + 1 or position
        end = folded.find("\n", found)
        end = len(folded) if end < 0 else end
        position = end + 1
        yield start, end


def values_of(text: str, folded: str, span: Span, parts: tuple[str, ...], keys: frozenset[Key]) -> Iterator[str]:
    """The values of the lines within `span` whose key is one of `keys`; every name of those holds one of `parts`."""
    for part in parts:
        for start, end in lines_with(folded, part, span):
            key, value = split_line(text[start:end])
            if key in keys:
                yield value


def text_of(body: bytes) -> str:
    """The file as Latin-1 text, one character an octet, so that no file is undecodable; lines end in LF.

    It is cut to `ROBOTS_BYTES_MAX`, and a line cut there is left out.
    """
    cut = len(body) > ROBOTS_BYTES_MAX
    text = _without_mark(body[:ROBOTS_BYTES_MAX]).decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text[: text.rfind("\n") + 1] if cut else text


def folded_of(text: str) -> str:
    """The text in lower case, by octets: names are ASCII, and the case of other letters must not cost time."""
    return text.encode("latin-1").lower().decode("latin-1")


def utf8_of(text: str) -> str:
    """Latin-1 text as people should see it."""
    return text.encode("latin-1").decode("utf-8", "replace")


def _without_mark(body: bytes) -> bytes:
    """UTF-8 octets without byte order mark. A mark that lost its end is one too, as with Google; UTF-16 is turned,
    unless no octet of it is a NUL: then the mark alone is wrong.
    """
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if body.startswith(mark):
            wide = 0 in body
            return body[2:].decode(encoding, "replace").encode("utf-8", "replace") if wide else body[2:]
    length = next((length for length in (3, 2, 1) if body.startswith(codecs.BOM_UTF8[:length])), 0)
    return body[length:]
