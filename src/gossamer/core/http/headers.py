"""An answer's raw head as a status and fields (RFC 9112), whatever a server sent.

A head is read the way RFC 9112 lets a recipient read it: a bare LF ends a line (2.2), a folded line is joined with a
space (5.2), blanks before the colon are dropped (5.1). What a strict reader would refuse is kept where its meaning is
plain and named in `Head.problems` where it is not, so that the archive's copy and our reading can be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from gossamer.core import limits

if TYPE_CHECKING:
    from collections.abc import Iterable

Field = tuple[str, str]

_STATUS_LINE: Final = re.compile(r"HTTP/(\d)\.(\d)[ \t]+(\d{3})(?:[ \t]+(.*))?", re.ASCII | re.DOTALL)
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_DIGITS: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_BLANKS: Final = " \t"
_KNOWN_NAMES_MAX: Final = 4096
_KNOWN_CHARACTERS_MAX: Final = 64
"""Names of fields that are remembered as such: the web knows some hundreds, and a server may make up any number."""


@dataclass(slots=True)
class Head:
    """Status line and fields of one answer."""

    protocol: str
    """"http/1.1", or empty when the status line is unreadable."""
    status: int
    """0 when the status line is unreadable."""
    reason: str
    fields: tuple[Field, ...]
    """In order, names as received, values stripped, decoded as latin-1."""
    problems: tuple[str, ...]
    """What a strict reader would have refused; fixed words, no bytes of the answer."""
    values: dict[str, list[str]] = field(compare=False)
    """The values of the fields by name, in lower case."""


def parse_head(raw: bytes) -> Head:
    """Read a head: status line, fields, and whatever follows up to the first empty line. Never raises."""
    first, _, rest = raw.decode("latin-1").partition("\n")
    problems: dict[str, None] = {}
    protocol, status, reason = _status_line(first.rstrip("\r"))
    if not status:
        problems["unreadable status line"] = None
    fields = _plain_fields(rest)
    if fields is None:
        fields = _fields(rest.split("\n"), problems)
    if len(fields) > limits.HEADER_FIELDS_MAX:
        problems["too many fields"] = None
        del fields[limits.HEADER_FIELDS_MAX :]
    values = by_name(fields)
    _check_framing(values, problems)
    return Head(protocol, status, reason, tuple(fields), tuple(problems), values)


def field_values(fields: Iterable[Field], name: str) -> list[str]:
    """All values of the fields called `name` (any case), in order."""
    wanted = name.lower()
    return [value for key, value in fields if key.lower() == wanted]


def by_name(fields: Iterable[Field]) -> dict[str, list[str]]:
    """The values of the fields by name, in lower case."""
    values: dict[str, list[str]] = {}
    for name, value in fields:
        lowered = name.lower()
        if lowered in values:
            values[lowered].append(value)
        else:
            values[lowered] = [value]
    return values


def _plain_fields(rest: str) -> list[Field] | None:
    """The fields of a head without fault, which is nearly every one; None for any other."""
    lines = rest.split("\r\n")
    ends = len(lines) - 1
    if "\0" in rest or lines[-2:] != ["", ""] or rest.count("\n") != ends or rest.count("\r") != ends:
        return None
    fields: list[Field] = []
    for line in lines[:-2]:
        name, colon, value = line.partition(":")
        if not colon or not (_is_known_name(name) if len(name) <= _KNOWN_CHARACTERS_MAX else _TOKEN.fullmatch(name)):
            return None
        fields.append((name, value.strip(_BLANKS)))
    return fields


@lru_cache(maxsize=_KNOWN_NAMES_MAX)
def _is_known_name(name: str) -> bool:
    return _TOKEN.fullmatch(name) is not None


def _status_line(line: str) -> tuple[str, int, str]:
    match = _STATUS_LINE.fullmatch(line)
    if match is None:
        return "", 0, ""
    major, minor, status, reason = match.groups()
    return f"http/{major}.{minor}", int(status), (reason or "").strip(_BLANKS)


def _fields(lines: list[str], problems: dict[str, None]) -> list[Field]:
    fields: list[Field] = []
    for line in lines:
        text = line.removesuffix("\r")
        if not text:
            break
        if text[0] in _BLANKS:
            _fold(fields, text, problems)
            continue
        field = _field(text, problems)
        if field is not None:
            fields.append(field)
    return fields


def _fold(fields: list[Field], text: str, problems: dict[str, None]) -> None:
    """RFC 9112 section 5.2: an obsolete folded line continues the value before it."""
    if not fields:
        problems["junk line"] = None
        return
    problems["folded line"] = None
    name, value = fields[-1]
    fields[-1] = (name, f"{value} {_clean(text, problems)}".strip(_BLANKS))


def _field(text: str, problems: dict[str, None]) -> Field | None:
    name, colon, value = text.partition(":")
    if name[-1:] in (" ", "\t"):
        problems["blank before colon"] = None
        name = name.rstrip(_BLANKS)
    if not colon or not _TOKEN.fullmatch(name):
        problems["junk line"] = None
        return None
    return name, _clean(value, problems)


def _clean(value: str, problems: dict[str, None]) -> str:
    """RFC 9110 section 5.5: CR and NUL inside a value are replaced by a space."""
    if "\r" in value or "\0" in value:
        problems["control character in value"] = None
        value = value.replace("\r", " ").replace("\0", " ")
    return value.strip(_BLANKS)


def _check_framing(values: dict[str, list[str]], problems: dict[str, None]) -> None:
    """Note lengths that contradict each other (RFC 9112 section 6.3); the transport has decided already."""
    stated = values.get("content-length")
    if stated is None:
        return
    lengths = [part.strip(_BLANKS) for value in stated for part in value.split(",")]
    if not all(_DIGITS.fullmatch(length) for length in lengths):
        problems["bad Content-Length"] = None
    if len(set(lengths)) > 1:
        problems["conflicting Content-Length"] = None
    elif len(lengths) > 1:
        problems["repeated Content-Length"] = None
    if "transfer-encoding" in values:
        problems["Content-Length with Transfer-Encoding"] = None
