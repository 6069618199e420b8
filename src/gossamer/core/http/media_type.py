"""Content-Type as a value: the MIME type parser of the WHATWG MIME Sniffing standard (section 4.4).

Several Content-Type fields are combined as the Fetch standard says ("extract a MIME type"): the last valid type wins,
and an earlier charset survives only if the essence stays the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_QUOTABLE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|\\?$)', re.DOTALL)
_ELEMENT: Final = re.compile(r'(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?$))*', re.DOTALL)
_BLANKS: Final = " \t\r\n"
_REMEMBERED_CHARACTERS: Final = 100
"""Longer fields are read each time: the few that the web knows are short, and what is remembered is bounded."""
_PARAMETERS_MAX: Final = 32
"""More parameters than this are not read: no real type has five."""


@dataclass(frozen=True, slots=True)
class MediaType:
    """A media type. `essence` is "type/subtype" in lower case; parameters keep their order and first value."""

    essence: str
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def charset(self) -> str:
        """The charset parameter in lower case, unchecked; empty when there is none."""
        return next((value.lower() for name, value in self.parameters if name == "charset"), "")


def parse(value: str) -> MediaType | None:
    """Read one Content-Type value (latin-1 text); None when it names no type. Never raises."""
    essence, _, rest = value.strip(_BLANKS).partition(";")
    kind, slash, subtype = essence.partition("/")
    subtype = subtype.rstrip(_BLANKS)
    if not slash or not _TOKEN.fullmatch(kind) or not _TOKEN.fullmatch(subtype):
        return None
    return MediaType(f"{kind}/{subtype}".lower(), _parameters(rest))


def combined(values: Sequence[str]) -> MediaType | None:
    """The type that several Content-Type fields say together (Fetch standard, "extract a MIME type")."""
    if len(values) == 1 and len(values[0]) <= _REMEMBERED_CHARACTERS:
        return _said_alone(values[0])
    return _combined(values)


@lru_cache(maxsize=1024)
def _said_alone(value: str) -> MediaType | None:
    return _combined((value,))


def _combined(values: Sequence[str]) -> MediaType | None:
    found: MediaType | None = None
    charset = ""
    for element in _elements(", ".join(values)):
        parsed = parse(element)
        if parsed is None or parsed.essence == "*/*":
            continue
        if found is not None and parsed.essence == found.essence and charset and not parsed.charset:
            parsed = MediaType(parsed.essence, (*parsed.parameters, ("charset", charset)))
        charset = parsed.charset
        found = parsed
    return found


def _elements(value: str) -> list[str]:
    """Split at commas outside quoted strings."""
    elements: list[str] = []
    position = 0
    while position <= len(value):
        match = _ELEMENT.match(value, position)
        end = match.end() if match is not None else len(value)
        elements.append(value[position:end])
        position = end + 1
    return elements


def _parameters(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    position = 0
    for _ in range(_PARAMETERS_MAX):
        if position >= len(text):
            break
        name, value, position = _parameter(text, position)
        if value is not None and name not in found and _TOKEN.fullmatch(name) and _QUOTABLE.fullmatch(value):
            found[name] = value
    return tuple(found.items())


def _parameter(text: str, position: int) -> tuple[str, str | None, int]:
    """One parameter from `position`: lower-case name, value or None, and where the next begins."""
    end = _find(text, ";", position)
    equals = text.find("=", position, end)
    if equals < 0:
        return "", None, end + 1
    name = text[position:equals].lstrip(_BLANKS).lower()
    quoted = _QUOTED.match(text, equals + 1)
    if quoted is None:
        # An empty unquoted value is no parameter.
        return name, text[equals + 1 : end].rstrip(_BLANKS) or None, end + 1
    value = re.sub(r"\\(.)", r"\1", quoted.group(1), flags=re.DOTALL)
    if not quoted.group(0).endswith('"') and quoted.group(0).endswith("\\"):
        value += "\\"
    return name, value, _find(text, ";", quoted.end()) + 1


def _find(text: str, wanted: str, start: int) -> int:
    found = text.find(wanted, start)
    return len(text) if found < 0 else found
