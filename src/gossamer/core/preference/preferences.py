"""Reading the statements that reached us with one URL, and what they deny.

Whoever denies a use denies it, whatever others say: the most restrictive statement counts (draft-ietf-aipref-vocab,
section 5.1). Only within TDMRep, whose three places are ordered, does the nearest one decide: the page's own metadata,
then the answer's fields, then the file at the origin. What cannot be read states nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from gossamer.core.limits import PREFERENCE_CHARACTERS_MAX
from gossamer.core.preference.purpose import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    LICENSE_DENIES,
    ROBOTS_DENIES,
    TDM_DENIES,
    USE_DENIES,
    Purpose,
)

ROBOTS_TXT: Final = "robots.txt"
HEADER: Final = "header"
PAGE: Final = "page"
TDM_FILE: Final = "tdmrep.json"

_YES: Final = frozenset({"y", "yes", "1", "true", "?1", "allow"})
_NO: Final = frozenset({"n", "no", "0", "false", "?0", "disallow"})


class Statement(NamedTuple):
    """One statement: where it stood, as what ("content-usage", "tdm-reservation", ...), and what it said."""

    source: str
    signal: str
    text: str


class Refused(NamedTuple):
    """A purpose of the crawl that is denied, and the words that deny it."""

    purpose: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """All that was stated for one URL, and what follows."""

    statements: tuple[Statement, ...] = ()
    denied: Mapping[Purpose, str] = field(default_factory=dict[Purpose, str])
    """Purpose -> the words that deny it."""

    def refusal(self, purposes: Iterable[str]) -> Refused | None:
        """The first of a crawl's purposes that is denied; None when it may go on.

        One suffices: what is fetched is fetched for all of them.
        """
        for purpose in purposes if self.denied else ():
            evidence = self.denied.get(Purpose(purpose))
            if evidence is not None:
                return Refused(purpose, evidence)
        return None

    def said(self, signal: str) -> str:
        """What was said as `signal`, each with its source: "robots.txt: ai-train=no; header: ai-train=yes"."""
        return "; ".join(f"{each.source}: {each.text}" for each in self.statements if each.signal == signal)

    def value(self, signal: str) -> str:
        """What the nearest source said as `signal`; empty where none did. For TDMRep, where one source decides."""
        return next((each.text for each in reversed(self.statements) if each.signal == signal), "")


NOTHING: Final = Preferences()


def preferences_of(statements: Sequence[Statement]) -> Preferences:
    """What statements deny. They come in order of distance: the site's files, the answer's fields, the page."""
    kept = tuple(
        Statement(source, signal, " ".join(text.split())[:PREFERENCE_CHARACTERS_MAX])
        for source, signal, text in statements
        if text.strip()
    )
    if not kept:
        return NOTHING
    denied: dict[Purpose, str] = {}
    nearest_tdm = next((each for each in reversed(kept) if each.signal == "tdm-reservation"), None)
    for statement in kept:
        if statement.signal == "tdm-reservation" and statement is not nearest_tdm:
            continue
        for purpose, words in _READERS.get(statement.signal, _nothing)(statement.text).items():
            denied.setdefault(purpose, f"{words} ({statement.source})")
    return Preferences(kept, denied)


def is_tdm(value: str) -> bool:
    """Whether a value of tdm-reservation is one: anything else counts as unset."""
    return value in ("0", "1")


def _pairs(text: str) -> dict[str, str]:
    """Keys and values of a dictionary such as `train-ai=n, search=y` (RFC 9651, section 3.2, read leniently).

    Parameters after a semicolon are left out, and of a key given twice the last counts.
    """
    pairs: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.partition(";")[0].partition("=")
        if equals:
            pairs[key.strip().lower()] = value.strip().strip('"').lower()
    return pairs


def _content_signal(text: str) -> dict[Purpose, str]:
    denied: dict[Purpose, str] = {}
    for key, value in _pairs(text).items():
        purposes = USE_DENIES.get(value, ()) if key == "use" else CONTENT_SIGNAL.get(key, ()) if value in _NO else ()
        denied.update(dict.fromkeys(purposes, f"Content-Signal: {key}={value}"))
    return denied


def _content_usage(text: str) -> dict[Purpose, str]:
    pairs = _pairs(text)
    denied: dict[Purpose, str] = {}
    for key, purposes in CONTENT_USAGE.items():
        value = pairs.get(key, "")
        if value in _NO:
            denied.update(dict.fromkeys(purposes, f"Content-Usage: {key}={value}"))
        elif value in _YES:
            for purpose in purposes:
                denied.pop(purpose, None)
    return denied


def _tdm(text: str) -> dict[Purpose, str]:
    return dict.fromkeys(TDM_DENIES, "tdm-reservation: 1") if text == "1" else {}


def _license(text: str) -> dict[Purpose, str]:
    return dict.fromkeys(LICENSE_DENIES, f"License: {text}")


def _robots(text: str) -> dict[Purpose, str]:
    denied: dict[Purpose, str] = {}
    for word in text.split(","):
        denied.update(dict.fromkeys(ROBOTS_DENIES.get(word.strip(), ()), f"robots: {word.strip()}"))
    return denied


def _nothing(_: str) -> dict[Purpose, str]:
    return {}


_READERS: Final[Mapping[str, Callable[[str], dict[Purpose, str]]]] = {
    "content-signal": _content_signal,
    "content-usage": _content_usage,
    "tdm-reservation": _tdm,
    "license": _license,
    "robots": _robots,
}
