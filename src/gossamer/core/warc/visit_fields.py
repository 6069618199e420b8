"""What a metadata record says of a visit, and how it is read back.

The names are Heritrix's where it has one (via, hopsFromSeed, sourceTag, fetchTimeMs, charsetForLinkExtraction), so
that the tools which know them find them; the rest is what `derive` needs to make a crawl's rows from its archive alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gossamer.core.preference.preferences import Statement

_STATED: Final = "stated"
_STATED_MAX: Final = 16
"""Statements read of one visit; a crawl writes five at most."""
_ATTEMPTS_MAX: Final = 1_000
_NUMBER_MAX: Final = 2**31 - 1
"""Beyond these a number is not believed."""
_DIGITS: Final = 10


@dataclass(slots=True)
class VisitFields:
    """One visit, as far as its answer does not say it."""

    kind: str = "page"
    """The column `kind` of `pages`."""
    url: str = ""
    """The fetch URL, where WARC-Target-URI had to escape some of it."""
    via: str = ""
    """First page found linking here."""
    hops: str = ""
    """Hop path from a seed."""
    depth: int = 0
    group: str = ""
    """Seed group."""
    attempt: int = 1
    milliseconds: int = 0
    """Start of the exchange to its last byte."""
    charset: str = ""
    """The encoding the page was read in."""
    failure: str = ""
    """Why the exchange failed although an answer had begun."""
    reason: str = ""
    """Why the visit failed or was refused, where the answer does not say it."""
    copy_of: str = ""
    """URL under which the same body was archived before."""
    stated: tuple[Statement, ...] = ()
    """What robots.txt and tdmrep.json stated of its use at that time."""

    def fields(self) -> list[tuple[str, str]]:
        """Names and values for the record; empty ones are left out there."""
        return [
            ("via", self.via),
            ("hopsFromSeed", self.hops),
            ("sourceTag", self.group),
            ("fetchTimeMs", str(self.milliseconds)),
            ("charsetForLinkExtraction", self.charset),
            ("kind", self.kind),
            ("fetchUrl", self.url),
            ("depth", str(self.depth)),
            ("attempt", str(self.attempt)),
            ("failure", self.failure),
            ("reason", self.reason),
            ("copyOf", self.copy_of),
            *((_STATED, f"{each.source} {each.signal} {each.text}") for each in self.stated),
        ]


def parse_visit_fields(block: bytes) -> VisitFields:
    """Read a metadata record's block, whoever wrote it. Never raises; what is missing has its default.

    A depth that is not written is the number of links on the hop path, as the letters of Heritrix and ours count them.
    """
    said: dict[str, str] = {}
    stated: list[Statement] = []
    for line in block.decode("utf-8", "replace").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            said.setdefault(name.strip(), value.strip())
            source, signal, text = [*value.split(None, 2), "", "", ""][:3]
            if name.strip() == _STATED and text and len(stated) < _STATED_MAX:
                stated.append(Statement(source, signal, text.strip()))
    hops = said.get("hopsFromSeed", "")
    return VisitFields(
        kind=said.get("kind", "robots" if hops == "P" and not said.get("via") else "page"),
        url=said.get("fetchUrl", ""),
        via=said.get("via", ""),
        hops=hops,
        depth=_number(said.get("depth", ""), sum(letter in "LE" for letter in hops)),
        group=said.get("sourceTag", ""),
        attempt=_number(said.get("attempt", ""), 1, _ATTEMPTS_MAX),
        milliseconds=_number(said.get("fetchTimeMs", ""), 0),
        charset=said.get("charsetForLinkExtraction", ""),
        failure=said.get("failure", ""),
        reason=said.get("reason", ""),
        copy_of=said.get("copyOf", ""),
        stated=tuple(stated),
    )


def _number(text: str, default: int, most: int = _NUMBER_MAX) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else most + 1
    return number if number <= most else default
