"""All that was stated of one answer: by the site's files, by the answer's fields, by the page itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gossamer.core.page.document import Directives
from gossamer.core.preference.preferences import (
    HEADER,
    PAGE,
    Preferences,
    Statement,
    is_tdm,
    preferences_of,
)
from gossamer.core.preference.purpose import ROBOTS_DENIES

_FIELDS: Final = ("content-signal", "content-usage", "license", "tdm-reservation", "tdm-policy", "link")
_RSL_LINK: Final = re.compile(r"<([^<>]{1,400})>[^<]*application/rsl\+xml", re.IGNORECASE)
"""A `Link:` whose target is an RSL document (RSL 1.0, "HTTP Link header")."""
_RELATIONS: Final = re.compile(r"rel\s*+=\s*+\"?([^\";,]*+)", re.IGNORECASE)
_LICENSE: Final = re.compile(r"\blicense\b", re.IGNORECASE)


def heard(files: Preferences, headers: Iterable[tuple[str, str]], directives: Directives) -> Preferences:
    """Add what an answer's fields and a page's directives state to what the files do."""
    stated = [*_in_fields(headers), *_in_page(directives)]
    return preferences_of([*files.statements, *stated]) if stated else files


def _in_fields(headers: Iterable[tuple[str, str]]) -> list[Statement]:
    """Of a repeated TDM field the last valid one counts; of the others all do."""
    found: dict[str, list[str]] = {}
    for name, value in headers:
        folded = name.lower()
        if folded in _FIELDS:
            found.setdefault(folded, []).append(value.strip())
    if not found:
        return []
    licenses = [*found.get("license", ()), *(link for value in found.get("link", ()) for link in _licenses_in(value))]
    values = {
        "content-signal": ", ".join(found.get("content-signal", ())),
        "content-usage": ", ".join(found.get("content-usage", ())),
        "license": " ".join(licenses),
        "tdm-reservation": next(filter(is_tdm, reversed(found.get("tdm-reservation", []))), ""),
        "tdm-policy": found.get("tdm-policy", [""])[-1],
    }
    return [Statement(HEADER, signal, text) for signal, text in values.items() if text]


def _licenses_in(link: str) -> list[str]:
    is_license = any(_LICENSE.search(relations) for relations in _RELATIONS.findall(link))
    return _RSL_LINK.findall(link) if is_license else []


def _in_page(directives: Directives) -> list[Statement]:
    words = [rule for rule in directives.rules if rule in ROBOTS_DENIES]
    stated = [Statement(PAGE, "robots", ", ".join(words))] if words else []
    return stated + [
        Statement(PAGE, name, text) for name, text in directives.stated if name != "tdm-reservation" or is_tdm(text)
    ]
